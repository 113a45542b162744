/* Persistent requests that are collective operations together, and programs that stop being that: every message received is
 * printed, with its status, as in semantics.c. SCENARIO chooses: "together", where all ranks do the same, "long", or "apart". */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, BLOCK = 96, MOST = 10, WAYS = 11 };

static int rank, size;
static const char *section;
static MPI_Comm comm;
static MPI_Request requests[2 * MOST];
static int many;
static FILE *observations;
static unsigned char out[MOST * 2 * BLOCK], in[MOST * 2 * BLOCK];

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
}

static void received(int round)
{
    say(round, "bytes", hash(in, sizeof in), hash(out, sizeof out), 0);
}

static void says(int round, int at, const MPI_Status *s)
{
    int count;
    MPI_Get_count(s, MPI_BYTE, &count);
    /* The status of a send says nothing that MPI defines. Receives come first. */
    if (at < many / 2)
        say(round, "status", at, s->MPI_SOURCE * 1000 + s->MPI_TAG, count);
}

static void receive(int from, void *at, int bytes, int tag)
{
    MPI_Recv_init(at, bytes, MPI_BYTE, from, tag, comm, &requests[many++]);
}

static void send(int to, void *at, int bytes, int tag)
{
    MPI_Send_init(at, bytes, MPI_BYTE, to, tag, comm, &requests[many++]);
}

static void begin(const char *name)
{
    section = name;
    many = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

static void end(void)
{
    for (int k = 0; k < many; k++)
        if (requests[k] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[k]);
    MPI_Comm_free(&comm);
}

static void alltoall(void)
{
    for (int r = 0; r < size; r++)
        receive(r, in + r * BLOCK, BLOCK, 3);
    for (int r = 0; r < size; r++)
        send(r, out + r * BLOCK, BLOCK, 3);
}

static void allgather(void)
{
    for (int r = 0; r < size; r++)
        receive(r, in + r * BLOCK, BLOCK, 4);
    for (int r = 0; r < size; r++)
        send(r, out, BLOCK, 4);
}

static void broadcast(int root)
{
    if (rank == root) {
        for (int r = 0; r < size; r++)
            if (r != root)
                send(r, out, BLOCK, 5);
    } else {
        receive(root, in, BLOCK, 5);
    }
}

/* Starts and completes everything, in one of the ways of MPI. */
static void exchange(int round, int way)
{
    MPI_Status status, all[2 * MOST];
    int flag = 0, index = -1, done, indices[2 * MOST];
    MPI_Startall(many, requests);
    switch (way) {
    case 0:
        MPI_Waitall(many, requests, all);
        for (int k = 0; k < many; k++)
            says(round, k, &all[k]);
        break;
    case 1:
        MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
        break;
    case 2:
        for (int k = 0; k < many; k++) {
            MPI_Wait(&requests[k], &status);
            says(round, k, &status);
        }
        break;
    case 3:
        for (int k = many - 1; k >= 0; k--)
            for (flag = 0; !flag;)
                MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE);
        break;
    case 4:
        while (!flag)
            MPI_Testall(many, requests, &flag, all);
        for (int k = 0; k < many; k++)
            says(round, k, &all[k]);
        break;
    case 5:
        for (int k = 0; k < many; k++) {
            MPI_Waitany(many, requests, &index, &status);
            if (index == MPI_UNDEFINED)
                say(round, "too early", k, 0, 0);
        }
        break;
    case 6:
        for (int k = 0; k < many; k += flag)
            MPI_Testany(many, requests, &index, &flag, &status);
        break;
    case 7:
        for (int k = 0; k < many; k += done)
            MPI_Waitsome(many, requests, &done, indices, all);
        break;
    case 8:
        for (int k = 0; k < many; k += done)
            MPI_Testsome(many, requests, &done, indices, MPI_STATUSES_IGNORE);
        break;
    case 9:
        for (int k = 0; k < many; k++) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(requests[k], &flag, &status);
            says(round, k, &status);
        }
        MPI_Waitall(many, requests, all);
        break;
    case 10:
        /* In two parts, with a null request between them. */
        {
            MPI_Request some[2 * MOST + 1];
            int half = many / 2;
            memcpy(some, requests, (size_t)half * sizeof *some);
            some[half] = MPI_REQUEST_NULL;
            memcpy(some + half + 1, requests + half, (size_t)(many - half) * sizeof *some);
            MPI_Waitall(half + 1, some, all);
            MPI_Waitall(many - half, some + half + 1, MPI_STATUSES_IGNORE);
        }
        break;
    }
    /* Nothing is active any more. */
    MPI_Waitany(many, requests, &index, &status);
    say(round, "at rest", index == MPI_UNDEFINED, 0, 0);
    received(round);
}

