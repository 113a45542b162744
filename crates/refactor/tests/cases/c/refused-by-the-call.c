#include <mpi.h>

/* Conditions and arguments are evaluated before the call; what it receives directly is written while it sends. */

int bump(double *u) { u[0] += 1; return 1; }

void cond_writes(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    if (bump(u))
        MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}

void arg_writes(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Send(b, n, MPI_DOUBLE, s, bump(u), cm);
}

void sendrecv_direct(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Sendrecv(b, n, MPI_DOUBLE, s, 1, u, n, MPI_DOUBLE, s, 1, cm, MPI_STATUS_IGNORE);
}

void allgather_direct(double *u, int n, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Allgather(b, n, MPI_DOUBLE, u, n, MPI_DOUBLE, cm);
}

void scatter_direct(double *u, int n, MPI_Comm cm)
{
    double b[100];
    MPI_Scatter(u, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, cm);
    for (int i = 0; i < n; i++)
        u[i * 3] = b[i];
}
