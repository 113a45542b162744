/* What a program can observe of MPI: received bytes, statuses, error classes, positions, envelopes.
 * Every observation is printed; the test compares the output under commloom with the native one,
 * line by line. Two ranks. With an argument, only the named section runs. */
#include "observe.h"

/* Each way to move a message from rank 0 to rank 1, the receiver's buffer hashed whole. */
static void transfers(void)
{
    for (int t = 0; t < TYPES; t++)
        for (int count = 0; count <= 3; count += 1 + (count == 1))
            for (int way = 0; way < 12; way++) {
                /* The long vector has room for one. */
                if (t == TYPES - 1 && count > 1)
                    continue;
                MPI_Datatype type = types[t];
                MPI_Status status[2];
                MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
                int flag = 0, index = -1, done = 0, indices[2];
                memset(status, 0, sizeof status);
                fill(memory, (unsigned)(rank * 1000 + t * 100 + way));
                void *buffer = memory + ORIGIN;
                if (rank == 0) {
                    if (way % 3 == 0)
                        MPI_Send(buffer, count, type, 1, way, MPI_COMM_WORLD);
                    else if (way % 3 == 1)
                        MPI_Ssend(buffer, count, type, 1, way, MPI_COMM_WORLD);
                    else {
                        MPI_Isend(buffer, count, type, 1, way, MPI_COMM_WORLD, &r[0]);
                        if (way % 2)
                            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
                        else
                            MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
                    }
                    continue;
                }
                if (way >= 2)
                    MPI_Irecv(buffer, count, type, way % 2 ? 0 : MPI_ANY_SOURCE,
                              way % 4 ? way : MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
                switch (way) {
                case 0: MPI_Recv(buffer, count, type, 0, way, MPI_COMM_WORLD, &status[1]); break;
                case 1: MPI_Recv(buffer, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE); break;
                case 2: MPI_Wait(&r[1], &status[1]); break;
                case 3: MPI_Wait(&r[1], MPI_STATUS_IGNORE); break;
                case 4: while (!flag) MPI_Test(&r[1], &flag, &status[1]); break;
                case 5: MPI_Waitall(2, r, status); break;
                case 6: MPI_Waitall(2, r, MPI_STATUSES_IGNORE); break;
                case 7: MPI_Waitany(2, r, &index, &status[1]); break;
                case 8: MPI_Waitsome(2, r, &done, indices, status); status[1] = status[0];
                        index = indices[0]; break;
                case 9: while (!flag) MPI_Testall(2, r, &flag, status); break;
                case 10: while (!flag) MPI_Testany(2, r, &index, &flag, &status[1]); break;
                case 11: while (!done) MPI_Testsome(2, r, &done, indices, MPI_STATUSES_IGNORE);
                         index = indices[0]; break;
                }
                say(names[t], count, way, hash(memory, BYTES), index);
                say("request null", r[1] == MPI_REQUEST_NULL, done, 0, 0);
                if (way != 1 && way != 3 && way != 6 && way != 11)
                    say_status("status", &status[1], type);
            }
}

static void exchanges(void)
{
    for (int t = 0; t < TYPES - 1; t++) {
        MPI_Status status;
        fill(memory, (unsigned)(rank + 10 * t));
        fill(other, (unsigned)(rank + 10 * t + 5));
        int peer = 1 - rank, back = (t + 1) % (TYPES - 1);
        MPI_Datatype out = rank ? types[back] : types[t], in = rank ? types[t] : types[back];
        MPI_Sendrecv(memory + ORIGIN, 2, out, peer, t, other + ORIGIN, 2, in, peer, t,
                     MPI_COMM_WORLD, &status);
        say(names[t], hash(other, BYTES), 0, 0, 0);
        say_status("status", &status, in);
        MPI_Sendrecv(memory + ORIGIN, 1, out, MPI_PROC_NULL, t, other + ORIGIN, 1, in,
                     MPI_PROC_NULL, t, MPI_COMM_WORLD, &status);
        say_status("null status", &status, in);
    }
}

/* Messages that are shorter than the receive: whole elements, and cut inside an element. */
static void short_messages(void)
{
    for (int n = 0; n <= 230; n += 23) {
        fill(memory, (unsigned)(rank + n));
        MPI_Status status;
        if (rank == 0)
            MPI_Send(memory, n, MPI_INT, 1, 1, MPI_COMM_WORLD);
        else {
            MPI_Recv(memory + ORIGIN, 4, types[0], 0, 1, MPI_COMM_WORLD, &status);
            say("received", n, hash(memory, BYTES), 0, 0);
            say_status("status", &status, types[0]);
        }
        if (rank == 0)
            MPI_Send(memory + ORIGIN, n / 100, types[0], 1, 2, MPI_COMM_WORLD);
        else {
            MPI_Request r;
            MPI_Irecv(memory + ORIGIN, 4, types[0], 0, 2, MPI_COMM_WORLD, &r);
            MPI_Wait(&r, &status);
            say("received", n, hash(memory, BYTES), 0, 0);
            say_status("status", &status, types[0]);
        }
    }
}

static void bottom(void)
{
    MPI_Aint at[2];
    int lengths[2] = {3, 5};
    MPI_Get_address(memory + 64, &at[0]);
    MPI_Get_address(other + 160, &at[1]);
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, t;
    MPI_Type_create_struct(2, lengths, at, parts, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < 3; i++) {
        fill(memory, (unsigned)(rank + i));
        fill(other, (unsigned)(rank + i + 7));
        if (rank == 0)
            MPI_Send(MPI_BOTTOM, 1, t, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(MPI_BOTTOM, 1, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("memory", hash(memory, BYTES), hash(other, BYTES), 0, 0);
    }
    MPI_Type_free(&t);
}

static int errors_of_world;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    errors_of_world++;
}

/* Errors of one communicator are no matter of another one. */
static void errors_elsewhere(void)
{
    MPI_Comm comm;
    MPI_Errhandler counting;
    void *b = memory + ORIGIN;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(count_error, &counting);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
    int sent = class_of(MPI_Send(b, 1, MPI_DATATYPE_NULL, 1 - rank, 0, comm));
    int received = class_of(MPI_Recv(b, 1, MPI_DATATYPE_NULL, 1 - rank, 0, comm, MPI_STATUS_IGNORE));
    say("null type, another communicator", sent, received, errors_of_world, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&counting);
    MPI_Comm_free(&comm);
}

static void errors(void)
{
    errors_elsewhere();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype raw, type = types[0];
    MPI_Type_vector(3, 1, 2, MPI_INT, &raw);
    MPI_Request r = MPI_REQUEST_NULL;
    void *b = memory + ORIGIN;
    say("negative count", class_of(MPI_Send(b, -1, type, 1 - rank, 0, MPI_COMM_WORLD)), 0, 0, 0);
    say("null type", class_of(MPI_Send(b, 1, MPI_DATATYPE_NULL, 1 - rank, 0, MPI_COMM_WORLD)), 0, 0, 0);
    say("not committed", class_of(MPI_Send(b, 1, raw, 1 - rank, 0, MPI_COMM_WORLD)), 0, 0, 0);
    say("rank", class_of(MPI_Send(b, 1, type, 77, 0, MPI_COMM_WORLD)), 0, 0, 0);
    say("tag", class_of(MPI_Send(b, 1, type, 1 - rank, -7, MPI_COMM_WORLD)), 0, 0, 0);
    say("isend rank", class_of(MPI_Isend(b, 1, type, 77, 0, MPI_COMM_WORLD, &r)), 0, 0, 0);
    say("irecv rank", class_of(MPI_Irecv(b, 1, type, 77, 0, MPI_COMM_WORLD, &r)), 0, 0, 0);
    say("irecv tag", class_of(MPI_Irecv(b, 1, type, 1 - rank, -7, MPI_COMM_WORLD, &r)), 0, 0, 0);
    MPI_Type_free(&raw);
    int position = 0;
    say("pack room", class_of(MPI_Pack(b, 1, type, other, 16, &position, MPI_COMM_WORLD)), position, 0, 0);
    say("pack comm", class_of(MPI_Pack(b, 1, type, memory, 4096, &position, MPI_COMM_NULL)), position, 0, 0);
    position = 4090;
    say("unpack room", class_of(MPI_Unpack(other, 4096, &position, b, 1, type, MPI_COMM_WORLD)), position, 0, 0);
    for (int way = 0; way < 3; way++) {
        MPI_Status status[2];
        memset(status, 0, sizeof status);
        if (rank == 0)
            MPI_Send(b, 2, type, 1, 5, MPI_COMM_WORLD);
        else if (way == 0)
            say("truncated", class_of(MPI_Recv(b, 1, type, 0, 5, MPI_COMM_WORLD, &status[0])), 0, 0, 0);
        else if (way == 1) {
            MPI_Irecv(b, 1, type, 0, 5, MPI_COMM_WORLD, &r);
            say("truncated", class_of(MPI_Wait(&r, &status[0])), r == MPI_REQUEST_NULL, 0, 0);
        } else {
            MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            MPI_Irecv(b, 1, type, 0, 5, MPI_COMM_WORLD, &both[1]);
            int code = MPI_Waitall(2, both, status);
            say("truncated", class_of(code), class_of(status[0].MPI_ERROR),
                class_of(status[1].MPI_ERROR), both[1] == MPI_REQUEST_NULL);
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void requests(void)
{
    MPI_Status status;
    MPI_Request r;
    int flag = 0;
    /* Cancelled: nothing arrives, the buffer keeps its bytes. */
    fill(memory, 3);
    MPI_Irecv(memory + ORIGIN, 1, types[0], 1 - rank, 99, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &flag);
    say("cancelled", flag, hash(memory, BYTES), 0, 0);
    /* After Request_get_status the buffer may be read, before the request is waited for. */
    fill(memory, (unsigned)(rank + 4));
    if (rank == 0)
        MPI_Send(memory + ORIGIN, 2, types[4], 1, 1, MPI_COMM_WORLD);
    else {
        MPI_Irecv(memory + ORIGIN, 2, types[4], 0, 1, MPI_COMM_WORLD, &r);
        for (flag = 0; !flag;)
            MPI_Request_get_status(r, &flag, &status);
        say("get_status", hash(memory, BYTES), r == MPI_REQUEST_NULL, 0, 0);
        say_status("status", &status, types[4]);
        memory[ORIGIN] ^= 1;
        MPI_Wait(&r, &status);
        say("after wait", hash(memory, BYTES), r == MPI_REQUEST_NULL, 0, 0);
        say_status("status", &status, types[4]);
    }
    /* A send that is freed at once still arrives, whatever becomes of its buffers in between. */
    for (int i = 0; i < 20; i++) {
        fill(memory, (unsigned)(rank + 50 + i));
        if (rank == 0) {
            MPI_Isend(memory + ORIGIN, 1, types[11], 1, 6, MPI_COMM_WORLD, &r);
            MPI_Request_free(&r);
            say("freed", r == MPI_REQUEST_NULL, 0, 0, 0);
        } else {
            MPI_Recv(memory + ORIGIN, 1, types[11], 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            say("arrived", hash(memory, BYTES), 0, 0, 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    /* A receive that is freed is complete when a later message of the same sender is there and
       the library has made progress on both. */
    fill(memory, (unsigned)(rank + 90));
    if (rank == 1) {
        MPI_Irecv(memory + ORIGIN, 1, types[8], 0, 7, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Ssend(memory + ORIGIN, 1, types[8], 1, 7, MPI_COMM_WORLD);
        MPI_Ssend(memory, 4, MPI_INT, 1, 8, MPI_COMM_WORLD);
    } else {
        /* Rank 0 may be far ahead. */
        enum { NOBODYS_TAG = 9999 };
        int unused[4];
        MPI_Irecv(unused, 4, MPI_INT, 0, 8, MPI_COMM_WORLD, &r);
        for (flag = 0; !flag;)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        flag = 0;
        MPI_Irecv(unused, 4, MPI_INT, 0, NOBODYS_TAG, MPI_COMM_WORLD, &r);
        for (int i = 0; i < 1000; i++)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        MPI_Cancel(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        say("freed receive", hash(memory, BYTES), 0, 0, 0);
    }
    /* Many at once, completed out of order, types freed while they are under way. */
    enum { MANY = 24 };
    fill(other, 11);
    fill(memory, (unsigned)(rank + 12));
    MPI_Request many[MANY];
    for (int i = 0; i < MANY; i++) {
        MPI_Datatype t;
        MPI_Type_vector(20 + i, 1, 2 + i % 3, MPI_INT, &t);
        MPI_Type_commit(&t);
        for (int warm = 0; warm < 2; warm++) {
            char packed[4096];
            int position = 0;
            MPI_Pack(other, 1, t, packed, sizeof packed, &position, MPI_COMM_WORLD);
            say("packed", position, hash(packed, (size_t)position), 0, 0);
        }
        if (rank == 0)
            MPI_Isend(memory + 800 * i, 1, t, 1, 100 + i, MPI_COMM_WORLD, &many[i]);
        else
            MPI_Irecv(memory + 800 * i, 1, t, 0, 100 + i, MPI_COMM_WORLD, &many[i]);
        MPI_Type_free(&t);
    }
    for (int left = MANY; left > 0; left--) {
        int index;
        MPI_Waitany(MANY, many, &index, MPI_STATUS_IGNORE);
    }
    say("many", rank ? hash(memory, BYTES) : 0, 0, 0, 0);
}

static void packing(void)
{
    for (int t = 0; t < TYPES - 1; t++)
        for (int count = 0; count <= 3; count++) {
            fill(memory, (unsigned)(t + 20 * count));
            fill(other, 1);
            static char packed[BYTES];
            memset(packed, 0, sizeof packed);
            int position = 5;
            int code = MPI_Pack(memory + ORIGIN, count, types[t], packed, BYTES, &position,
                                MPI_COMM_WORLD);
            say(names[t], code, position, hash(packed, BYTES), 0);
            position = 5;
            code = MPI_Unpack(packed, BYTES, &position, other + ORIGIN, count, types[t],
                              MPI_COMM_WORLD);
            say("unpacked", code, position, hash(other, BYTES), 0);
        }
}

/* Types of different layouts under the same (reused) handle, and what the program sees of a type. */
static void handles(void)
{
    for (int i = 0; i < 60; i++) {
        MPI_Datatype t, d;
        MPI_Type_create_hvector(2 + i % 7, 1 + i % 3, 16 + 8 * (i % 5), MPI_INT, &t);
        MPI_Type_commit(&t);
        MPI_Type_dup(t, &d);
        fill(memory, (unsigned)(rank + i));
        for (int again = 0; again < 2; again++) {
            if (rank == 0)
                MPI_Send(memory, 2, again ? d : t, 1, i, MPI_COMM_WORLD);
            else
                MPI_Recv(memory, 2, again ? t : d, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        say("received", hash(memory, BYTES), 0, 0, 0);
        int ints, addresses, parts, combiner;
        MPI_Type_get_envelope(t, &ints, &addresses, &parts, &combiner);
        say("envelope", ints, addresses, parts, combiner == MPI_COMBINER_HVECTOR);
        int n[2];
        MPI_Aint a[1];
        MPI_Datatype old[1];
        MPI_Type_get_contents(t, 2, 1, 1, n, a, old);
        say("contents", n[0], n[1], a[0], old[0] == MPI_INT);
        MPI_Type_free(&t);
        if (rank == 0)
            MPI_Send(memory, 1, d, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(memory, 1, d, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("received by dup", hash(memory, BYTES), 0, 0, 0);
        MPI_Type_free(&d);
    }
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        {"transfers", transfers}, {"exchanges", exchanges}, {"short", short_messages},
        {"bottom", bottom}, {"errors", errors}, {"requests", requests}, {"packing", packing},
        {"handles", handles},
    };
    return observe(argc, argv, parts, sizeof parts / sizeof *parts);
}
