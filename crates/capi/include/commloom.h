/*
 * libcommloom: communication graphs. What sends, receives, copies and reductions of many processes do
 * together is found out once, replaced by collective operations where that pays, and run as often as
 * wanted. After T. Hoefler and T. Schneider, "Runtime Detection and Optimization of Collective
 * Communication Patterns" (PACT'12).
 *
 * The library links no MPI library: it uses the one that the program uses, whichever that is. Include
 * <mpi.h> first if you pass communicators, datatypes or operations.
 *
 * Functions return a negative error code (CDAG_ERR_...), or a handle whose id is 0, where they fail;
 * cDAG_LastError tells why. Nothing aborts, nothing is printed.
 *
 * Made by cbindgen from crates/capi/src: do not edit.
 */

#ifndef COMMLOOM_H
#define COMMLOOM_H

#include <stddef.h>
#include <stdint.h>

/**
 * The result of functions: an error, or that all is well.
 */
typedef enum {
  /**
   * All is well.
   */
  CDAG_OK = 0,
  /**
   * A handle of a graph or schedule that does not exist (any more).
   */
  CDAG_ERR_HANDLE = -1,
  /**
   * Another argument that makes no sense: a rank, a null pointer, an operation of another
   * graph.
   */
  CDAG_ERR_ARGUMENT = -2,
  /**
   * The program uses no MPI library, or MPI has not been initialized, or has been finalized.
   */
  CDAG_ERR_NO_MPI = -3,
  /**
   * An MPI call failed.
   */
  CDAG_ERR_MPI = -4,
  /**
   * The graph has no meaning: an unmatched message, a deadlock, a data race, a truncated
   * message.
   */
  CDAG_ERR_GRAPH = -5,
  /**
   * Something that this library or the MPI library cannot do.
   */
  CDAG_ERR_UNSUPPORTED = -6,
  /**
   * A bug of this library.
   */
  CDAG_ERR_INTERNAL = -7,
} cDAG_Error;

/**
 * The options of `cDAG_Set`.
 */
typedef enum {
  /**
   * 0: what messages do to memory is kept (the default). 1: also for whom each process waits.
   */
  CDAG_STRICT = 0,
  /**
   * 0: collectives replace messages where the cost model says that it pays (the default). 1:
   * wherever it is possible. 2: nowhere.
   */
  CDAG_REPLACE = 1,
  /**
   * Which part of the blocks of a scatterv, gatherv or alltoallv must be there, in per cent;
   * 100 is the default.
   */
  CDAG_DENSITY = 2,
  /**
   * 1: also collective operations of some of the processes are looked for; they get
   * communicators of their own. 0 is the default.
   */
  CDAG_SUBSETS = 3,
} cDAG_Option;

/**
 * A graph: what one process sends, receives and computes. Its id is 0 where it could not be made.
 */
typedef struct {
  /**
   * Its number.
   */
  uint64_t id;
} cDAG_graph;

/**
 * An operation of a graph, or a negative error code.
 */
typedef int64_t cDAG_Op;

/**
 * A compiled graph. Its id is 0 where it could not be made.
 */
typedef struct {
  /**
   * Its number.
   */
  uint64_t id;
} cDAG_Schedule;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * An empty graph on MPI_COMM_WORLD. The first one is collective.
 */
cDAG_graph cDAG_CreateGraph(void);

/**
 * An empty graph on any intracommunicator. The first one on it is collective: it is duplicated
 * once.
 */
cDAG_graph cDAG_CreateGraphOn(size_t communicator);

/**
 * This process sends `size` bytes to another (or to itself). Messages of two processes match in
 * the order in which they are added. It does not communicate: cDAG_Run does.
 */
cDAG_Op cDAG_Send(cDAG_graph graph, const void *buffer, size_t size, int destination);

/**
 * This process receives up to `size` bytes from another (or from itself).
 */
cDAG_Op cDAG_Recv(cDAG_graph graph, void *buffer, size_t size, int source);

/**
 * As cDAG_Send, of elements of an MPI datatype, and with a tag: only messages of one tag match.
 */
