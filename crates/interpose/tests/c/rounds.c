/* Exchanges of several kinds, so many of each: 2 ranks. The test compares these numbers with those of
 * the report, which has every exchange once, under the message that it begins with. */
#include <mpi.h>
#include <stdio.h>

enum { WAITALL = 400, WAITANY = 300, TEST = 200, SENDRECV = 150, ALLTOALL = 100, COLUMN = 64 };
enum { LONG = 120, PAIRS = 1 << 16 }; /* long ones */

static double sent[2][COLUMN * 16], received[2][COLUMN * 16];
static int wrong;

static MPI_Datatype column(int blocks)
{
    MPI_Datatype type;
    MPI_Type_vector(blocks, 1, 16, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void start(int partner, MPI_Datatype type, MPI_Request *requests)
{
    for (int k = 0; k < 2; k++)
        MPI_Irecv(received[k], 1, type, partner, k, MPI_COMM_WORLD, &requests[k]);
    for (int k = 0; k < 2; k++)
        MPI_Isend(sent[k], 1, type, partner, k, MPI_COMM_WORLD, &requests[2 + k]);
}

/* Gives the buffers new values, and looks at the old ones. */
static void next(int turn, int blocks, int count)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < count * blocks; i++) {
            int at = i / blocks + i % blocks * 16;
            if (turn > 0 && received[k][at] != turn * 1000 + i + k)
                wrong++;
            sent[k][at] = (turn + 1) * 1000 + i + k;
            received[k][at] = -1;
        }
}

int main(int argc, char **argv)
{
    int rank, flag, index;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int partner = 1 - rank;
    MPI_Datatype a = column(COLUMN), b = column(COLUMN / 2), c = column(COLUMN / 4), d = column(8), e, f;
    for (int i = 0; i < WAITALL; i++) {
        next(i, COLUMN, 1);
        start(partner, a, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < WAITANY; i++) {
        next(i, COLUMN / 2, 1);
        start(partner, b, requests);
        for (int k = 0; k < 4; k++)
            MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < TEST; i++) {
        next(i, COLUMN / 4, 1);
        start(partner, c, requests);
        do
            MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
        while (!flag);
    }
    for (int i = 0; i < SENDRECV; i++) {
        next(i, 8, 1);
        for (int k = 0; k < 2; k++)
            MPI_Sendrecv(sent[k], 1, d, partner, k, received[k], 1, d, partner, k, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
    MPI_Type_vector(4, 1, 16, MPI_DOUBLE, &e);
    MPI_Type_create_resized(e, 0, sizeof(double), &f);
    MPI_Type_commit(&f);
    for (int i = 0; i < ALLTOALL; i++) {
        next(i, 4, 0);
        MPI_Alltoall(sent[0], 1, f, received[0], 1, f, MPI_COMM_WORLD);
    }
    /* Long enough that what a trial makes is paid for. */
    static int out[PAIRS * 4], in[PAIRS * 4];
    MPI_Datatype g;
    MPI_Type_vector(PAIRS, 2, 4, MPI_INT, &g);
    MPI_Type_commit(&g);
    for (int i = 0; i < LONG; i++) {
        for (int k = 0; k < PAIRS; k++) {
            wrong += i > 0 && in[4 * k] != k + i - 1;
            out[4 * k] = k + i;
            in[4 * k] = -1;
        }
        MPI_Sendrecv(out, 1, g, partner, 0, in, 1, g, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return 0;
}
