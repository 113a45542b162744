#include <mpi.h>

void pending(double *u, int n, int d, int t, MPI_Comm c)
{
    double b[100];
    MPI_Request r;
    MPI_Status s;
    for (int i = 0; i < n; i++)
        b[i] = u[i * n];
    MPI_Isend(b, n, MPI_DOUBLE, d, t, c, &r);
    u[0] = 0;
    MPI_Wait(&r, &s);
}

void blocking(double *u, int n, int d, int t, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i * n];
    MPI_Send(b, n, MPI_DOUBLE, d, t, c);
    u[0] = 0;
}

/* run:
double u[100]; FILL(u);
SEND(10, MPI_DOUBLE, blocking(u, 10, PEER, TAG, COMM));
SHOW(u);
*/
