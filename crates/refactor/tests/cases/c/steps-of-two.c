/* Red points only: the loop goes in steps, the index is halved or runs. */
#include <mpi.h>

void send_red(const double *u, int nx, int ny, int to, int tag, MPI_Comm comm)
{
    double b[400];
    int c = 0;
    for (int j = 0; j < ny; j += 2)
        for (int i = 0; i < nx; i += 2)
            b[c++] = u[j * nx + i];
    MPI_Send(b, c, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[63]; FILL(u);
SEND(20, MPI_DOUBLE, send_red(u, 9, 7, PEER, TAG, COMM));
SEND(4, MPI_DOUBLE, send_red(u, 7, 1, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_red(u, 9, 0, PEER, TAG, COMM));
SHOW(u);
*/
