#include <mpi.h>

/* A later call, or later copies, use what the first copies left. */

void stale_send(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n + 3; i++)
        b[i] = u[i * 3];
    MPI_Send(b, n + 3, MPI_DOUBLE, s, 1, cm);
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    MPI_Send(b, n + 3, MPI_DOUBLE, s, 1, cm);
}

void stale_unpack(double *u, double *restrict w, int n, int s, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n + 3; i++)
        b[i] = u[i * 3];
    MPI_Send(b, n + 3, MPI_DOUBLE, s, 1, cm);
    MPI_Recv(b, n, MPI_DOUBLE, s, 1, cm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n + 3; i++)
        w[i * 3] = b[i];
}

void stale_cond(double *u, double *restrict w, int n, int c, int s, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
    if (c)
        MPI_Recv(b, n, MPI_DOUBLE, s, 1, cm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        w[i * 3] = b[i];
}
