/* Communication by hand, and near misses: what `tests/applied.rs` traces, applies advice to, and compares. The words
   before a function say what is expected of it on 4 processes. A region from "one call:" on may give way to printed code
   in which names in capitals stand for these expressions. What a program reads afterwards is handed to look(). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
enum { N = 200, MOST = 8, STEPS = 5, FAR = 1 << 19 };

static int rank, size, step;
static double a[MOST * N], b[MOST * N], t[MOST * N];
static double near_a[N], near_t[N];
/* Farther from each other than the recorder searches. */
static double far_a[FAR], far_t[FAR];
static unsigned long seen = 5381;

static void look(const void *what, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        seen = seen * 33 + ((const unsigned char *)what)[i];
}

static unsigned number(void)
{
    static unsigned state;
    state = state * 1103515245 + 12345 + rank * 977;
    return state >> 8 & 0xfffff;
}

/* Whole numbers: sums of them are the same in any order. */
static void fill(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = number();
}

static void add(double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += y[i];
}

/* The recorder looks for sums at calls of MPI: one before the next step overwrites them. */
static void rest(void) { MPI_Barrier(WORLD); }

/* Probes of MPICH leave parts of a status as they were. */
static MPI_Status unset(void)
{
    MPI_Status status;
    memset(&status, 0xff, sizeof status);
    return status;
}

static int right(void) { return (rank + 1) % size; }
static int left(void) { return (rank + size - 1) % size; }

/* expect: MPI_Bcast */
static void bcast_nonblocking(void)
{
    MPI_Request all[MOST];
    fill(a, rank ? 0 : N);
    /* one call: BUFFER = a */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Isend(a, N, MPI_DOUBLE, i, 1, WORLD, &all[i - 1]);
        MPI_Waitall(size - 1, all, MPI_STATUSES_IGNORE);
    } else {
        MPI_Irecv(a, N, MPI_DOUBLE, 0, 1, WORLD, all);
        MPI_Wait(all, IGNORE);
    }
    /* to here */
    look(a, N * 8);
}

/* expect: MPI_Scatter */
static void scatter_in_line(void)
{
    if (rank == 0)
        fill(b, N * size);
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + i * N, N, MPI_DOUBLE, i, 2, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 2, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
    look(b, N * size * 8);
}

/* expect: MPI_Bcast */
static void bcast_tree(void)
{
    int bit = 1;
    fill(a, rank ? 0 : N);
    /* one call: BUFFER = a */
    for (; bit < size; bit <<= 1)
        if (rank & bit) {
            MPI_Recv(a, N, MPI_DOUBLE, rank - bit, 3, WORLD, IGNORE);
            break;
        }
    for (bit >>= 1; bit; bit >>= 1)
        if (rank + bit < size)
            MPI_Send(a, N, MPI_DOUBLE, rank + bit, 3, WORLD);
    /* to here */
    look(a, N * 8);
}

/* Inner processes are left with part of the sum, and use it. */
/* expect: withheld */
static void reduce_tree(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        if (rank & bit) {
            MPI_Send(a, N, MPI_DOUBLE, rank - bit, 4, WORLD);
            break;
        }
        if (rank + bit < size) {
            MPI_Recv(t, N, MPI_DOUBLE, rank + bit, 4, WORLD, IGNORE);
            add(a, t, N);
        }
    }
    /* to here */
    look(a, N * 8);
    rest();
}

static int cut(int part) { return N * part / size; }

/* In segments around a ring; they have one length, or not quite. */
static void sum_ring(double *x, double *other)
{
    /* one call: BUFFER = x */
    for (int k = 0; k < size - 1; k++) {
        int out = (rank - k + size) % size, in = (rank - k - 1 + size) % size;
        int n = cut(in + 1) - cut(in);
        MPI_Request request;
        MPI_Irecv(other, n, MPI_DOUBLE, left(), 5, WORLD, &request);
        MPI_Send(x + cut(out), cut(out + 1) - cut(out), MPI_DOUBLE, right(), 5, WORLD);
        MPI_Wait(&request, IGNORE);
        add(x + cut(in), other, n);
    }
    for (int k = 0; k < size - 1; k++) {
        int out = (rank + 1 - k + size) % size, in = (rank - k + size) % size;
        MPI_Sendrecv(x + cut(out), cut(out + 1) - cut(out), MPI_DOUBLE, right(), 6, x + cut(in),
                     cut(in + 1) - cut(in), MPI_DOUBLE, left(), 6, WORLD, IGNORE);
    }
    /* to here */
    look(x, N * 8);
    rest();
}

/* expect: MPI_Allreduce */
static void allreduce_ring(void)
{
    fill(a, N);
    sum_ring(a, t);
}

/* expect: MPI_Allreduce */
static void allreduce_ring_far(void)
{
    fill(far_a, N);
    sum_ring(far_a, far_t);
}

