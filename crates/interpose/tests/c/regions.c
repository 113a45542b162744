/* Regions between MPI_Pcontrol(1) and MPI_Pcontrol(0) whose messages are collective operations together, and programs that stop
 * being that: every message received is printed, with its status. SCENARIO chooses: "together", where all ranks do the same, or
 * "apart". A region is known by where it begins: each of these has its own marks. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 9, BLOCK = 96, MOST = 6 };

static int rank, size;
static const char *section;
static MPI_Comm comm;
static FILE *observations;
static unsigned char out[MOST * 2 * BLOCK], in[MOST * 2 * BLOCK];
static MPI_Request requests[4 * MOST];
static MPI_Status all[4 * MOST];

static long hash(const void *data, size_t n)
{
    const unsigned char *m = data;
    uint64_t h = 1469598103934665603ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ m[i]) * 1099511628211ull;
    return (long)(h >> 1);
}

static void say(int round, const char *what, long a, long b, long c)
{
    fprintf(observations, "rank %d %s, round %d: %s %ld %ld %ld\n", rank, section, round, what, a, b, c);
}

/* What is sent is new in every round. */
static void fill(int round)
{
    unsigned seed = (unsigned)(round * 1000 + rank + 1);
    for (size_t i = 0; i < sizeof out; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i] = (unsigned char)(seed >> 24);
    }
    memset(in, 0xee, sizeof in);
    memset(all, 0, sizeof all);
}

static void received(int round)
{
    say(round, "bytes", hash(in, sizeof in), hash(out, sizeof out), 0);
}

static void says(int round, int at, const MPI_Status *s)
{
    int count, cancelled;
    MPI_Get_count(s, MPI_BYTE, &count);
    MPI_Test_cancelled(s, &cancelled);
    /* Nothing else is said of what was cancelled. */
    if (cancelled)
        say(round, "cancelled", at, 0, 0);
    else
        say(round, "status", at, s->MPI_SOURCE * 1000 + s->MPI_TAG, count);
}

static void begin(const char *name)
{
    section = name;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

static void end(void)
{
    MPI_Comm_free(&comm);
}

/* So many passes of a region; what it does is written once. */
#define PASSES(first, last, ...)                                                                   \
    for (int round = first; round < last; round++) {                                               \
        fill(round);                                                                               \
        MPI_Pcontrol(1);                                                                           \
        __VA_ARGS__;                                                                               \
        MPI_Pcontrol(0);                                                                           \
        received(round);                                                                           \
    }

static void send(int to, size_t at, int bytes, int tag)
{
    MPI_Send(out + at, bytes, MPI_BYTE, to, tag, comm);
}

static void receive(int round, int from, size_t at, int bytes, int tag)
{
    MPI_Status status;
    MPI_Recv(in + at, bytes, MPI_BYTE, from, tag, comm, &status);
    says(round, from, &status);
}

static void linear(int round)
{
    if (rank == 0)
        for (int r = 1; r < size; r++)
            send(r, 0, BLOCK, 5);
    else
        receive(round, 0, 0, BLOCK, 5);
}

/* Everybody passes on what it has received. */
static void chain(int round)
{
    if (rank > 0)
        receive(round, rank - 1, 0, BLOCK, 6);
    if (rank < size - 1)
        MPI_Send(in, BLOCK, MPI_BYTE, rank + 1, 6, comm);
}

static void ring(int round)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int step = 0; step < size - 1; step++) {
        int mine = (rank + size - step) % size, theirs = (before + size - step) % size;
        MPI_Status status;
        MPI_Sendrecv(in + mine * BLOCK, BLOCK, MPI_BYTE, next, 7, in + theirs * BLOCK, BLOCK, MPI_BYTE, before, 7, comm,
                     &status);
        says(round, step, &status);
    }
}

static void gather(int round)
{
    if (rank > 0)
        send(0, 0, BLOCK, 8);
    for (int r = 1; rank == 0 && r < size; r++)
        receive(round, r, (size_t)r * BLOCK, BLOCK, 8);
}

