/* A reduction computes with what was packed. */
#include <mpi.h>

void sum_columns(const double *restrict u, double *restrict all, int n, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Allreduce(b, all, n, MPI_DOUBLE, MPI_SUM, comm);
}