/* powers of two; expect: MPI_Allreduce */
static void max_doubling(void)
{
    float *x = (float *)a, *y = (float *)t;
    for (int i = 0; i < N; i++)
        x[i] = number();
    /* one call: BUFFER = x */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(x, N, MPI_FLOAT, rank ^ bit, 7, y, N, MPI_FLOAT, rank ^ bit, 7, WORLD, IGNORE);
        for (int i = 0; i < N; i++)
            if (y[i] > x[i])
                x[i] = y[i];
    }
    /* to here */
    look(x, N * 4);
    rest();
}

/* expect: MPI_Allgather */
static void allgather_ring(void)
{
    fill(b + rank * N, N);
    /* one call: BLOCKS = b */
    for (int k = 0; k < size - 1; k++) {
        int out = (rank - k + size) % size, in = (rank - k - 1 + size) % size;
        MPI_Sendrecv(b + out * N, N, MPI_DOUBLE, right(), 8, b + in * N, N, MPI_DOUBLE, left(), 8,
                     WORLD, IGNORE);
    }
    /* to here */
    look(b, N * size * 8);
}

/* Each process has its own block first, and turns them at the end. */
/* expect: MPI_Allgatherv */
static void allgather_bruck(void)
{
    int have = 1;
    fill(t, N);
    /* one call: BLOCKS = t */
    for (int bit = 1; bit < size; bit <<= 1) {
        int n = bit < size - bit ? bit : size - bit;
        MPI_Sendrecv(t, n * N, MPI_DOUBLE, (rank - bit + size) % size, 9, t + have * N, n * N,
                     MPI_DOUBLE, (rank + bit) % size, 9, WORLD, IGNORE);
        have += n;
    }
    /* to here */
    for (int i = 0; i < size; i++)
        memcpy(b + (rank + i) % size * N, t + i * N, N * 8);
    look(b, N * size * 8);
}

static void exchange(void)
{
    /* one call: SEND = a; RECEIVE = b */
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size, from = (rank - k + size) % size;
        MPI_Sendrecv(a + to * N, N, MPI_DOUBLE, to, 10, b + from * N, N, MPI_DOUBLE, from, 10, WORLD,
                     IGNORE);
    }
    /* to here */
    look(b, N * size * 8);
}

/* expect: MPI_Alltoallv */
static void alltoall_pairs(void)
{
    fill(a, N * size);
    memcpy(b + rank * N, a + rank * N, N * 8);
    exchange();
}

/* What a process has for itself is something else. */
/* expect: MPI_Alltoallv */
static void alltoall_other_own(void)
{
    fill(a, N * size);
    fill(b, N * size);
    exchange();
}

/* One process has its blocks in another order. */
/* expect: MPI_Alltoallv */
static void alltoall_swapped(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    fill(a, N * size);
    fill(b, N * size);
    /* one call: SEND = a; RECEIVE = b */
    for (int i = 0; i < size; i++)
        if (i != rank)
            MPI_Irecv(b + i * N, N, MPI_DOUBLE, i, 11, WORLD, &all[n++]);
    for (int i = 0; i < size; i++)
        if (i != rank) {
            int from = rank || size < 3 || (i != 1 && i != 2) ? i : 3 - i;
            MPI_Isend(a + from * N, N, MPI_DOUBLE, i, 11, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, N * size * 8);
}

/* The arrays have blocks for the others only. */
/* three or more; expect: MPI_Alltoallv */
static void alltoall_packed(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    fill(a, N * size);
    fill(b, N * size);
    /* one call: SEND = a; RECEIVE = b */
    for (int i = 0, k = 0; i < size; i++)
        if (i != rank) {
            MPI_Irecv(b + k * N, N, MPI_DOUBLE, i, 63, WORLD, &all[n++]);
            MPI_Isend(a + k++ * N, N, MPI_DOUBLE, i, 63, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, N * size * 8);
}

/* What has come is doubled where it lies: that is no sum. */
/* three or more; expect: MPI_Bcast */
static void bcast_doubled(void)
{
    double here[N];
    fill(here, rank ? 0 : N);
    /* one call: BUFFER = here */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(here, N, MPI_DOUBLE, i, 64, WORLD);
    else
        MPI_Recv(here, N, MPI_DOUBLE, 0, 64, WORLD, IGNORE);
    /* to here */
    add(here, here, N);
    look(here, N * 8);
    rest();
}

/* Everybody tells everybody; the own block is copied, or not. */
static void tell_all(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    /* one call: BLOCK = a; BLOCKS = b; SEND = a; RECEIVE = b */
    for (int i = 0; i < size; i++)
        if (i != rank) {
            MPI_Irecv(b + i * N, N, MPI_DOUBLE, i, 12, WORLD, &all[n++]);
            MPI_Isend(a, N, MPI_DOUBLE, i, 12, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, N * size * 8);
}

/* expect: any */
static void allgather_all(void)
{
    fill(a, N);
    memcpy(b + rank * N, a, N * 8);
    tell_all();
}

/* expect: any */
static void allgather_other_own(void)
{
    fill(a, N);
    fill(b, N * size);
    tell_all();
}

/* expect: MPI_Barrier */
static void barrier_empty(void)
{
    /* one call: rank = rank */
    for (int bit = 1; bit < size; bit <<= 1)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + bit) % size, 13, NULL, 0, MPI_BYTE,
                     (rank - bit + size) % size, 13, WORLD, IGNORE);
    /* to here */
}

/* expect: MPI_Barrier */
static void barrier_byte(void)
{
    char out = 1, in;
    /* one call: rank = rank */
    for (int bit = 1; bit < size; bit <<= 1)
        MPI_Sendrecv(&out, 1, MPI_BYTE, (rank + bit) % size, 14, &in, 1, MPI_BYTE,
                     (rank - bit + size) % size, 14, WORLD, IGNORE);
    /* to here */
}

/* expect: MPI_Barrier */
static void barrier_central(void)
{
    int token = 1;
    /* one call: rank = rank */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(&token, 1, MPI_INT, i, 15, WORLD, IGNORE);
        for (int i = 1; i < size; i++)
            MPI_Send(&token, 1, MPI_INT, i, 16, WORLD);
    } else {
        MPI_Send(&token, 1, MPI_INT, 0, 15, WORLD);
        MPI_Recv(&token, 1, MPI_INT, 0, 16, WORLD, IGNORE);
    }
    /* to here */
    look(&token, sizeof token);
}

