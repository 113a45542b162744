/* How many were packed is looked at before they are sent. */
#include <mpi.h>

void send_few(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    int k = 0;
    for (int i = 0; i < n; i++)
        b[k++] = u[4 * i];
    if (k > 50)
        MPI_Abort(comm, 1);
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}

/* What is received is the loop's variable, too. */
void counter_received(int *restrict u, int n, int from, MPI_Comm comm)
{
    int b[100], i;
    MPI_Recv(b, n, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
    for (i = 0; i < n - 1; i++)
        u[2 * i] = b[i];
    i = b[n - 1];
    u[1] = i;
}
