/* Collectives that move data, in every form that the library has, with types that differ from rank
 * to rank but have one signature. Every byte of both buffers is looked at after each call, also those
 * that must keep what they held. Two to four ranks. With an argument, only the named section runs. */
#pragma GCC diagnostic ignored "-Wunused-but-set-variable" /* what only some libraries take */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wstringop-overread" /* MPI_UNWEIGHTED is no list */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGIN = 512, SLOT = 20480, TYPES = 9, RANKS = 4 };

static int rank, ranks;
static int bytes; /* of each buffer: more ranks have more blocks */
static unsigned char *from, *to;
/* All of 100 ints (400 bytes) but the last, which has a hundred times as many. */
static MPI_Datatype types[TYPES];
static const char *section;

/* What was observed, printed at the end by rank 0. */
static FILE *observed;
static char *text;
static size_t text_length;

static void say(const char *what, long a, long b, long c, long d)
{
    fprintf(observed, "rank %d %s: %s %ld %ld %ld %ld\n", rank, section, what, a, b, c, d);
}

static void fill(unsigned seed)
{
    uint64_t state = seed, word;
    for (int i = 0; i < bytes; i += 8) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        word = state ^ state >> 31;
        memcpy(from + i, &word, 8);
        word = state ^ state << 27;
        memcpy(to + i, &word, 8);
    }
}

static long hash(const unsigned char *data)
{
    uint64_t h = 1469598103934665603ull, word;
    for (int i = 0; i < bytes; i += 8) {
        memcpy(&word, data + i, 8);
        h = (h ^ word) * 1099511628211ull;
        h ^= h >> 32;
    }
    return (long)(h >> 1);
}

static long class_of(int code)
{
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

struct two {
    int a, gap, b;
};

static void make_types(void)
{
    MPI_Datatype t;
    int n = 0;
    MPI_Type_vector(50, 2, 3, MPI_INT, &types[n++]);
    MPI_Type_contiguous(100, MPI_INT, &types[n++]);
    int blocks[20], places[20];
    for (int i = 0; i < 20; i++) {
        blocks[i] = 1 + i % 9;
        places[i] = 10 * i + i % 2;
    }
    blocks[19] = 9; /* 100 in all */
    MPI_Type_indexed(20, blocks, places, MPI_INT, &types[n++]);
    int ones[2] = {1, 1};
    MPI_Aint offsets[2] = {offsetof(struct two, a), offsetof(struct two, b)};
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Type_create_struct(2, ones, offsets, ints, &t);
    MPI_Type_contiguous(50, t, &types[n++]);
    MPI_Type_free(&t);
    /* Columns that interleave. */
    MPI_Type_vector(100, 1, 40, MPI_INT, &t);
    MPI_Type_create_resized(t, 0, 4, &types[n++]);
    MPI_Type_free(&t);
    /* A lower bound below the data, and one above. */
    MPI_Type_vector(25, 4, 5, MPI_INT, &t);
    MPI_Type_create_resized(t, -16, 560, &types[n++]);
    MPI_Type_free(&t);
    MPI_Type_create_hvector(10, 10, 60, MPI_INT, &types[n++]);
    int sizes[2] = {12, 14}, subsizes[2] = {10, 10}, starts[2] = {1, 3};
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &types[n++]);
    MPI_Type_vector(2500, 4, 5, MPI_INT, &types[n++]);
    for (int i = 0; i < TYPES; i++)
        MPI_Type_commit(&types[i]);
}

/* The type of this rank for test t: another one on each rank. */
static MPI_Datatype type_of(int t, int shift)
{
    return t == TYPES - 1 ? types[t] : types[(t + shift * rank + shift / 3) % (TYPES - 1)];
}

/* The forms of a call: blocking, with Wait, with Test, in a Waitall, persistent, and large counts. */
enum { BLOCKING, WAIT, TEST, PERSISTENT, LARGE, LARGE_WAIT, LARGE_PERSISTENT, FORMS };

/* More ranks than two are for the algorithms, which are the same in all forms: every third. */
static int step = 1;

static int complete(MPI_Request *r, int form)
{
    int code = MPI_SUCCESS, flag = 0;
    if (form == TEST)
        while (code == MPI_SUCCESS && !flag)
            code = MPI_Test(r, &flag, MPI_STATUS_IGNORE);
    else
        code = MPI_Wait(r, MPI_STATUS_IGNORE);
    return code;
}