/* The same steps, but the numbers mean something: no barrier. */
/* expect: withheld */
static void last_word(void)
{
    int token = 10 * step + rank;
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(&token, 1, MPI_INT, i, 17, WORLD, IGNORE);
        for (int i = 1; i < size; i++)
            MPI_Send(&token, 1, MPI_INT, i, 18, WORLD);
    } else {
        MPI_Send(&token, 1, MPI_INT, 0, 17, WORLD);
        MPI_Recv(&token, 1, MPI_INT, 0, 18, WORLD, IGNORE);
    }
    look(&token, sizeof token);
}

/* expect: MPI_Bcast */
static void bcast_pipeline(void)
{
    enum { SEGMENTS = 8 };
    if (rank == 0)
        fill(b, N);
    for (int k = 0; k < SEGMENTS; k++) {
        double *here = b + k * (N / SEGMENTS);
        /* one call: BUFFER = here */
        if (rank > 0)
            MPI_Recv(here, N / SEGMENTS, MPI_DOUBLE, rank - 1, 19, WORLD, IGNORE);
        if (rank < size - 1)
            MPI_Send(here, N / SEGMENTS, MPI_DOUBLE, rank + 1, 19, WORLD);
        /* to here */
    }
    look(b, N * 8);
}

/* Each process has its prefix afterwards. */
static void prefixes(double *x, double *other)
{
    fill(x, N);
    /* one call: BUFFER = x */
    if (rank > 0) {
        MPI_Recv(other, N, MPI_DOUBLE, rank - 1, 20, WORLD, IGNORE);
        add(x, other, N);
    }
    if (rank < size - 1)
        MPI_Send(x, N, MPI_DOUBLE, rank + 1, 20, WORLD);
    /* to here */
    look(x, N * 8);
    rest();
}

/* expect: MPI_Scan */
static void scan_chain(void) { prefixes(near_a, near_t); }

/* expect: any */
static void scan_chain_far(void) { prefixes(far_a, far_t); }

static void sum_and_tell(double *x, double *other)
{
    fill(x, N);
    /* one call: BUFFER = x */
    if (rank) {
        MPI_Send(x, N, MPI_DOUBLE, 0, 21, WORLD);
        MPI_Recv(x, N, MPI_DOUBLE, 0, 22, WORLD, IGNORE);
    } else {
        for (int i = 1; i < size; i++) {
            MPI_Recv(other, N, MPI_DOUBLE, i, 21, WORLD, IGNORE);
            add(x, other, N);
        }
        for (int i = 1; i < size; i++)
            MPI_Send(x, N, MPI_DOUBLE, i, 22, WORLD);
    }
    /* to here */
    look(x, N * 8);
}

/* expect: MPI_Allreduce */
static void allreduce_central(void) { sum_and_tell(a, t); }

/* The recorder does not know in the first step what will be added up. */
/* expect: MPI_Allreduce */
static void allreduce_central_far(void) { sum_and_tell(far_a, far_t); }

/* expect: any */
static void allgather_central(void)
{
    fill(a, N);
    if (rank == 0) {
        memcpy(b, a, N * 8);
        for (int i = 1; i < size; i++)
            MPI_Recv(b + i * N, N, MPI_DOUBLE, i, 23, WORLD, IGNORE);
        for (int i = 1; i < size; i++)
            MPI_Send(b, N * size, MPI_DOUBLE, i, 24, WORLD);
    } else {
        MPI_Send(a, N, MPI_DOUBLE, 0, 23, WORLD);
        MPI_Recv(b, N * size, MPI_DOUBLE, 0, 24, WORLD, IGNORE);
    }
    look(b, N * size * 8);
}

