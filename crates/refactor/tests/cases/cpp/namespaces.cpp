// Arrays of a namespace, seen from a nested one.
#include <mpi.h>

namespace grid {
const int N = 6;
double cells[N][N][N];

namespace exchange {
void send_corner_edge(int to, int tag, MPI_Comm comm)
{
    double b[N];
    for (int k = 0; k < N; k++)
        b[k] = cells[k][0][N - 1];
    MPI_Send(b, N, MPI_DOUBLE, to, tag, comm);
}
}
}

/* run:
FILLN(&grid::cells[0][0][0], 216);
SEND(6, MPI_DOUBLE, grid::exchange::send_corner_edge(PEER, TAG, COMM));
SHOW(grid::cells);
*/
