/* Everybody's sum at process 0, up a binomial tree. */
#include <mpi.h>

enum { N = 50, STEPS = 1 };

static void sum_at_root(float *x, MPI_Comm comm)
{
    int rank, size;
    float other[N];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int bit = 1; bit < size; bit <<= 1) {
        if (rank & bit) {
            MPI_Send(x, N, MPI_FLOAT, rank - bit, 5, comm);
            return;
        }
        if (rank + bit < size) {
            MPI_Recv(other, N, MPI_FLOAT, rank + bit, 5, comm, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++)
                x[i] += other[i];
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    float x[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            x[i] = 100 * step + 10 * rank + i;
        sum_at_root(x, MPI_COMM_WORLD);
        for (int i = 0; rank == 0 && i < N; i++)
            if (x[i] != size * (100 * step + i) + 5 * size * (size - 1))
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
