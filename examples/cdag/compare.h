/* What the examples that compare schedules with plain messages share. */
#ifndef COMMLOOM_EXAMPLES_CDAG_COMPARE_H
#define COMMLOOM_EXAMPLES_CDAG_COMPARE_H

#include "common.h"

/* Whether the memory of all ranks is what it should be. */
static inline int same_everywhere(const void *found, const void *expected, size_t bytes)
{
    int same = memcmp(found, expected, bytes) == 0, all;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

/* Rank 0 tells what a schedule does, and whether it does what the plain messages do. */
static inline void report(const char *name, cDAG_Schedule schedule, int same)
{
    char text[1024];
    TRY(cDAG_Describe(schedule, text, sizeof text));
    if (rank == 0) printf("%s %s, %d ranks: %s\n", same ? "SAME" : "DIFFERENT", name, size, text);
}

#endif
