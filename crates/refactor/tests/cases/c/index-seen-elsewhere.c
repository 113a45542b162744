#include <mpi.h>

/* The value of a running index is read through a pointer. */

int through_k(double *u, int n, int s, MPI_Comm cm)
{
    double b[100];
    int k = 0;
    int *pk = &k;
    for (int i = 0; i < n; i++)
        b[k++] = u[i * 3];
    MPI_Send(b, n, MPI_DOUBLE, s, 1, cm);
    return *pk;
}

/* run:
double u[40]; FILL(u);
SEND(7, MPI_DOUBLE, (case_value = through_k(u, 7, PEER, COMM)));
SHOW(case_value);
SEND(0, MPI_DOUBLE, (case_value = through_k(u, 0, PEER, COMM)));
SHOW(case_value);
*/
