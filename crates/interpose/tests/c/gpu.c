/* Messages in all families of calls between two ranks, with buffers that a stand-in for a driver says are of a GPU, or not. The driver
 * is loaded long after MPI_Init. Every phase has a layout of its own, so that the report tells them apart. Prints for each
 * phase what was wrong, and what a tool behind commloom has seen. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { INTS = 1 << 12, ROWS = 100, STRIDE = 3, BYTES = INTS * (int)sizeof(int) };

static int rank, wrong;
static int *from, *into;
static void (*mark)(void *, size_t, int), (*forget)(void), (*breaks)(int);
static int (*asked)(void);
static void (*watch)(void *, size_t, MPI_Datatype), (*watched)(void (*)(const char *, int, int));

static void fill(void)
{
    for (int i = 0; i < INTS; i++) {
        from[i] = 10000 * rank + i;
        into[i] = -1;
    }
}

/* So many blocks have come, of which each has these senders. */
static void check(int rows, int blocks, int first_sender, int step, int first_place, int place_step)
{
    int extent = (rows - 1) * STRIDE + 1;
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < extent; i++) {
            int sender = first_sender + step * b, place = (first_place + place_step * b) * extent + i;
            int expected = i % STRIDE == 0 ? 10000 * sender + place : -1;
            wrong += into[b * extent + i] != expected;
        }
}