static void rounds(int first, int last, int way)
{
    for (int round = first; round < last; round++) {
        fill(round);
        exchange(round, way);
    }
}

static void together(void)
{
    static const char *ways[WAYS] = {
        "waitall", "waitall, ignored", "wait", "test, backwards", "testall", "waitany", "testany",
        "waitsome", "testsome", "get_status", "in parts"
    };
    for (int way = 0; way < WAYS; way++) {
        begin(ways[way]);
        alltoall();
        rounds(0, ROUNDS, way);
        end();
    }
    begin("allgather");
    allgather();
    rounds(0, ROUNDS, 0);
    end();
    begin("broadcast");
    broadcast(size - 1);
    rounds(0, ROUNDS, 1);
    end();
    begin("several messages to everyone");
    for (int r = 0; r < size; r++)
        for (int half = 0; half < 2; half++) {
            MPI_Recv_init(in + (2 * r + half) * BLOCK, BLOCK, MPI_BYTE, r, 7, comm, &requests[many++]);
            MPI_Send_init(out + (2 * r + half) * BLOCK, BLOCK, MPI_BYTE, r, 7, comm, &requests[many++]);
        }
    rounds(0, ROUNDS, 1);
    end();

    begin("typed");
    MPI_Datatype every_other;
    MPI_Type_vector(BLOCK / 2, 1, 2, MPI_BYTE, &every_other);
    MPI_Type_commit(&every_other);
    for (int r = 0; r < size; r++)
        MPI_Recv_init(in + r * BLOCK, 1, every_other, r, 8, comm, &requests[many++]);
    for (int r = 0; r < size; r++)
        MPI_Send_init(out + r * BLOCK, BLOCK / 2, MPI_BYTE, r, 8, comm, &requests[many++]);
    MPI_Type_free(&every_other);
    rounds(0, ROUNDS, 0);
    end();

    begin("modes, and nobody");
    receive(MPI_PROC_NULL, in, BLOCK, 9);
    for (int r = 0; r < size; r++)
        receive(r, in + r * BLOCK, BLOCK, 9);
    send(MPI_PROC_NULL, out, BLOCK, 9);
    for (int r = 0; r < size; r++)
        MPI_Ssend_init(out + r * BLOCK, BLOCK, MPI_BYTE, r, 9, comm, &requests[many++]);
    rounds(0, ROUNDS, 0);
    end();

    begin("made anew in every round");
    for (int round = 0; round < ROUNDS; round++) {
        alltoall();
        fill(round);
        exchange(round, 1);
        for (int k = 0; k < many; k++)
            MPI_Request_free(&requests[k]);
        many = 0;
    }
    end();

    begin("two in turn, others between");
    alltoall();
    MPI_Request others[2 * MOST];
    int other = many;
    memcpy(others, requests, sizeof others);
    many = 0;
    allgather();
    for (int round = 0; round < ROUNDS; round++) {
        int sum = 0, next = (rank + 1) % size, before = (rank + size - 1) % size, got = 0;
        fill(round);
        exchange(round, 0);
        MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Sendrecv(&rank, 1, MPI_INT, next, 50, &got, 1, MPI_INT, before, 50, comm, MPI_STATUS_IGNORE);
        say(round, "others", sum, got, 0);
        fill(round + 100);
        MPI_Startall(other, others);
        MPI_Waitall(other, others, MPI_STATUSES_IGNORE);
        received(round);
    }
    end();
    for (int k = 0; k < other; k++)
        MPI_Request_free(&others[k]);

    begin("on half of the processes");
    MPI_Comm whole = comm;
    int world = size, me = rank;
    MPI_Comm_split(whole, rank % 2, -rank, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    alltoall();
    for (int round = 0; round < ROUNDS; round++) {
        fill(round + me);
        MPI_Startall(many, requests);
        MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
        long result = hash(in, sizeof in);
        fprintf(observations, "rank %d %s, round %d: %ld\n", me, section, round, result);
    }
    end();
    comm = whole;
    size = world;
    rank = me;
    MPI_Comm_free(&comm);
}

static void tried(void)
{
    begin("alltoall");
    alltoall();
    rounds(0, 60, 1);
    end();
    begin("allgather");
    allgather();
    rounds(0, 60, 5);
    end();
}

static void apart(void)
{
    /* The root goes on only when a leaf that has not started its receive yet comes to the barrier. */
    begin("a barrier on the wrong side");
    broadcast(0);
    rounds(0, 5, 1);
    fill(5);
    if (rank != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(many, requests);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    received(5);
    rounds(6, ROUNDS, 1);
    end();

    /* One process sends one of its messages in another way. */
    begin("a message of another call");
    alltoall();
    rounds(0, 5, 1);
    for (int round = 5; round < ROUNDS; round++) {
        fill(round);
        if (rank == 0 && round == 6) {
            MPI_Startall(many - 1, requests);
            MPI_Send(out + (size - 1) * BLOCK, BLOCK, MPI_BYTE, size - 1, 3, comm);
            MPI_Waitall(many - 1, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Startall(many, requests);
            MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
        }
        received(round);
    }
    end();

    /* One process uses another tag and another length, and so does its partner: by requests of their own. */
    begin("another tag and length");
    alltoall();
    MPI_Request others[2 * MOST];
    rounds(0, 5, 1);
    memcpy(others, requests, sizeof others);
    if (rank == 0)
        MPI_Send_init(out, BLOCK / 2, MPI_BYTE, 1, 33, comm, &others[size + 1]);
    if (rank == 1)
        MPI_Recv_init(in, BLOCK / 2, MPI_BYTE, 0, 33, comm, &others[0]);
    for (int round = 5; round < ROUNDS; round++) {
        fill(round);
        MPI_Request *these = round == 6 ? others : requests;
        MPI_Startall(many, these);
        MPI_Waitall(many, these, MPI_STATUSES_IGNORE);
        received(round);
    }
    if (rank == 0)
        MPI_Request_free(&others[size + 1]);
    if (rank == 1)
        MPI_Request_free(&others[0]);
    end();

    /* A message that is older than those of the group, and on the same channel: the group's receive takes it. */
    begin("a message that was there before");
    alltoall();
    rounds(0, 5, 1);
    fill(77);
    MPI_Request early = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Isend(out + 5, BLOCK, MPI_BYTE, 1, 3, comm, &early);
    MPI_Barrier(comm);
    MPI_Startall(many, requests);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    received(5);
    if (rank == 1)
        MPI_Recv(in, BLOCK, MPI_BYTE, 0, 3, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    received(6);
    rounds(7, ROUNDS, 1);
    end();

    /* A receive from anyone that was posted first takes a message of the group. */
    begin("a receive from anyone");
    alltoall();
    rounds(0, 5, 1);
    fill(5);
    static unsigned char any[BLOCK];
    MPI_Request wild = MPI_REQUEST_NULL;
    if (rank == 1)
        MPI_Irecv(any, BLOCK, MPI_BYTE, MPI_ANY_SOURCE, 3, comm, &wild);
    if (rank == 0)
        MPI_Send(out + 3, BLOCK, MPI_BYTE, 1, 3, comm);
    MPI_Barrier(comm);
    MPI_Startall(many, requests);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&wild, MPI_STATUS_IGNORE);
    say(5, "anyone", hash(any, sizeof any), 0, 0);
    received(5);
    rounds(6, ROUNDS, 1);
    end();

    /* The last process takes no part any more. */
    begin("one leaves");
    broadcast(0);
    rounds(0, 5, 1);
    if (rank == 0)
        MPI_Request_free(&requests[--many]);
    if (rank < size - 1)
        rounds(5, ROUNDS, 1);
    end();

    /* It waits for something else between starting and completing. */
    begin("work between");
    alltoall();
    for (int round = 0; round < ROUNDS; round++) {
        int sum = 0, flag;
        fill(round);
        MPI_Startall(many, requests);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
        received(round);
    }
    end();

    /* A request of the group is started alone. */
    begin("one by one");
    alltoall();
    rounds(0, 5, 1);
    for (int round = 5; round < ROUNDS; round++) {
        fill(round);
        if (rank == 0)
            for (int k = 0; k < many; k++)
                MPI_Start(&requests[k]);
        else
            MPI_Startall(many, requests);
        MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
        received(round);
    }
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
    if (size > MOST / 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    observations = open_memstream(&text, &length);
    if (scenario && strcmp(scenario, "apart") == 0)
        apart();
    else if (scenario && strcmp(scenario, "long") == 0)
        tried();
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
