/* What runs of cases are written with. Two ranks; each writes what it has and gets to a file of its own. */
#ifndef COMMLOOM_CASES_DRIVER
#define COMMLOOM_CASES_DRIVER

#include <mpi.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int RANK, PEER, TAG;
/* Communicators as C and as Fortran know them. */
extern MPI_Comm COMM;
extern MPI_Fint F_COMM;
/* The next value of an array: all of one case are different on both ranks. */
extern int case_value;

void case_begin(const char *name);
void case_end(void);
/* Bytes that the other rank is to send, or has sent. */
void case_bytes(void *to, size_t bytes);
void case_show(const char *name, const void *at, size_t bytes);
/* Contiguous elements, to and from the other rank. */
void case_take(int count, MPI_Datatype of);
void case_give(int count, MPI_Datatype of);

#ifdef __cplusplus
}
#endif

/* Numbers, one after the other, and bytes for everything else. */
#define FILLN(pointer, n) \
    for (size_t fill_at = 0; fill_at < (size_t)(n); fill_at++) (pointer)[fill_at] = case_value++
#define FILL(array) FILLN(array, sizeof(array) / sizeof((array)[0]))
#define FILLB(thing) case_bytes(&(thing), sizeof(thing))
#define SHOW(thing) case_show(#thing, &(thing), sizeof(thing))
#define SHOWN(pointer, n) case_show(#pointer, (pointer), (size_t)(n) * sizeof((pointer)[0]))

#define TAKE(count, type) case_take(count, type)
#define GIVE(count, type) case_give(count, type)
/* A procedure that sends so many elements, one that receives them. */
#define SEND(count, type, call) do { if (RANK == 0) { call; } else TAKE(count, type); } while (0)
#define RECV(count, type, call) do { if (RANK == 0) { call; } else GIVE(count, type); } while (0)

#ifndef __cplusplus
/* Arguments of Fortran. */
#define I(value) (&(int){value})
#endif
#define FCOMM (&F_COMM)

#endif
