/* Packed and sent only where there is a neighbour. */
#include <mpi.h>

void send_sides(const float *u, int nx, int ny, int left, int right, int tag, MPI_Comm comm)
{
    float b[64];
    if (left != MPI_PROC_NULL) {
        for (int j = 0; j < ny; j++)
            b[j] = u[j * nx];
        MPI_Send(b, ny, MPI_FLOAT, left, tag, comm);
    }
    if (right != MPI_PROC_NULL) {
        for (int j = 0; j < ny; j++)
            b[j] = u[j * nx + nx - 1];
        MPI_Send(b, ny, MPI_FLOAT, right, tag, comm);
    }
}

/* run:
float u[8 * 5]; FILL(u);
SEND(5, MPI_FLOAT, send_sides(u, 8, 5, MPI_PROC_NULL, PEER, TAG, COMM));
if (RANK == 0) {
    send_sides(u, 8, 5, PEER, PEER, TAG, COMM);
} else {
    TAKE(5, MPI_FLOAT); TAKE(5, MPI_FLOAT);
}
SHOW(u);
*/
