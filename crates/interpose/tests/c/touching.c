/* Long receives of types in which fields of different kinds touch, at a displacement, from a contiguous sender and
 * from one of the same type. Freed memory is not left as it was: what a library does not fill is noticed. Two
 * ranks; prints error classes and what arrived. */
#define _GNU_SOURCE
#include "observe.h"
#include <malloc.h>

enum { FIELD = 16, PAIR = 12 * FIELD, COPIES = 150 };

/* FIELD ints and as many doubles, in two copies `first` and `first` + 2 structs away, every other struct of many. */
static MPI_Datatype records(MPI_Aint first)
{
    int lengths[] = {FIELD, FIELD}, ones[] = {1, 1}, places[COPIES];
    MPI_Aint fields[] = {0, 4 * FIELD}, copies[] = {first, first + 2 * PAIR};
    MPI_Datatype kinds[] = {MPI_INT, MPI_DOUBLE}, pair, two, made;
    MPI_Type_create_struct(2, lengths, fields, kinds, &pair);
    MPI_Type_create_hindexed(2, ones, copies, pair, &two);
    for (int i = 0; i < COPIES; i++)
        places[i] = 2 * i;
    MPI_Type_create_indexed_block(COPIES, 1, places, two, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&pair);
    MPI_Type_free(&two);
    return made;
}

/* Structs whose elements lie at odd places once they are packed, so that a part of a long message ends inside one. */
static MPI_Datatype uneven(void)
{
    int lengths[] = {3, 2};
    MPI_Aint fields[] = {0, 8};
    MPI_Datatype kinds[] = {MPI_CHAR, MPI_DOUBLE}, one, made;
    MPI_Type_create_struct(2, lengths, fields, kinds, &one);
    MPI_Type_contiguous(40 * COPIES, one, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&one);
    return made;
}

int main(int argc, char **argv)
{
    mallopt(M_PERTURB, 0xa5);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < 14; round++) {
        int touching = round < 12, posted = round % 2, same = !touching || round / 2 % 2;
        MPI_Datatype type = touching ? records(round % 3 * 8 - 8) : uneven();
        MPI_Aint low, length;
        MPI_Type_get_true_extent(type, &low, &length);
        int size, code = MPI_SUCCESS, class;
        MPI_Type_size(type, &size);
        unsigned char *start = malloc(length), *packed = malloc(size), *buffer = start - low;
        for (int repeat = 0; repeat < 3; repeat++) {
            for (MPI_Aint i = 0; i < length; i++)
                start[i] = (unsigned char)(rank ? 255 : 7 * i + i / 251 + round);
            if (rank) {
                MPI_Request request;
                if (posted)
                    MPI_Irecv(buffer, 1, type, 0, 0, MPI_COMM_WORLD, &request);
                MPI_Barrier(MPI_COMM_WORLD);
                if (posted)
                    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
                else
                    code = MPI_Recv(buffer, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                int position = 0;
                MPI_Pack(buffer, 1, type, packed, size, &position, MPI_COMM_SELF);
                MPI_Barrier(MPI_COMM_WORLD);
                if (same)
                    code = MPI_Send(buffer, 1, type, 1, 0, MPI_COMM_WORLD);
                else
                    code = MPI_Send(packed, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            }
            MPI_Error_class(code, &class);
            printf("rank %d round %d: class %d, %lx\n", rank, round, class, hash(start, length));
        }
        free(start);
        free(packed);
        MPI_Type_free(&type);
    }
    MPI_Finalize();
    return 0;
}