/* powers of two; expect: any */
static void max_of_one(void)
{
    double x = (rank * 7 + step) % 5, y;
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, rank ^ bit, 25, &y, 1, MPI_DOUBLE, rank ^ bit, 25, WORLD,
                     IGNORE);
        x = y > x ? y : x;
    }
    look(&x, 8);
}

/* A scatter, and then an allgather around a ring, which also brings the root what it has. */
/* expect: MPI_Bcast+MPI_Barrier */
static void bcast_scattered(void)
{
    if (rank == 0)
        fill(b, N * size);
    /* one call: BUFFER = b */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + i * N, N, MPI_DOUBLE, i, 26, WORLD);
    else
        MPI_Recv(b + rank * N, N, MPI_DOUBLE, 0, 26, WORLD, IGNORE);
    for (int k = 0; k < size - 1; k++) {
        int out = (rank - k + size) % size, in = (rank - k - 1 + size) % size;
        MPI_Sendrecv(b + out * N, N, MPI_DOUBLE, right(), 27, b + in * N, N, MPI_DOUBLE, left(), 27,
                     WORLD, IGNORE);
    }
    /* to here */
    look(b, N * size * 8);
}

/* By halves, and together again. */
/* powers of two; expect: MPI_Allreduce */
static void allreduce_halving(void)
{
    int at = 0, n = N / 8 * 8, ats[4], depth = 0;
    fill(a, n);
    /* one call: BUFFER = a */
    for (int bit = size / 2; bit; bit >>= 1) {
        int half = n / 2, keep = rank & bit ? at + half : at, give = rank & bit ? at : at + half;
        ats[depth++] = at;
        MPI_Sendrecv(a + give, half, MPI_DOUBLE, rank ^ bit, 28, t, half, MPI_DOUBLE, rank ^ bit, 28,
                     WORLD, IGNORE);
        add(a + keep, t, half);
        at = keep;
        n = half;
    }
    for (int bit = 1; bit < size; bit <<= 1) {
        int whole = ats[--depth], other = at == whole ? at + n : whole;
        MPI_Sendrecv(a + at, n, MPI_DOUBLE, rank ^ bit, 29, a + other, n, MPI_DOUBLE, rank ^ bit, 29,
                     WORLD, IGNORE);
        at = whole;
        n *= 2;
    }
    /* to here */
    look(a, N / 8 * 8 * 8);
    rest();
}

