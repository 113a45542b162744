/* What the examples of communication graphs share: errors, comparison, times. */
#ifndef COMMLOOM_EXAMPLES_CDAG_COMMON_H
#define COMMLOOM_EXAMPLES_CDAG_COMMON_H

#include <mpi.h>

#include <commloom.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static inline void fail(const char *what)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, cDAG_LastError());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Operations and codes are negative where a call failed. */
#define TRY(call) ((call) < 0 ? fail(#call) : (void)0)

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline cDAG_graph new_graph(void)
{
    cDAG_graph graph = cDAG_CreateGraph();
    if (graph.id == 0) fail("cDAG_CreateGraph");
    return graph;
}

/* Compiles a graph and frees it. */
static inline cDAG_Schedule compile(cDAG_graph graph)
{
    cDAG_Schedule schedule = cDAG_CompileGraph(graph);
    if (schedule.id == 0) fail("cDAG_CompileGraph");
    TRY(cDAG_Free(graph));
    return schedule;
}

static inline void *allocate(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (!memory) {
        fprintf(stderr, "rank %d: no memory for %zu bytes\n", rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

#endif
