/* MPI_Ialltoallw and MPI_Alltoallw_init in place, with larger elements in the block of the process itself. MPICH before 4.2 and
 * Intel MPI take the size of its elements for that of the others' (ialltoallw_intra_sched_inplace.c): they fill the block as far as
 * it goes, and say that the message was truncated. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 40, MOST = 8, PAIR = 3 };

/* Where int i of a block is: pairs of ints with a gap behind each. */
static int at(int i) { return i / 2 * PAIR + i % 2; }

/* `pairs` pairs of ints as one element. */
static MPI_Datatype element(int pairs)
{
    MPI_Datatype row, type;
    MPI_Type_vector(pairs, 2, PAIR, MPI_INT, &row);
    MPI_Type_create_resized(row, 0, (MPI_Aint)sizeof(int) * PAIR * pairs, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&row);
    return type;
}

/* Int i of the block that `from` has for `into`. */
static int value(int from, int into, int i) { return from * 1000003 + into * 1009 + i; }

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int k = 0; k < CASES; k++) {
        int pairs = 1 + k % 3, n = 24 + k % 7 * 200, block = n * pairs * PAIR;
        MPI_Datatype types[MOST];
        int counts[MOST], places[MOST];
        for (int b = 0; b < ranks; b++) {
            types[b] = b == rank ? element(n * pairs) : element(pairs);
            counts[b] = b == rank ? 1 : n;
            places[b] = b * block * (int)sizeof(int);
        }
        int *data = malloc(sizeof(int) * block * ranks);
        memset(data, 0xee, sizeof(int) * block * ranks);
        for (int b = 0; b < ranks; b++)
            for (int i = 0; i < 2 * n * pairs; i++)
                data[b * block + at(i)] = value(rank, b, i);
        MPI_Request request;
        int persistent = 0;
#if MPI_VERSION >= 4
        persistent = k % 2;
        if (persistent) {
            MPI_Alltoallw_init(MPI_IN_PLACE, NULL, NULL, NULL, data, counts, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start(&request);
        }
#endif
        if (!persistent)
            MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, data, counts, places, types, MPI_COMM_WORLD, &request);
        int wrong = 0, class = MPI_SUCCESS, code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        if (persistent)
            MPI_Request_free(&request);
        for (int b = 0; b < ranks; b++) {
            for (int i = 0; i < 2 * n * pairs; i++)
                wrong += data[b * block + at(i)] != value(b, rank, i);
            MPI_Type_free(&types[b]);
        }
        free(data);
        printf("rank %d, case %d: error %d, %d wrong\n", rank, k, class != MPI_SUCCESS, wrong);
    }
    MPI_Finalize();
    return 0;
}