/* expect: MPI_Bcast */
static void bcast_column(void)
{
    MPI_Datatype column;
    MPI_Type_vector(20, 1, 10, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a + 3 */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(a + 3, 1, column, i, 30, WORLD);
    else
        MPI_Recv(a + 3, 1, column, 0, 30, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
    MPI_Type_free(&column);
}

/* The panel shrinks from step to step. */
/* expect: MPI_Bcast */
static void bcast_shrinking(void)
{
    MPI_Datatype panel;
    MPI_Type_vector(10, 16 - 3 * step, 20, MPI_DOUBLE, &panel);
    MPI_Type_commit(&panel);
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a; datatype = panel; count = 1 */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(a, 1, panel, i, 31, WORLD);
    else
        MPI_Recv(a, 1, panel, 0, 31, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
    MPI_Type_free(&panel);
}

/* expect: MPI_Bcast */
static void bcast_roots_in_turn(void)
{
    int root = step % size;
    if (rank == root)
        fill(a, N);
    /* one call: BUFFER = a; root = root */
    if (rank == root) {
        for (int i = 0; i < size; i++)
            if (i != root)
                MPI_Send(a, N, MPI_DOUBLE, i, 32, WORLD);
    } else {
        MPI_Recv(a, N, MPI_DOUBLE, root, 32, WORLD, IGNORE);
    }
    /* to here */
    look(a, N * 8);
}

/* expect: MPI_Bcast */
static void bcast_persistent(void)
{
    static MPI_Request all[MOST];
    int n = rank ? 1 : size - 1;
    if (step == 0) {
        for (int i = 1; i < size && rank == 0; i++)
            MPI_Send_init(a, N, MPI_DOUBLE, i, 33, WORLD, &all[i - 1]);
        if (rank)
            MPI_Recv_init(a, N, MPI_DOUBLE, 0, 33, WORLD, all);
    }
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a */
    MPI_Startall(n, all);
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(a, N * 8);
}

/* expect: silent */
static void shift(void)
{
    if (step == 0)
        fill(a, N);
    /* one call: BLOCKS = a */
    MPI_Sendrecv_replace(a, N, MPI_DOUBLE, right(), 34, left(), 34, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

/* expect: MPI_Scatter MPI_Gather */
static void scatter_compute_gather(void)
{
    if (rank == 0)
        fill(b, N * size);
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + i * N, N, MPI_DOUBLE, i, 35, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 35, WORLD, IGNORE);
    /* to here */
    for (int i = 0; i < N && rank; i++)
        a[i] = 2 * a[i] + 1;
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(b + i * N, N, MPI_DOUBLE, i, 36, WORLD, IGNORE);
    else
        MPI_Send(a, N, MPI_DOUBLE, 0, 36, WORLD);
    /* to here */
    look(b, N * size * 8);
}

/* Blocks in memory of their own. */
/* expect: withheld */
static void gather_pointers(void)
{
    static double *blocks[MOST];
    for (int i = 0; i < size && step == 0; i++)
        blocks[i] = malloc((N + 7 * i) * 8);
    fill(a, N);
    /* one call: BLOCK = a; BLOCKS = blocks[0] */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(blocks[i], N, MPI_DOUBLE, i, 37, WORLD, IGNORE);
    else
        MPI_Send(a, N, MPI_DOUBLE, 0, 37, WORLD);
    /* to here */
    for (int i = 1; i < size && rank == 0; i++)
        look(blocks[i], N * 8);
}

/* Counts that the root learns from the messages. */
/* expect: withheld */
static void gather_probed(void)
{
    int own = N / 10 * (rank * rank % 5 + 1), at = own;
    fill(a, own);
    if (rank == 0) {
        memcpy(b, a, own * 8);
        for (int i = 1; i < size; i++) {
            MPI_Status status = unset();
            int n;
            MPI_Probe(i, 38, WORLD, &status);
            MPI_Get_count(&status, MPI_DOUBLE, &n);
            MPI_Recv(b + at, n, MPI_DOUBLE, i, 38, WORLD, IGNORE);
            at += n;
        }
        look(b, at * 8);
    } else {
        MPI_Send(a, own, MPI_DOUBLE, 0, 38, WORLD);
    }
}

/* The root sends as much as it likes; the others ask how much has come. */
/* expect: MPI_Bcast+MPI_Bcast */
static void bcast_probed(void)
{
    int n = rank ? 0 : 40 + 17 * step;
    fill(a, n);
    /* one call: BUFFER = a; count = n */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Send(a, n, MPI_DOUBLE, i, 39, WORLD);
    } else {
        MPI_Status status = unset();
        MPI_Probe(0, 39, WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &n);
        MPI_Recv(a, n, MPI_DOUBLE, 0, 39, WORLD, IGNORE);
    }
    /* to here */
    look(a, n * 8);
}

/* In this run it is always as much. */
/* expect: MPI_Bcast+MPI_Bcast */
static void bcast_matched(void)
{
    int n = rank ? 0 : 60;
    fill(a, n);
    /* one call: BUFFER = a; count = n */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Send(a, n, MPI_DOUBLE, i, 52, WORLD);
    } else {
        MPI_Status status = unset();
        MPI_Message message;
        MPI_Mprobe(0, 52, WORLD, &message, &status);
        MPI_Get_elements(&status, MPI_DOUBLE, &n);
        MPI_Mrecv(a, n, MPI_DOUBLE, &message, IGNORE);
    }
    /* to here */
    look(a, n * 8);
}

/* Inner processes of a tree ask; the leaves have been told. */
/* three or more; expect: MPI_Bcast+MPI_Bcast */
static void bcast_tree_probed(void)
{
    int n = rank ? 0 : 30 + step, bit = 1;
    fill(a, n);
    /* one call: BUFFER = a; count = n */
    for (; bit < size; bit <<= 1)
        if (rank & bit) {
            MPI_Status status = unset();
            MPI_Probe(rank - bit, 53, WORLD, &status);
            MPI_Get_count(&status, MPI_DOUBLE, &n);
            MPI_Recv(a, n, MPI_DOUBLE, rank - bit, 53, WORLD, IGNORE);
            break;
        }
    for (bit >>= 1; bit; bit >>= 1)
        if (rank + bit < size)
            MPI_Send(a, n, MPI_DOUBLE, rank + bit, 53, WORLD);
    /* to here */
    look(a, n * 8);
}

/* Room for what comes, as it happens; then the question how much that was. */
/* expect: MPI_Bcast+MPI_Bcast */
static void bcast_counted(void)
{
    int n = 80;
    fill(a, rank ? 0 : n);
    /* one call: BUFFER = a; count = n */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Send(a, n, MPI_DOUBLE, i, 54, WORLD);
    } else {
        MPI_Status status = unset();
        MPI_Recv(a, 80, MPI_DOUBLE, 0, 54, WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &n);
    }
    /* to here */
    look(a, n * 8);
}

/* Whoever has come last is root, and nobody else knows. */
/* expect: withheld */
static void bcast_from_anyone(void)
{
    if (rank == step % size) {
        fill(a, N);
        for (int i = 0; i < size; i++)
            if (i != rank)
                MPI_Send(a, N, MPI_DOUBLE, i, 55, WORLD);
    } else {
        MPI_Status status = unset();
        MPI_Probe(MPI_ANY_SOURCE, 55, WORLD, &status);
        MPI_Recv(a, N, MPI_DOUBLE, status.MPI_SOURCE, 55, WORLD, IGNORE);
    }
    look(a, N * 8);
    rest();
}

/* In the place of MPI_Test. */
static void until(MPI_Request *request, int *flag, MPI_Status *status)
{
    for (*flag = 0; !*flag;)
        MPI_Test(request, flag, status);
}

/* The processes work until they are told to stop. */
/* expect: MPI_Ibcast+MPI_Test */
static void bcast_stop(void)
{
    int stop = 0, flag = 0;
    double work = 1;
    if (rank == 0)
        stop = 100 + step;
    /* one call: BUFFER = &stop; MPI_Test = until */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(&stop, 1, MPI_INT, i, 56, WORLD);
    for (; rank && !flag; work *= 1.01) {
        MPI_Iprobe(0, 56, WORLD, &flag, IGNORE);
        if (flag)
            MPI_Recv(&stop, 1, MPI_INT, 0, 56, WORLD, IGNORE);
    }
    /* to here */
    look(&stop, sizeof stop);
}

/* At these lines now numbers of one type, now of another. */
static void tell(void *x, int n, MPI_Datatype type)
{
    /* one call: BUFFER = x; count = n * (type == MPI_INT ? 4 : 8) */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(x, n, type, i, 57, WORLD);
    else
        MPI_Recv(x, n, type, 0, 57, WORLD, IGNORE);
    /* to here */
}

/* expect: MPI_Bcast */
static void bcast_types(void)
{
    fill(a, rank ? 0 : N);
    tell(a, step % 2 ? 7 : 50, step % 2 ? MPI_INT : MPI_DOUBLE);
    look(a, N * 8);
}

/* Now the sum of all, now the largest. */
/* powers of two; expect: withheld */
static void allreduce_sum_or_max(void)
{
    fill(a, N);
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(a, N, MPI_DOUBLE, rank ^ bit, 58, t, N, MPI_DOUBLE, rank ^ bit, 58, WORLD,
                     IGNORE);
        for (int i = 0; i < N; i++)
            a[i] = step % 2 == 0 ? a[i] + t[i] : t[i] > a[i] ? t[i] : a[i];
    }
    look(a, N * 8);
    rest();
}

