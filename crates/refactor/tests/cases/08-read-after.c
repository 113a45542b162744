#include <mpi.h>

double sum(const double *values, int n);

double checked(const double *u, int n, int d, int t, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, d, t, c);
    return sum(b, n);
}

void twice(const double *u, int n, int d, int e, int t, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, d, t, c);
    MPI_Send(b, n, MPI_DOUBLE, e, t, c);
}

void summed(const double *u, int n, int d, int t, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, d, t, c);
    MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_SUM, c);
}

/* run:
double u[100]; FILL(u);
if (RANK == 0) {
    twice(u, 10, PEER, PEER, TAG, COMM);
} else {
    TAKE(10, MPI_DOUBLE); TAKE(10, MPI_DOUBLE);
}
SHOW(u);
*/
