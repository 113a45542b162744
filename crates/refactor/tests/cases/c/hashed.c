#include <mpi.h>

/* A small function says where elements lie. */
static int slot(int i)
{
    return (i * 7) % 13;
}

void send_hashed(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[slot(i)];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[13]; FILL(u);
SEND(9, MPI_DOUBLE, send_hashed(u, 9, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_hashed(u, 0, PEER, TAG, COMM));
SHOW(u);
*/
