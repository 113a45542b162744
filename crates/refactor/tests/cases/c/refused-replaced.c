/* One buffer for what goes and what comes. */
#include <mpi.h>

void replaced_row(double *u, int n, int to, int from, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Sendrecv_replace(b, n, MPI_DOUBLE, to, 0, from, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[3 * i + 1] = b[i];
}
