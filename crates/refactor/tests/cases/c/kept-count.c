/* How many were packed is the result of the procedure. */
#include <mpi.h>

int send_counted(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    int k = 0;
    for (int i = 0; i < n; i++)
        b[k++] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    return k;
}

/* run:
double u[40]; int k = 0; FILL(u);
SEND(9, MPI_DOUBLE, k = send_counted(u, 9, PEER, TAG, COMM));
SHOW(k);
SEND(0, MPI_DOUBLE, k = send_counted(u, 0, PEER, TAG, COMM));
SHOW(k); SHOW(u);
*/