/* The first number says how many come behind it. */
/* expect: withheld */
static void bcast_header(void)
{
    a[0] = 20 + 10 * (step % 3);
    fill(a + 1, rank ? 0 : N);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Send(a, 1, MPI_DOUBLE, i, 59, WORLD);
            MPI_Send(a + 1, (int)a[0], MPI_DOUBLE, i, 60, WORLD);
        }
    } else {
        MPI_Recv(a, 1, MPI_DOUBLE, 0, 59, WORLD, IGNORE);
        MPI_Recv(a + 1, (int)a[0], MPI_DOUBLE, 0, 60, WORLD, IGNORE);
    }
    look(a, (int)a[0] * 8);
}

/* Segments, of which the last has a negative number at its end. */
/* expect: MPI_Bcast */
static void bcast_until_end(void)
{
    enum { SEGMENT = 16 };
    int segments = 3 + step % 3, k = 0;
    if (rank == 0) {
        fill(a, segments * SEGMENT);
        a[segments * SEGMENT - 1] = -1;
    }
    do {
        double *here = a + k * SEGMENT;
        /* one call: BUFFER = here */
        if (rank)
            MPI_Recv(here, SEGMENT, MPI_DOUBLE, rank - 1, 61, WORLD, IGNORE);
        if (rank < size - 1)
            MPI_Send(here, SEGMENT, MPI_DOUBLE, rank + 1, 61, WORLD);
        /* to here */
    } while (a[++k * SEGMENT - 1] >= 0);
    look(a, k * SEGMENT * 8);
}

/* Rank 0 tells who has something for all. */
/* three or more; expect: MPI_Bcast MPI_Bcast */
static void bcast_root_told(void)
{
    int root = rank ? -1 : 1 + step % (size - 1);
    /* one call: BUFFER = &root */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(&root, 1, MPI_INT, i, 62, WORLD);
    else
        MPI_Recv(&root, 1, MPI_INT, 0, 62, WORLD, IGNORE);
    /* to here */
    if (rank == root)
        fill(a, N);
    /* one call: BUFFER = a; root = root */
    if (rank == root) {
        for (int i = 0; i < size; i++)
            if (i != root)
                MPI_Send(a, N, MPI_DOUBLE, i, 63, WORLD);
    } else {
        MPI_Recv(a, N, MPI_DOUBLE, root, 63, WORLD, IGNORE);
    }
    /* to here */
    look(a, N * 8);
}

