/* The list is sorted between the copies and the call. */
#include <mpi.h>

void send_then_sorted(const double *u, int *list, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[list[i]];
    list[0] = list[n - 1];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
