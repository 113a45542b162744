/* Calls under their second names: a request made by MPI_X is completed by PMPI_Y and the other way round, as in programs
 * that are partly Fortran (Open MPI's bindings call PMPI_X) or have a tool linked to them. Two ranks; every observation is
 * printed, as in semantics.c. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { INTS = 4000, WAYS = 12 };

static int rank, memory[INTS];

static long hash(void)
{
    long h = 7;
    for (int i = 0; i < INTS; i++)
        h = (h * 131071 + (unsigned)memory[i]) % 2147483629;
    return h;
}

static void fill(int seed)
{
    for (int i = 0; i < INTS; i++)
        memory[i] = seed * INTS + i;
}

/* Completes with the other name than the one that `mpi` says. */
static void complete(int way, int mpi, MPI_Request *r, MPI_Status *status)
{
    MPI_Request both[2] = {MPI_REQUEST_NULL, *r};
    MPI_Status statuses[2];
    int flag = 0, index = 0, done = 0, indices[2];
    memset(statuses, 0, sizeof statuses);
#define CALL(name, ...) ((void)(mpi ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__)))
    switch (way) {
    case 0: CALL(Wait, &both[1], status); break;
    case 1: CALL(Wait, &both[1], MPI_STATUS_IGNORE); break;
    case 2: while (!flag) CALL(Test, &both[1], &flag, status); break;
    case 3: CALL(Waitall, 2, both, statuses); *status = statuses[1]; break;
    case 4: CALL(Waitall, 2, both, MPI_STATUSES_IGNORE); break;
    case 5: while (!flag) CALL(Testall, 2, both, &flag, statuses); *status = statuses[1]; break;
    case 6: CALL(Waitany, 2, both, &index, status); break;
    case 7: while (!flag) CALL(Testany, 2, both, &index, &flag, status); break;
    case 8: CALL(Waitsome, 2, both, &done, indices, statuses); *status = statuses[0]; break;
    case 9: while (!done) CALL(Testsome, 2, both, &done, indices, MPI_STATUSES_IGNORE); break;
    case 10:
        while (!flag)
            CALL(Request_get_status, both[1], &flag, status);
        printf("rank %d seen %ld\n", rank, hash());
        CALL(Wait, &both[1], MPI_STATUS_IGNORE);
        break;
    case 11: /* freed while it is under way: a send of MPI arrives all the same */
        if (rank == 0)
            CALL(Request_free, &both[1]);
        else
            CALL(Wait, &both[1], status);
        break;
    }
#undef CALL
    *r = both[1];
}

static void cross(int way, int mpi, MPI_Datatype type)
{
    MPI_Request r;
    MPI_Status status;
    memset(&status, 0, sizeof status);
    fill(10 * way + rank);
    if (rank == 0 && mpi)
        PMPI_Isend(memory, 2, type, 1, way, MPI_COMM_WORLD, &r);
    else if (rank == 0)
        MPI_Isend(memory, 2, type, 1, way, MPI_COMM_WORLD, &r);
    else if (mpi)
        PMPI_Irecv(memory, 2, type, 0, way, MPI_COMM_WORLD, &r);
    else
        MPI_Irecv(memory, 2, type, 0, way, MPI_COMM_WORLD, &r);
    complete(way, mpi, &r, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d way %d %d: %ld %d\n", rank, way, mpi, hash(), r == MPI_REQUEST_NULL);
    if (rank == 1 && way != 1 && way != 4 && way != 9) {
        int count;
        MPI_Get_count(&status, type, &count);
        printf("rank 1 status %d %d %d\n", status.MPI_SOURCE, status.MPI_TAG, count);
    }
}

/* The same, request by request, of one that stays. */
static void persistent(int mpi, MPI_Datatype type)
{
    MPI_Request r;
    if (rank == 0 && mpi)
        PMPI_Send_init(memory, 2, type, 1, 1, MPI_COMM_WORLD, &r);
    else if (rank == 0)
        MPI_Send_init(memory, 2, type, 1, 1, MPI_COMM_WORLD, &r);
    else if (mpi)
        PMPI_Recv_init(memory, 2, type, 0, 1, MPI_COMM_WORLD, &r);
    else
        MPI_Recv_init(memory, 2, type, 0, 1, MPI_COMM_WORLD, &r);
    for (int round = 0; round < 4; round++) {
        fill(20 * round + rank);
        if (round % 2 == mpi) {
            MPI_Start(&r);
            PMPI_Wait(&r, MPI_STATUS_IGNORE);
        } else {
            PMPI_Startall(1, &r);
            MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);
        }
        printf("rank %d persistent %d %d: %ld\n", rank, mpi, round, hash());
    }
    if (mpi)
        MPI_Request_free(&r);
    else
        PMPI_Request_free(&r);
    printf("rank %d freed %d\n", rank, r == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    MPI_Datatype types[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(20, 3, 7, MPI_INT, &types[0]);
    MPI_Type_vector(200, 1, 7, MPI_INT, &types[1]);
    PMPI_Type_commit(&types[0]);
    MPI_Type_commit(&types[1]);
    for (int mpi = 0; mpi < 2; mpi++)
        for (int t = 0; t < 2; t++) {
            for (int way = 0; way < WAYS; way++)
                cross(way, mpi, types[t]);
            persistent(mpi, types[t]);
        }
    MPI_Type_free(&types[0]);
    PMPI_Type_free(&types[1]);
    PMPI_Finalize();
    return 0;
}
