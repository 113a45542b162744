/* Unpacked with a running index into the inner part of a cube. */
#include <mpi.h>

#define N 6

void recv_inner(int u[N][N][N], int from, int tag, MPI_Comm comm)
{
    int b[N * N * N], p = 0;
    MPI_Request r;
    MPI_Irecv(b, (N - 2) * (N - 2) * (N - 2), MPI_INT, from, tag, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 1; k < N - 1; k++)
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++)
                u[k][j][i] = b[p++];
}

/* run:
int u[216]; FILL(u);
RECV(64, MPI_INT, recv_inner((void *)u, PEER, TAG, COMM));
SHOW(u);
*/