/* Receives first. WAY says how they are completed. */
static void alltoall(int round, int way)
{
    int flag, index, done = 0, indices[2 * MOST];
    MPI_Status status;
    for (int r = 0; r < size; r++)
        MPI_Irecv(in + r * BLOCK, BLOCK, MPI_BYTE, r, 9, comm, &requests[r]);
    for (int k = 0; k < size; k++) {
        int r = (rank + k) % size;
        if (way % 2)
            MPI_Isend(out + r * BLOCK, BLOCK, MPI_BYTE, r, 9, comm, &requests[size + r]);
        else
            MPI_Send(out + r * BLOCK, BLOCK, MPI_BYTE, r, 9, comm), requests[size + r] = MPI_REQUEST_NULL;
    }
    switch (way / 2) {
    case 0:
        MPI_Waitall(2 * size, requests, all);
        for (int r = 0; r < size; r++)
            says(round, r, &all[r]);
        break;
    case 1:
        MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
        break;
    case 2:
        for (int k = 0; k < 2 * size; k++) {
            MPI_Waitany(2 * size, requests, &index, &status);
            if (index != MPI_UNDEFINED && index < size)
                all[index] = status;
        }
        for (int r = 0; r < size; r++)
            says(round, r, &all[r]);
        break;
    case 3:
        for (int k = 0; k < 2 * size; k++)
            for (flag = 0; !flag;)
                MPI_Test(&requests[k], &flag, k < size ? &all[k] : MPI_STATUS_IGNORE);
        for (int r = 0; r < size; r++)
            says(round, r, &all[r]);
        break;
    case 4:
        for (flag = 0; !flag;)
            MPI_Testall(2 * size, requests, &flag, all);
        for (int r = 0; r < size; r++)
            says(round, r, &all[r]);
        break;
    case 5:
        while (done != MPI_UNDEFINED) {
            MPI_Waitsome(2 * size, requests, &done, indices, all);
            for (int k = 0; k < done; k++)
                if (indices[k] < size)
                    say(round, "there", 0, 0, 0);
        }
        break;
    case 6:
        for (int r = 0; r < size; r++) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(requests[r], &flag, &status);
            says(round, r, &status);
            in[r * BLOCK] ^= 1;
        }
        MPI_Waitall(2 * size, requests, all);
        for (int r = 0; r < size; r++)
            says(round, r, &all[r]);
        break;
    }
}

static void together(void)
{
    begin("linear broadcast");
    PASSES(0, ROUNDS, linear(round));
    end();
    begin("chain");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        if (rank == 0)
            memcpy(in, out, BLOCK);
        MPI_Pcontrol(1);
        chain(round);
        MPI_Pcontrol(0);
        received(round);
    }
    end();
    begin("ring");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        memcpy(in + rank * BLOCK, out, BLOCK);
        MPI_Pcontrol(1);
        ring(round);
        MPI_Pcontrol(0);
        received(round);
    }
    end();
    begin("gather");
    PASSES(0, ROUNDS, gather(round));
    end();
    begin("alltoall, waitall");
    PASSES(0, ROUNDS, alltoall(round, 0));
    end();
    begin("alltoall, isend, waitall");
    PASSES(0, ROUNDS, alltoall(round, 1));
    end();
    begin("alltoall, ignored");
    PASSES(0, ROUNDS, alltoall(round, 2));
    end();
    begin("alltoall, waitany");
    PASSES(0, ROUNDS, alltoall(round, 5));
    end();
    begin("alltoall, test");
    PASSES(0, ROUNDS, alltoall(round, 7));
    end();
    begin("alltoall, testall");
    PASSES(0, ROUNDS, alltoall(round, 9));
    end();
    begin("alltoall, waitsome");
    PASSES(0, ROUNDS, alltoall(round, 11));
    end();
    begin("alltoall, get_status");
    PASSES(0, ROUNDS, alltoall(round, 12));
    end();

    begin("typed");
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype every_other;
        MPI_Type_vector(BLOCK / 2, 1, 2, MPI_BYTE, &every_other);
        MPI_Type_commit(&every_other);
        fill(round);
        MPI_Pcontrol(1);
        if (rank == 0)
            for (int r = 1; r < size; r++)
                MPI_Send(out, 1, every_other, r, 10, comm);
        else
            MPI_Recv(in, 1, every_other, 0, 10, comm, &all[0]);
        MPI_Pcontrol(0);
        MPI_Type_free(&every_other);
        says(round, 0, &all[0]);
        received(round);
    }
    end();

    begin("modes, nobody, and a collective");
    for (int round = 0; round < ROUNDS; round++) {
        int sum = 0;
        fill(round);
        MPI_Pcontrol(1);
        MPI_Recv(in, BLOCK, MPI_BYTE, MPI_PROC_NULL, 11, comm, &all[0]);
        MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (rank == 0)
            for (int r = 1; r < size; r++)
                MPI_Ssend(out, BLOCK, MPI_BYTE, r, 11, comm);
        else
            receive(round, 0, 0, BLOCK, 11);
        MPI_Pcontrol(0);
        say(round, "sum", sum, 0, 0);
        received(round);
    }
    end();
}

