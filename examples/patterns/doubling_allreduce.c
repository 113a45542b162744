/* Everybody's sum at everybody, by recursive doubling; the number of processes is a power of two. */
#include <mpi.h>

enum { N = 20, STEPS = 1 };

static void sum_of_all(double *x, MPI_Comm comm)
{
    int rank, size;
    double other[N];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    /* one call: BUFFER = x */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(x, N, MPI_DOUBLE, rank ^ bit, 5, other, N, MPI_DOUBLE, rank ^ bit, 5, comm,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            x[i] += other[i];
    }
    /* to here */
}

int main(int argc, char **argv)
{
    int rank, size;
    double x[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            x[i] = 100 * step + 10 * rank + i;
        sum_of_all(x, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            if (x[i] != size * (100 * step + i) + 5 * size * (size - 1))
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
