/* Receives that are there before their messages, so that the bytes may go beside them, mixed with all
 * that changes which message a receive gets: wildcards, probes, cancelled and freed receives, errors,
 * persistent requests, communicators that come and go. Two ranks; prints every byte and status. With
 * COUNT in the environment it says how many messages have gone beside, which is not the same natively. */
#define _GNU_SOURCE
#include "observe.h"
#include <dlfcn.h>

enum { LONG = TYPES - 1, MANY = 150 };

static MPI_Comm world;
/* What both ranks draw, and what one draws for itself. */
static unsigned common = 1, own = 2;

static unsigned draw(unsigned *seed, unsigned n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % n;
}

/* Both ranks are here. */
static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 sends the memory's elements once both have met. */
static void sent(int t, int count, int tag, unsigned content)
{
    fill(memory, content);
    meet();
    MPI_Send(memory + ORIGIN, count, types[t], 1, tag, world);
}

static void received(int t, int count, int source, int tag, MPI_Status *status)
{
    MPI_Request r;
    fill(memory, 77);
    MPI_Irecv(memory + ORIGIN, count, types[t], source, tag, world, &r);
    meet();
    MPI_Wait(&r, status);
    say(names[t], count, tag, hash(memory, BYTES), 0);
    if (status != MPI_STATUS_IGNORE)
        say_status("status", status, types[t]);
}

static void one(int t, int to, int from, int tag, unsigned content, int source, int wanted)
{
    MPI_Status status;
    if (rank == 0)
        sent(t, to, tag, content);
    else
        received(t, from, source, wanted, draw(&own, 3) ? &status : MPI_STATUS_IGNORE);
}

static void there_before(void)
{
    for (int t = 0; t < TYPES; t++)
        for (int count = 1; count <= (t == LONG ? 1 : 3); count++)
            one(t, count, count, t, (unsigned)(t * 10 + count), 0, t);
}

/* The message has less than the receive, whole elements or not, or nothing. */
static void shorter(void)
{
    for (int t = 0; t < TYPES - 1; t++) {
        one(t, 1, 3, 5, (unsigned)t, 0, 5);
        one(t, 0, 2, 5, (unsigned)t, 0, 5);
    }
    int piece = 1000;
    for (int i = 0; i < 3; i++, piece += 333)
        if (rank == 0) {
            MPI_Datatype part;
            MPI_Type_vector(piece, 1, 2, MPI_INT, &part);
            MPI_Type_commit(&part);
            fill(memory, 9);
            meet();
            MPI_Send(memory, 1, part, 1, 6, world);
            MPI_Type_free(&part);
        } else {
            MPI_Status status;
            received(LONG, 1, 0, 6, &status);
        }
}

static void longer(void)
{
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            sent(LONG, 1, 7, 5);
        } else {
            MPI_Request r;
            MPI_Status status;
            MPI_Irecv(memory + ORIGIN, 1, types[0], 0, 7, world, &r);
            meet();
            say("error", class_of(MPI_Wait(&r, &status)), 0, 0, 0);
        }
        one(LONG, 1, 1, 7, (unsigned)round, 0, 7);
    }
}

/* Several receives of one stream and of others at once, completed in any order. */
static void many(void)
{
    static MPI_Request all[MANY];
    static int tags[MANY], kinds[MANY];
    unsigned char *rooms = malloc((size_t)MANY * 33000);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < MANY; i++) {
            tags[i] = (int)draw(&common, 4);
            kinds[i] = draw(&common, 3) ? LONG : (int)draw(&common, TYPES - 1);
        }
        for (int i = 0; i < MANY; i++) {
            unsigned char *room = rooms + (size_t)i * 33000 + 400;
            if (rank == 0)
                fill(memory, (unsigned)(round * MANY + i));
            if (i == 0 && rank == 0)
                meet();
            if (rank == 0)
                MPI_Send(memory + ORIGIN, 1, types[kinds[i]], 1, tags[i], world);
            else
                MPI_Irecv(memset(room - 400, 0, 33000) + 400, 1, types[kinds[i]], 0, tags[i], world,
                          all + i);
        }
        if (rank == 0)
            continue;
        meet();
        for (int left = MANY; left > 0;) {
            MPI_Status statuses[MANY];
            int indices[MANY], n = 1, flag = 0;
            switch (draw(&own, 4)) {
            case 0: MPI_Waitany(MANY, all, indices, statuses); break;
            case 1: MPI_Waitsome(MANY, all, &n, indices, statuses); break;
            case 2: MPI_Testsome(MANY, all, &n, indices, MPI_STATUSES_IGNORE); break;
            case 3: for (int i = 0; i < MANY; i++)
                        if (all[i] != MPI_REQUEST_NULL)
                            MPI_Request_get_status(all[i], &flag, statuses);
                    n = 0;
            }
            left -= n;
        }
        say("all", round, hash(rooms, (size_t)MANY * 33000), 0, 0);
    }
    free(rooms);
}

