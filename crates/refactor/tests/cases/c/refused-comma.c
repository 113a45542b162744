#include <mpi.h>

/* No block can take the place of a part of a list of expressions. */
void listed(double *u, int n, int to, MPI_Comm comm)
{
    double b[100];
    int i, k;
    for (i = 0, k = 0; i < n; i++, k++)
        b[k] = u[2 * i];
    (void)0, MPI_Send(b, n, MPI_DOUBLE, to, 1, comm);
}