static void messages(MPI_Datatype type, int rows)
{
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Comm comm = MPI_COMM_WORLD;
    int other = 1 - rank, extent = (rows - 1) * STRIDE + 1;

    fill();
    if (rank == 0) {
        MPI_Send(from, 1, type, other, 0, comm);
        MPI_Recv(into, 1, type, other, 0, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(into, 1, type, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Send(from, 1, type, other, 0, comm);
    }
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Irecv(into, 1, type, other, 1, comm, &requests[0]);
    MPI_Isend(from, 1, type, other, 1, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Sendrecv(from, 1, type, other, 2, into, 1, type, other, 2, comm, MPI_STATUS_IGNORE);
    check(rows, 1, other, 0, 0, 0);
    MPI_Recv_init(into, 1, type, other, 3, comm, &requests[0]);
    MPI_Send_init(from, 1, type, other, 3, comm, &requests[1]);
    for (int k = 0; k < 2; k++) {
        fill();
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(rows, 1, other, 0, 0, 0);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    for (int k = 0; k < 2; k++) {
        fill();
        MPI_Isend(from, 1, type, other, 4, comm, &requests[0]);
        MPI_Mprobe(other, 4, comm, &message, MPI_STATUS_IGNORE);
        if (k == 0) {
            MPI_Mrecv(into, 1, type, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Imrecv(into, 1, type, &message, &requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        check(rows, 1, other, 0, 0, 0);
    }
    fill();
    MPI_Sendrecv_replace(from, 1, type, other, 5, other, 5, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < extent; i++)
        wrong += from[i] != 10000 * (i % STRIDE == 0 ? other : rank) + i;
}

static void collectives(MPI_Datatype type, int rows)
{
    MPI_Datatype types[2] = {type, type};
    MPI_Request request;
    MPI_Comm comm = MPI_COMM_WORLD;
    int one[2] = {1, 1}, places[2] = {0, 1}, bytes[2] = {0, ((rows - 1) * STRIDE + 1) * (int)sizeof(int)};

    for (int later = 0; later < 2; later++) {
        int *buffer = rank == 0 ? from : into;
        fill();
        if (later)
            MPI_Ibcast(buffer, 1, type, 0, comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Bcast(buffer, 1, type, 0, comm);
        if (rank == 1)
            check(rows, 1, 0, 0, 0, 0);
        fill();
        if (later)
            MPI_Igather(from, 1, type, into, 1, type, 0, comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Gather(from, 1, type, into, 1, type, 0, comm);
        if (rank == 0)
            check(rows, 2, 0, 1, 0, 0);
        fill();
        if (later)
            MPI_Iscatter(from, 1, type, into, 1, type, 1, comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Scatter(from, 1, type, into, 1, type, 1, comm);
        check(rows, 1, 1, 0, rank, 0);
        fill();
        if (later)
            MPI_Iallgather(from, 1, type, into, 1, type, comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Allgather(from, 1, type, into, 1, type, comm);
        check(rows, 2, 0, 1, 0, 0);
        fill();
        if (later)
            MPI_Ialltoall(from, 1, type, into, 1, type, comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Alltoall(from, 1, type, into, 1, type, comm);
        check(rows, 2, 0, 1, rank, 0);
    }
    fill();
    MPI_Gatherv(from, 1, type, into, one, places, type, 1, comm);
    if (rank == 1)
        check(rows, 2, 0, 1, 0, 0);
    fill();
    MPI_Scatterv(from, one, places, type, into, 1, type, 0, comm);
    check(rows, 1, 0, 0, rank, 0);
    fill();
    MPI_Allgatherv(from, 1, type, into, one, places, type, comm);
    check(rows, 2, 0, 1, 0, 0);
    fill();
    MPI_Alltoallv(from, one, places, type, into, one, places, type, comm);
    check(rows, 2, 0, 1, rank, 0);
    fill();
    MPI_Alltoallw(from, one, bytes, types, into, one, bytes, types, comm);
    check(rows, 2, 0, 1, rank, 0);
}

/* Between two processes of which each is the other's only neighbour. */
static void neighbours(MPI_Datatype type, int rows)
{
    MPI_Comm pair;
    MPI_Request request;
    MPI_Aint start = 0;
    int other = 1 - rank, one = 1, place = 0;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &one, 1, &other, &one, MPI_INFO_NULL, 0, &pair);
    fill();
    MPI_Neighbor_allgather(from, 1, type, into, 1, type, pair);
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Neighbor_allgatherv(from, 1, type, into, &one, &place, type, pair);
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Neighbor_alltoall(from, 1, type, into, 1, type, pair);
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Ineighbor_alltoall(from, 1, type, into, 1, type, pair, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Neighbor_alltoallv(from, &one, &place, type, into, &one, &place, type, pair);
    check(rows, 1, other, 0, 0, 0);
    fill();
    MPI_Neighbor_alltoallw(from, &one, &start, &type, into, &one, &start, &type, pair);
    check(rows, 1, other, 0, 0, 0);
    MPI_Comm_free(&pair);
}

static void packing(MPI_Datatype type, int rows)
{
    char *packed = malloc(BYTES);
    int at = 0;
    fill();
    MPI_Pack(from, 1, type, packed, BYTES, &at, MPI_COMM_WORLD);
    at = 0;
    MPI_Unpack(packed, BYTES, &at, into, 1, type, MPI_COMM_WORLD);
    check(rows, 1, rank, 0, 0, 0);
    free(packed);
}

/* A file for each process. */
static void files(MPI_Datatype type, int rows)
{
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s-%d", getenv("GPU_FILE"), rank);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    fill();
    MPI_File_write_at(file, 0, from, 1, type, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, into, 1, type, MPI_STATUS_IGNORE);
    check(rows, 1, rank, 0, 0, 0);
    fill();
    MPI_File_write_all(file, from, 1, type, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all(file, into, 1, type, MPI_STATUS_IGNORE);
    check(rows, 1, rank, 0, 0, 0);
    MPI_File_close(&file);
}

static int phase;

static void tell(const char *name, int seen, int strange)
{
    printf("rank %d: %d rows: %s: %d seen, %d strange\n", rank, phase, name, seen, strange);
}

static void families(int rows)
{
    MPI_Datatype type;
    int at = 0;
    MPI_Type_vector(rows, 1, STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    watch(from, 2 * BYTES, type);
    messages(type, rows);
    collectives(type, rows);
    neighbours(type, rows);
    packing(type, rows);
    files(type, rows);
    phase = rows;
    watched(tell);

    /* Not seen by the tool: the other half of a buffer, packed bytes on the device, addresses. */
    fill();
    MPI_Pack(from, 1, type, into, BYTES, &at, MPI_COMM_WORLD);
    for (int i = 0; i < rows; i++)
        wrong += into[i] != from[i * STRIDE];
    MPI_Type_free(&type);
    printf("rank %d: %d rows: %d wrong\n", rank, rows, wrong);
    fflush(stdout);
}

/* One type for two buffers, by their addresses. */
static void bottom(int rows)
{
    MPI_Datatype row, type;
    MPI_Aint addresses[2];
    int ones[2] = {1, 1}, other = 1 - rank;
    MPI_Datatype rows2[2];
    MPI_Type_vector(rows, 1, STRIDE, MPI_INT, &row);
    rows2[0] = rows2[1] = row;
    MPI_Get_address(from, &addresses[0]);
    MPI_Get_address(from + INTS / 2, &addresses[1]);
    MPI_Type_create_struct(2, ones, addresses, rows2, &type);
    MPI_Type_commit(&type);
    fill();
    MPI_Request request;
    int count = 2 * rows, came[2 * (ROWS + 20)];
    MPI_Irecv(came, count, MPI_INT, other, 9, MPI_COMM_WORLD, &request);
    MPI_Send(MPI_BOTTOM, 1, type, other, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; i++)
        wrong += came[i] != 10000 * other + STRIDE * i || came[rows + i] != 10000 * other + INTS / 2 + STRIDE * i;
    MPI_Type_free(&type);
    MPI_Type_free(&row);
}

/* A persistent request whose buffer becomes a GPU's: an error, and nothing is touched. */
static void becomes(int rows)
{
    MPI_Datatype type;
    MPI_Request request;
    MPI_Type_vector(rows, 1, STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Send_init(from, 1, type, 0, 0, MPI_COMM_SELF, &request);
    mark(from, BYTES, 'd');
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Start(&request);
    printf("rank %d: a buffer that becomes a GPU's: %s\n", rank, code == MPI_SUCCESS ? "started" : "an error");
    if (code == MPI_SUCCESS) {
        MPI_Recv(into, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    forget();
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    from = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    into = from + INTS;
    *(void **)&watch = dlsym(RTLD_DEFAULT, "watch");
    *(void **)&watched = dlsym(RTLD_DEFAULT, "watched");
    families(ROWS);
    void *driver = dlopen(getenv("STANDIN"), RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        puts(dlerror());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    *(void **)&mark = dlsym(driver, "standin_mark");
    *(void **)&forget = dlsym(driver, "standin_forget");
    *(void **)&breaks = dlsym(driver, "standin_breaks");
    *(void **)&asked = dlsym(driver, "standin_asked");
    families(ROWS + 1);
    printf("rank %d: the driver was %s\n", rank, asked() > 0 ? "asked" : "not asked");
    mark(from, 2 * BYTES, 'h');
    families(ROWS + 2);
    forget();
    breaks(1);
    families(ROWS + 3);
    breaks(0);
    becomes(ROWS + 4);
    mark(from, 2 * BYTES, 'm');
    families(ROWS + 5);
    forget();
    mark(from, 2 * BYTES, 'd');
    families(ROWS + 6);
    bottom(ROWS + 7);
    printf("rank %d: in all: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return 0;
}
