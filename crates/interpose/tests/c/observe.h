/* What the programs of this folder have in common: types, data, and how observations are printed. */
#ifndef OBSERVE_H
#define OBSERVE_H
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 17, ORIGIN = BYTES / 2, TYPES = 12 };

static int rank;
static FILE *observations;
static unsigned char *memory, *other;
static MPI_Datatype types[TYPES];
static const char *names[TYPES];
static const char *section;

static inline void say(const char *what, long a, long b, long c, long d)
{
    fprintf(observations, "rank %d %s: %s %ld %ld %ld %ld\n", rank, section, what, a, b, c, d);
}

/* Whole words: most of the time of a program is spent here. */
static inline void fill(unsigned char *m, unsigned seed)
{
    uint64_t word = seed;
    for (int i = 0; i < BYTES; i += 8) {
        word = word * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t mixed = word ^ word >> 29;
        memcpy(m + i, &mixed, 8);
    }
}

static inline long hash(const void *data, size_t n)
{
    const unsigned char *m = data;
    uint64_t h = 1469598103934665603ull, word;
    for (; n >= 8; m += 8, n -= 8) {
        memcpy(&word, m, 8);
        h = (h ^ word) * 1099511628211ull;
        h ^= h >> 32;
    }
    for (size_t i = 0; i < n; i++)
        h = (h ^ m[i]) * 1099511628211ull;
    return (long)(h >> 1);
}

static inline long class_of(int code)
{
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

static inline void say_status(const char *what, MPI_Status *s, MPI_Datatype type)
{
    int count = 0, elements = 0;
    MPI_Get_count(s, type, &count);
    MPI_Get_elements(s, type, &elements);
    say(what, s->MPI_SOURCE, s->MPI_TAG, count == MPI_UNDEFINED ? -99 : count,
        elements == MPI_UNDEFINED ? -99 : elements);
}

struct mixed {
    char c;
    double d;
    int i[2];
    short s;
};

static inline void make_types(void)
{
    int n = 0;
    MPI_Datatype t, u;
#define ADD(name, make) names[n] = name; make; MPI_Type_commit(&types[n]); n++
    ADD("vector", MPI_Type_vector(50, 2, 4, MPI_INT, &types[n]));
    ADD("hvector back", MPI_Type_create_hvector(9, 3, -40, MPI_SHORT, &types[n]));
    int blocks[5] = {1, 3, 0, 2, 4}, places[5] = {0, 4, 9, 11, 30};
    ADD("indexed", MPI_Type_indexed(5, blocks, places, MPI_DOUBLE, &types[n]));
    int at[6] = {7, 0, 3, 20, 14, 11};
    ADD("indexed block, out of order", MPI_Type_create_indexed_block(6, 2, at, MPI_INT, &types[n]));
    int lengths[4] = {1, 1, 2, 1};
    MPI_Aint offsets[4] = {offsetof(struct mixed, c), offsetof(struct mixed, d),
                           offsetof(struct mixed, i), offsetof(struct mixed, s)};
    MPI_Datatype parts[4] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT};
    ADD("struct", MPI_Type_create_struct(4, lengths, offsets, parts, &t);
        MPI_Type_create_resized(t, 0, sizeof(struct mixed), &types[n]); MPI_Type_free(&t));
    int sizes[3] = {6, 7, 8}, subsizes[3] = {3, 4, 5}, starts[3] = {1, 2, 2};
    ADD("subarray C", MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_FLOAT,
                                               &types[n]));
    ADD("subarray Fortran", MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN,
                                                     MPI_FLOAT, &types[n]));
    ADD("resized column", MPI_Type_vector(16, 1, 16, MPI_DOUBLE, &t);
        MPI_Type_create_resized(t, 0, 8, &types[n]); MPI_Type_free(&t));
    ADD("nested", MPI_Type_vector(4, 2, 3, MPI_INT, &t);
        MPI_Type_create_hvector(5, 1, 200, t, &u); MPI_Type_create_hvector(3, 1, 1600, u, &types[n]);
        MPI_Type_free(&t); MPI_Type_free(&u));
    ADD("contiguous", MPI_Type_contiguous(100, MPI_INT, &types[n]));
    ADD("dup", MPI_Type_dup(types[0], &types[n]));
    ADD("long vector", MPI_Type_vector(2000, 2, 4, MPI_INT, &types[n]));
#undef ADD
}

/* Rank 0 prints for both: mpiexec may mix their lines in the middle. The communicator is for this
 * alone, because erroneous calls may have left messages behind. */
static inline void print(const char *text, int length, MPI_Comm comm)
{
    if (rank == 1) {
        MPI_Send(text, length, MPI_CHAR, 0, 0, comm);
        return;
    }
    fwrite(text, 1, (size_t)length, stdout);
    MPI_Status status;
    MPI_Probe(1, 0, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    char *theirs = malloc((size_t)length);
    MPI_Recv(theirs, length, MPI_CHAR, 1, 0, comm, MPI_STATUS_IGNORE);
    fwrite(theirs, 1, (size_t)length, stdout);
    free(theirs);
}

/* Runs the sections of a program on two ranks; with an argument, only the one of this name. */
struct part {
    const char *name;
    void (*run)(void);
};

/* The same between MPI_Init and MPI_Finalize. */
static inline int observe_started(int argc, char **argv, const struct part *parts, size_t n)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    char *text;
    size_t length;
    observations = open_memstream(&text, &length);
    memory = malloc(BYTES);
    other = malloc(BYTES);
    make_types();
    for (size_t i = 0; i < n; i++)
        if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) {
            section = parts[i].name;
            parts[i].run();
        }
    for (int t = 0; t < TYPES; t++)
        MPI_Type_free(&types[t]);
    free(memory);
    free(other);
    fclose(observations);
    print(text, (int)length, comm);
    MPI_Comm_free(&comm);
    free(text);
    return 0;
}

static inline int observe(int argc, char **argv, const struct part *parts, size_t n)
{
    MPI_Init(&argc, &argv);
    observe_started(argc, argv, parts, n);
    MPI_Finalize();
    return 0;
}

#endif
