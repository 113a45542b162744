/* A name of MPI in two lines. */
#include <mpi.h>

void in_two_lines(const double *u, int n, int dest, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[6 * i];
    MPI_\
Send(b, n, MPI_DOUBLE, dest, 7, comm);
}
