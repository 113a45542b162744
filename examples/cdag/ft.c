/* The transpose of NAS FT, as in section 1.2 of the paper (T. Hoefler, T. Schneider: "Runtime Detection and Optimization of
 * Collective Communication Patterns", PACT'12): every rank gets one block from every other, in a loop.
 *
 * The loop is written twice: as plain messages, and as a communication graph that is compiled once. What the graph is
 * found to be is an MPI_Alltoall.
 */
#include "compare.h"

typedef struct { double real, imaginary; } dcomplex;

enum { CHUNK = 64, ITERATIONS = 5 };

struct data {
    dcomplex *src, *dst;
};

static struct data new_data(void)
{
    size_t bytes = sizeof(dcomplex) * CHUNK * (size_t)size;
    struct data data = {allocate(bytes), allocate(bytes)};
    return data;
}

static void fill(struct data data, int iteration)
{
    for (int i = 0; i < CHUNK * size; i++) {
        data.src[i].real = rank + i * 0.001;
        data.src[i].imaginary = iteration;
    }
}

static void plain_loop(struct data data)
{
    MPI_Request *requests = allocate(sizeof(MPI_Request) * 2 * (size_t)size);
    for (int i = 0; i < size; i++) {
        int bytes = (int)sizeof(dcomplex) * CHUNK;
        MPI_Isend(&data.src[CHUNK * i], bytes, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Irecv(&data.dst[CHUNK * i], bytes, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

/* The same loop. Nothing is sent here. */
static cDAG_Schedule compiled_loop(struct data data)
{
    cDAG_graph g = new_graph();
    for (int i = 0; i < size; i++) {
        size_t msgsize = sizeof(dcomplex) * CHUNK;
        TRY(cDAG_Send(g, &data.src[CHUNK * i], msgsize, i));
        TRY(cDAG_Recv(g, &data.dst[CHUNK * i], msgsize, i));
    }
    return compile(g);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct data plain = new_data(), data = new_data();
    cDAG_Schedule schedule = compiled_loop(data);
    int same = 1;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        fill(plain, iteration);
        fill(data, iteration);
        plain_loop(plain);
        TRY(cDAG_Run(schedule));
        same &= same_everywhere(data.dst, plain.dst, sizeof(dcomplex) * CHUNK * (size_t)size);
    }
    report("ft", schedule, same);
    TRY(cDAG_FreeSchedule(schedule));
    MPI_Finalize();
    return !same;
}
