#include <mpi.h>

void gather(const double *x, const int *list, int n, int d, int t, MPI_Comm c)
{
    double b[n];
    for (int i = 0; i < n; i++)
        b[i] = x[list[i]];
    MPI_Send(b, n, MPI_DOUBLE, d, t, c);
}

/* run:
double x[20]; int list[] = {3, 1, 4, 1, 5, 9, 2, 6}; FILL(x);
SEND(8, MPI_DOUBLE, gather(x, list, 8, PEER, TAG, COMM));
SHOW(x);
*/
