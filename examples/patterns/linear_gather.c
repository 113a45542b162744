/* Everybody's row to the last process, which posts all receives at once. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, STEPS = 3 };

int main(int argc, char **argv)
{
    int rank, size;
    float row[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int root = size - 1;
    float *matrix = malloc(sizeof(float) * N * size);
    MPI_Request *requests = malloc(sizeof(MPI_Request) * size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            row[i] = 1000 * step + rank * N + i;
        if (rank == root)
            memcpy(matrix + root * N, row, sizeof row);
        /* one call: BLOCKS = matrix; BLOCK = row */
        if (rank == root) {
            for (int from = 0; from < root; from++)
                MPI_Irecv(matrix + from * N, N, MPI_FLOAT, from, 1, MPI_COMM_WORLD, requests + from);
            MPI_Waitall(root, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Send(row, N, MPI_FLOAT, root, 1, MPI_COMM_WORLD);
        }
        /* to here */
        for (int i = 0; rank == root && i < N * size; i++)
            if (matrix[i] != 1000 * step + i)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(requests);
    free(matrix);
    MPI_Finalize();
    return 0;
}
