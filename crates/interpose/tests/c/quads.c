/* Elements of 16 bytes, all of which matter, in layouts with gaps, described in several ways: MPICH 5
 * loses bytes of some descriptions and not of others. A line for each message says whether it was
 * right. */
#include "observe.h"

enum { REACH = 1 << 17, WAYS = 5 };

static MPI_Datatype make(int way, MPI_Datatype basic, int size)
{
    MPI_Datatype t = MPI_DATATYPE_NULL, u, v;
    int six[2] = {6, 3}, one[2] = {1, 1}, at[2] = {1, 2}, three[1] = {3}, zero[1] = {0};
    int lengths[3] = {2, 1, 3}, places[3] = {0, 5, 9};
    switch (way) {
    case 0:
        MPI_Type_create_hvector(3, 1, size, basic, &u);
        MPI_Type_create_subarray(2, six, one, at, MPI_ORDER_C, u, &v);
        MPI_Type_create_subarray(1, three, three, zero, MPI_ORDER_C, v, &t);
        MPI_Type_free(&u);
        MPI_Type_free(&v);
        break;
    case 1: MPI_Type_vector(5, 1, 3, basic, &t); break;
    case 2: MPI_Type_indexed(3, lengths, places, basic, &t); break;
    case 3:
        MPI_Type_vector(4, 2, 3, basic, &u);
        MPI_Type_create_resized(u, 0, 20 * size, &t);
        MPI_Type_free(&u);
        break;
    default: MPI_Type_create_resized(basic, 0, 3 * size, &t); break;
    }
    MPI_Type_commit(&t);
    return t;
}

/* Bytes of elements that are in their place, with the gaps of the receive untouched. */
static int is_right(MPI_Datatype type, int count, const unsigned char *from, const unsigned char *to)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;
    long moved = 0, other = 0;
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_size(type, &size);
    /* What is sent is never 0, what was there before is 0. */
    for (int i = 0; i < REACH; i++) {
        moved += to[i] != 0 && to[i] == from[i];
        other += to[i] != 0 && to[i] != from[i];
    }
    return moved == (long)size * count && !other;
}

static void quads(void)
{
    static const struct {
        MPI_Datatype type;
        const char *name;
    } basics[] = {{MPI_INTEGER8, "INTEGER8"},
#if !defined I_MPI_VERSION && !defined OPEN_MPI
                  {MPI_INTEGER16, "INTEGER16"},
#endif
#ifdef MPI_LOGICAL16
                  {MPI_LOGICAL16, "LOGICAL16"},
#endif
                  {MPI_REAL16, "REAL16"}, {MPI_COMPLEX32, "COMPLEX32"}};
    unsigned char *from = malloc(REACH), *to = malloc(REACH);
    for (int i = 0; i < REACH; i++)
        from[i] = (unsigned char)(i % 251 + 1);
    for (unsigned b = 0; b < sizeof basics / sizeof *basics; b++) {
        int size = 0;
        if (basics[b].type == MPI_DATATYPE_NULL || MPI_Type_size(basics[b].type, &size) || !size)
            continue;
        for (int way = 0; way < WAYS; way++)
            for (int count = 1; count < 20; count += 9) {
                MPI_Datatype type = make(way, basics[b].type, size);
                if (rank == 0)
                    MPI_Send(from, count, type, 1, way, MPI_COMM_WORLD);
                else {
                    memset(to, 0, REACH);
                    MPI_Recv(to, count, type, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    fprintf(observations, "%s, description %d, %d: %s\n", basics[b].name, way, count,
                            is_right(type, count, from, to) ? "right" : "wrong");
                }
                MPI_Type_free(&type);
            }
    }
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {{"quads", quads}};
    return observe(argc, argv, parts, 1);
}
