/* Loops that count down, the buffer filled from its end. */
#include <mpi.h>

void send_downwards(const int *u, int n, int to, int tag, MPI_Comm comm)
{
    int b[200];
    for (int i = n - 1; i >= 0; i--)
        b[i] = u[5 * i + 2];
    MPI_Send(b, n, MPI_INT, to, tag, comm);
}

/* run:
int u[60]; FILL(u);
SEND(11, MPI_INT, send_downwards(u, 11, PEER, TAG, COMM));
SEND(0, MPI_INT, send_downwards(u, 0, PEER, TAG, COMM));
SHOW(u);
*/