/* Work for whoever is ready. */
/* expect: withheld */
static void master(void)
{
    int work[2] = {step, 0}, results[4 * MOST];
    MPI_Status status = unset();
    if (rank == 0) {
        int sent = 0;
        for (int i = 1; i < size; i++, work[1] = ++sent)
            MPI_Send(work, 2, MPI_INT, i, 40, WORLD);
        for (int done = 0; done < 2 * size; done++) {
            MPI_Recv(results + done, 1, MPI_INT, MPI_ANY_SOURCE, 41, WORLD, &status);
            if (sent < 2 * size) {
                MPI_Send(work, 2, MPI_INT, status.MPI_SOURCE, 40, WORLD);
                work[1] = ++sent;
            }
        }
        for (int i = 1; i < size; i++)
            MPI_Send(work, 2, MPI_INT, i, 42, WORLD);
    } else {
        for (;;) {
            MPI_Recv(work, 2, MPI_INT, 0, MPI_ANY_TAG, WORLD, &status);
            if (status.MPI_TAG == 42)
                break;
            MPI_Send(&work[1], 1, MPI_INT, 0, 41, WORLD);
        }
    }
}

/* Rank 1 sends something else to the last one. */
/* three or more; expect: MPI_Bcast */
static void bcast_other_hop(void)
{
    int last = size - 1;
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 1; i < last; i++)
            MPI_Send(a, N, MPI_DOUBLE, i, 43, WORLD);
    else if (rank < last)
        MPI_Recv(a, N, MPI_DOUBLE, 0, 43, WORLD, IGNORE);
    /* to here */
    if (rank == 1) {
        fill(b, N);
        MPI_Send(b, N, MPI_DOUBLE, last, 43, WORLD);
    } else if (rank == last) {
        MPI_Recv(a, N, MPI_DOUBLE, 1, 43, WORLD, IGNORE);
    }
    look(a, N * 8);
}

/* expect: silent */
static void gather_who_comes(void)
{
    fill(a, N);
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 44, WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(b, N, MPI_DOUBLE, MPI_ANY_SOURCE, 44, WORLD, IGNORE);
        add(t, b, 1);
    }
}

/* A step of the ring is missing. */
/* three or more; expect: withheld */
static void allgather_short(void)
{
    fill(b, N * size);
    for (int k = 0; k < size - 2; k++) {
        int out = (rank - k + size) % size, in = (rank - k - 1 + size) % size;
        MPI_Sendrecv(b + out * N, N, MPI_DOUBLE, right(), 45, b + in * N, N, MPI_DOUBLE, left(), 45,
                     WORLD, IGNORE);
    }
    look(b, N * size * 8);
}

/* What comes is taken away: a gather, of which nothing more is known. */
/* expect: MPI_Gather */
static void gather_subtract(void)
{
    fill(a, N);
    /* one call: BLOCK = a; BLOCKS = b */
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 46, WORLD);
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Recv(b + i * N, N, MPI_DOUBLE, i, 46, WORLD, IGNORE);
    /* to here */
    for (int i = 1; i < size && rank == 0; i++)
        for (int j = 0; j < N; j++)
            a[j] -= b[i * N + j];
    look(a, N * 8);
}

/* One copy for each, which the root keeps. */
/* expect: MPI_Scatter */
static void bcast_copies(void)
{
    if (rank == 0) {
        fill(a, N);
        for (int i = 1; i < size; i++)
            memcpy(b + i * N, a, N * 8);
    }
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + i * N, N, MPI_DOUBLE, i, 47, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 47, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

/* four or more; expect: MPI_Bcast */
static void bcast_without_one(void)
{
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            if (i != 2)
                MPI_Send(a, N, MPI_DOUBLE, i, 48, WORLD);
    } else if (rank != 2) {
        MPI_Recv(a, N, MPI_DOUBLE, 0, 48, WORLD, IGNORE);
    }
    /* to here */
    look(a, N * 8);
}

/* Now to all, now to one. */
/* three or more; expect: withheld */
static void bcast_sometimes(void)
{
    int n = step % 2 ? 2 : size;
    if (rank == 0) {
        fill(a, N);
        for (int i = 1; i < n; i++)
            MPI_Send(a, N, MPI_DOUBLE, i, 49, WORLD);
    } else if (rank < n) {
        MPI_Recv(a, N, MPI_DOUBLE, 0, 49, WORLD, IGNORE);
    }
    look(a, N * 8);
}

/* Each step with another distance: together they are an exchange. */
/* expect: any */
static void permutation(void)
{
    int far = 1 + step % (size - 1);
    fill(a, N);
    MPI_Sendrecv(a, N, MPI_DOUBLE, (rank + far) % size, 50, b, N, MPI_DOUBLE,
                 (rank - far + size) % size, 50, WORLD, IGNORE);
    look(b, N * 8);
}

/* The sum at a process that is not the first, of more than 2 KiB. */
/* expect: MPI_Reduce */
static void reduce_elsewhere(void)
{
    enum { LONG = 2 * N };
    int to = size - 1;
    fill(a, LONG);
    /* one call: BUFFER = a; COPY = memcpy(t, a, LONG * 8) */
    if (rank != to)
        MPI_Send(a, LONG, MPI_DOUBLE, to, 51, WORLD);
    for (int i = 0; i < size - 1 && rank == to; i++) {
        MPI_Recv(t, LONG, MPI_DOUBLE, i, 51, WORLD, IGNORE);
        add(a, t, LONG);
    }
    /* to here */
    look(a, LONG * 8);
    rest();
}

