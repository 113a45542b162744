/* Makes types, sends a few messages with each to itself, and frees them. Prints the kilobytes that malloc has handed out after
 * a quarter of them and at the end. One process. Arguments: how many, and which: "new" layouts, the "same" one, long "lists",
 * or "counts": some handles that are kept, with ever new counts. */
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTS = 1 << 19, KEPT = 300 };

static int from[INTS], into[INTS];

static long held(void)
{
    struct mallinfo2 heap = mallinfo2();
    return (long)((heap.uordblks + heap.hblkhd) / 1024);
}

static MPI_Datatype make(const char *which, int nth)
{
    MPI_Datatype type;
    if (!strcmp(which, "lists")) {
        int places[40];
        for (int i = 0; i < 40; i++)
            places[i] = 3 * i + (nth >> i % 20 & 1);
        MPI_Type_create_indexed_block(40, 1, places, MPI_INT, &type);
    } else {
        int layout = strcmp(which, "same") ? nth : 7;
        MPI_Type_vector(20 + layout % 97, 1, 2 + layout / 97, MPI_INT, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

static void move(MPI_Datatype type, int count)
{
    for (int i = 0; i < 3; i++)
        MPI_Sendrecv(from, count, type, 0, 0, into, count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int most = atoi(argv[1]);
    const char *which = argv[2];
    MPI_Datatype kept[KEPT];
    MPI_Init(&argc, &argv);
    int keeps = !strcmp(which, "counts");
    for (int i = 0; keeps && i < KEPT; i++)
        kept[i] = make("new", i);
    long early = 0;
    for (int i = 0; i < most; i++) {
        MPI_Datatype type = keeps ? kept[i % KEPT] : make(which, i);
        move(type, keeps ? 1 + i / KEPT : 1);
        if (!keeps)
            MPI_Type_free(&type);
        if (i + 1 == most / 4)
            early = held();
    }
    printf("%s %d: %ld kB early, %ld kB\n", which, most, early, held());
    for (int i = 0; keeps && i < KEPT; i++)
        MPI_Type_free(&kept[i]);
    MPI_Finalize();
    return 0;
}
