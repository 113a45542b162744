// Calls on a window that fail, in the middle of epochs in which others put into it, change nothing
// of what arrives, and wait for nobody.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The first epochs show commloom what is put. */
enum { N = 300, ROUNDS = 12, EPOCHS = 14, QUIET = 6 };

static MPI_Win window;
static MPI_Group other;
static int rank, failed;
static unsigned same, own;

static unsigned drawn(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* A call that fails at once. In an epoch of fences, MPICH and Open MPI refuse all of these. */
static void fail(unsigned which)
{
    int code = MPI_SUCCESS;
    switch (which) {
    case 0: code = MPI_Win_complete(window); break;
    case 1: code = MPI_Win_wait(window); break;
    case 2: code = MPI_Win_fence(-1, window); break;
    case 3: code = MPI_Put(NULL, 1, MPI_INT, 7, 0, 1, MPI_INT, window); break;
    }
    failed += code != MPI_SUCCESS;
}

/* One epoch: how many elements are wrong. */
static int put(int peer, int value, int may_fail, MPI_Datatype gaps, const int *memory)
{
    int from[2 * N], wrong = 0;
    for (int i = 0; i < 2 * N; i++)
        from[i] = value + i + rank;
    int fails_late = drawn(&own) % 2;
    if (may_fail && drawn(&own) % 2)
        fail(drawn(&own) % 4);
    MPI_Put(from, 1, gaps, peer, 0, 1, gaps, window);
    if (may_fail && fails_late)
        fail(drawn(&own) % 4);
    /* A fence that fails does not wait for the other process, which waits for this one. */
    if (drawn(&same) % 4 == 0 && may_fail) {
        if (rank == 1) {
            fail(2);
            MPI_Send(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
        } else {
            MPI_Recv(NULL, 0, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Win_fence(0, window);
    for (int i = 0; i < 2 * N; i++)
        wrong += memory[i] != (i % 2 ? 0 : value + i + peer);
    MPI_Win_fence(0, window);
    return wrong;
}

int main(int argc, char **argv)
{
    int *memory, wrong = 0;
    same = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    if (argc > 2) {
        struct rlimit limit = {40u << 20, 40u << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    MPI_Datatype gaps;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = same + 77u * (unsigned)rank;
    int peer = 1 - rank;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Type_vector(N, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_Win_allocate(2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                         &window);
        MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
        memset(memory, 0, 2 * N * sizeof(int));
        MPI_Win_fence(0, window);
        for (int epoch = 1; epoch <= EPOCHS; epoch++)
            wrong += put(peer, 1000 * (100 * round + epoch), epoch > QUIET, gaps, memory);
        MPI_Win_free(&window);
    }
    printf("rank %d: %d failed, %d wrong\n", rank, failed, wrong);
    MPI_Type_free(&gaps);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