/* MPICH 4.0 fails in the second start of a persistent collective. */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
enum { STARTS = 1 };
#else
enum { STARTS = 2 };
#endif

/* Starts twice: the second time with other data. */
static int again(MPI_Request *r)
{
    int code = MPI_Start(r);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(r, MPI_STATUS_IGNORE);
    if (STARTS == 1) {
        MPI_Request_free(r);
        return code;
    }
    for (int i = 0; i < bytes; i++)
        from[i] ^= 0x55;
    say("first start", code, hash(from), hash(to), 0);
    if (code == MPI_SUCCESS)
        code = MPI_Start(r);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(r, MPI_STATUS_IGNORE);
    MPI_Request_free(r);
    return code;
}

#define UNPACK(...) __VA_ARGS__
#define SMALL(code, form, Name, name, ...)                                                         \
    if (form == BLOCKING)                                                                          \
        code = MPI_##Name(__VA_ARGS__);                                                            \
    else if (form <= TEST) {                                                                       \
        MPI_Request request_;                                                                      \
        code = MPI_I##name(__VA_ARGS__, &request_);                                                \
        if (code == MPI_SUCCESS)                                                                   \
            code = complete(&request_, form);                                                      \
    }
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define INIT(code, form, Name, ...)                                                                \
    if (form == PERSISTENT) {                                                                      \
        MPI_Request request_;                                                                      \
        code = MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request_);                           \
        if (code == MPI_SUCCESS)                                                                   \
            code = again(&request_);                                                               \
    }
#else
#define INIT(...)
#endif
#if MPI_VERSION >= 4 && !defined(OMPI_MAJOR_VERSION)
#define BIG(code, form, Name, name, ...)                                                           \
    if (form == LARGE)                                                                             \
        code = MPI_##Name##_c(__VA_ARGS__);                                                        \
    else if (form == LARGE_WAIT) {                                                                 \
        MPI_Request request_;                                                                      \
        code = MPI_I##name##_c(__VA_ARGS__, &request_);                                            \
        if (code == MPI_SUCCESS)                                                                   \
            code = complete(&request_, form);                                                      \
    } else if (form == LARGE_PERSISTENT) {                                                         \
        MPI_Request request_;                                                                      \
        code = MPI_##Name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request_);                         \
        if (code == MPI_SUCCESS)                                                                   \
            code = again(&request_);                                                               \
    }
#else
#define BIG(...)
#endif
/* The arguments with C ints, and those with large counts. */
#define CALL(code, form, Name, name, small, large)                                                 \
    do {                                                                                           \
        code = -1;                                                                                 \
        SMALL(code, form, Name, name, UNPACK small)                                                \
        INIT(code, form, Name, UNPACK small)                                                       \
        BIG(code, form, Name, name, UNPACK large)                                                  \
    } while (0)
#define SAME(code, form, Name, name, ...) CALL(code, form, Name, name, (__VA_ARGS__), (__VA_ARGS__))

static unsigned seed;

/* After a form that the library lacks there is nothing to say. */
static void result(const char *what, int code, int a, int b)
{
    if (code != -1)
        say(what, code, a * 100 + b, hash(from), hash(to));
}

static void prepare(void)
{
    seed += 7;
    fill(seed * 16 + (unsigned)rank);
}

static void rooted(MPI_Comm comm)
{
    int code;
    for (int form = 0; form < FORMS; form += step)
        for (int t = 0; t < TYPES; t++)
            for (int count = 0; count < 3; count++)
                for (int root = 0; root < ranks; root += 1 + (t > 3) * (ranks - 2)) {
                    if (t == TYPES - 1 && count > 1)
                        continue;
                    MPI_Datatype s = type_of(t, 1), r = type_of(t, 3);
                    void *out = from + ORIGIN, *in = to + ORIGIN;
                    prepare();
                    SAME(code, form, Bcast, bcast, in, count, r, root, comm);
                    result("bcast", code, t, count);
                    prepare();
                    /* What means nothing on the other ranks is something that cannot be looked at. */
                    MPI_Datatype at_root = rank == root ? r : MPI_DATATYPE_NULL;
                    SAME(code, form, Gather, gather, out, count, s, rank == root ? in : NULL,
                         rank == root ? count : -3, at_root, root, comm);
                    result("gather", code, t, count);
                    prepare();
                    if (rank == root)
                        SAME(code, form, Gather, gather, MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, in,
                             count, r, root, comm);
                    else
                        SAME(code, form, Gather, gather, out, count, s, NULL, 0, MPI_DATATYPE_NULL,
                             root, comm);
                    result("gather in place", code, t, count);
                    prepare();
                    SAME(code, form, Scatter, scatter, out, rank == root ? count : -3,
                         rank == root ? s : MPI_DATATYPE_NULL, in, count, r, root, comm);
                    result("scatter", code, t, count);
                    prepare();
                    if (rank == root)
                        SAME(code, form, Scatter, scatter, out, count, s, MPI_IN_PLACE, -7,
                             MPI_DATATYPE_NULL, root, comm);
                    else
                        SAME(code, form, Scatter, scatter, NULL, 0, MPI_DATATYPE_NULL, in, count, r,
                             root, comm);
                    result("scatter in place", code, t, count);
                }
}

