/* Elements of a list, which may name one twice. */
#include <mpi.h>

void recv_by_list(double *restrict x, const int *restrict list, int n, int from, int tag, MPI_Comm comm)
{
    double b[100];
    MPI_Recv(b, n, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        x[list[i]] = b[i];
}

/* The inner part is computed with the old border while the new one is on its way. */
double recv_while_used(double *u, int n, int from, int tag, MPI_Comm comm)
{
    double b[100], before;
    MPI_Request r;
    MPI_Irecv(b, n, MPI_DOUBLE, from, tag, comm, &r);
    before = u[0] + u[2 * n];
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[2 * i] = b[i];
    return before;
}
