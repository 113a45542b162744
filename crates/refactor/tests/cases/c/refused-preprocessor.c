/* What is packed depends on how the program is compiled; a pragma stands before the loop. */
#include <mpi.h>

void send_configured(const double *u, const double *v, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
#ifdef USE_V
    for (int i = 0; i < n; i++)
        b[i] = v[4 * i];
#else
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
#endif
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void send_traced(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
#ifdef TRACE
    MPI_Barrier(comm);
#endif
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