/* Counts and places that differ: block i of a rank stands in another order, with room between. */
static int counts[RANKS], places[RANKS];
static MPI_Count large_counts[RANKS];
static MPI_Aint large_places[RANKS];

static int length(int source, int target, int t)
{
    int n = (2 * source + target + t) % 3;
    return t == TYPES - 1 ? n % 2 : n;
}

static void vary(int t, int sending)
{
    for (int i = 0; i < ranks; i++) {
        large_counts[i] = counts[i] = sending ? length(rank, i, t) : length(i, rank, t);
        large_places[i] = places[i] = ((i + 1) % ranks) * 2 + (t % 2);
    }
}

static void rooted_varying(MPI_Comm comm)
{
    int code;
    for (int form = 0; form < FORMS; form += step)
        for (int t = 0; t < TYPES; t++)
            for (int root = 0; root < ranks; root += ranks - 1) {
                MPI_Datatype s = type_of(t, 1), r = type_of(t, 3);
                void *out = from + ORIGIN, *in = to + ORIGIN;
                int own = length(rank, root, t), there = length(root, rank, t), is = rank == root;
                vary(t, 0);
                prepare();
                CALL(code, form, Gatherv, gatherv,
                     (out, own, s, in, is ? counts : NULL, is ? places : NULL, r, root, comm),
                     (out, own, s, in, is ? large_counts : NULL, is ? large_places : NULL, r, root,
                      comm));
                result("gatherv", code, t, root);
                prepare();
                void *mine = is ? MPI_IN_PLACE : out;
                CALL(code, form, Gatherv, gatherv, (mine, own, s, in, counts, places, r, root, comm),
                     (mine, own, s, in, large_counts, large_places, r, root, comm));
                result("gatherv in place", code, t, root);
                vary(t, 1);
                prepare();
                CALL(code, form, Scatterv, scatterv,
                     (out, is ? counts : NULL, is ? places : NULL, s, in, there, r, root, comm),
                     (out, is ? large_counts : NULL, is ? large_places : NULL, s, in, there, r, root,
                      comm));
                result("scatterv", code, t, root);
                prepare();
                mine = is ? MPI_IN_PLACE : in;
                CALL(code, form, Scatterv, scatterv,
                     (out, counts, places, s, mine, there, r, root, comm),
                     (out, large_counts, large_places, s, mine, there, r, root, comm));
                result("scatterv in place", code, t, root);
            }
}

