/* Nobody goes on before all have come: empty messages, each twice as far as the one before. */
#include <mpi.h>
#include <stddef.h>

enum { STEPS = 3 };

static void barrier(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    /* one call: comm = comm */
    for (int far = 1; far < size; far *= 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + far) % size, 3, NULL, 0, MPI_BYTE,
                     (rank + size - far) % size, 3, comm, MPI_STATUS_IGNORE);
    /* to here */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int step = 0; step < STEPS; step++)
        barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
