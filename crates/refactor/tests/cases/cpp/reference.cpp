// References to arrays, an index variable of the loop's body.
#include <mpi.h>

void send_block(const float (&u)[6][8], int x, int y, int to, int tag, MPI_Comm comm)
{
    float b[9];
    int k = 0;
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            const int row = y + j;
            b[k] = u[row][x + i];
            ++k;
        }
    }
    MPI_Send(b, 9, MPI_FLOAT, to, tag, comm);
}

/* run:
float u[6][8]; FILLN(&u[0][0], 48);
SEND(9, MPI_FLOAT, send_block(u, 2, 1, PEER, TAG, COMM));
SHOW(u);
*/
