/* Messages that end inside a basic element of the receive: what the program sees of the error, and
 * which bytes it has. Receives are posted before their messages are sent, and short: MPICH crashes
 * by itself over messages that wait for such a receive, and takes long ones with an error or
 * without, depending on how they come. */
#include "observe.h"

enum { ROOM = 8192, KINDS = 5, WAYS = 7, TAG = 50 };

static const int sizes[KINDS] = {4, 8, 2, 4, 8};

static MPI_Datatype make(int kind)
{
    MPI_Datatype t, u;
    int lengths[3] = {1, 2, 1}, places[3] = {4, 8, 16};
    switch (kind) {
    case 0: MPI_Type_vector(100, 1, 2, MPI_INT, &t); break;
    case 1: MPI_Type_vector(60, 3, 5, MPI_DOUBLE, &t); break;
    case 2: MPI_Type_vector(80, 5, 7, MPI_SHORT, &t); break;
    case 3: MPI_Type_indexed(3, lengths, places, MPI_INT, &t); break;
    default: MPI_Type_create_hvector(7, 2, 40, MPI_INT64_T, &u);
             MPI_Type_create_resized(u, 0, 300, &t); MPI_Type_free(&u); break;
    }
    MPI_Type_commit(&t);
    return t;
}

static int complete(int way, MPI_Request *r, MPI_Status *s)
{
    int code = 0, flag = 0, index, done, indices[1];
    switch (way) {
    case 0: return MPI_Wait(r, s);
    case 1: return MPI_Wait(r, MPI_STATUS_IGNORE);
    case 2: while (!flag && !code) code = MPI_Test(r, &flag, s); return code;
    case 3: code = MPI_Waitall(1, r, s); return code == MPI_ERR_IN_STATUS ? s->MPI_ERROR : code;
    case 4: return MPI_Waitany(1, r, &index, s);
    case 5: code = MPI_Waitsome(1, r, &done, indices, s);
            return code == MPI_ERR_IN_STATUS ? s->MPI_ERROR : code;
    default: return MPI_Wait(r, s);
    }
}

static void receive(int way, int count, MPI_Datatype type, MPI_Comm sync)
{
    MPI_Request r;
    MPI_Status s;
    if (way == 6) {
        MPI_Recv_init(memory, count, type, 0, TAG, MPI_COMM_WORLD, &r);
        MPI_Start(&r);
    } else
        MPI_Irecv(memory, count, type, 0, TAG, MPI_COMM_WORLD, &r);
    MPI_Barrier(sync);
    int code = complete(way, &r, &s);
    say("completed", class_of(code), code == MPI_SUCCESS && way != 1 ? s.MPI_TAG : 0,
        r == MPI_REQUEST_NULL, hash(memory, ROOM));
    if (r != MPI_REQUEST_NULL)
        MPI_Request_free(&r);
}

static void ends_inside(void)
{
    MPI_Comm sync;
    MPI_Comm_dup(MPI_COMM_WORLD, &sync);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    fill(other, 3);
    for (int kind = 0; kind < KINDS; kind++)
        for (int way = 0; way < WAYS; way++)
            for (int at = 0; at < 4; at++) {
                MPI_Datatype type = make(kind);
                int size, count = 1 + at % 2;
                MPI_Type_size(type, &size);
                /* In the first element, the second, the last, and after whole ones. */
                int ends[4] = {1, sizes[kind] + 1, count * size - 1, count * size - sizes[kind]};
                memset(memory, 7, ROOM);
                say("case", kind, way, count, ends[at]);
                if (rank == 1)
                    receive(way, count, type, sync);
                else {
                    MPI_Barrier(sync);
                    MPI_Send(other, ends[at], MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
                }
                MPI_Type_free(&type);
            }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&sync);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {{"ends inside", ends_inside}};
    return observe(argc, argv, parts, 1);
}
