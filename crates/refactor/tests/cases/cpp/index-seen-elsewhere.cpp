#include <mpi.h>

// The value of a running index is read by other names.

int ref_index(double *u, int n, int s, MPI_Comm c)
{
    double b[100];
    int k = 0;
    int &r = k;
    for (int i = 0; i < n; i++)
        b[k++] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
    return r;
}

int lambda_index(double *u, int n, int s, MPI_Comm c)
{
    double b[100];
    int k = 0;
    auto f = [&] { return k; };
    for (int i = 0; i < n; i++)
        b[k++] = u[i * 2];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, c);
    return f();
}

/* run:
double u[40]; FILL(u); int k = 0;
SEND(7, MPI_DOUBLE, (k = ref_index(u, 7, PEER, COMM)));
SHOW(k);
SEND(5, MPI_DOUBLE, (k = lambda_index(u, 5, PEER, COMM)));
SHOW(k);
*/
