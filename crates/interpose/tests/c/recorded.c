/* Makes every kind of call that a trace records, on four ranks, in steps that tests/trace.rs knows one by one. Each step
 * begins with MPI_Pcontrol(100 + step). Prints what every rank has in the end: a trace changes nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64 };

static int rank, ranks;
static uint64_t seen = 1469598103934665603u;

static void look(const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        seen = (seen ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void fill(double *values, int n, int salt)
{
    for (int i = 0; i < n; i++)
        values[i] = salt * 1000.0 + i * 0.1 + rank;
}

/* Ranks 0 and 1 send in all modes; 2 and 3 do nothing here, and so on: each step has its actors. */
static void blocking(void)
{
    double a[N], b[N];
    fill(a, N, 1);
    if (rank == 0) {
        MPI_Send(a, N, MPI_DOUBLE, 1, 10, MPI_COMM_WORLD);
        MPI_Ssend(a, 8, MPI_DOUBLE, 1, 11, MPI_COMM_WORLD);
        int size;
        MPI_Pack_size(8, MPI_DOUBLE, MPI_COMM_WORLD, &size);
        size += MPI_BSEND_OVERHEAD;
        void *attached = malloc((size_t)size);
        MPI_Buffer_attach(attached, size);
        MPI_Bsend(a, 8, MPI_DOUBLE, 1, 12, MPI_COMM_WORLD);
        MPI_Buffer_detach(&attached, &size);
        free(attached);
        MPI_Send(a, 3, MPI_DOUBLE, MPI_PROC_NULL, 13, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(b, N, MPI_DOUBLE, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        look(b, sizeof b);
        MPI_Status status;
        MPI_Recv(b, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        look(b, 8 * sizeof *b);
        if (status.MPI_SOURCE != 0 || status.MPI_TAG != 11)
            MPI_Abort(MPI_COMM_WORLD, 9);
        MPI_Recv(b, 8, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        look(b, 8 * sizeof *b);
        MPI_Recv(b, 3, MPI_DOUBLE, MPI_PROC_NULL, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A ring, non-blocking; completed by the whole family, one call a round. */
static void non_blocking(void)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    double a[N], b[N];
    for (int round = 0; round < 8; round++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        int index, done = 0, flag, indices[2], left_over;
        fill(a, N, 20 + round);
        MPI_Irecv(b, N, MPI_DOUBLE, left, 20 + round, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(a, N, MPI_DOUBLE, right, 20 + round, MPI_COMM_WORLD, &requests[1]);
        switch (round) {
        case 0:
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            break;
        case 1:
            MPI_Wait(&requests[0], &statuses[0]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            break;
        case 2:
            while (done < 2) {
                MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
                done++;
            }
            break;
        case 3:
            while (done < 2) {
                MPI_Waitsome(2, requests, &left_over, indices, statuses);
                done += left_over;
            }
            break;
        case 4:
            for (int i = 0; i < 2; i++)
                for (flag = 0; !flag;)
                    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
            break;
        case 5:
            for (flag = 0; !flag;)
                MPI_Testall(2, requests, &flag, statuses);
            break;
        case 6:
            while (done < 2) {
                MPI_Testany(2, requests, &index, &flag, statuses);
                done += flag && index != MPI_UNDEFINED;
            }
            break;
        default:
            while (done < 2) {
                MPI_Testsome(2, requests, &left_over, indices, MPI_STATUSES_IGNORE);
                done += left_over;
            }
        }
        look(b, sizeof b);
    }
}

/* Two starts of a persistent pair, of a column of a matrix. */
static void persistent(void)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    double a[4][4], b[4][4];
    MPI_Datatype column;
    MPI_Request requests[2];
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    memset(b, 0, sizeof b);
    MPI_Recv_init(&b[0][3], 1, column, left, 30, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&a[0][1], 1, column, right, 30, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&column);
    for (int start = 0; start < 2; start++) {
        fill(&a[0][0], 16, 30 + start);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        look(b, sizeof b);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Sendrecv, sendrecv_replace, a matched probe, a shorter message than its buffer. */
static void others(void)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    double a[N], b[N];
    fill(a, N, 40);
    MPI_Sendrecv(a, N / 2, MPI_DOUBLE, right, 40, b, N, MPI_DOUBLE, left, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    look(b, N / 2 * sizeof *b);
    MPI_Sendrecv_replace(a, N, MPI_DOUBLE, right, 41, left, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    look(a, sizeof a);
    MPI_Request request;
    MPI_Isend(a, 5, MPI_DOUBLE, right, 42, MPI_COMM_WORLD, &request);
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(b, N, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    look(b, 5 * sizeof *b);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(a, 6, MPI_DOUBLE, right, 43, MPI_COMM_WORLD, &request);
    for (int flag = 0; !flag;)
        MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Request received;
    MPI_Imrecv(b, N, MPI_DOUBLE, &message, &received);
    for (int flag = 0; !flag;)
        MPI_Request_get_status(received, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    look(b, 6 * sizeof *b);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* A receive that nobody answers. */
    MPI_Irecv(b, N, MPI_DOUBLE, left, 44, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Collectives, and messages in communicators whose ranks are not those of the world. */
static void collectives(void)
{
    double a[N], b[4 * N];
    MPI_Comm reversed, twin;
    MPI_Request request;
    fill(a, N, 50);
    memset(b, 0, sizeof b);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(a, N, MPI_DOUBLE, 2, MPI_COMM_WORLD);
    MPI_Gather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Allreduce(a, b, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ireduce(a, b, N, MPI_DOUBLE, MPI_MAX, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoall(a, N / ranks, MPI_DOUBLE, b, N / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
    look(b, N * sizeof *b);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &reversed);
    MPI_Bcast(a, 2, MPI_DOUBLE, 0, reversed);
    int me;
    MPI_Comm_rank(reversed, &me);
    if (me == 0)
        MPI_Send(a, 2, MPI_DOUBLE, 1, 51, reversed);
    else
        MPI_Recv(b, 2, MPI_DOUBLE, 0, 51, reversed, MPI_STATUS_IGNORE);
    MPI_Comm_free(&reversed);
    /* Perhaps with the handle of the one before. */
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Allgather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, twin);
    MPI_Comm_free(&twin);
    look(b, 4 * sizeof *b);
}

/* Rank 0 to 1 to 2: passed on as it came, then changed. */
static void forwarding(void)
{
    int32_t data[256];
    for (int i = 0; i < 256; i++)
        data[i] = 7 * i + rank;
    MPI_Pcontrol(1);
    if (rank == 0) {
        MPI_Send(data, 256, MPI_INT32_T, 1, 60, MPI_COMM_WORLD);
        MPI_Send(data, 256, MPI_INT32_T, 1, 61, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(data, 256, MPI_INT32_T, 0, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data + 64, 128, MPI_INT32_T, 2, 60, MPI_COMM_WORLD);
        MPI_Recv(data, 256, MPI_INT32_T, 0, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 256; i++)
            data[i] = 3 * data[i] + 1;
        MPI_Send(data, 256, MPI_INT32_T, 2, 61, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(data, 128, MPI_INT32_T, 1, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        look(data, 512);
        MPI_Recv(data, 256, MPI_INT32_T, 1, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        look(data, sizeof data);
    }
    MPI_Pcontrol(0);
}

/* Recursive doubling: what is sent in the second round is the sum of what was sent and received in the first. */
static void sums(void)
{
    double x[16], y[16];
    int32_t n[16], m[16];
    for (int i = 0; i < 16; i++) {
        x[i] = 0.1 * (i + 1) + rank;
        n[i] = 1000 * rank + i;
    }
    for (int distance = 1; distance < ranks; distance *= 2) {
        int peer = rank ^ distance;
        MPI_Sendrecv(x, 16, MPI_DOUBLE, peer, 70, y, 16, MPI_DOUBLE, peer, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(n, 16, MPI_INT, peer, 71, m, 16, MPI_INT, peer, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 16; i++) {
            x[i] += y[i];
            n[i] += m[i];
        }
    }
    look(x, sizeof x);
    look(n, sizeof n);
}

/* What was sent before a message came is not made of it: here the least of what comes and of what was sent first. */
static void no_sums(void)
{
    double sent[64], came[64];
    int peer = rank ^ 1;
    for (int round = 0; round < 2; round++) {
        MPI_Request request;
        for (int i = 0; i < 64; i++) {
            sent[i] = 100.5 + i;
            if (round == 1 && i % 2 == 0)
                sent[i] -= 1;
            else if (round == 1 && rank % 2 == 1)
                sent[i] += 1;
        }
        MPI_Irecv(came, 64, MPI_DOUBLE, peer, 80, MPI_COMM_WORLD, &request);
        MPI_Send(sent, 64, MPI_DOUBLE, peer, 80, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        look(came, sizeof came);
    }
}

int main(int argc, char **argv)
{
    static void (*const STEPS[])(void) = {blocking, non_blocking, persistent, others, collectives, forwarding, sums, no_sums};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < (int)(sizeof STEPS / sizeof *STEPS); step++) {
        MPI_Pcontrol(100 + step);
        STEPS[step]();
    }
    /* A child that ends writes nothing to the trace. */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    printf("rank %d: %016llx\n", rank, (unsigned long long)seen);
    MPI_Finalize();
    return 0;
}
