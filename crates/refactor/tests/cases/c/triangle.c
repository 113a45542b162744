/* The lower triangle of a matrix: each row has another length. */
#include <mpi.h>

void send_triangle(int n, double a[n][n], int to, int tag, MPI_Comm comm)
{
    double b[n * (n + 1) / 2];
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            b[k++] = a[i][j];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}

/* run:
double a[36]; FILL(a);
SEND(21, MPI_DOUBLE, send_triangle(6, (void *)a, PEER, TAG, COMM));
SEND(1, MPI_DOUBLE, send_triangle(1, (void *)a, PEER, TAG, COMM));
SHOW(a);
*/
