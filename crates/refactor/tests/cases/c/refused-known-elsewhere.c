#include <mpi.h>
#include <stdlib.h>

struct keep { double *p; };

/* Others get to know where the buffer is. */

double *returns(double *u, int n, int s, MPI_Comm c)
{
    double *b = malloc(800);
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
    return b;
}

void stores(double *u, double **out, int n, int s, MPI_Comm c)
{
    double *b = malloc(800);
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
    *out = b;
}

void stores2(double *u, struct keep *k, int n, int s, MPI_Comm c)
{
    double *b = malloc(800);
    k->p = b;
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
}

void stores3(double *u, struct keep *k, int n, int s, MPI_Comm c)
{
    double *b = malloc(800);
    struct keep own = { b };
    *k = own;
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
}
