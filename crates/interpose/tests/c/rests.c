/* Thousands of exchanges of a few kinds in random order, so that their contests are over and most of
 * them are left alone: what arrives is the same, whatever a thread left alone last. Blocking and
 * non-blocking, collective, persistent, to nobody, contiguous ones between them, and types that
 * come and go. */
#include "observe.h"

enum { TURNS = 4000, FORMS = 9, COLUMN = 48, PITCH = 12, LENGTH = COLUMN * PITCH };

static double sent[2][LENGTH], received[2][LENGTH];
static MPI_Request persistent[2];
static MPI_Datatype column;

static MPI_Datatype make(int blocks)
{
    MPI_Datatype type;
    MPI_Type_vector(blocks, 1, PITCH, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void exchange(int form, int partner)
{
    int one = 1, flag = 0, index, done, indices[4], zeros[2] = {0, 0}, counts[2] = {0, 0};
    MPI_Request r[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    MPI_Datatype both[2] = {column, column}, fleeting;
    MPI_Comm comm = MPI_COMM_WORLD;
    switch (form) {
    case 0: case 1: case 2: case 3:
        for (int k = 0; k < 2; k++)
            MPI_Irecv(received[k], 1, column, partner, k, comm, &r[k]);
        for (int k = 0; k < 2; k++)
            MPI_Isend(sent[k], 1, column, partner, k, comm, &r[2 + k]);
        if (form == 0)
            MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        if (form == 1)
            for (int k = 0; k < 4; k++)
                MPI_Waitany(4, r, &index, &status);
        if (form == 2)
            while (!flag)
                MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
        if (form == 3)
            for (int left = 4; left > 0; left -= done)
                MPI_Waitsome(4, r, &done, indices, MPI_STATUSES_IGNORE);
        break;
    case 4:
        for (int k = 0; k < 2; k++)
            MPI_Sendrecv(sent[k], 1, column, partner, k, received[k], 1, column, partner, k, comm,
                         MPI_STATUS_IGNORE);
        break;
    case 5:
        for (int k = 0; k < 2; k++)
            for (int turn = 0; turn < 2; turn++)
                if (turn == rank)
                    MPI_Send(sent[k], 1, column, partner, k, comm);
                else
                    MPI_Recv(received[k], 1, column, partner, k, comm, &status);
        break;
    case 6:
        counts[partner] = one;
        for (int k = 0; k < 2; k++)
            MPI_Alltoallw(sent[k], counts, zeros, both, received[k], counts, zeros, both, comm);
        break;
    case 7:
        MPI_Irecv(received[1], 1, column, MPI_PROC_NULL, 0, comm, &r[0]);
        MPI_Startall(2, persistent);
        MPI_Send(sent[1], 1, column, MPI_PROC_NULL, 0, comm);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(sent[1], LENGTH, MPI_DOUBLE, partner, 3, received[1], LENGTH, MPI_DOUBLE,
                     partner, 3, comm, &status);
        break;
    default:
        fleeting = make(COLUMN);
        for (int k = 0; k < 2; k++)
            MPI_Irecv(received[k], 1, fleeting, partner, k, comm, &r[k]);
        MPI_Isend(sent[0], 1, column, partner, 0, comm, &r[2]);
        MPI_Type_free(&fleeting);
        MPI_Send(sent[1], 1, column, partner, 1, comm);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    }
}

static void rests(void)
{
    unsigned dice = 7;
    int wrong = 0, partner = 1 - rank, form = 0;
    column = make(COLUMN);
    MPI_Recv_init(received[0], 1, column, partner, 5, MPI_COMM_WORLD, &persistent[0]);
    MPI_Send_init(sent[0], 1, column, partner, 5, MPI_COMM_WORLD, &persistent[1]);
    for (int turn = 0; turn < TURNS; turn++) {
        /* Each form for a while first, then any. */
        dice = dice * 1664525u + 1013904223u;
        form = turn < 250 * FORMS ? turn / 250 : (int)(dice >> 16) % FORMS;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < LENGTH; i++) {
                sent[k][i] = (turn * 2.0 + rank) * LENGTH * 2 + k * LENGTH + i;
                received[k][i] = -1;
            }
        exchange(form, partner);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < LENGTH; i++) {
                int comes = i % PITCH == 0 || (form == 7 && k == 1);
                double value = (turn * 2.0 + partner) * LENGTH * 2 + k * LENGTH + i;
                wrong += received[k][i] != (comes ? value : -1);
            }
        if (wrong > 0) {
            say("wrong", turn, form, wrong, 0);
            break;
        }
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&persistent[i]);
    MPI_Type_free(&column);
    say("done", wrong, 0, 0, 0);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {{"rests", rests}};
    return observe(argc, argv, parts, 1);
}
