/* Everybody's block to everybody, around a ring: each process sends on what has come last. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 16, STEPS = 3 };

static void ring(int *all, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    /* one call: BLOCKS = all */
    for (int k = 0; k < size - 1; k++) {
        int out = (rank + size - k) % size, in = (rank + size - k - 1) % size;
        MPI_Sendrecv(all + out * N, N, MPI_INT, right, 0, all + in * N, N, MPI_INT, left, 0, comm,
                     MPI_STATUS_IGNORE);
    }
    /* to here */
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *all = malloc(sizeof(int) * N * size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            all[rank * N + i] = 1000 * step + 100 * rank + i;
        ring(all, MPI_COMM_WORLD);
        for (int i = 0; i < N * size; i++)
            if (all[i] != 1000 * step + 100 * (i / N) + i % N)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(all);
    MPI_Finalize();
    return 0;
}