static void all(MPI_Comm comm)
{
    int code;
    for (int form = 0; form < FORMS; form += step)
        for (int t = 0; t < TYPES; t++) {
            MPI_Datatype s = type_of(t, 1), r = type_of(t, 3);
            void *out = from + ORIGIN, *in = to + ORIGIN;
            for (int count = 0; count < 3 - t / (TYPES - 1); count++) {
                prepare();
                SAME(code, form, Allgather, allgather, out, count, s, in, count, r, comm);
                result("allgather", code, t, count);
                prepare();
                SAME(code, form, Allgather, allgather, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, count,
                     r, comm);
                result("allgather in place", code, t, count);
                prepare();
                SAME(code, form, Alltoall, alltoall, out, count, s, in, count, r, comm);
                result("alltoall", code, t, count);
                prepare();
                SAME(code, form, Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, count,
                     r, comm);
                result("alltoall in place", code, t, count);
            }
            /* As many from a rank to all. */
            vary(t, 0);
            for (int i = 0; i < ranks; i++)
                large_counts[i] = counts[i] = length(i, 1, t);
            prepare();
            CALL(code, form, Allgatherv, allgatherv,
                 (out, counts[rank], s, in, counts, places, r, comm),
                 (out, counts[rank], s, in, large_counts, large_places, r, comm));
            result("allgatherv", code, t, 0);
            prepare();
            CALL(code, form, Allgatherv, allgatherv,
                 (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, r, comm),
                 (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, large_counts, large_places, r, comm));
            result("allgatherv in place", code, t, 0);
            vary(t, 1);
            int sent[RANKS];
            MPI_Count large_sent[RANKS];
            memcpy(sent, counts, sizeof sent);
            memcpy(large_sent, large_counts, sizeof large_sent);
            vary(t, 0);
            prepare();
            CALL(code, form, Alltoallv, alltoallv,
                 (out, sent, places, s, in, counts, places, r, comm),
                 (out, large_sent, large_places, s, in, large_counts, large_places, r, comm));
            result("alltoallv", code, t, 0);
            prepare();
            for (int i = 0; i < ranks; i++)
                large_counts[i] = counts[i] = length(i, rank, t) * length(rank, i, t);
            CALL(code, form, Alltoallv, alltoallv,
                 (MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, places, r, comm),
                 (MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, large_counts, large_places, r,
                  comm));
            result("alltoallv in place", code, t, 0);
        }
}

/* A type for each pair of ranks; the last one wherever t says so. */
static void each_its_type(MPI_Comm comm)
{
    int code;
    for (int form = 0; form < FORMS; form += step)
        for (int t = 0; t < TYPES; t++) {
            int sent[RANKS], received[RANKS], at[RANKS];
            MPI_Count large_sent[RANKS], large_received[RANKS];
            MPI_Aint large_at[RANKS];
            MPI_Datatype out[RANKS], in[RANKS], same[RANKS];
            for (int i = 0; i < ranks; i++) {
                large_sent[i] = sent[i] = length(rank, i, t);
                large_received[i] = received[i] = length(i, rank, t);
                large_at[i] = at[i] = ORIGIN + ((i + 2) % ranks) * 2 * SLOT;
                out[i] = sent[i] ? types[(t + rank + i) % (TYPES - 1)] : MPI_INT;
                in[i] = received[i] ? types[(t + 3 * rank + i) % (TYPES - 1)] : MPI_INT;
                same[i] = types[(t + rank + i) % (TYPES - 1)];
            }
            prepare();
            CALL(code, form, Alltoallw, alltoallw,
                 (from, sent, at, out, to, received, at, in, comm),
                 (from, large_sent, large_at, out, to, large_received, large_at, in, comm));
            result("alltoallw", code, t, 0);
            prepare();
            for (int i = 0; i < ranks; i++)
                large_received[i] = received[i] = 1;
            CALL(code, form, Alltoallw, alltoallw,
                 (MPI_IN_PLACE, NULL, NULL, NULL, to, received, at, same, comm),
                 (MPI_IN_PLACE, NULL, NULL, NULL, to, large_received, large_at, same, comm));
            result("alltoallw in place", code, t, 0);
            prepare();
            /* Predefined types for some: then all of it is the library's. */
            for (int i = 0; i < ranks; i++) {
                large_sent[i] = sent[i] = (rank + i) % 2 ? 1 : 100;
                large_received[i] = received[i] = (rank + i) % 2 ? 1 : 100;
                out[i] = in[i] = (rank + i) % 2 ? types[t % (TYPES - 1)] : MPI_INT;
            }
            CALL(code, form, Alltoallw, alltoallw,
                 (from, sent, at, out, to, received, at, in, comm),
                 (from, large_sent, large_at, out, to, large_received, large_at, in, comm));
            result("alltoallw mixed", code, t, 0);
        }
}

/* Between more than two processes of a distributed graph, MPICH before 4.1 leaves blocks of
 * MPI_Neighbor_alltoallw out now and then (its issue 6233). */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
enum { LEAVES_OUT = 1 };
#else
enum { LEAVES_OUT = 0 };
#endif

