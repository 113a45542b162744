/* Reductions as programs write them by hand, on a power of two of ranks, one a step. Each step begins with
 * MPI_Pcontrol(100 + step), and tests/reductions.rs knows what it is. Prints what every rank has in the end.
 */
#include <complex.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, HEAP = 1000, BLOCK = 32 };

static int rank, ranks;
static uint64_t seen = 1469598103934665603u;

static void look(const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        seen = (seen ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void fill(double *values, int n, double salt)
{
    for (int i = 0; i < n; i++)
        values[i] = salt + i * 0.1 + (rank + 1) / 3.0;
}

/* Recursive doubling: an allreduce. */
static void doubling(void)
{
    double x[N], y[N];
    fill(x, N, 1);
    for (int distance = 1; distance < ranks; distance *= 2) {
        int peer = rank ^ distance;
        MPI_Sendrecv(x, N, MPI_DOUBLE, peer, 1, y, N, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            x[i] += y[i];
    }
    MPI_Pcontrol(99);
    look(x, sizeof x);
}

/* As NAS CG: a scalar, the result copied to where the last message came to, the sum used for something else. */
static void scalar(void)
{
    double sum = (rank + 1) / 7.0, rho;
    MPI_Request request;
    for (int distance = 1; distance < ranks; distance *= 2) {
        int peer = rank ^ distance;
        MPI_Irecv(&rho, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &request);
        MPI_Send(&sum, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum = sum + rho;
    }
    rho = sum;
    sum = 0;
    MPI_Pcontrol(99);
    look(&rho, sizeof rho);
    look(&sum, sizeof sum);
}

/* A binomial tree: a reduce to rank 0, which never sends its sum. */
static void tree(double *sum, double *came, int n, int tag)
{
    for (int distance = 1; distance < ranks; distance *= 2) {
        if (rank & distance) {
            MPI_Send(sum, n, MPI_DOUBLE, rank - distance, tag, MPI_COMM_WORLD);
            return;
        }
        MPI_Recv(came, n, MPI_DOUBLE, rank + distance, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            sum[i] += came[i];
    }
}

static void tree_on_stack(void)
{
    double sum[N], came[N];
    fill(sum, N, 3);
    memset(came, 0, sizeof came);
    tree(sum, came, N, 3);
    MPI_Pcontrol(99);
    if (rank == 0)
        look(sum, sizeof sum);
}

static void tree_on_heap(void)
{
    double *came = malloc(2 * HEAP * sizeof *came), *sum = came + HEAP;
    fill(sum, HEAP, 4);
    tree(sum, came, HEAP, 4);
    MPI_Pcontrol(99);
    if (rank == 0)
        look(sum, HEAP * sizeof *sum);
    free(came);
}

/* Block after block around a ring: a reduce_scatter. */
static void ring(void)
{
    static double x[16 * BLOCK], came[BLOCK];
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    fill(x, ranks * BLOCK, 5);
    for (int step = 1; step < ranks; step++) {
        double *out = x + (rank + ranks - step) % ranks * BLOCK;
        double *own = x + (rank + 2 * ranks - step - 1) % ranks * BLOCK;
        MPI_Sendrecv(out, BLOCK, MPI_DOUBLE, right, 5, came, BLOCK, MPI_DOUBLE, left, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < BLOCK; i++)
            own[i] += came[i];
    }
    MPI_Pcontrol(99);
    look(x + rank * BLOCK, BLOCK * sizeof *x);
}

/* Recursive doubling of maxima, of integers: now the one process has the larger number, now the other. Where all larger ones were in a row, they
 * might as well have been copied. */
static void maxima(void)
{
    int32_t x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = (rank * 37 + i * 53) % 97 - 40;
    for (int distance = 1; distance < ranks; distance *= 2) {
        int peer = rank ^ distance;
        MPI_Sendrecv(x, N, MPI_INT, peer, 6, y, N, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            x[i] = y[i] > x[i] ? y[i] : x[i];
    }
    MPI_Pcontrol(99);
    look(x, sizeof x);
}

/* The root receives everything, and adds it up in the order of the ranks. */
static void linear(void)
{
    double own[N], all[16][N], sum[N];
    int root = 1;
    fill(own, N, 7);
    if (rank != root) {
        MPI_Send(own, N, MPI_DOUBLE, root, 7, MPI_COMM_WORLD);
        MPI_Pcontrol(99);
        return;
    }
    MPI_Request requests[16];
    int pending = 0;
    for (int i = 0; i < ranks; i++)
        if (i != root)
            MPI_Irecv(all[i], N, MPI_DOUBLE, i, 7, MPI_COMM_WORLD, &requests[pending++]);
    memcpy(sum, own, sizeof sum);
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < ranks; k++)
        for (int i = 0; k != root && i < N; i++)
            sum[i] += all[k][i];
    MPI_Pcontrol(99);
    look(sum, sizeof sum);
}

/* A tree up, and down again: an allreduce. */
static void up_and_down(void)
{
    double sum[N], came[N];
    fill(sum, N, 8);
    tree(sum, came, N, 8);
    int distance = 1;
    while (distance < ranks && !(rank & distance))
        distance *= 2;
    if (rank != 0)
        MPI_Recv(sum, N, MPI_DOUBLE, rank - distance, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (distance /= 2; distance > 0; distance /= 2)
        MPI_Send(sum, N, MPI_DOUBLE, rank + distance, 9, MPI_COMM_WORLD);
    MPI_Pcontrol(99);
    look(sum, sizeof sum);
}

/* Three buffers that change places, and complex numbers. */
static void third_buffer(void)
{
    double complex buffers[3][N];
    double complex *own = buffers[0], *came = buffers[1], *sum = buffers[2];
    for (int i = 0; i < N; i++)
        own[i] = (rank + 1) / 9.0 + i * 0.7 * I;
    for (int distance = 1; distance < ranks; distance *= 2) {
        int peer = rank ^ distance;
        MPI_Sendrecv(own, N, MPI_C_DOUBLE_COMPLEX, peer, 10, came, N, MPI_C_DOUBLE_COMPLEX, peer, 10, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            sum[i] = came[i] + own[i];
        double complex *free_now = own;
        own = sum;
        sum = free_now;
    }
    MPI_Pcontrol(99);
    look(own, N * sizeof *own);
}

/* No reduction: what comes is used, but not added to what is sent. */
static void halo(void)
{
    double x[N + 2], next[N + 2];
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    fill(x, N + 2, 11);
    for (int step = 0; step < 8; step++) {
        MPI_Sendrecv(&x[N], 1, MPI_DOUBLE, right, 11, &x[0], 1, MPI_DOUBLE, left, 11, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 12, &x[N + 1], 1, MPI_DOUBLE, right, 12, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 1; i <= N; i++)
            next[i] = 0.3 * x[i - 1] + 0.4 * x[i] + 0.3 * x[i + 1];
        memcpy(x + 1, next + 1, N * sizeof *x);
    }
    MPI_Pcontrol(99);
    look(x, sizeof x);
}

int main(int argc, char **argv)
{
    static void (*const STEPS[])(void) = {doubling, scalar,      tree_on_stack, tree_on_heap, ring, maxima,
                                          linear,   up_and_down, third_buffer,  halo};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < (int)(sizeof STEPS / sizeof *STEPS); step++) {
        MPI_Pcontrol(100 + step);
        STEPS[step]();
    }
    printf("rank %d: %016llx\n", rank, (unsigned long long)seen);
    MPI_Finalize();
    return 0;
}
