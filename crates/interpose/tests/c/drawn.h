/* Memory drawn by chance: a datatype, and a list of the bytes that it names. */
#ifndef DRAWN_H
#define DRAWN_H
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 3 << 20, ORIGIN = 4096, PIECES = 70000 };

static int rank, ranks, number;
static unsigned long seed;
static FILE *out;

/* Two streams of random numbers: one is the same on all ranks. */
static uint64_t all_dice, own_dice;
static inline unsigned roll(uint64_t *dice, unsigned below)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((*dice >> 33) % below);
}

static inline void wrong(const char *what, long at)
{
    fprintf(out, "WRONG: rank %d of %d, case %d of seed %lu: %s at %ld\n", rank, ranks, number,
            seed, what, at);
}

/* Memory: a datatype, and the bytes that it names, in order. */
static struct {
    MPI_Datatype type;
    int count;
    long n, bytes, end, from[PIECES], length[PIECES];
} mem;

static inline void piece(long from, long length)
{
    mem.from[mem.n] = from;
    mem.length[mem.n++] = length;
    mem.bytes += length;
    if (from + length > mem.end) mem.end = from + length;
}

static inline void make_memory(MPI_Datatype base, int size, int long_one, int max_count)
{
    MPI_Datatype t = MPI_DATATYPE_NULL, u;
    int kind = (int)roll(&own_dice, 8), blocks = 1 + (int)roll(&own_dice, long_one ? 9000 : 40);
    int b = 1 + (int)roll(&own_dice, 4), stride = b + 1 + (int)roll(&own_dice, 4);
    int lengths[64], places[64], at = 0;
    MPI_Aint far[64];
    MPI_Datatype parts[64];
    mem.n = mem.bytes = mem.end = 0;
    mem.count = 1 + (int)roll(&own_dice, (unsigned)max_count);
    int m = 2 + (int)roll(&own_dice, 30);
    switch (kind) {
    case 0:
        MPI_Type_vector(blocks, b, stride, base, &t);
        for (int i = 0; i < blocks; i++) piece((long)i * stride * size, (long)b * size);
        break;
    case 1:
        MPI_Type_create_hvector(blocks, b, (MPI_Aint)stride * size, base, &u);
        MPI_Type_create_resized(u, 0, (MPI_Aint)(blocks * stride + 3) * size, &t);
        MPI_Type_free(&u);
        for (int i = 0; i < blocks; i++) piece((long)i * stride * size, (long)b * size);
        break;
    case 2: case 3:
        for (int i = 0; i < m; i++) {
            lengths[i] = (int)roll(&own_dice, 4) + (i == 0);
            places[i] = at;
            far[i] = (MPI_Aint)at * size;
            parts[i] = base;
            if (lengths[i]) piece((long)at * size, (long)lengths[i] * size);
            at += lengths[i] + (int)roll(&own_dice, 3);
        }
        if (kind == 2) MPI_Type_indexed(m, lengths, places, base, &t);
        else MPI_Type_create_struct(m, lengths, far, parts, &t);
        mem.count = 1;
        break;
    case 4: {
        int sizes[2] = {m + 3, 20}, sub[2] = {m, 1 + b}, starts[2] = {1, 2};
        MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, base, &t);
        for (int i = 0; i < m; i++) piece(((long)(i + 1) * 20 + 2) * size, (long)(1 + b) * size);
        break;
    }
    case 5: /* From the end to the beginning. */
        MPI_Type_vector(3, 1, 2, base, &u);
        MPI_Type_create_hvector(m, 1, -(MPI_Aint)8 * size, u, &t);
        MPI_Type_free(&u);
        for (int i = 0; i < m; i++)
            for (int k = 0; k < 3; k++) piece((-8l * i + 2 * k) * size, size);
        mem.count = 1;
        break;
    case 6: /* Two basic types. */
        lengths[0] = 1; lengths[1] = 2; far[0] = 0; far[1] = 16;
        parts[0] = MPI_INT32_T; parts[1] = MPI_DOUBLE;
        MPI_Type_create_struct(2, lengths, far, parts, &u);
        MPI_Type_create_resized(u, 0, 40, &t);
        MPI_Type_free(&u);
        piece(0, 4); piece(16, 16);
        break;
    default:
        MPI_Type_contiguous(blocks, base, &t);
        piece(0, (long)blocks * size);
    }
    MPI_Type_commit(&t);
    MPI_Aint low, extent;
    MPI_Type_get_extent(t, &low, &extent);
    long n = mem.n;
    for (int c = 1; c < mem.count; c++)
        for (long i = 0; i < n; i++) piece(mem.from[i] + c * (long)extent, mem.length[i]);
    mem.type = t;
}

#endif
