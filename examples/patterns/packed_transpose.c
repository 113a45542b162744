/* A matrix is transposed through one buffer, packed anew for each process: an alltoall, though all messages are
   sent from one address. */
#include <mpi.h>

enum { N = 4, RANKS = 4, STEPS = 3 };

static double matrix[N][RANKS * N], transposed[N][RANKS * N];

static void transpose(int rank, MPI_Comm comm)
{
    double out[N * N], in[RANKS][N * N];
    for (int k = 0; k < RANKS; k++) {
        int to = (rank + k) % RANKS, from = (rank + RANKS - k) % RANKS;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                out[j * N + i] = matrix[i][to * N + j];
        MPI_Sendrecv(out, N * N, MPI_DOUBLE, to, 0, in[from], N * N, MPI_DOUBLE, from, 0,
                     comm, MPI_STATUS_IGNORE);
    }
    for (int from = 0; from < RANKS; from++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                transposed[j][from * N + i] = in[from][j * N + i];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < RANKS * N; j++)
                matrix[i][j] = 10000 * step + 100 * (rank * N + i) + j;
        transpose(rank, MPI_COMM_WORLD);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < RANKS * N; i++)
                if (transposed[j][i] != 10000 * step + 100 * i + rank * N + j)
                    MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
