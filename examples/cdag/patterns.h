/* Communication as users write it, once: each pattern runs as plain messages, or is noted in a graph.
 *
 * The allreduces are those of section 3.3 of the paper: the linear one and the logarithmic one of Numrich and Reid (1998,
 * sections 2.5 and 4.4), the one of Numrich's tutorial (2001), and the one of the NAS benchmarks in Co-Array Fortran.
 */
#ifndef COMMLOOM_EXAMPLES_CDAG_PATTERNS_H
#define COMMLOOM_EXAMPLES_CDAG_PATTERNS_H

#include "common.h"

enum { STAGES = 32 };

/* The memory of a pattern: `count` numbers each. */
struct memory {
    int count;
    double *in, *out;       /* of the FT transpose: a block for each rank */
    double *scratch[STAGES];
};

/* How a pattern is carried out: at once, or noted in a graph. */
struct way {
    int noted;
    cDAG_graph graph;
};

static size_t bytes_of(int count)
{
    return sizeof(double) * (size_t)count;
}

static void send_to(struct way *way, const double *from, int count, int to)
{
    if (way->noted) TRY(cDAG_Send(way->graph, from, bytes_of(count), to));
    else MPI_Send(from, count, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

static void receive_from(struct way *way, double *into, int count, int from)
{
    if (way->noted) TRY(cDAG_Recv(way->graph, into, bytes_of(count), from));
    else MPI_Recv(into, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(struct way *way, const double *from, double *into, int count, int partner)
{
    if (way->noted) {
        send_to(way, from, count, partner);
        receive_from(way, into, count, partner);
    } else {
        MPI_Sendrecv(from, count, MPI_DOUBLE, partner, 0, into, count, MPI_DOUBLE, partner, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void add_to(struct way *way, const double *from, double *into, int count)
{
    if (way->noted) {
        TRY(cDAG_Reduce(way->graph, from, into, count, MPI_DOUBLE, MPI_SUM));
    } else {
        for (int i = 0; i < count; i++) into[i] += from[i];
    }
}

static void copy(struct way *way, const double *from, double *into, int count)
{
    if (way->noted) TRY(cDAG_Copy(way->graph, from, into, bytes_of(count)));
    else memcpy(into, from, bytes_of(count));
}

static void scratch_is_dead(struct way *way, struct memory *m)
{
    for (int i = 0; way->noted && i < STAGES; i++) {
        if (m->scratch[i]) TRY(cDAG_Dead(way->graph, m->scratch[i], bytes_of(m->count)));
    }
}

/* Rank 0 sends to one after the other. */
static void linear_broadcast(struct way *way, struct memory *m)
{
    if (rank == 0) {
        copy(way, m->in, m->out, m->count);
        for (int i = 1; i < size; i++) send_to(way, m->in, m->count, i);
    } else {
        receive_from(way, m->out, m->count, 0);
    }
}

/* "reflin": rank 0 adds one after the other, and tells all one after the other. */
static void allreduce_linear(struct way *way, struct memory *m)
{
    scratch_is_dead(way, m);
    copy(way, m->in, m->out, m->count);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            receive_from(way, m->scratch[0], m->count, i);
            add_to(way, m->scratch[0], m->out, m->count);
        }
        for (int i = 1; i < size; i++) send_to(way, m->out, m->count, i);
    } else {
        send_to(way, m->out, m->count, 0);
        receive_from(way, m->out, m->count, 0);
    }
}

static int power_below(int n)
{
    int power = 1;
    while (2 * power <= n) power *= 2;
    return power;
}

/* Butterfly on the largest power of two; the ranks behind it give theirs to a partner before, and get the sum from it. */
static void butterfly(struct way *way, struct memory *m, int many_buffers)
{
    int power = power_below(size), stage = 0;
    scratch_is_dead(way, m);
    copy(way, m->in, m->out, m->count);
    if (rank >= power) {
        send_to(way, m->out, m->count, rank - power);
        receive_from(way, m->out, m->count, rank - power);
        return;
    }
    if (rank + power < size) {
        receive_from(way, m->scratch[0], m->count, rank + power);
        add_to(way, m->scratch[0], m->out, m->count);
    }
    for (int step = 1; step < power; step *= 2) {
        double *arrived = m->scratch[many_buffers ? ++stage : 0];
        exchange(way, m->out, arrived, m->count, rank ^ step);
        add_to(way, arrived, m->out, m->count);
    }
    if (rank + power < size) send_to(way, m->out, m->count, rank + power);
}

/* "reflog": partners exchange what they have, in log2(size) steps. */
static void allreduce_logarithmic(struct way *way, struct memory *m)
{
    butterfly(way, m, 0);
}

/* "caftut": up a binomial tree and down again. */
static void allreduce_tutorial(struct way *way, struct memory *m)
{
    int step = 1;
    scratch_is_dead(way, m);
    copy(way, m->in, m->out, m->count);
    for (; step < size && (rank & step) == 0; step *= 2) {
        if (rank + step < size) {
            receive_from(way, m->scratch[0], m->count, rank + step);
            add_to(way, m->scratch[0], m->out, m->count);
        }
    }
    if (rank != 0) {
        send_to(way, m->out, m->count, rank - step);
        receive_from(way, m->out, m->count, rank - step);
    }
    for (step /= 2; step > 0; step /= 2) {
        if (rank + step < size) send_to(way, m->out, m->count, rank + step);
    }
}

/* "nas": the butterfly with a buffer for each step, so that nobody has to wait until one is free again. */
static void allreduce_nas(struct way *way, struct memory *m)
{
    butterfly(way, m, 1);
}

/* The transpose of FT: a block from everybody for everybody. */
static void transpose(struct way *way, struct memory *m)
{
    for (int i = 0; i < size; i++) {
        int partner = (rank + i) % size, from = (rank - i + size) % size;
        double *out = m->in + (size_t)partner * (size_t)m->count;
        double *in = m->out + (size_t)from * (size_t)m->count;
        if (partner == rank) {
            copy(way, out, in, m->count);
        } else if (way->noted) {
            send_to(way, out, m->count, partner);
            receive_from(way, in, m->count, from);
        } else {
            MPI_Sendrecv(out, m->count, MPI_DOUBLE, partner, 0, in, m->count, MPI_DOUBLE, from, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* A pattern, and the call that it should become. */
static const struct pattern {
    const char *name, *call;
    void (*run)(struct way *, struct memory *);
    int blocks; /* whether there is a block for each rank */
} PATTERNS[] = {
    {"linear-broadcast", "bcast", linear_broadcast, 0},
    {"reflin", "allreduce", allreduce_linear, 0},
    {"reflog", "allreduce", allreduce_logarithmic, 0},
    {"caftut", "allreduce", allreduce_tutorial, 0},
    {"nas", "allreduce", allreduce_nas, 0},
    {"transpose", "alltoall", transpose, 1},
};

enum { PATTERN_COUNT = (int)(sizeof PATTERNS / sizeof PATTERNS[0]) };

static struct memory new_memory(const struct pattern *pattern, int count)
{
    size_t bytes = bytes_of(count) * (size_t)(pattern->blocks ? size : 1);
    struct memory m = {.count = count, .in = allocate(bytes), .out = allocate(bytes)};
    int stages = 1;
    while ((1 << stages) < size) stages++;
    for (int i = 0; i <= stages && i < STAGES; i++) m.scratch[i] = allocate(bytes_of(count));
    return m;
}

static void free_memory(struct memory *m)
{
    free(m->in);
    free(m->out);
    for (int i = 0; i < STAGES; i++) free(m->scratch[i]);
}

static void fill(const struct pattern *pattern, struct memory *m, int seed)
{
    int count = m->count * (pattern->blocks ? size : 1);
    /* Small whole numbers: sums are exact in any order. */
    for (int i = 0; i < count; i++) m->in[i] = (rank + 1) * 100 + i % 97 + seed;
}

/* The pattern as a graph. */
static cDAG_graph noted(const struct pattern *pattern, struct memory *m)
{
    struct way way = {.noted = 1, .graph = new_graph()};
    pattern->run(&way, m);
    return way.graph;
}

static void plain(const struct pattern *pattern, struct memory *m)
{
    struct way way = {.noted = 0};
    pattern->run(&way, m);
}

#endif