static void neighbours_of(MPI_Comm comm, int sources, int destinations)
{
    int code, topology;
    MPI_Topo_test(comm, &topology);
    for (int form = 0; form < FORMS; form += step)
        for (int t = 0; t < TYPES; t++) {
            MPI_Datatype s = type_of(t, 1), r = type_of(t, 3);
            void *out = from + ORIGIN, *in = to + ORIGIN;
            int n = 1 + t % 2, at[8], many[8];
            MPI_Aint large_at[8], starts[8];
            MPI_Count large_many[8];
            MPI_Datatype ss[8], rs[8];
            if (t == TYPES - 1)
                n = 1;
            for (int i = 0; i < 8; i++) {
                large_many[i] = many[i] = n;
                large_at[i] = at[i] = 2 * ((i + 1) % (sources > destinations ? sources : destinations));
                starts[i] = SLOT * i;
                ss[i] = type_of(t, 1);
                rs[i] = type_of(t, 3);
            }
            if (t == TYPES - 1)
                for (int i = 0; i < 8; i++) {
                    large_at[i] = at[i] = i;
                    starts[i] = 51200 * i;
                }
            if (sources > 4 && t == TYPES - 1)
                continue;
            prepare();
            SAME(code, form, Neighbor_allgather, neighbor_allgather, out, n, s, in, n, r, comm);
            result("allgather", code, t, 0);
            prepare();
            SAME(code, form, Neighbor_alltoall, neighbor_alltoall, out, n, s, in, n, r, comm);
            result("alltoall", code, t, 0);
            prepare();
            CALL(code, form, Neighbor_allgatherv, neighbor_allgatherv,
                 (out, n, s, in, many, at, r, comm), (out, n, s, in, large_many, large_at, r, comm));
            result("allgatherv", code, t, 0);
            prepare();
            CALL(code, form, Neighbor_alltoallv, neighbor_alltoallv,
                 (out, many, at, s, in, many, at, r, comm),
                 (out, large_many, large_at, s, in, large_many, large_at, r, comm));
            result("alltoallv", code, t, 0);
            if (LEAVES_OUT && topology == MPI_DIST_GRAPH && ranks > 2)
                continue;
            prepare();
            CALL(code, form, Neighbor_alltoallw, neighbor_alltoallw,
                 (out, many, starts, ss, in, many, starts, rs, comm),
                 (out, large_many, starts, ss, in, large_many, starts, rs, comm));
            result("alltoallw", code, t, 0);
            if (t == TYPES - 1)
                continue;
            prepare();
            /* From the array that it is received into, as halos are. */
            for (int i = 0; i < 8; i++) {
                MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){5 * SLOT}, type_of(t, 1), &ss[i]);
                MPI_Type_commit(&ss[i]);
            }
            CALL(code, form, Neighbor_alltoallw, neighbor_alltoallw,
                 (in, many, starts, ss, in, many, starts, rs, comm),
                 (in, large_many, starts, ss, in, large_many, starts, rs, comm));
            result("alltoallw in one array", code, t, 0);
            for (int i = 0; i < 8; i++)
                MPI_Type_free(&ss[i]);
        }
}

static void neighbours(void)
{
    MPI_Comm comm;
    for (int periodic = 0; periodic < 2; periodic++) {
        MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &comm);
        neighbours_of(comm, 2, 2);
        MPI_Comm_free(&comm);
    }
    /* To all that come later, and to oneself. */
    int sources[RANKS], targets[RANKS], in = 0, out = 0;
    for (int i = 0; i <= rank; i++)
        sources[in++] = i;
    for (int i = rank; i < ranks; i++)
        targets[out++] = i;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, targets,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    neighbours_of(comm, in, out);
    MPI_Comm_free(&comm);
    /* A chain, as an old graph. */
    int index[RANKS], edges[2 * RANKS], n = 0;
    for (int i = 0; i < ranks; i++) {
        if (i > 0)
            edges[n++] = i - 1;
        if (i < ranks - 1)
            edges[n++] = i + 1;
        index[i] = n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm);
    n = 1 + (rank > 0 && rank < ranks - 1);
    neighbours_of(comm, n, n);
    MPI_Comm_free(&comm);
}

