/* A sweep over a grid of 2 x 2 tiles, as codes of radiation transport have it: each tile needs the new borders of those above and
   to the left. Nothing to replace. */
#include <mpi.h>

enum { N = 8, STEPS = 3 };

int main(int argc, char **argv)
{
    int rank, size;
    double above[N], left[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int row = rank / 2, column = rank % 2;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            above[i] = left[i] = step + i;
        if (row)
            MPI_Recv(above, N, MPI_DOUBLE, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (column)
            MPI_Recv(left, N, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                above[j] = left[i] = 0.5 * (above[j] + left[i]) + rank;
        if (!row)
            MPI_Send(above, N, MPI_DOUBLE, rank + 2, 0, MPI_COMM_WORLD);
        if (!column)
            MPI_Send(left, N, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
