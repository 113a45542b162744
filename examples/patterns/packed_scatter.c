/* One buffer goes to all, packed anew for each: a scatter, not a broadcast. */
#include <mpi.h>

enum { N = 64, STEPS = 3 };

int main(int argc, char **argv)
{
    int rank, size, x[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        for (int to = 1; rank == 0 && to < size; to++) {
            for (int i = 0; i < N; i++)
                x[i] = 1000 * step + 100 * to + i;
            MPI_Send(x, N, MPI_INT, to, 0, MPI_COMM_WORLD);
        }
        if (rank > 0) {
            MPI_Recv(x, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++)
                if (x[i] != 1000 * step + 100 * rank + i)
                    MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Finalize();
    return 0;
}
