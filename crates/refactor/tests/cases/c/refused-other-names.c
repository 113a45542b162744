#include <mpi.h>
#include <stdlib.h>

/* Memory that is written by another name, or by nobody in sight. */

void through_q(double *u, int c, int s, MPI_Comm cm)
{
    double b[100];
    int n = 4;
    int *q = &n;
    for (int i = 0; i < 4; i++)
        b[i] = u[i * 3];
    if (c) {
        *q = 2;
    }
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}

void alias_buffer(double *u, int n, int c, int s, MPI_Comm cm)
{
    double b[100], d[100];
    double *q = c ? b : d;
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    q[0] = 7.0;
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}

static void aim(double **pp, double *u) { free(*pp); *pp = u; }

void pointer_pointer(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    double *p = malloc(800);
    double **pp = &p;
    free(p);
    *pp = u;
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    p[0] = 7;
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}

void pointer_callee(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    double *p = malloc(800);
    aim(&p, u);
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    p[0] = 7;
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}

void integer_pointer(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    unsigned long a = (unsigned long)u;
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    ((double *)a)[0] = 7;
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}

void window(double *u, int n, int s, MPI_Win w, MPI_Comm cm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Win_fence(0, w);
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
}
