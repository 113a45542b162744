/* Types of the program's own, through typedef and #define. */
#include <mpi.h>

#define NDIM 3
#define NGHOST 2
#define WIDTH (NX + 2 * NGHOST)
#define NX 6
typedef double real;
typedef real vec[NDIM];
typedef vec field[WIDTH];

void send_ghosts(field *f, int row, int to, int tag, MPI_Comm comm)
{
    real b[NGHOST * NDIM];
    for (int i = 0; i < NGHOST; i++)
        for (int d = 0; d < NDIM; d++)
            b[i * NDIM + d] = f[row][i + NGHOST][d];
    MPI_Send(b, NGHOST * NDIM, MPI_DOUBLE, to, tag, comm);
}

/* run:
double f[30 * 4]; FILL(f);
SEND(6, MPI_DOUBLE, send_ghosts((void *)f, 2, PEER, TAG, COMM));
SHOW(f);
*/
