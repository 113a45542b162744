/* Four threads per rank exchange typed messages with their peers on the other rank at once
 * (MPI_THREAD_MULTIPLE), with types that all share and types of their own. Verifies every byte. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 300, N = 400 };

static int rank;
static MPI_Datatype shared;

static int value(int from, int thread, int round, int i)
{
    return from * 1000003 + thread * 10007 + round * 101 + i;
}

static void *work(void *argument)
{
    int me = (int)(long)argument;
    int *out = malloc(4 * N * sizeof(int)), *in = malloc(4 * N * sizeof(int));
    long wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype own = shared;
        int stride = 4, block = 2;
        if (round % 3 == 0) {
            stride = 2 + round % 2;
            block = 1;
            MPI_Type_vector(N, block, stride, MPI_INT, &own);
            MPI_Type_commit(&own);
        }
        int n = round % 3 == 0 ? N : N / 2;
        for (int i = 0; i < 4 * N; i++) {
            out[i] = value(rank, me, round, i);
            in[i] = -1;
        }
        MPI_Request r[2];
        MPI_Irecv(in, 1, own, 1 - rank, me, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, 1, own, 1 - rank, me, MPI_COMM_WORLD, &r[1]);
        if (round % 2)
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        else
            for (int flag = 0; !flag;)
                MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4 * N; i++) {
            int inside = i / stride < n && i % stride < block;
            int right = inside ? value(1 - rank, me, round, i) : -1;
            if (in[i] != right && wrong++ == 0)
                fprintf(stderr, "rank %d, thread %d, round %d: int %d is %d, should be %d\n", rank, me,
                        round, i, in[i], right);
        }
        if (own != shared)
            MPI_Type_free(&own);
    }
    free(out);
    free(in);
    return (void *)wrong;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_MULTIPLE) {
        printf("no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 0;
    }
    MPI_Type_vector(N / 2, 2, 4, MPI_INT, &shared);
    MPI_Type_commit(&shared);
    pthread_t threads[THREADS];
    long wrong = 0;
    for (long t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, (void *)t);
    for (int t = 0; t < THREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        wrong += (long)result;
    }
    MPI_Type_free(&shared);
    printf("rank %d: %ld wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
