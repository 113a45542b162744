/* So many exchanges, the first argument, of one process with itself, of a kind that packing is faster for, and whether all of it arrives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 1 << 16 };

static int from[2 * RUNS], into[2 * RUNS];

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(RUNS, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int nth = 0; nth < atoi(argv[1]); nth++) {
        for (int i = 0; i < RUNS; i++)
            from[2 * i] = nth + i;
        MPI_Sendrecv(from, 1, type, rank, 0, into, 1, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < RUNS; i++)
            wrong += into[2 * i] != nth + i;
    }
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Type_free(&type);
    MPI_Finalize();
    return wrong != 0;
}
