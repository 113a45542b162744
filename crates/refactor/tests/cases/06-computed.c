#include <mpi.h>

void shifted(const double *x, const int *list, double shift, int n, int d, int t, MPI_Comm c)
{
    double b[n];
    for (int i = 0; i < n; i++)
        b[i] = x[list[i]] + shift;
    MPI_Send(b, n, MPI_DOUBLE, d, t, c);
}

void converted(const double *x, int n, int d, int t, MPI_Comm c)
{
    float b[n];
    for (int i = 0; i < n; i++)
        b[i] = (float)x[i];
    MPI_Send(b, n, MPI_FLOAT, d, t, c);
}