/* Several at once; types that are freed before they complete; requests of one rank alone. */
static void together(void)
{
    enum { MANY = 12 };
    MPI_Request r[MANY];
    for (int round = 0; round < 6; round++) {
        prepare();
        for (int i = 0; i < MANY; i++) {
            MPI_Datatype t;
            MPI_Type_vector(20 + i, 1, 2 + i % 3, MPI_INT, &t);
            MPI_Type_commit(&t);
            MPI_Comm comm = i % 4 == 3 ? MPI_COMM_SELF : MPI_COMM_WORLD;
            void *out = from + 8000 * i, *in = to + 8000 * i;
            if (i % 3 == 0)
                MPI_Ibcast(in, 1, t, i % 4 == 3 ? 0 : i % ranks, comm, &r[i]);
            else if (i % 3 == 1)
                MPI_Iallgather(out, 1, t, in, 1, t, comm, &r[i]);
            else
                MPI_Ialltoall(out, 1, t, in, 1, t, comm, &r[i]);
            MPI_Type_free(&t);
        }
        int code = MPI_SUCCESS, index, flag = 0, done = 0, indices[MANY];
        if (round % 3 == 0)
            code = MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE);
        else if (round % 3 == 1)
            for (int i = 0; i < MANY; i++)
                code |= MPI_Waitany(MANY, r, &index, MPI_STATUS_IGNORE);
        else
            for (int left = MANY; left > 0; left -= done)
                code |= MPI_Waitsome(MANY, r, &done, indices, MPI_STATUSES_IGNORE);
        say("together", code, round, hash(from), hash(to));
        if (round == 5) {
            prepare();
            MPI_Ibcast(to, 1, types[0], 0, MPI_COMM_WORLD, &r[0]);
            MPI_Status status;
            while (!flag)
                MPI_Request_get_status(r[0], &flag, &status);
            say("get_status", hash(to), 0, 0, 0);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        }
    }
}

