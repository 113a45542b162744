/* The call is a part of a condition. */
#include <mpi.h>

int send_checked(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    if (MPI_Send(b, n, MPI_DOUBLE, to, tag, comm) != MPI_SUCCESS)
        return 1;
    return 0;
}
