/* Collectives in which all ranks describe the same ints alike, with other elements where they send than where they receive. Intel
 * MPI 2021.18 alone gets some MPI_Allgather wrong in which one of them has gaps and the other has none: not made here. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 240, MOST = 16, BIG = 3000 };

static MPI_Datatype pair;
static unsigned long long drawn = 20;

static int draw(int n)
{
    drawn = drawn * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((drawn >> 33) % (unsigned)n);
}

enum form { PLAIN, PAIRS, ONE, FORMS };

/* Where int i of a buffer is: plain, or in pairs with a gap behind each. */
static int at(enum form form, int i) { return form == PLAIN ? i : i / 2 * 3 + i % 2; }

/* A datatype of which some elements are n ints: ints, pairs, or one of all pairs. */
static int elements(enum form form, int n, MPI_Datatype *type)
{
    MPI_Type_contiguous(form == ONE ? n / 2 : 1, form == PLAIN ? MPI_INT : pair, type);
    MPI_Type_commit(type);
    return form == ONE ? 1 : form == PAIRS ? n / 2 : n;
}

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype two;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 12, &pair);
    MPI_Type_commit(&pair);
    for (int k = 0; k < CASES; k++) {
        int which = k % 4, n = 4 * (1 + draw(draw(2) ? 20 : BIG)), given = draw(FORMS);
        int taken = draw(FORMS);
        if (which == 1 && (given == PLAIN) != (taken == PLAIN))
            taken = given;
        int blocks = which == 0 && rank ? 0 : ranks;
        int *from = malloc(sizeof(int) * 2 * n * ranks), *into = malloc(sizeof(int) * 2 * n * ranks);
        memset(into, 0xee, sizeof(int) * 2 * n * ranks);
        for (int i = 0; i < n * ranks; i++)
            from[at(given, i)] = rank * 1000003 + (which < 3 ? i % n : i);
        MPI_Datatype s, r;
        int sc = elements(given, n, &s), rc = elements(taken, n, &r), counts[MOST], places[MOST];
        for (int b = 0; b < ranks; b++) {
            counts[b] = rc;
            places[b] = b * rc;
        }
        switch (which) {
        case 0: MPI_Gather(from, sc, s, into, rc, r, 0, comm); break;
        case 1: MPI_Allgather(from, sc, s, into, rc, r, comm); break;
        case 2: MPI_Allgatherv(from, sc, s, into, counts, places, r, comm); break;
        case 3: MPI_Alltoall(from, sc, s, into, rc, r, comm); break;
        }
        for (int b = 0; b < blocks; b++)
            for (int i = 0; i < n; i++)
                wrong += into[at(taken, b * n + i)] != b * 1000003 + (which < 3 ? i : rank * n + i);
        MPI_Type_free(&s);
        MPI_Type_free(&r);
        free(from);
        free(into);
    }
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Type_free(&two);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
