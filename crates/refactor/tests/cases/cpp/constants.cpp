// Constants by constexpr and enum, types by using.
#include <mpi.h>

constexpr int Width = 7;
constexpr int Ghost = 2;
enum Direction { Left, Right, Count };
using Real = double;
using Row = Real[Width + 2 * Ghost];

void send_ghosts(const Row *rows, int n, Direction side, int to, int tag, MPI_Comm comm)
{
    Real b[64];
    const int start = side == Left ? Ghost : Width;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < Ghost; i++)
            b[j * Ghost + i] = rows[j][start + i];
    MPI_Send(b, n * Ghost, MPI_DOUBLE, to, tag, comm);
}

/* run:
double rows[6][11]; FILLN(&rows[0][0], 66);
SEND(12, MPI_DOUBLE, send_ghosts(rows, 6, Left, PEER, TAG, COMM));
SEND(12, MPI_DOUBLE, send_ghosts(rows, 6, Right, PEER, TAG, COMM));
SHOW(rows);
*/
