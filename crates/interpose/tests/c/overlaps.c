/* Receives into elements that have bytes in common, of layouts drawn from a seed. MPI forbids them, but
 * libraries take them, and which value such a byte keeps follows from the order of the type map. One
 * layout is from Open MPI's own tests: there its elements overlap because of where Open MPI puts them. */
#include "observe.h"

enum { LAYOUTS = 60, CALLS = 9, MOST = 12, TAG = 3 };

static unsigned state;

static int draw(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 8) % below;
}

/* Bytes before a gap, members with a gap of their own, and more bytes. */
static MPI_Datatype padded(void)
{
    MPI_Datatype run, member, type, parts[3] = {MPI_BYTE, MPI_DATATYPE_NULL, MPI_BYTE};
    int lengths[3] = {4, 9, 36};
    MPI_Aint places[3] = {0, 8, 404};
    MPI_Type_contiguous(40, MPI_BYTE, &run);
    MPI_Type_create_resized(run, 0, 44, &member);
    parts[1] = member;
    MPI_Type_create_struct(3, lengths, places, parts, &type);
    MPI_Type_free(&run);
    MPI_Type_free(&member);
    return type;
}

static MPI_Datatype make(int kind)
{
    MPI_Datatype type, inner;
    int blocks[8], places[8], n = 2 + draw(6);
    for (int i = 0; i < n; i++) {
        blocks[i] = 1 + draw(9);
        places[i] = draw(30);
    }
    switch (kind) {
    case 0: return padded();
    case 1: MPI_Type_vector(2 + draw(40), 2 + draw(12), 1 + draw(3), MPI_INT, &type); break;
    case 2: MPI_Type_indexed(n, blocks, places, MPI_INT, &type); break;
    case 3: MPI_Type_create_indexed_block(n, 1 + draw(7), places, MPI_BYTE, &type); break;
    case 4:
        MPI_Type_vector(2 + draw(5), 1 + draw(3), 3, MPI_SHORT, &inner);
        MPI_Type_create_resized(inner, 0, 2 + 2 * draw(4), &type);
        MPI_Type_free(&inner);
        break;
    default:
        MPI_Type_vector(2 + draw(5), 3, 5, MPI_BYTE, &inner);
        MPI_Type_create_hvector(2 + draw(4), 2, -(1 + draw(9)), inner, &type);
        MPI_Type_free(&inner);
    }
    return type;
}

static unsigned char *bytes;

static void receive(int call, int count, MPI_Datatype type, int size)
{
    unsigned char *here = memory + ORIGIN;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    int position = 0, all = count * size;
    switch (call) {
    case 0: MPI_Unpack(bytes, all, &position, here, count, type, world); return;
    case 1:
        if (rank == 0) MPI_Send(bytes, all, MPI_PACKED, 1, TAG, world);
        else MPI_Recv(here, count, type, 0, TAG, world, MPI_STATUS_IGNORE);
        return;
    case 2:
        if (rank == 0) MPI_Send(bytes, all, MPI_PACKED, 1, TAG, world);
        else MPI_Irecv(here, count, type, 0, TAG, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    case 3:
        if (rank == 0) {
            MPI_Send(bytes, all, MPI_PACKED, 1, TAG, world);
            return;
        }
        MPI_Recv_init(here, count, type, 0, TAG, world, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        return;
    case 4:
        MPI_Sendrecv(bytes, all, MPI_PACKED, 1 - rank, TAG, here, count, type, 1 - rank, TAG, world,
                     MPI_STATUS_IGNORE);
        return;
    case 5: MPI_Sendrecv_replace(here, count, type, 1 - rank, TAG, 1 - rank, TAG, world, MPI_STATUS_IGNORE); return;
    case 6: MPI_Bcast(here, count, type, 0, world); return;
    case 7: MPI_Scatter(bytes, all, MPI_BYTE, here, count, type, 0, world); return;
    default:
        MPI_Ibcast(here, count, type, 1, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void overlaps(void)
{
    bytes = malloc(BYTES);
    fill(bytes, 77);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        state = 4711u + (unsigned)layout;
        MPI_Datatype type = make(layout % 6);
        MPI_Type_commit(&type);
        int size, count = 1 + draw(MOST);
        MPI_Type_size(type, &size);
        for (int call = 0; call < CALLS; call++) {
            fill(memory, 5);
            receive(call, count, type, size);
            say("received", layout, call, count, hash(memory, BYTES));
        }
        MPI_Type_free(&type);
    }
    free(bytes);
}

int main(int argc, char **argv)
{
    struct part parts[] = {{"overlaps", overlaps}};
    return observe(argc, argv, parts, sizeof parts / sizeof *parts);
}
