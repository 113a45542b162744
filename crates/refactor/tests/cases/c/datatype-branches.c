/* The preprocessor decides what numbers are, and what they are for MPI. */
#include <mpi.h>
#include <stdlib.h>

#if SINGLE_NUMBERS
#define NUMBER float
#define MPI_NUMBER MPI_FLOAT
#else
#define NUMBER double
#define MPI_NUMBER MPI_DOUBLE
#endif

#ifdef LONG_INDICES
typedef long index_number;
#define MPI_INDEX MPI_LONG
#else
typedef int index_number;
#define MPI_INDEX MPI_INT
#endif

void send_numbers(const NUMBER *u, int n, int stride, int to, int tag, MPI_Comm comm)
{
    NUMBER *b = malloc(n * sizeof(NUMBER));
    for (int i = 0; i < n; i++)
        b[i] = u[i * stride];
    MPI_Send(b, n, MPI_NUMBER, to, tag, comm);
    free(b);
}

void receive_indices(index_number *list, int n, int from, int tag, MPI_Comm comm)
{
    index_number b[50];
    MPI_Recv(b, n, MPI_INDEX, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        list[2 * i + 1] = b[i];
}

void send_faces_of(NUMBER *u, int n, int rows, int to, int tag, MPI_Comm comm)
{
    NUMBER b[200];
    int p = 0;
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < 3; j++)
            b[p++] = u[(k * 4 + j) * n + 1];
    MPI_Send(b, 3 * rows, MPI_NUMBER, to, tag, comm);
}

/* run:
NUMBER u[60]; index_number list[40]; FILL(u); FILL(list);
SEND(9, MPI_NUMBER, send_numbers(u, 9, 5, PEER, TAG, COMM));
RECV(7, MPI_INDEX, receive_indices(list, 7, PEER, TAG, COMM));
SEND(9, MPI_NUMBER, send_faces_of(u, 5, 3, PEER, TAG, COMM));
SHOW(u); SHOW(list);
*/
