/* Persistent requests that are collective operations, again and again: what a start and its completion take. For
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

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*pattern)(int), int n, int batches)
{
    double *times = malloc((size_t)batches * sizeof *times);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    many = 0;
    pattern(n);
    for (int k = -WARM; k < batches; k++) {
        MPI_Barrier(comm);
        double since = MPI_Wtime();
        for (int run = 0; run < BATCH; run++) {
            MPI_Startall(many, requests);
            MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
        }
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
        measure("alltoall", alltoall, sizes[s], batches);
        measure("allgather", allgather, sizes[s], batches);
        measure("broadcast", broadcast, sizes[s], batches);
        if (s < 2)
            measure("alltoall-in-16-parts", in_parts, sizes[s], batches);
    }
    MPI_Finalize();
    return 0;
}
