/* The receive takes up to a maximum; the status says how many came. */
#include <mpi.h>

#define MOST 100

int recv_some(double *u, int from, int tag, MPI_Comm comm)
{
    double b[MOST];
    MPI_Status status;
    int n;
    MPI_Recv(b, MOST, MPI_DOUBLE, from, tag, comm, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    for (int i = 0; i < n; i++)
        u[2 * i] = b[i];
    return n;
}

/* Less is unpacked than may come. */
void recv_known(double *u, int n, int from, int tag, MPI_Comm comm)
{
    double b[MOST];
    MPI_Recv(b, MOST, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[2 * i] = b[i];
}
