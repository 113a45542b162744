/* A stride that an `int` may have no room for. */
#include <mpi.h>

void far_column(const double *restrict u, int n, long width, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[i * width];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[600]; FILL(u);
SEND(20, MPI_DOUBLE, far_column(u, 20, 30, PEER, TAG, COMM));
*/
