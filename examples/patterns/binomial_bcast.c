/* One process's numbers to all, down a binomial tree. */
#include <mpi.h>

enum { N = 100, ROOT = 2, STEPS = 3 };

static void broadcast(double *x, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int place = (rank - ROOT + size) % size, bit = 1;
    /* one call: BUFFER = x */
    while (bit < size && !(place & bit))
        bit <<= 1;
    if (place)
        MPI_Recv(x, N, MPI_DOUBLE, (place - bit + ROOT) % size, 7, comm, MPI_STATUS_IGNORE);
    for (bit >>= 1; bit; bit >>= 1)
        if (place + bit < size)
            MPI_Send(x, N, MPI_DOUBLE, (place + bit + ROOT) % size, 7, comm);
    /* to here */
}

int main(int argc, char **argv)
{
    int rank;
    double x[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            x[i] = rank == ROOT ? 1000 * step + i : -1;
        broadcast(x, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            if (x[i] != 1000 * step + i)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
