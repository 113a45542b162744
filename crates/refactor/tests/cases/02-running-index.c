#include <mpi.h>

void plane(const double *u, int nx, int ny, int nz, int d, int t, MPI_Comm c)
{
    MPI_Request r;
    double b[ny * nz];
    int p = 0;
    for (int k = 1; k < nz - 1; k++)
        for (int j = 1; j < ny - 1; j++)
            b[p++] = u[(k * ny + j) * nx + 1];
    MPI_Isend(b, p, MPI_DOUBLE, d, t, c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* run:
double u[5 * 6 * 7]; FILL(u);
SEND(20, MPI_DOUBLE, plane(u, 5, 6, 7, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, plane(u, 5, 6, 2, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, plane(u, 5, 1, 7, PEER, TAG, COMM));
SHOW(u);
*/