/* So much that libraries send it in pieces, around a ring: all must cut alike, whoever packs. */
static void in_pieces(MPI_Comm comm)
{
    MPI_Datatype gaps, type;
    MPI_Type_vector(64, 1, 4, MPI_INT, &gaps);
    MPI_Type_create_resized(gaps, 0, 1024, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&gaps);
    int places_of[RANKS], counts_of[RANKS], sum = 0;
    for (int i = 0; i < ranks; i++) {
        counts_of[i] = 1600 - 900 * i / ranks;
        places_of[i] = sum;
        sum += counts_of[i] + 1;
    }
    size_t room = 1024 * (size_t)sum;
    unsigned char *sent = malloc(room), *received = malloc(room);
    for (int form = 0; form < 4; form++) {
        for (size_t i = 0; i < room; i++) {
            sent[i] = (unsigned char)(i * 7 + (i >> 9) + (size_t)(rank * 50 + form));
            received[i] = (unsigned char)(i * 3 + (i >> 10));
        }
        int code;
        void *mine = form % 2 ? MPI_IN_PLACE : sent;
        if (form < 2)
            code = MPI_Allgatherv(mine, counts_of[rank], type, received, counts_of, places_of, type, comm);
        else {
            MPI_Request r;
            code = MPI_Iallgatherv(mine, counts_of[rank], type, received, counts_of, places_of, type, comm, &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
        uint64_t h = 1469598103934665603ull;
        for (size_t i = 0; i < room; i++)
            h = (h ^ received[i]) * 1099511628211ull;
        say("allgatherv", code, form, (long)(h >> 1), 0);
    }
    free(sent);
    free(received);
    MPI_Type_free(&type);
}

/* Addresses in the types. */
static void bottom(void)
{
    MPI_Datatype here, there, all[RANKS];
    MPI_Aint address;
    int one = 1, ones[RANKS], zeros[RANKS];
    MPI_Get_address(from + ORIGIN, &address);
    MPI_Type_create_struct(1, &one, &address, &types[0], &here);
    MPI_Get_address(to + ORIGIN, &address);
    MPI_Type_create_struct(1, &one, &address, &types[2], &there);
    MPI_Type_commit(&here);
    MPI_Type_commit(&there);
    prepare();
    int code = MPI_Bcast(MPI_BOTTOM, 1, there, 0, MPI_COMM_WORLD);
    result("bcast", code, 0, 0);
    code = MPI_Gather(MPI_BOTTOM, 1, here, to, 1, types[4], 1, MPI_COMM_WORLD);
    result("gather", code, 0, 0);
    for (int i = 0; i < ranks; i++) {
        ones[i] = i % 2 == rank % 2;
        zeros[i] = 0;
        all[i] = here;
    }
    MPI_Datatype targets[RANKS];
    for (int i = 0; i < ranks; i++) {
        MPI_Get_address(to + ORIGIN + 4096 * i, &address);
        MPI_Type_create_struct(1, &one, &address, &types[3], &targets[i]);
        MPI_Type_commit(&targets[i]);
    }
    code = MPI_Alltoallw(MPI_BOTTOM, ones, zeros, all, MPI_BOTTOM, ones, zeros, targets,
                         MPI_COMM_WORLD);
    result("alltoallw", code, 0, 0);
    for (int i = 0; i < ranks; i++)
        MPI_Type_free(&targets[i]);
    MPI_Type_free(&here);
    MPI_Type_free(&there);
}

/* Two groups: what the one sends the other receives. */
static void between_groups(void)
{
    MPI_Comm half, inter;
    int side = rank % 2, root = side ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &inter);
    prepare();
    int code = MPI_Bcast(to, 1, types[0], root, inter);
    result("bcast", code, 0, 0);
    code = MPI_Gather(from, 1, types[2], to, 1, types[3], root, inter);
    result("gather", code, 0, 0);
    code = MPI_Allgather(from, 1, types[4], to, 1, types[5], inter);
    result("allgather", code, 0, 0);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Every rank makes the same mistake. */
static void errors(void)
{
    MPI_Comm comm;
    MPI_Datatype fresh, t = types[0];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(3, 1, 2, MPI_INT, &fresh);
    prepare();
    say("root", class_of(MPI_Bcast(to, 1, t, ranks, comm)), class_of(MPI_Bcast(to, 1, t, -5, comm)), 0, 0);
    say("count", class_of(MPI_Bcast(to, -1, t, 0, comm)),
        class_of(MPI_Alltoall(from, -1, t, to, 1, t, comm)), 0, 0);
    say("type", class_of(MPI_Bcast(to, 1, MPI_DATATYPE_NULL, 0, comm)),
        class_of(MPI_Bcast(to, 1, fresh, 0, comm)), 0, 0);
    say("comm", class_of(MPI_Bcast(to, 1, t, 0, MPI_COMM_NULL)), 0, 0, 0);
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    say("alias", class_of(MPI_Allgather(to, 1, t, to, 1, t, self)),
        class_of(MPI_Alltoall(to, 1, t, to, 1, t, self)), 0, 0);
    MPI_Comm_free(&self);
    MPI_Request r = MPI_REQUEST_NULL;
    say("root of Ibcast", class_of(MPI_Ibcast(to, 1, t, ranks, comm, &r)), r == MPI_REQUEST_NULL, 0, 0);
    say("in place", class_of(MPI_Alltoall(from, 1, t, MPI_IN_PLACE, 1, t, comm)), 0, 0, 0);
    result("nothing moved", 0, 0, 0);
    MPI_Type_free(&fresh);
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void print(void)
{
    fclose(observed);
    fputs(rank == 0 ? text : "", stdout);
    for (int i = 1; i < ranks; i++)
        if (rank == i)
            MPI_Send(text, (int)text_length + 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        else if (rank == 0) {
            MPI_Status status;
            int n;
            MPI_Probe(i, 1, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &n);
            char *other = malloc((size_t)n);
            MPI_Recv(other, n, MPI_CHAR, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fputs(other, stdout);
            free(other);
        }
    free(text);
}

static void of_world(const char *name, void (*run)(MPI_Comm), int argc, char **argv)
{
    section = name;
    if (argc < 2 || strcmp(argv[1], name) == 0)
        run(MPI_COMM_WORLD);
}

static void alone(const char *name, void (*run)(void), int argc, char **argv)
{
    section = name;
    if (argc < 2 || strcmp(argv[1], name) == 0)
        run();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    observed = open_memstream(&text, &text_length);
    bytes = (ranks > 3 ? 2 : 1) << 18;
    step = ranks > 2 ? 3 : 1;
    from = malloc((size_t)bytes);
    to = malloc((size_t)bytes);
    make_types();
    of_world("rooted", rooted, argc, argv);
    of_world("rooted, varying", rooted_varying, argc, argv);
    of_world("all", all, argc, argv);
    of_world("each its type", each_its_type, argc, argv);
    alone("neighbours", neighbours, argc, argv);
    alone("together", together, argc, argv);
    of_world("in pieces", in_pieces, argc, argv);
    alone("bottom", bottom, argc, argv);
    alone("between groups", between_groups, argc, argv);
    alone("errors", errors, argc, argv);
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    free(from);
    free(to);
    print();
    MPI_Finalize();
    return 0;
}