/* A line of processes: the first has nobody before it, and the last nobody behind. */
/* three or more; expect: MPI_Neighbor_alltoallw */
static void halo_line(void)
{
    enum { EDGE = 10, INNER = 2 * EDGE };
    double *before = a, *first = a + EDGE, *last = a + INNER, *behind = a + INNER + EDGE;
    int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank ? rank - 1 : MPI_PROC_NULL;
    fill(first, INNER);
    /* one call: BUFFER = a */
    MPI_Sendrecv(last, EDGE, MPI_DOUBLE, up, 66, before, EDGE, MPI_DOUBLE, down, 66, WORLD, IGNORE);
    MPI_Sendrecv(first, EDGE, MPI_DOUBLE, down, 67, behind, EDGE, MPI_DOUBLE, up, 67, WORLD, IGNORE);
    /* to here */
    look(a, (INNER + 2 * EDGE) * 8);
}

/* Each gives way to what comes for it. */
/* expect: withheld */
static void alltoall_replaced(void)
{
    fill(a, N * size);
    /* one call: SEND = a; RECEIVE = a */
    for (int k = 0; k < size; k++) {
        int other = (k - rank + size) % size;
        if (other != rank)
            MPI_Sendrecv_replace(a + other * N, N, MPI_DOUBLE, other, 64, other, 64, WORLD, IGNORE);
    }
    /* to here */
    look(a, N * size * 8);
}

/* Its first number is another for each: the rest alone is a broadcast, and no message. */
/* expect: withheld */
static void bcast_numbered(void)
{
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 1; i < size; i++, a[0]++)
            MPI_Send(a, N, MPI_DOUBLE, i, 65, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 65, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

static const struct { const char *name; void (*run)(void); } patterns[] = {
#define PATTERN(name) { #name, name }
    PATTERN(bcast_nonblocking), PATTERN(scatter_in_line), PATTERN(bcast_tree), PATTERN(reduce_tree),
    PATTERN(allreduce_ring), PATTERN(allreduce_ring_far), PATTERN(max_doubling),
    PATTERN(allgather_ring), PATTERN(allgather_bruck), PATTERN(alltoall_pairs),
    PATTERN(alltoall_other_own), PATTERN(alltoall_swapped), PATTERN(allgather_all),
    PATTERN(allgather_other_own), PATTERN(barrier_empty), PATTERN(barrier_byte),
    PATTERN(barrier_central), PATTERN(last_word), PATTERN(bcast_pipeline), PATTERN(scan_chain),
    PATTERN(scan_chain_far), PATTERN(allreduce_central), PATTERN(allreduce_central_far),
    PATTERN(allgather_central), PATTERN(max_of_one), PATTERN(bcast_scattered),
    PATTERN(allreduce_halving), PATTERN(bcast_column), PATTERN(bcast_shrinking),
    PATTERN(bcast_roots_in_turn), PATTERN(bcast_persistent), PATTERN(shift),
    PATTERN(scatter_compute_gather), PATTERN(gather_pointers), PATTERN(gather_probed),
    PATTERN(bcast_probed), PATTERN(master), PATTERN(bcast_other_hop), PATTERN(gather_who_comes),
    PATTERN(allgather_short), PATTERN(gather_subtract), PATTERN(bcast_copies),
    PATTERN(bcast_without_one), PATTERN(bcast_sometimes), PATTERN(permutation),
    PATTERN(reduce_elsewhere), PATTERN(bcast_matched), PATTERN(bcast_tree_probed),
    PATTERN(bcast_counted), PATTERN(bcast_from_anyone), PATTERN(bcast_stop), PATTERN(bcast_types),
    PATTERN(allreduce_sum_or_max), PATTERN(bcast_header), PATTERN(bcast_until_end),
    PATTERN(bcast_root_told), PATTERN(halo_line), PATTERN(alltoall_replaced),
    PATTERN(bcast_numbered), PATTERN(alltoall_packed), PATTERN(bcast_doubled),
};

/* Nothing is left of the pattern before. */
static void begin(void)
{
    MPI_Barrier(WORLD);
    MPI_Pcontrol(100);
    seen = 5381;
    memset(a, 0, sizeof a), memset(b, 0, sizeof b), memset(t, 0, sizeof t);
    memset(near_a, 0, sizeof near_a), memset(near_t, 0, sizeof near_t);
    memset(far_a, 0, sizeof a), memset(far_t, 0, sizeof t);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (int k = 1; k < argc; k++)
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
            if (!strcmp(argv[k], patterns[i].name)) {
                begin();
                for (step = 0; step < STEPS; step++)
                    patterns[i].run();
                printf("process %d %s: %lx\n", rank, argv[k], seen);
            }
    MPI_Finalize();
    return 0;
}
