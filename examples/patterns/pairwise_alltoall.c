/* A block from everybody to everybody, pair by pair. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, STEPS = 3 };

static void exchange(const double *out, double *in, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    memcpy(in + rank * N, out + rank * N, sizeof(double) * N);
    /* one call: SEND = out; RECEIVE = in */
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size, from = (rank + size - k) % size;
        MPI_Sendrecv(out + to * N, N, MPI_DOUBLE, to, k, in + from * N, N, MPI_DOUBLE, from, k, comm,
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
    double *out = malloc(sizeof(double) * N * size), *in = malloc(sizeof(double) * N * size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N * size; i++)
            out[i] = 10000 * step + 1000 * rank + i;
        exchange(out, in, MPI_COMM_WORLD);
        for (int i = 0; i < N * size; i++)
            if (in[i] != 10000 * step + 1000 * (i / N) + rank * N + i % N)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
