/* Two arguments that may be the same memory. */
#include <mpi.h>

void send_through(double *work, const double *u, int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        work[i] = u[4 * i];
    MPI_Send(work, n, MPI_DOUBLE, to, tag, comm);
}
