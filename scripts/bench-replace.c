/* Persistent requests and regions that are collective operations, again and again: what a start and its completion take, or a pass. For
 * scripts/bench-replace. Prints, for each pattern and size: name, bytes of a message, median in microseconds on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 16, WARM = 8, BATCH = 5 };

static int rank, size, many;
static MPI_Comm comm;
static MPI_Request requests[4096];
static char *out, *in;

static void receive(int from, size_t at, int bytes, int tag)
{
    MPI_Recv_init(in + at, bytes, MPI_BYTE, from, tag, comm, &requests[many++]);
}

static void send(int to, size_t at, int bytes, int tag)
{
    MPI_Send_init(out + at, bytes, MPI_BYTE, to, tag, comm, &requests[many++]);
}

static void alltoall(int n)
{
    for (int k = 0; k < size; k++) {
        receive((rank + k) % size, (size_t)((rank + k) % size) * (size_t)n, n, 1);
        send((rank + size - k) % size, (size_t)((rank + size - k) % size) * (size_t)n, n, 1);
    }
}

static void allgather(int n)
{
    for (int k = 0; k < size; k++) {
        receive((rank + k) % size, (size_t)((rank + k) % size) * (size_t)n, n, 1);
        send((rank + size - k) % size, 0, n, 1);
    }
}

static void broadcast(int n)
{
    for (int r = 1; r < size; r++) {
        if (rank == 0)
            send(r, 0, n, 1);
        if (rank == r)
            receive(0, 0, n, 1);
    }
}

/* As a program that exchanges its variables one by one. */
static void in_parts(int n)
{
    for (int k = 0; k < size; k++)
        for (int part = 0; part < PARTS; part++) {
            int from = (rank + k) % size, to = (rank + size - k) % size;
            receive(from, (size_t)(from * PARTS + part) * (size_t)n, n, part);
            send(to, (size_t)(to * PARTS + part) * (size_t)n, n, part);
        }
}

/* The same between marks, with blocking and non-blocking calls. */
static void region_broadcast(int n)
{
    for (int r = 1; rank == 0 && r < size; r++)
        MPI_Send(out, n, MPI_BYTE, r, 2, comm);
    if (rank > 0)
        MPI_Recv(in, n, MPI_BYTE, 0, 2, comm, MPI_STATUS_IGNORE);
}

static void region_allgather(int n)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int step = 0; step < size - 1; step++) {
        size_t mine = (size_t)((rank + size - step) % size), theirs = (size_t)((before + size - step) % size);
        MPI_Sendrecv(in + mine * (size_t)n, n, MPI_BYTE, next, 2, in + theirs * (size_t)n, n, MPI_BYTE, before, 2, comm,
                     MPI_STATUS_IGNORE);
    }
}

static void region_alltoall(int n)
{
    for (int r = 0; r < size; r++)
        MPI_Irecv(in + (size_t)r * (size_t)n, n, MPI_BYTE, r, 2, comm, &requests[r]);
    for (int k = 0; k < size; k++) {
        int r = (rank + k) % size;
        MPI_Isend(out + (size_t)r * (size_t)n, n, MPI_BYTE, r, 2, comm, &requests[size + r]);
    }
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
}

static void region_gather(int n)
{
    for (int part = 0; part < PARTS; part++) {
        if (rank > 0)
            MPI_Send(out + (size_t)part * (size_t)n, n, MPI_BYTE, 0, part, comm);
        for (int r = 1; rank == 0 && r < size; r++)
            MPI_Recv(in + (size_t)(r * PARTS + part) * (size_t)n, n, MPI_BYTE, r, part, comm, MPI_STATUS_IGNORE);
    }
}

/* A region is known by where it begins. */
#define SITE(number)                                                                               \
    __attribute__((noipa)) static void site##number(void (*calls)(int), int n)                     \
    {                                                                                              \
        MPI_Pcontrol(1);                                                                           \
        calls(n);                                                                                  \
        MPI_Pcontrol(0);                                                                           \
    }
SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7) SITE(8) SITE(9) SITE(10) SITE(11)
static void (*const sites[])(void (*)(int), int) = {site0, site1, site2, site3, site4, site5,
                                                    site6, site7, site8, site9, site10, site11};
static int next_site;

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void once(void (*region)(void (*)(int), int), void (*pattern)(int), int n)
{
    if (region) {
        region(pattern, n);
    } else {
        MPI_Startall(many, requests);
        MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    }
}

static void measure(const char *name, void (*pattern)(int), int n, int batches, int is_region)
{
    void (*region)(void (*)(int), int) = is_region ? sites[next_site++] : NULL;
    double *times = malloc((size_t)batches * sizeof *times);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    many = 0;
    if (!region)
        pattern(n);
    for (int k = -WARM; k < batches; k++) {
        MPI_Barrier(comm);
        double since = MPI_Wtime();
        for (int run = 0; run < BATCH; run++)
            once(region, pattern, n);
        if (k >= 0)
            times[k] = (MPI_Wtime() - since) / BATCH * 1e6;
    }
    /* The slowest rank's. */
    MPI_Allreduce(MPI_IN_PLACE, times, batches, MPI_DOUBLE, MPI_MAX, comm);
    qsort(times, (size_t)batches, sizeof *times, by_time);
    if (rank == 0)
        printf("TIME %s %d %.2f\n", name, n, times[batches / 2]);
    for (int k = 0; k < many; k++)
        MPI_Request_free(&requests[k]);
    MPI_Comm_free(&comm);
    free(times);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {16, 4096, 262144};
    MPI_Init(&argc, &argv);
    int batches = argc > 1 ? atoi(argv[1]) : 60;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t room = (size_t)size * PARTS * 262144;
    out = malloc(room);
    in = malloc(room);
    memset(out, rank, room);
    for (int s = 0; s < 3; s++) {
        measure("alltoall", alltoall, sizes[s], batches, 0);
        measure("allgather", allgather, sizes[s], batches, 0);
        measure("broadcast", broadcast, sizes[s], batches, 0);
        if (s < 2)
            measure("alltoall-in-16-parts", in_parts, sizes[s], batches, 0);
        measure("region:alltoall", region_alltoall, sizes[s], batches, 1);
        measure("region:allgather", region_allgather, sizes[s], batches, 1);
        measure("region:broadcast", region_broadcast, sizes[s], batches, 1);
        if (s < 2)
            measure("region:gather-in-16-parts", region_gather, sizes[s], batches, 1);
    }
    MPI_Finalize();
    return 0;
}
