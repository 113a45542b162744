/* The buffer runs down the columns. */
#include <mpi.h>

enum { ROWS = 6, COLUMNS = 9 };

void send_transposed(float u[ROWS][COLUMNS], int to, int tag, MPI_Comm comm)
{
    float b[ROWS * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            b[j * ROWS + i] = u[i][j];
    MPI_Send(b, ROWS * COLUMNS, MPI_FLOAT, to, tag, comm);
}

/* run:
float u[54]; FILL(u);
SEND(54, MPI_FLOAT, send_transposed((void *)u, PEER, TAG, COMM));
SHOW(u);
*/
