/* The borders of tiles of a 3 x 2 grid to their neighbours: rows as they are, columns by a vector type. */
#include <mpi.h>

enum { ROWS = 3, COLUMNS = 2, N = 6, STEPS = 3 };

static double tile[N + 2][N + 2];

static int neighbour(int row, int column)
{
    return row < 0 || row >= ROWS || column < 0 || column >= COLUMNS ? MPI_PROC_NULL
                                                                     : row * COLUMNS + column;
}

static void exchange(int row, int column, MPI_Datatype side, MPI_Comm comm)
{
    MPI_Request requests[8];
    int up = neighbour(row - 1, column), down = neighbour(row + 1, column);
    int left = neighbour(row, column - 1), right = neighbour(row, column + 1);
    /* one call: BUFFER = &tile[0][1] */
    MPI_Irecv(&tile[0][1], N, MPI_DOUBLE, up, 0, comm, requests);
    MPI_Irecv(&tile[N + 1][1], N, MPI_DOUBLE, down, 1, comm, requests + 1);
    MPI_Irecv(&tile[1][0], 1, side, left, 2, comm, requests + 2);
    MPI_Irecv(&tile[1][N + 1], 1, side, right, 3, comm, requests + 3);
    MPI_Isend(&tile[N][1], N, MPI_DOUBLE, down, 0, comm, requests + 4);
    MPI_Isend(&tile[1][1], N, MPI_DOUBLE, up, 1, comm, requests + 5);
    MPI_Isend(&tile[1][N], 1, side, right, 2, comm, requests + 6);
    MPI_Isend(&tile[1][1], 1, side, left, 3, comm, requests + 7);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    /* to here */
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Datatype side;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != ROWS * COLUMNS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &side);
    MPI_Type_commit(&side);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                tile[i][j] = 10000 * step + 1000 * rank + 10 * i + j;
        exchange(rank / COLUMNS, rank % COLUMNS, side, MPI_COMM_WORLD);
        int below = neighbour(rank / COLUMNS + 1, rank % COLUMNS);
        for (int j = 1; below != MPI_PROC_NULL && j <= N; j++)
            if (tile[N + 1][j] != 10000 * step + 1000 * below + 10 + j)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Type_free(&side);
    MPI_Finalize();
    return 0;
}
