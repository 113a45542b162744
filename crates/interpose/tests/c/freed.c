/* Receives whose requests are freed while they are under way. The program gets to know in many ways
 * that their messages have arrived, and then reads the buffers. The sender sends synchronously: when it
 * goes on, the receiver has the message. Two ranks; prints what is in the buffers. */
#include "observe.h"

enum { WAYS = 16, MANY = 3, STEP = 40000, ALL = WAYS * MANY };

static unsigned char *bytes;

static MPI_Comm comm;
static MPI_Win window;

/* What the freed receives have brought. */
static void look(int way)
{
    if (rank == 1)
        say("buffers", way, hash(bytes, ALL * STEP), 0, 0);
}

/* Tells rank 1 that rank 0 has come here. Once it knows, it looks. */
static void tell(int way)
{
    int value = 1, sum = 0, flag = 0;
    MPI_Request r;
    MPI_Comm new;
    MPI_Message message;
    switch (way) {
    case 0: MPI_Barrier(comm); look(way); return;
    case 1: MPI_Bcast(&value, 1, MPI_INT, 0, comm); look(way); return;
    case 2: MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm); look(way); return;
    case 3: MPI_Comm_dup(comm, &new); look(way); MPI_Comm_free(&new); return;
    case 4: MPI_Comm_split(comm, 0, 0, &new); look(way); MPI_Comm_free(&new); return;
    case 5: MPI_Win_fence(0, window); look(way); return;
    case 6: MPI_Ibarrier(comm, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); look(way); return;
    case 7: MPI_Ibarrier(comm, &r);
            while (!flag)
                MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            look(way); return;
    case 8: /* Rank 0 receives only now. */
            if (rank == 1)
                MPI_Ssend(&value, 1, MPI_INT, 0, 1, comm);
            else
                MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
            look(way); return;
    case 9: MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm); look(way); return;
    }
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 2, comm);
        return;
    }
    switch (way) {
    case 10: MPI_Recv(&value, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE); look(way); break;
    case 11: MPI_Probe(0, 2, comm, MPI_STATUS_IGNORE); look(way);
             MPI_Recv(&value, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE); break;
    case 12: while (!flag)
                 MPI_Iprobe(0, 2, comm, &flag, MPI_STATUS_IGNORE);
             look(way);
             MPI_Recv(&value, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE); break;
    case 13: MPI_Mprobe(0, 2, comm, &message, MPI_STATUS_IGNORE); look(way);
             MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE); break;
    case 14: MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &sum, 1, MPI_INT, 0, 2, comm,
                          MPI_STATUS_IGNORE);
             look(way); break;
    case 15: MPI_Irecv(&value, 1, MPI_INT, 0, 2, comm, &r);
             while (!flag)
                 MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
             look(way);
             MPI_Wait(&r, MPI_STATUS_IGNORE); break;
    }
}

/* The last of each way is long. */
static MPI_Datatype type_of(int i)
{
    return types[i % MANY == MANY - 1 ? 11 : i % 2 ? 0 : 4];
}

/* All receives are made before the first is freed: what commloom learns from that one is too late for
 * the others. */
static void receives(void)
{
    static MPI_Request r[ALL];
    bytes = malloc(ALL * STEP);
    for (int i = 0; i < ALL * STEP; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 255 + 100 * rank);
    for (int i = 0; rank == 1 && i < ALL; i++)
        if (i / MANY % 4 == 3) {
            MPI_Recv_init(bytes + STEP * i, 1, type_of(i), 0, 10 + i, comm, &r[i]);
            MPI_Start(&r[i]);
        } else
            MPI_Irecv(bytes + STEP * i, 1, type_of(i), 0, 10 + i, comm, &r[i]);
    for (int i = 0; rank == 1 && i < ALL; i++)
        MPI_Request_free(&r[i]);
    for (int way = 0; way < WAYS; way++) {
        MPI_Barrier(comm);
        if (rank == 0)
            for (int i = MANY * way; i < MANY * (way + 1); i++)
                MPI_Ssend(bytes + STEP * i, 1, type_of(i), 1, 10 + i, comm);
        tell(way);
    }
    /* What is there stays there: nothing arrives once more. */
    memset(bytes, 5, ALL * STEP);
    MPI_Barrier(comm);
    look(WAYS);
    /* One after the other. */
    for (int way = 0; way < WAYS; way++) {
        memset(bytes, way + rank, MANY * STEP);
        for (int i = 0; rank == 1 && i < MANY; i++) {
            MPI_Irecv(bytes + STEP * i, 1, type_of(i), 0, 10 + i, comm, &r[i]);
            MPI_Request_free(&r[i]);
        }
        MPI_Barrier(comm);
        for (int i = 0; rank == 0 && i < MANY; i++)
            MPI_Ssend(bytes + STEP * i, 1, type_of(i), 1, 10 + i, comm);
        tell(way);
        MPI_Barrier(comm);
    }
    free(bytes);
}

/* Cancelled and freed; freed and never sent; sends that are freed. */
static void others(void)
{
    MPI_Request r;
    fill(memory, 3);
    MPI_Irecv(memory, 1, types[0], 1 - rank, 500, comm, &r);
    MPI_Cancel(&r);
    MPI_Request_free(&r);
    for (int i = 0; i < 20; i++) {
        fill(other, (unsigned)(i + 10 * rank));
        MPI_Isend(other, 1, types[i % 2 ? 11 : 4], 1 - rank, 600, comm, &r);
        MPI_Request_free(&r);
        MPI_Recv(memory, 1, types[i % 2 ? 11 : 4], 1 - rank, 600, comm, MPI_STATUS_IGNORE);
        say("sent", i, hash(memory, BYTES), 0, 0);
        MPI_Barrier(comm);
    }
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {{"receives", receives}, {"others", others}};
    static int shared[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(shared, sizeof shared, 1, MPI_INFO_NULL, comm, &window);
    int code = observe_started(argc, argv, parts, sizeof parts / sizeof *parts);
    MPI_Win_free(&window);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return code;
}
