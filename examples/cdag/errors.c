/* What is wrong is an error with a message, at every rank; nothing aborts, and afterwards all goes on. */
#include "compare.h"

static int expect(const char *what, long found, long wanted, const char *in_message)
{
    int right = found == wanted && strstr(cDAG_LastError(), in_message) != NULL;
    if (!right) {
        fprintf(stderr, "rank %d: %s: %ld, expected %ld with \"%s\": %s\n", rank, what, found, wanted, in_message,
                cDAG_LastError());
    }
    return right;
}

/* Every call before MPI_Init fails. */
static int before_init(void)
{
    cDAG_graph none = cDAG_CreateGraph();
    return expect("before MPI_Init", (long)none.id, 0, "MPI");
}

static int wrong_arguments(void)
{
    int right = 1, value = 0;
    cDAG_graph g = new_graph(), gone = new_graph();
    cDAG_Schedule never = {12345678};
    TRY(cDAG_Free(gone));
    right &= expect("freed graph", (long)cDAG_Send(gone, &value, 4, 0), CDAG_ERR_HANDLE, "graph");
    right &= expect("freed twice", (long)cDAG_Free(gone), CDAG_ERR_HANDLE, "graph");
    right &= expect("no schedule", (long)cDAG_Run(never), CDAG_ERR_HANDLE, "12345678");
    right &= expect("rank", (long)cDAG_Send(g, &value, 4, size), CDAG_ERR_ARGUMENT, "does not exist");
    right &= expect("negative rank", (long)cDAG_Recv(g, &value, 4, -2), CDAG_ERR_ARGUMENT, "-2");
    right &= expect("null", (long)cDAG_Send(g, NULL, 4, 0), CDAG_ERR_ARGUMENT, "null");
    right &= expect("overlap", (long)cDAG_Copy(g, &value, &value, 4), CDAG_ERR_ARGUMENT, "overlap");
    right &= expect("operation", (long)cDAG_Depend(g, 0, 7), CDAG_ERR_ARGUMENT, "does not exist");
    right &= expect("option", (long)cDAG_Set(g, CDAG_STRICT, 9), CDAG_ERR_ARGUMENT, "option");
    right &= expect("MPI_MAXLOC", (long)cDAG_Reduce(g, &value, &value + 1, 1, MPI_2INT, MPI_MAXLOC), CDAG_ERR_UNSUPPORTED,
                    "operation");
    TRY(cDAG_Free(g));
    return right;
}

/* A receive that nobody sends to. */
static int unmatched(void)
{
    int value;
    cDAG_graph g = new_graph();
    if (rank == 0) TRY(cDAG_Recv(g, &value, sizeof value, size - 1));
    cDAG_Schedule none = cDAG_CompileGraph(g);
    TRY(cDAG_Free(g));
    return expect("unmatched", (long)none.id, 0, "has no partner");
}

/* Every rank receives before it sends. */
static int deadlock(void)
{
    int in, out = rank;
    cDAG_graph g = new_graph();
    cDAG_Op receive = cDAG_Recv(g, &in, sizeof in, (rank + 1) % size);
    cDAG_Op send = cDAG_Send(g, &out, sizeof out, (rank + size - 1) % size);
    TRY(cDAG_Depend(g, send, receive));
    cDAG_Schedule none = cDAG_CompileGraph(g);
    TRY(cDAG_Free(g));
    return expect("deadlock", (long)none.id, 0, "deadlock");
}

/* A shift along any communicator, whose ranks are the other way round; with a datatype with gaps. */
static int goes_on(void)
{
    MPI_Comm reversed;
    MPI_Datatype column;
    int from[6], to[6] = {0}, right = 1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
    MPI_Type_vector(3, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    int mine = size - 1 - rank, next = (mine + 1) % size, previous = (mine + size - 1) % size;
    for (int i = 0; i < 6; i++) from[i] = 10 * mine + i;
    cDAG_graph g = cDAG_CreateGraphOn(reversed);
    TRY(cDAG_SendType(g, from, 1, column, next, 3));
    TRY(cDAG_RecvType(g, to, 1, column, previous, 3));
    cDAG_Schedule schedule = compile(g);
    TRY(cDAG_Run(schedule));
    for (int i = 0; i < 6; i++) right &= to[i] == (i % 2 == 0 ? 10 * previous + i : 0);
    MPI_Type_free(&column);
    MPI_Comm_free(&reversed);
    right &= expect("freed communicator", (long)cDAG_Run(schedule), CDAG_ERR_HANDLE, "freed");
    TRY(cDAG_FreeSchedule(schedule));
    return right;
}

int main(int argc, char **argv)
{
    int right = before_init();
    start(&argc, &argv);
    right &= wrong_arguments() & unmatched() & deadlock() & goes_on();
    right = same_everywhere(&right, &(int){1}, sizeof right);
    if (rank == 0) puts(right ? "RIGHT" : "WRONG");
    MPI_Finalize();
    return !right;
}