static void apart(void)
{
    begin("another buffer at one rank");
    PASSES(0, ROUNDS, if (round == 5 && rank == 0) out[7] ^= 0xff; alltoall(round, 0));
    end();

    begin("a buffer that is filled in the region");
    PASSES(0, ROUNDS, if (rank == 0) memset(out, round, BLOCK); linear(round));
    end();

    begin("another length");
    PASSES(0, ROUNDS, if (rank == 0) for (int r = 1; r < size; r++) send(r, 0, round == 5 && r == 1 ? BLOCK / 2 : BLOCK, 5);
           else receive(round, 0, 0, BLOCK, 5));
    end();

    begin("one does it without marks");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        int marks = round != 5 || rank != 1;
        if (marks)
            MPI_Pcontrol(1);
        linear(round);
        if (marks)
            MPI_Pcontrol(0);
        received(round);
    }
    end();

    /* Nobody sends or receives in that pass, but one leaves out the marks too. */
    begin("one skips a pass");
    for (int round = 0; round < ROUNDS; round++) {
        if (round == 5 && rank == 1)
            continue;
        fill(round);
        MPI_Pcontrol(1);
        if (round != 5)
            linear(round);
        MPI_Pcontrol(0);
        received(round);
    }
    end();

    begin("a receive from anyone");
    PASSES(0, ROUNDS, if (rank == 1 && round == 5) {
        MPI_Recv(in, BLOCK, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &all[0]);
        says(round, 0, &all[0]);
    } else linear(round));
    end();

    begin("a probe");
    PASSES(0, ROUNDS, if (rank == 1) {
        MPI_Probe(0, 5, comm, &all[0]);
        says(round, 0, &all[0]);
    } linear(round));
    end();

    begin("another order");
    PASSES(0, ROUNDS, int other = round == 6 && rank == 1;
           for (int r = 1; rank == 0 && r < size; r++)
               for (int k = 0; k < 3; k++)
                   send(r, (size_t)k * BLOCK, BLOCK, k > 0 ? 2 : 1);
           if (rank > 0) {
               MPI_Irecv(in, BLOCK, MPI_BYTE, 0, other ? 2 : 1, comm, &requests[0]);
               MPI_Irecv(in + BLOCK, BLOCK, MPI_BYTE, 0, other ? 1 : 2, comm, &requests[1]);
               MPI_Irecv(in + 2 * BLOCK, BLOCK, MPI_BYTE, 0, 2, comm, &requests[2]);
               MPI_Waitall(3, requests, all);
               for (int k = 0; k < 3; k++)
                   says(round, k, &all[k]);
           });
    end();

    begin("a region that ends early");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        MPI_Pcontrol(1);
        if (round == 5 && rank == 1)
            MPI_Pcontrol(0);
        linear(round);
        if (round != 5 || rank != 1)
            MPI_Pcontrol(0);
        received(round);
    }
    end();

    begin("everybody sends first");
    PASSES(0, ROUNDS, for (int k = 1; k < size; k++) send((rank + k) % size, 0, BLOCK, 5);
           for (int k = 1; k < size; k++) receive(round, (rank + k) % size, (size_t)k * BLOCK, BLOCK, 5));
    end();

    /* One takes a receive back before its message is sent: the next one gets it. */
    begin("a cancelled receive");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        MPI_Pcontrol(1);
        for (int k = 0; rank > 0 && k < 2; k++)
            MPI_Irecv(in + k * BLOCK, BLOCK, MPI_BYTE, 0, 5, comm, &requests[k]);
        if (round == 5) {
            if (rank == 1) {
                MPI_Cancel(&requests[0]);
                MPI_Wait(&requests[0], &all[0]);
                says(round, 0, &all[0]);
                MPI_Irecv(in + 2 * BLOCK, BLOCK, MPI_BYTE, 0, 5, comm, &requests[0]);
            }
            MPI_Barrier(comm);
        }
        for (int r = 1; rank == 0 && r < size; r++)
            send(r, 0, BLOCK, 5), send(r, BLOCK, BLOCK, 5);
        if (rank > 0) {
            MPI_Waitall(2, requests, all);
            says(round, 1, &all[0]);
            says(round, 2, &all[1]);
        }
        MPI_Pcontrol(0);
        received(round);
    }
    end();

    /* And one when its message is on its way: it gets it. */
    begin("a receive that is cancelled too late");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        MPI_Pcontrol(1);
        if (rank > 0)
            MPI_Irecv(in, BLOCK, MPI_BYTE, 0, 5, comm, &requests[0]);
        for (int r = 1; rank == 0 && r < size; r++)
            send(r, 0, BLOCK, 5);
        if (rank > 0) {
            int flag = 0;
            while (round == 5 && !flag)
                MPI_Request_get_status(requests[0], &flag, &all[0]);
            if (round == 5)
                MPI_Cancel(&requests[0]);
            MPI_Wait(&requests[0], &all[0]);
            says(round, 1, &all[0]);
        }
        MPI_Pcontrol(0);
        received(round);
    }
    end();

    /* A message that is older than the region's, and on the same channel. */
    begin("a message that was there before");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        if (round == 5 && rank == 0)
            send(1, 3 * BLOCK, BLOCK, 5);
        MPI_Barrier(comm);
        MPI_Pcontrol(1);
        linear(round);
        MPI_Pcontrol(0);
        if (round == 5 && rank == 1)
            receive(round, 0, BLOCK, BLOCK, 5);
        received(round);
    }
    end();

    begin("completed after the region");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        MPI_Pcontrol(1);
        if (rank == 0)
            for (int r = 1; r < size; r++)
                send(r, 0, BLOCK, 5);
        else
            MPI_Irecv(in, BLOCK, MPI_BYTE, 0, 5, comm, &requests[0]);
        MPI_Pcontrol(0);
        if (rank > 0) {
            MPI_Wait(&requests[0], &all[0]);
            says(round, 0, &all[0]);
        }
        received(round);
    }
    end();

    begin("a request that is freed");
    for (int round = 0; round < ROUNDS; round++) {
        int last = round == ROUNDS - 2 && rank == 1;
        fill(round);
        MPI_Pcontrol(1);
        if (rank > 0) {
            MPI_Irecv(in, BLOCK, MPI_BYTE, 0, 5, comm, &requests[0]);
            if (last)
                MPI_Request_free(&requests[0]);
        }
        for (int r = 1; rank == 0 && r < size; r++)
            send(r, 0, BLOCK, 5);
        if (rank > 0 && !last)
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Pcontrol(0);
        /* A freed one is complete when a later message of its sender is. */
        MPI_Barrier(comm);
        if (rank > 0)
            MPI_Recv(out, 1, MPI_BYTE, 0, 6, comm, MPI_STATUS_IGNORE);
        for (int r = 1; rank == 0 && r < size; r++)
            send(r, 0, 1, 6);
        for (int k = 0, flag; k < 1000; k++)
            MPI_Iprobe(0, 6, comm, &flag, MPI_STATUS_IGNORE);
        if (!last)
            received(round);
    }
    end();

    /* At the beginning of the region it is not there. */
    begin("memory that comes and goes");
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        MPI_Pcontrol(1);
        size_t large = (size_t)1 << 18;
        unsigned char *mine = mmap((void *)0x610000000000, large, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (rank == 0)
            memset(mine, round, large);
        if (rank == 0)
            for (int r = 1; r < size; r++)
                MPI_Send(mine, (int)large, MPI_BYTE, r, 5, comm);
        else
            MPI_Recv(mine, (int)large, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
        say(round, "large", hash(mine, large), 0, 0);
        munmap(mine, large);
        MPI_Pcontrol(0);
    }
    end();

    begin("memory that is used twice");
    PASSES(0, ROUNDS, MPI_Sendrecv_replace(out, BLOCK, MPI_BYTE, (rank + 1) % size, 5, (rank + size - 1) % size, 5, comm,
                                           MPI_STATUS_IGNORE);
           linear(round); if (rank == 0) receive(round, size - 1, 0, BLOCK, 6); if (rank == size - 1) send(0, 0, BLOCK, 6));
    end();
}

int main(int argc, char **argv)
{
    const char *scenario = getenv("SCENARIO");
    char *text;
    size_t length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    observations = open_memstream(&text, &length);
    if (scenario && strcmp(scenario, "apart") == 0)
        apart();
    else
        together();
    fclose(observations);
    /* One process prints, so that no line is torn. */
    for (int r = 0; r < size; r++) {
        unsigned long n = length;
        if (rank == 0 && r > 0) {
            MPI_Recv(&n, 1, MPI_UNSIGNED_LONG, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            text = realloc(text, n);
            MPI_Recv(text, (int)n, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == r && r > 0) {
            MPI_Send(&n, 1, MPI_UNSIGNED_LONG, 0, 0, MPI_COMM_WORLD);
            MPI_Send(text, (int)n, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
        if (rank == 0)
            fwrite(text, 1, n, stdout);
    }
    free(text);
    MPI_Finalize();
    return 0;
}
