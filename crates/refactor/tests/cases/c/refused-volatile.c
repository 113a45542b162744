/* What others write at any time, or see each write of. */
#include <mpi.h>

void volatile_source(const volatile double *restrict u, int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}

void volatile_buffer(const double *restrict u, int n, int to, MPI_Comm comm)
{
    volatile double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send((void *)b, n, MPI_DOUBLE, to, 0, comm);
}
