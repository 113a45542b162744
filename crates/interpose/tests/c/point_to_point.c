/* The rest of point-to-point communication: modes, matched receives, replacing exchanges, and the
 * large-count forms where the library has them. Every observation is printed, as in semantics.c. */
#include "observe.h"

/* Open MPI 4 and 5 call themselves MPI 3.1. */
#if MPI_VERSION >= 4
#define LARGE 1
#else
#define LARGE 0
#endif

static void *attach(int bytes)
{
    void *room = malloc((size_t)bytes);
    MPI_Buffer_attach(room, bytes);
    return room;
}

static void detach(void)
{
    void *room;
    int bytes;
    MPI_Buffer_detach(&room, &bytes);
    free(room);
}

/* Tells the other rank to go on: a ready send needs a receive that is there. */
static void tell(void)
{
    MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 999, MPI_COMM_WORLD);
}

static void be_told(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void modes(void)
{
    attach(1 << 18);
    for (int t = 0; t < TYPES; t++)
        for (int count = 0; count <= 2; count++)
            for (int mode = 0; mode < 5; mode++) {
                if (t == TYPES - 1 && count > 1)
                    continue;
                MPI_Datatype type = types[t];
                MPI_Status status;
                MPI_Request r;
                void *buffer = memory + ORIGIN;
                fill(memory, (unsigned)(rank * 1000 + t * 100 + mode));
                if (rank == 1) {
                    MPI_Irecv(buffer, count, type, 0, mode, MPI_COMM_WORLD, &r);
                    tell();
                    MPI_Wait(&r, &status);
                    say(names[t], count, mode, hash(memory, BYTES), 0);
                    say_status("status", &status, type);
                    continue;
                }
                be_told();
                r = MPI_REQUEST_NULL;
                switch (mode) {
                case 0: MPI_Bsend(buffer, count, type, 1, mode, MPI_COMM_WORLD); break;
                case 1: MPI_Rsend(buffer, count, type, 1, mode, MPI_COMM_WORLD); break;
                case 2: MPI_Ibsend(buffer, count, type, 1, mode, MPI_COMM_WORLD, &r); break;
                case 3: MPI_Issend(buffer, count, type, 1, mode, MPI_COMM_WORLD, &r); break;
                case 4: MPI_Irsend(buffer, count, type, 1, mode, MPI_COMM_WORLD, &r); break;
                }
                /* A buffered send is local: the buffer is the program's again. */
                if (mode == 0)
                    fill(memory, 77);
                MPI_Wait(&r, MPI_STATUS_IGNORE);
                say(names[t], r == MPI_REQUEST_NULL, hash(memory, BYTES), 0, 0);
            }
    detach();
    /* What MPI_Pack_size says is room enough for one. */
    for (int t = 0; t < TYPES; t++) {
        int bytes = 0;
        MPI_Pack_size(1, types[t], MPI_COMM_WORLD, &bytes);
        attach(bytes + MPI_BSEND_OVERHEAD);
        fill(memory, (unsigned)(rank + t));
        if (rank == 0)
            MPI_Bsend(memory + ORIGIN, 1, types[t], 1, t, MPI_COMM_WORLD);
        else
            MPI_Recv(memory + ORIGIN, 1, types[t], 0, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("exact room", bytes, hash(memory, BYTES), 0, 0);
        detach();
    }
}

static void matched(void)
{
    for (int t = 0; t < TYPES; t++)
        for (int way = 0; way < 4; way++) {
            MPI_Datatype type = types[t];
            MPI_Status found, status;
            MPI_Message message;
            MPI_Request r;
            int flag = 0, count = t == TYPES - 1 ? 1 : 2;
            void *buffer = memory + ORIGIN;
            fill(memory, (unsigned)(rank * 1000 + t * 100 + way));
            if (rank == 0) {
                MPI_Send(buffer, count, type, 1, way, MPI_COMM_WORLD);
                continue;
            }
            if (way % 2)
                MPI_Mprobe(0, way, MPI_COMM_WORLD, &message, &found);
            else
                while (!flag)
                    MPI_Improbe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &flag, &message, &found);
            say_status("found", &found, type);
            if (way == 0)
                MPI_Mrecv(buffer, count, type, &message, &status);
            else if (way == 1)
                MPI_Mrecv(buffer, count, type, &message, MPI_STATUS_IGNORE);
            else {
                MPI_Imrecv(buffer, count, type, &message, &r);
                MPI_Wait(&r, &status);
            }
            say(names[t], message == MPI_MESSAGE_NULL, hash(memory, BYTES), 0, 0);
            if (way != 1)
                say_status("status", &status, type);
        }
    /* No process: nothing arrives. */
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    MPI_Status status;
    MPI_Request r;
    fill(memory, 5);
    MPI_Mrecv(memory + ORIGIN, 1, types[0], &message, &status);
    say_status("no process", &status, types[0]);
    message = MPI_MESSAGE_NO_PROC;
    MPI_Imrecv(memory + ORIGIN, 1, types[0], &message, &r);
    MPI_Wait(&r, &status);
    say_status("no process", &status, types[0]);
    say("memory", hash(memory, BYTES), message == MPI_MESSAGE_NULL, 0, 0);
}

static void replacing(void)
{
    for (int t = 0; t < TYPES; t++)
        for (int way = 0; way < 6; way++) {
            MPI_Datatype type = types[t];
            MPI_Status status;
            int peer = 1 - rank, none = MPI_PROC_NULL, n = t == TYPES - 1 ? 1 : 2;
            void *b = memory + ORIGIN;
            MPI_Comm world = MPI_COMM_WORLD;
            fill(memory, (unsigned)(rank * 100 + t * 10 + way));
            memset(&status, 0, sizeof status);
            switch (way) {
            case 0: MPI_Sendrecv_replace(b, n, type, peer, t, peer, t, world, &status); break;
            case 1: MPI_Sendrecv_replace(b, n, type, peer, t, peer, t, world, MPI_STATUS_IGNORE);
                    break;
            case 2: MPI_Sendrecv_replace(b, n, type, rank, t, rank, t, world, &status); break;
            /* To rank 1 only. */
            case 3: MPI_Sendrecv_replace(b, n, type, rank ? none : 1, t, rank ? 0 : none, t, world,
                                         &status); break;
            case 4: MPI_Sendrecv_replace(b, n, type, none, t, none, t, world, &status); break;
            /* What arrives is shorter than what is sent. */
            case 5: if (rank)
                        MPI_Sendrecv(b, n - 1, type, 0, t, other, BYTES / 2, MPI_BYTE, 0, t, world,
                                     &status);
                    else
                        MPI_Sendrecv_replace(b, n, type, 1, t, 1, t, world, &status);
                    break;
            }
            say(names[t], way, hash(memory, BYTES), 0, 0);
            if (way != 1 && !(way == 5 && rank))
                say_status("status", &status, type);
        }
}

static void errors(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype type = types[0];
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request r = MPI_REQUEST_NULL;
    void *b = memory + ORIGIN;
    int peer = 1 - rank;
    fill(memory, 9);
    say("no room", class_of(MPI_Bsend(b, 1, type, peer, 0, world)), 0, 0, 0);
    say("rank", class_of(MPI_Rsend(b, 1, type, 77, 0, world)), 0, 0, 0);
    say("count", class_of(MPI_Issend(b, -1, type, peer, 0, world, &r)), 0, 0, 0);
    say("replace rank", class_of(MPI_Sendrecv_replace(b, 1, type, 77, 0, peer, 0, world,
                                                      MPI_STATUS_IGNORE)), 0, 0, 0);
    say("replace tag", class_of(MPI_Sendrecv_replace(b, 1, type, peer, -7, peer, 0, world,
                                                     MPI_STATUS_IGNORE)), 0, 0, 0);
    MPI_Message message = MPI_MESSAGE_NULL;
    if (rank == 0)
        MPI_Send(b, 2, type, 1, 5, world);
    else {
        MPI_Mprobe(0, 5, world, &message, MPI_STATUS_IGNORE);
        say("truncated", class_of(MPI_Mrecv(b, 1, type, &message, MPI_STATUS_IGNORE)), 0, 0, 0);
    }
    say("memory", rank ? 0 : hash(memory, BYTES), 0, 0, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A message that is short for the receive: packed it would be more elements than an int can count. */
static void vast(void)
{
    MPI_Datatype type;
    MPI_Type_vector(1 << 30, 3, 4, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 3; i++) {
        MPI_Status status;
        fill(memory, (unsigned)(rank + i));
        if (rank == 0)
            MPI_Send(memory, 100 * i, MPI_BYTE, 1, i, MPI_COMM_WORLD);
        else {
            MPI_Recv(memory, 1, type, 0, i, MPI_COMM_WORLD, &status);
            say("received", hash(memory, BYTES), status.MPI_TAG, 0, 0);
        }
    }
    MPI_Type_free(&type);
}

#if LARGE
static void large(void)
{
    attach(1 << 18);
    for (int t = 0; t < TYPES; t++)
        for (int way = 0; way < 13; way++) {
            MPI_Count count = t == TYPES - 1 ? 1 : 2;
            MPI_Datatype type = types[t];
            MPI_Comm world = MPI_COMM_WORLD;
            MPI_Request r = MPI_REQUEST_NULL;
            MPI_Message message;
            MPI_Status status;
            void *b = memory + ORIGIN;
            fill(memory, (unsigned)(rank * 1000 + t * 100 + way));
            if (rank == 0) {
                be_told();
                switch (way) {
                case 0: MPI_Send_c(b, count, type, 1, way, world); break;
                case 1: MPI_Bsend_c(b, count, type, 1, way, world); break;
                case 2: MPI_Ssend_c(b, count, type, 1, way, world); break;
                case 3: MPI_Rsend_c(b, count, type, 1, way, world); break;
                case 4: MPI_Isend_c(b, count, type, 1, way, world, &r); break;
                case 5: MPI_Ibsend_c(b, count, type, 1, way, world, &r); break;
                case 6: MPI_Issend_c(b, count, type, 1, way, world, &r); break;
                case 7: MPI_Irsend_c(b, count, type, 1, way, world, &r); break;
                case 8: MPI_Send_init_c(b, count, type, 1, way, world, &r); break;
                case 9: MPI_Bsend_init_c(b, count, type, 1, way, world, &r); break;
                case 10: MPI_Ssend_init_c(b, count, type, 1, way, world, &r); break;
                case 11: MPI_Rsend_init_c(b, count, type, 1, way, world, &r); break;
                case 12: MPI_Send(b, (int)count, type, 1, way, world); break;
                }
                if (way >= 8 && way < 12)
                    MPI_Start(&r);
                MPI_Wait(&r, MPI_STATUS_IGNORE);
                if (way >= 8 && way < 12)
                    MPI_Request_free(&r);
                continue;
            }
            /* The receives that a ready send can meet are there when it is told so. */
            if (way % 4 == 3) {
                if (way == 11) {
                    MPI_Recv_init_c(b, count, type, 0, way, world, &r);
                    MPI_Start(&r);
                } else
                    MPI_Irecv_c(b, count, type, 0, way, world, &r);
                tell();
                MPI_Wait(&r, &status);
                if (way == 11)
                    MPI_Request_free(&r);
            } else {
                tell();
                if (way % 4 == 0)
                    MPI_Recv_c(b, count, type, 0, way, world, &status);
                else {
                    MPI_Mprobe(0, way, world, &message, MPI_STATUS_IGNORE);
                    if (way % 4 == 1)
                        MPI_Mrecv_c(b, count, type, &message, &status);
                    else {
                        MPI_Imrecv_c(b, count, type, &message, &r);
                        MPI_Wait(&r, &status);
                    }
                }
            }
            MPI_Count elements = 0;
            MPI_Get_elements_c(&status, type, &elements);
            say(names[t], way, hash(memory, BYTES), (long)elements, status.MPI_SOURCE);
        }
    detach();
    for (int t = 0; t < TYPES; t++) {
        MPI_Count count = t == TYPES - 1 ? 1 : 2, position = 3;
        MPI_Status status;
        int peer = 1 - rank;
        static char packed[BYTES];
        fill(memory, (unsigned)(rank + t));
        fill(other, (unsigned)(rank + t + 50));
        MPI_Sendrecv_c(memory + ORIGIN, count, types[t], peer, t, other + ORIGIN, count, types[t],
                       peer, t, MPI_COMM_WORLD, &status);
        say_status(names[t], &status, types[t]);
        MPI_Sendrecv_replace_c(memory + ORIGIN, count, types[t], peer, t, peer, t, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE);
        say("exchanged", hash(memory, BYTES), hash(other, BYTES), 0, 0);
        memset(packed, 0, sizeof packed);
        MPI_Pack_c(memory + ORIGIN, count, types[t], packed, BYTES, &position, MPI_COMM_WORLD);
        say("packed", hash(packed, BYTES), (long)position, 0, 0);
        position = 3;
        MPI_Unpack_c(packed, BYTES, &position, other + ORIGIN, count, types[t], MPI_COMM_WORLD);
        say("unpacked", hash(other, BYTES), (long)position, 0, 0);
    }
    /* More elements than an int can count, of nothing. */
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Count many = (MPI_Count)3 << 31;
    MPI_Status status;
    MPI_Sendrecv_c(memory, many, nothing, 1 - rank, 0, other, many, nothing, 1 - rank, 0,
                   MPI_COMM_WORLD, &status);
    say("nothing", status.MPI_SOURCE, hash(other, BYTES), 0, 0);
    MPI_Type_free(&nothing);
}
#endif

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        {"modes", modes}, {"matched", matched}, {"replacing", replacing}, {"errors", errors},
        {"vast", vast},
#if LARGE
        {"large", large},
#endif
    };
    return observe(argc, argv, parts, sizeof parts / sizeof *parts);
}
