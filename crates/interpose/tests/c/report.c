/* Types that are committed at known lines, some of them in a function that is called from two places, and
 * sent from rank 0 to rank 1. The test looks for the marks in this file. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 20 };

static int memory[4000];

static void exchange(int rank, MPI_Datatype type)
{
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 0)
            MPI_Send(memory, 1, type, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(memory, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static __attribute__((noinline)) int make_vector(MPI_Datatype *type)
{
    MPI_Type_vector(300, 2, 5, MPI_INT, type);
    int code = MPI_Type_commit(type); /* mark: vector */
    return code + 1;
}

static __attribute__((noinline)) int make_list(MPI_Datatype *type)
{
    int lengths[50], displacements[50];
    for (int i = 0; i < 50; i++) {
        lengths[i] = 1 + i % 3;
        displacements[i] = 7 * i + i % 2;
    }
    MPI_Type_indexed(50, lengths, displacements, MPI_INT, type);
    int code = MPI_Type_commit(type); /* mark: list */
    return code + 1;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype vector, again, list, same, contiguous;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_vector(&vector);
    make_vector(&again);
    make_list(&list);
    MPI_Type_vector(300, 2, 5, MPI_INT, &same);
    MPI_Type_commit(&same); /* mark: same */
    MPI_Type_contiguous(100, MPI_INT, &contiguous);
    MPI_Type_commit(&contiguous); /* mark: contiguous */
    exchange(rank, vector);
    exchange(rank, again);
    exchange(rank, list);
    exchange(rank, same);
    exchange(rank, contiguous);
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
