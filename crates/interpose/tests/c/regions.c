/* Messages of all kinds inside a region from MPI_Pcontrol(0) to MPI_Pcontrol(1), as often as the argument says, and
 * before and after it. What is begun before the region is completed in it, and the other way round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTS = 400, STRIDE = 4, PIECES = 100, PIECE = 2 };
static int out[INTS], in[INTS], rank, wrong;
static MPI_Datatype type;
static MPI_Request kept[2];

static void fill(int salt)
{
    for (int i = 0; i < INTS; i++)
        out[i] = 1000 * salt + 10 * i + rank, in[i] = -1;
}

/* What the other rank has filled in has arrived, and the gaps are as they were. */
static void check(int salt)
{
    for (int i = 0; i < INTS; i++)
        wrong += in[i] != (i % STRIDE < PIECE ? 1000 * salt + 10 * i + 1 - rank : -1);
}

/* A message in each direction, under way. */
static void begin(int salt, int tag, MPI_Request requests[2])
{
    fill(salt);
    MPI_Irecv(in, 1, type, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1, type, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
}

static void end(int salt, MPI_Request requests[2])
{
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(salt);
}

static void packed(int salt)
{
    char bytes[PIECES * PIECE * sizeof(int)];
    int position = 0;
    fill(salt);
    MPI_Pack(out, 1, type, bytes, sizeof bytes, &position, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(bytes, sizeof bytes, MPI_BYTE, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    position = 0;
    MPI_Unpack(bytes, sizeof bytes, &position, in, 1, type, MPI_COMM_WORLD);
    check(salt);
}

static void all_kinds(int salt)
{
    MPI_Request requests[2];
    const int other = 1 - rank, one = 1, none = 0;
    fill(salt);
    if (rank == 0)
        MPI_Send(out, 1, type, other, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 1, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(out, 1, type, other, 0, MPI_COMM_WORLD);
    check(salt);
    begin(salt + 1, 1, requests);
    end(salt + 1, requests);
    fill(salt + 2);
    MPI_Sendrecv(out, 1, type, other, 2, in, 1, type, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(salt + 2);
    fill(salt + 3);
    MPI_Startall(2, kept);
    MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
    check(salt + 3);
    fill(salt + 4);
    int counts[2] = {rank == 0 ? none : one, rank == 0 ? one : none}, displacements[2] = {0, 0};
    MPI_Datatype types[2] = {type, type};
    MPI_Alltoallw(out, counts, displacements, types, in, counts, displacements, types, MPI_COMM_WORLD);
    check(salt + 4);
    packed(salt + 5);
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int inside = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Type_vector(PIECES, PIECE, STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(in, 1, type, 1 - rank, 4, MPI_COMM_WORLD, &kept[0]);
    MPI_Send_init(out, 1, type, 1 - rank, 4, MPI_COMM_WORLD, &kept[1]);
    for (int i = 0; i < 3; i++)
        all_kinds(10 * i);

    begin(100, 5, requests);
    MPI_Pcontrol(0);
    end(100, requests);
    for (int i = 0; i < inside; i++)
        all_kinds(200 + 10 * i);
    begin(300, 6, requests);
    MPI_Pcontrol(1);
    end(300, requests);

    for (int i = 0; i < 3; i++)
        all_kinds(400 + 10 * i);
    MPI_Request_free(&kept[0]);
    MPI_Request_free(&kept[1]);
    MPI_Type_free(&type);
    printf("%d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
