/* Two copies to one place. */
#include <mpi.h>

void send_twice_written(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i / 2] = u[4 * i];
    MPI_Send(b, n / 2, MPI_DOUBLE, to, tag, comm);
}

/* A number stands before the elements. */
void send_with_header(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[101];
    b[0] = n;
    for (int i = 0; i < n; i++)
        b[i + 1] = u[4 * i];
    MPI_Send(b, n + 1, MPI_DOUBLE, to, tag, comm);
}
