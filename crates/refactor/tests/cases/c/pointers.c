/* A pointer walks over the buffer, another one over the rows. */
#include <mpi.h>

void send_walked(const double *u, int nx, int ny, int to, int tag, MPI_Comm comm)
{
    double b[500];
    double *p = b;
    for (int j = 0; j < ny; j++)
        for (int i = 1; i < nx - 1; i++)
            *p++ = u[j * nx + i];
    MPI_Send(b, ny * (nx - 2), MPI_DOUBLE, to, tag, comm);
}

void send_starred(double *u, int nx, int ny, int column, int to, int tag, MPI_Comm comm)
{
    double b[500];
    for (int j = 0; j < ny; j++)
        *(b + j) = *(u + j * nx + column);
    MPI_Send(b, ny, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[60]; FILL(u);
SEND(48, MPI_DOUBLE, send_walked(u, 10, 6, PEER, TAG, COMM));
SEND(6, MPI_DOUBLE, send_starred(u, 10, 6, 3, PEER, TAG, COMM));
SHOW(u);
*/
