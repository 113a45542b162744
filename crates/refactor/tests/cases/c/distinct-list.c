/* Received into the elements of a list, which a person says are distinct. */
#include <mpi.h>

void recv_listed(double *restrict x, const int *restrict list, int n, int from, int tag, MPI_Comm comm)
{
    double b[100];
    MPI_Recv(b, n, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        x[list[i]] = b[i];
}

/* assume: the elements of 'x' that are received are distinct */
/* run:
double x[20]; int list[] = {5, 3, 19, 0}; FILL(x);
RECV(4, MPI_DOUBLE, recv_listed(x, list, 4, PEER, TAG, COMM));
SHOW(x);
*/