/* A receive that takes any message is between others: the numbers of both ends part. */
static void wildcards(void)
{
    one(LONG, 1, 1, 1, 1, 0, 1);
    MPI_Request r[4];
    MPI_Status s[4];
    unsigned char *rooms[4];
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            fill(memory, (unsigned)round);
            meet();
            for (int i = 0; i < 4; i++)
                MPI_Send(memory + ORIGIN + 8 * i, 1, types[LONG], 1, 1 + i % 2, world);
        } else {
            for (int i = 0; i < 4; i++) {
                rooms[i] = calloc(1, 33000);
                MPI_Irecv(rooms[i], 1, types[LONG], i == 1 ? MPI_ANY_SOURCE : 0,
                          i == 1 ? MPI_ANY_TAG : i == 3 ? 2 : 1, world, r + i);
            }
            meet();
            /* 1 and any get tags 1 and 2; then 1, and 2. */
            MPI_Waitall(4, r, s);
            for (int i = 0; i < 4; i++) {
                say("got", i, s[i].MPI_TAG, hash(rooms[i], 33000), 0);
                free(rooms[i]);
            }
        }
        one(LONG, 1, 1, 1, (unsigned)round + 50, 0, 1);
    }
}

static void probes(void)
{
    MPI_Status status;
    int flag, n;
    for (int round = 0; round < 4; round++) {
        one(LONG, 1, 1, 3, (unsigned)round, 0, 3);
        if (rank == 0) {
            sent(LONG, 1, 3, (unsigned)round + 20);
            MPI_Send(memory + ORIGIN + 4, 1, types[LONG], 1, 3, world);
            continue;
        }
        MPI_Request r;
        fill(memory, 3);
        MPI_Irecv(memory + ORIGIN, 1, types[LONG], 0, 3, world, &r);
        meet();
        /* The first one has its receive: this is the second. */
        if (round == 0)
            MPI_Probe(0, 3, world, &status);
        else
            do
                MPI_Iprobe(round == 1 ? 0 : MPI_ANY_SOURCE, 3, world, &flag, &status);
            while (!flag);
        MPI_Get_count(&status, MPI_INT, &n);
        say("probed", status.MPI_TAG, n, 0, 0);
        if (round == 3) {
            MPI_Message message;
            MPI_Mprobe(0, 3, world, &message, &status);
            MPI_Mrecv(other, n, MPI_INT, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(other, n, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        say("bytes", hash(memory, BYTES), hash(other, (size_t)n * 4), 0, 0);
    }
}

/* Of several receives one is cancelled, before or after its message was sent; after the first time
 * nothing goes beside any more, so that WHICH begins with another one. What is printed holds whether that succeeds or not: all messages came once, in their order. */
static void cancelled(void)
{
    const char *only = getenv("WHICH");
    for (int which = 0; which < 12; which++) {
        if (only && which != atoi(only))
            continue;
        int late = which % 2, number = which / 2 % 3, plain = which >= 6;
        enum { N = 3 };
        unsigned char *rooms[N + 1];
        MPI_Request r[N];
        MPI_Status status;
        one(LONG, 1, 1, 4, (unsigned)which, 0, 4);
        MPI_Comm comm;
        MPI_Comm_dup(world, &comm);
        if (rank == 0) {
            meet();
            for (int i = 0; i < N; i++) {
                fill(memory, (unsigned)(which * N + i));
                MPI_Send(memory, 1, types[LONG], 1, 4, comm);
            }
            meet();
            MPI_Comm_free(&comm);
            continue;
        }
        int got = 0, flag;
        long found[N + 1] = {0};
        for (int i = 0; i <= N; i++)
            rooms[i] = calloc(1, 33000);
        for (int i = 0; i < N; i++)
            if (plain && i == number)
                MPI_Irecv(rooms[i], 8000, MPI_INT, 0, 4, comm, r + i);
            else
                MPI_Irecv(rooms[i], 1, types[LONG], 0, 4, comm, r + i);
        if (!late)
            MPI_Cancel(r + number);
        meet();
        if (late)
            MPI_Cancel(r + number);
        int gone = 0;
        for (int i = 0; i < N; i++) {
            MPI_Wait(r + i, &status);
            MPI_Test_cancelled(&status, &flag);
            gone += flag;
            if (flag)
                continue;
            /* Packed, so that a plain room and one with gaps compare. */
            int place = 0;
            if (!(plain && i == number)) {
                MPI_Pack(rooms[i], 1, types[LONG], other, BYTES, &place, comm);
                found[got++] = hash(other, (size_t)place);
            } else {
                found[got++] = hash(rooms[i], 16000);
            }
        }
        if (gone) {
            MPI_Recv(rooms[N], 1, types[LONG], 0, 4, comm, &status);
            int place = 0;
            MPI_Pack(rooms[N], 1, types[LONG], other, BYTES, &place, comm);
            found[got++] = hash(other, (size_t)place);
        }
        say("came", which, found[0], found[1], found[2]);
        for (int i = 0; i <= N; i++)
            free(rooms[i]);
        meet();
        MPI_Comm_free(&comm);
    }
}

static void freed(void)
{
    for (int round = 0; round < 3; round++) {
        one(LONG, 1, 1, 8, (unsigned)round, 0, 8);
        if (rank == 0) {
            sent(LONG, 1, 8, (unsigned)round + 9);
            meet();
        } else {
            MPI_Request r;
            fill(memory, 1);
            MPI_Irecv(memory + ORIGIN, 1, types[LONG], 0, 8, world, &r);
            MPI_Request_free(&r);
            meet();
            meet();
            int zero;
            MPI_Recv(&zero, 1, MPI_INT, 0, 10, world, MPI_STATUS_IGNORE);
            say("freed", round, hash(memory, BYTES), 0, 0);
        }
        int zero = 0;
        if (rank == 0)
            MPI_Send(&zero, 1, MPI_INT, 1, 10, world);
    }
}

/* Persistent receives and others of one stream, in turn. */
static void persistent(void)
{
    MPI_Request in[2], out[2], r[2];
    unsigned char *rooms = calloc(4, 33000);
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Send_init(memory + ORIGIN + 64 * i, 1, types[LONG], 1, 11, world, out + i);
    else
        for (int i = 0; i < 2; i++)
            MPI_Recv_init(rooms + 33000 * i, 1, types[LONG], 0, 11, world, in + i);
    for (int round = 0; round < 6; round++) {
        if (rank == 0) {
            fill(memory, (unsigned)round);
            meet();
            MPI_Start(out);
            MPI_Send(memory + ORIGIN + 16, 1, types[LONG], 1, 11, world);
            MPI_Start(out + 1);
            MPI_Isend(memory + ORIGIN + 32, 1, types[LONG], 1, 11, world, r);
            MPI_Waitall(2, out, MPI_STATUSES_IGNORE);
            MPI_Wait(r, MPI_STATUS_IGNORE);
        } else {
            MPI_Start(in);
            MPI_Irecv(rooms + 66000, 1, types[LONG], 0, 11, world, r);
            MPI_Start(in + 1);
            MPI_Irecv(rooms + 99000, 1, types[LONG], 0, 11, world, r + 1);
            meet();
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
            MPI_Waitall(2, in, MPI_STATUSES_IGNORE);
            for (int i = 0; i < 4; i++)
                say("place", round, i, hash(rooms + 33000 * i, 33000), 0);
        }
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free((rank == 0 ? out : in) + i);
    free(rooms);
}

/* Both ways at once, in one call, with one buffer, and started. */
static void exchanges(void)
{
    for (int round = 0; round < 6; round++) {
        MPI_Status status;
        fill(memory, (unsigned)(round * 2 + rank));
        fill(other, 5);
        meet();
        MPI_Sendrecv(memory + ORIGIN, 1, types[LONG], 1 - rank, 12, other + ORIGIN, 1, types[LONG],
                     1 - rank, 12, world, &status);
        say("sendrecv", round, hash(other, BYTES), 0, 0);
        say_status("status", &status, types[LONG]);
        if (round % 3 == 1) {
            MPI_Sendrecv_replace(memory + ORIGIN, 1, types[LONG], 1 - rank, 12, 1 - rank, 12, world,
                                 &status);
            say("replaced", round, hash(memory, BYTES), 0, 0);
        }
        if (round % 3 == 2)
            MPI_Sendrecv(memory + ORIGIN, 1, types[LONG], MPI_PROC_NULL, 12, other + ORIGIN, 1,
                         types[LONG], MPI_PROC_NULL, 12, world, MPI_STATUS_IGNORE);
    }
}

/* One stream: some receives have gaps and others not, and some have none at either end. */
static void kinds(void)
{
    for (int round = 0; round < 8; round++) {
        MPI_Request r[3];
        MPI_Status s[3];
        int plain = round % 3;
        if (rank == 0) {
            fill(memory, (unsigned)round);
            meet();
            for (int i = 0; i < 3; i++)
                if (i == plain && round % 2)
                    MPI_Ssend(memory + ORIGIN, 4000, MPI_INT, 1, 13, world);
                else
                    MPI_Send(memory + ORIGIN + 4 * i, 1, types[LONG], 1, 13, world);
            continue;
        }
        unsigned char *rooms = calloc(3, 33000);
        for (int i = 0; i < 3; i++)
            if (i == plain && round % 2 == 0)
                MPI_Irecv(rooms + 33000 * i, 8000, MPI_INT, 0, 13, world, r + i);
            else
                MPI_Irecv(rooms + 33000 * i, 1, types[LONG], 0, 13, world, r + i);
        meet();
        MPI_Waitall(3, r, s);
        for (int i = 0; i < 3; i++) {
            say("kind", round, i, hash(rooms + 33000 * i, 33000), 0);
            say_status("status", s + i, MPI_INT);
        }
        free(rooms);
    }
}

/* Communicators of every kind come and go, and handles come back as others. */
static void communicators(void)
{
    MPI_Comm before = world, made;
    int sizes[1] = {2}, periods[1] = {1};
    for (int round = 0; round < 24; round++) {
        switch (round % 6) {
        case 0: MPI_Comm_dup(MPI_COMM_WORLD, &made); break;
        case 1: MPI_Comm_split(MPI_COMM_WORLD, 0, 1 - rank, &made); break;
        case 2: MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &made); break;
        case 3: MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &made); MPI_Comm_free(&made);
                MPI_Comm_dup(before, &made); break;
        case 4: MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
                break;
        default: MPI_Comm_split(MPI_COMM_WORLD, rank ? 0 : MPI_UNDEFINED, 0, &made);
                if (made != MPI_COMM_NULL)
                    MPI_Comm_free(&made);
                MPI_Comm_dup(MPI_COMM_WORLD, &made);
        }
        int mine;
        MPI_Comm_rank(made, &mine);
        for (int i = 0; i < 3; i++) {
            MPI_Request r[2];
            fill(memory, (unsigned)(round * 8 + i * 2 + rank));
            fill(other, 5);
            MPI_Irecv(other + ORIGIN, 1, types[LONG], 1 - mine, 14, made, r);
            meet();
            MPI_Isend(memory + ORIGIN, 1, types[LONG], 1 - mine, 14, made, r + 1);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
            say("made", round, hash(other, BYTES), 0, 0);
        }
        MPI_Comm_free(&made);
    }
}

/* A communicator on which messages may overtake each other. */
static void hints(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    one(LONG, 1, 1, 15, 1, 0, 15);
    MPI_Comm_set_info(world, info);
    one(LONG, 1, 1, 15, 2, 0, 15);
    MPI_Info_free(&info);
}

/* Longer than anything that goes beside, and as long. */
static void huge(void)
{
    for (int megabytes = 1; megabytes <= 20; megabytes += 5) {
        MPI_Datatype type;
        int n = megabytes << 17;
        MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        double *room = calloc((size_t)n * 2, 8);
        MPI_Request r;
        MPI_Status status;
        for (int i = 0; i < n * 2 && rank == 0; i++)
            room[i] = i;
        if (rank == 0) {
            meet();
            MPI_Send(room, 1, type, 1, 16, world);
        } else {
            MPI_Irecv(room, 1, type, 0, 16, world, &r);
            meet();
            MPI_Wait(&r, &status);
            say_status("status", &status, MPI_DOUBLE);
        }
        say("huge", megabytes, hash(room, (size_t)n * 16), 0, 0);
        free(room);
        MPI_Type_free(&type);
    }
}

static void count(void)
{
    unsigned long (*beside)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "commloom_beside");
    if (getenv("COUNT"))
        say("beside", beside ? (long)beside() : -1, 0, 0, 0);
}

/* Each part has a communicator that nothing has happened on. */
#define PARTS(EACH) \
    EACH(there_before) EACH(shorter) EACH(many) EACH(kinds) EACH(persistent) EACH(exchanges) \
    EACH(communicators) EACH(hints) EACH(huge) EACH(wildcards) EACH(probes) EACH(longer) \
    EACH(cancelled) EACH(freed) EACH(count)
#define APART(part)                              \
    static void part##_apart(void)               \
    {                                            \
        MPI_Comm_dup(MPI_COMM_WORLD, &world);    \
        own = 2;                                 \
        part();                                  \
        MPI_Comm_free(&world);                   \
    }
#define LISTED(part) {#part, part##_apart},
PARTS(APART)

int main(int argc, char **argv)
{
    const struct part parts[] = {PARTS(LISTED)};
    return observe(argc, argv, parts, sizeof parts / sizeof *parts);
}
