/* The bound of an array changes a variable where it is evaluated. */
#include <mpi.h>

void acting_bound(int m, int n, double u[n][m++], int dest, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[i][1];
    MPI_Send(b, n, MPI_DOUBLE, dest, 7, comm);
}
