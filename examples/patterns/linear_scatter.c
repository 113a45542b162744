/* The rows of one process's matrix to all, one message after the other. */
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
    float *matrix = malloc(sizeof(float) * N * size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; rank == 0 && i < N * size; i++)
            matrix[i] = 1000 * step + i;
        /* one call: BLOCKS = matrix; BLOCK = row */
        if (rank == 0)
            for (int to = 1; to < size; to++)
                MPI_Send(matrix + to * N, N, MPI_FLOAT, to, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(row, N, MPI_FLOAT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* to here */
        if (rank == 0)
            memcpy(row, matrix, sizeof row);
        for (int i = 0; i < N; i++)
            if (row[i] != 1000 * step + rank * N + i)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(matrix);
    MPI_Finalize();
    return 0;
}
