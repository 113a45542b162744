/* A block of rows, each by memcpy. */
#include <mpi.h>
#include <string.h>

void send_block(const double *u, int nx, int x0, int y0, int w, int h, int to, int tag, MPI_Comm comm)
{
    double b[1000];
    for (int j = 0; j < h; j++)
        memcpy(&b[j * w], &u[(y0 + j) * nx + x0], sizeof(double) * w);
    MPI_Send(b, w * h, MPI_DOUBLE, to, tag, comm);
}

void recv_block(double *u, int nx, int x0, int w, int h, int from, int tag, MPI_Comm comm)
{
    double b[1000];
    MPI_Recv(b, w * h, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int j = 0; j < h; j++)
        memcpy(u + j * nx + x0, b + j * w, sizeof(double) * w);
}

/* run:
double u[80]; FILL(u);
SEND(20, MPI_DOUBLE, send_block(u, 10, 3, 2, 5, 4, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_block(u, 10, 3, 2, 0, 4, PEER, TAG, COMM));
RECV(20, MPI_DOUBLE, recv_block(u, 10, 3, 5, 4, PEER, TAG, COMM));
SHOW(u);
*/
