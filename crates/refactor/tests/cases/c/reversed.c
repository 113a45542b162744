/* The elements go in the opposite order: a negative stride. */
#include <mpi.h>

void send_reversed(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[200];
    int k = 0;
    for (int i = n - 1; i > 0; i -= 2)
        b[k++] = u[i];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}

void send_mirrored(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[200];
    for (int i = 0; i < n; i++)
        b[n - 1 - i] = u[3 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[40]; FILL(u);
SEND(6, MPI_DOUBLE, send_reversed(u, 12, PEER, TAG, COMM));
SEND(6, MPI_DOUBLE, send_reversed(u, 13, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_reversed(u, 1, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_reversed(u, 0, PEER, TAG, COMM));
SEND(13, MPI_DOUBLE, send_mirrored(u, 13, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_mirrored(u, 0, PEER, TAG, COMM));
SHOW(u);
*/