cDAG_Op cDAG_SendType(cDAG_graph graph,
                      const void *buffer,
                      int64_t count,
                      size_t datatype,
                      int destination,
                      int tag);

/**
 * As cDAG_Recv, of elements of an MPI datatype, and with a tag.
 */
cDAG_Op cDAG_RecvType(cDAG_graph graph,
                      void *buffer,
                      int64_t count,
                      size_t datatype,
                      int source,
                      int tag);

/**
 * This process copies `size` bytes; the two ranges do not overlap.
 */
cDAG_Op cDAG_Copy(cDAG_graph graph, const void *from, void *into, size_t size);

/**
 * This process computes `into = into (operation) from` for `count` elements of a predefined
 * datatype, with a predefined operation. Such operations are taken to be associative and
 * commutative: sums of floating-point numbers may come out in another order.
 */
cDAG_Op cDAG_Reduce(cDAG_graph graph,
                    const void *from,
                    void *into,
                    int64_t count,
                    size_t datatype,
                    size_t operation);

/**
 * An operation that does nothing: a place where dependencies meet.
 */
cDAG_Op cDAG_Nothing(cDAG_graph graph);

/**
 * `operation` starts when `before` is done. Operations on overlapping buffers of one process
 * depend on each other without being told, in the order in which they are added.
 */
int cDAG_Depend(cDAG_graph graph, cDAG_Op operation, cDAG_Op before);

/**
 * Nobody reads these bytes of this process after the graph has run: scratch memory. Say so where
 * you can: what ends up there else counts as a result.
 */
int cDAG_Dead(cDAG_graph graph, const void *start, size_t size);

/**
 * Sets an option of a graph, to the same at every process.
 */
int cDAG_Set(cDAG_graph graph, int option, int value);

/**
 * Measures what messages cost on a communicator, for the cost model of the graphs that are
 * compiled on it later. Collective; takes some milliseconds.
 */
int cDAG_Measure(size_t communicator);

/**
 * Compiles a graph: finds the collective operations in it. Collective over its communicator;
 * options must be the same everywhere. A graph that was compiled before comes back at once. The
 * graph may be freed, or compiled again with more operations.
 */
cDAG_Schedule cDAG_CompileGraph(cDAG_graph graph);

/**
 * Runs a schedule: when it is back, this process has what it gets, and may write what it gives.
 * Collective, and any number of times. After an error of MPI, memory is in any state.
 */
int cDAG_Run(cDAG_Schedule schedule);

/**
 * Writes what a schedule does, as text that ends with a zero byte, to `text`, of which at most
 * `size` bytes. Back comes the number of bytes of the whole text, without the zero.
 *
 * # Safety
 * `size` bytes can be written at `text`.
 */
int64_t cDAG_Describe(cDAG_Schedule schedule, char *text, size_t size);

/**
 * Frees a graph. Its schedules stay.
 */
int cDAG_Free(cDAG_graph graph);

/**
 * Frees a schedule. What it was compiled to is kept with the communicator, for the next graph
 * that is the same.
 */
int cDAG_FreeSchedule(cDAG_Schedule schedule);

/**
 * Why the last function that failed in this thread did. The text stays until the next one fails.
 */
const char *cDAG_LastError(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* COMMLOOM_H */

/*
 * MPI handles are integers in one library and pointers in another: both fit in a uintptr_t.
 */
#define cDAG_CreateGraphOn(communicator) cDAG_CreateGraphOn((uintptr_t)(communicator))
#define cDAG_Measure(communicator) cDAG_Measure((uintptr_t)(communicator))
#define cDAG_SendType(graph, buffer, count, datatype, destination, tag) \
    cDAG_SendType((graph), (buffer), (count), (uintptr_t)(datatype), (destination), (tag))
#define cDAG_RecvType(graph, buffer, count, datatype, source, tag) \
    cDAG_RecvType((graph), (buffer), (count), (uintptr_t)(datatype), (source), (tag))
#define cDAG_Reduce(graph, from, into, count, datatype, operation) \
    cDAG_Reduce((graph), (from), (into), (count), (uintptr_t)(datatype), (uintptr_t)(operation))
