/* Weather: strips of several fields of two and three dimensions go in one message. */
#include <mpi.h>
#include <stdlib.h>

void send_strips(int nx, int ny, int nz, const double *p, const double *t, const double *w,
                 int width, int to, int tag, MPI_Comm comm)
{
    double *buf = malloc((size_t)width * ny * (2 * nz + 1) * sizeof *buf);
    int pos = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < width; i++)
            buf[pos++] = p[j * nx + i + 1];
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < width; i++)
                buf[pos++] = t[(k * ny + j) * nx + i + 1];
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < width; i++)
                buf[pos++] = w[(k * ny + j) * nx + i + 1];
    MPI_Send(buf, pos, MPI_DOUBLE, to, tag, comm);
    free(buf);
}

/* run:
double p[7 * 4], t[7 * 4 * 3], w[7 * 4 * 3]; FILL(p); FILL(t); FILL(w);
SEND(56, MPI_DOUBLE, send_strips(7, 4, 3, p, t, w, 2, PEER, TAG, COMM));
SEND(8, MPI_DOUBLE, send_strips(7, 4, 0, p, t, w, 2, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_strips(7, 4, 3, p, t, w, 0, PEER, TAG, COMM));
SHOW(p); SHOW(t); SHOW(w);
*/
