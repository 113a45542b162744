#include <mpi.h>

// References and lambdas are other names.

void ref_bound(double *u, int s, MPI_Comm c)
{
    double b[100];
    int n = 4, m = 1;
    int &r = n;
    for (int i = 0; i < 4; i++)
        b[i] = u[i * 2 + m];
    r = 2;
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
}

double lambda(double *u, int n, int s, MPI_Comm c)
{
    double b[100];
    auto f = [&] { return b[0]; };
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
    return f();
}

void lambda_write(double *u, int n, int s, MPI_Comm c)
{
    double b[100];
    auto f = [&] { u[0] = 1; };
    for (int i = 0; i < n; i++)
        b[i] = u[i * 2];
    f();
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
}
