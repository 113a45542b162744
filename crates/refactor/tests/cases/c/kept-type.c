/* A type is made once, for as long as its numbers stay, and both messages have it. */
#include <mpi.h>

/* Sends two columns of a field. */
void send_kept_columns(double *u, int nx, int ny, int peer, int tag, MPI_Comm comm)
{
    double left[64], right[64];
    for (int j = 0; j < ny; j++)
        left[j] = u[j * nx];
    MPI_Send(left, ny, MPI_DOUBLE, peer, tag, comm);
    for (int j = 0; j < ny; j++)
        right[j] = u[j * nx + nx - 1];
    MPI_Send(right, ny, MPI_DOUBLE, peer, tag, comm);
}

#define KEPT_WIDTH 6
struct kept_cell { double x, y; };

/* The width is a macro, and the cells are of a type that is declared below. */
void send_kept_cells(struct kept_cell *cells, int n, int peer, int tag, MPI_Comm comm)
{
    double x[64];
    for (int i = 0; i < n; i++)
        x[i] = cells[i * KEPT_WIDTH].x;
    MPI_Send(x, n, MPI_DOUBLE, peer, tag, comm);
}

/* Bytes of the same numbers, in another order: the type is another one. */
void send_kept_rows(double *u, int nx, int ny, int peer, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < nx; i++)
        b[i] = u[i * ny];
    MPI_Send(b, nx, MPI_DOUBLE, peer, tag, comm);
}

/* run:
double u[72]; struct kept_cell c[24]; FILL(u); FILLB(c);
for (int ny = 4; ny > 1; ny--) {
    if (RANK == 0) send_kept_columns(u, 5, ny, PEER, TAG, COMM); else { TAKE(ny, MPI_DOUBLE); TAKE(ny, MPI_DOUBLE); }
    SEND(ny, MPI_DOUBLE, send_kept_cells(c, ny, PEER, TAG, COMM));
}
SEND(5, MPI_DOUBLE, send_kept_rows(u, 5, 4, PEER, TAG, COMM));
SEND(5, MPI_DOUBLE, send_kept_rows(u, 5, 4, PEER, TAG, COMM));
SEND(4, MPI_DOUBLE, send_kept_rows(u, 4, 5, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_kept_rows(u, 0, 5, PEER, TAG, COMM));
SEND(4, MPI_DOUBLE, send_kept_rows(u, 4, 5, PEER, TAG, COMM));
*/
