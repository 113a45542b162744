/* A procedure that is called while the send is pending writes to the source. */
#include <mpi.h>

static void relax(double *u, int n)
{
    for (int i = 1; i < n - 1; i++)
        u[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

void send_and_relax(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &r);
    relax(u, 4 * n);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}
