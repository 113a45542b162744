#include <mpi.h>

void face(int N, int M, double g[N][M][3], int l, int t, MPI_Comm c)
{
    double b[3 * N];
    for (int i = 0; i < N; i++) {
        b[3 * i] = g[i][0][0];
        b[3 * i + 1] = g[i][0][1];
        b[3 * i + 2] = g[i][0][2];
    }
    MPI_Send(b, N * 3, MPI_DOUBLE, l, t, c);
}

/* run:
double g[7 * 4 * 3]; FILL(g);
SEND(21, MPI_DOUBLE, face(7, 4, (void *)g, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, face(0, 4, (void *)g, PEER, TAG, COMM));
SHOW(g);
*/
