/* Nearly a broadcast along a chain: the process in the middle sends on the wrong array. */
#include <mpi.h>

enum { N = 100, STEPS = 3 };

int main(int argc, char **argv)
{
    int rank, size;
    double x[N], other[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            other[i] = -(x[i] = 1000 * step + i);
        if (rank > 0)
            MPI_Recv(x, N, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank + 1 < size)
            MPI_Send(rank == 1 ? other : x, N, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
