/* Nearly a gather: results come from anybody, from some more often than from others. */
#include <mpi.h>

enum { N = 4 };

int main(int argc, char **argv)
{
    int rank, size;
    double result[N], sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int results = rank ? rank : size * (size - 1) / 2;
    for (int k = 0; k < results; k++) {
        if (rank) {
            for (int i = 0; i < N; i++)
                result[i] = 100 * rank + 10 * k + i;
            MPI_Send(result, N, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
        } else {
            MPI_Recv(result, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++)
                sum += result[i];
        }
    }
    if (sum < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
