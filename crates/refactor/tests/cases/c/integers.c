/* Unsigned numbers wrap, conversions lose bits, and casts make indices wide: all of it is kept. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

void wraps_in_index(const double *u, unsigned start, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = u[start + 10u + (unsigned)i * 2u];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void wraps_in_first(const double *u, unsigned m, int to, int tag, MPI_Comm comm)
{
    double b[40];
    int p = 0;
    for (unsigned i = m - 5; i < m; i++)
        b[p++] = u[i];
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

void loses_bits(const double *u, long first, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = u[(int)(first + i * 2)];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* No number of elements is so large that this one wraps. */
void cannot_wrap(const double *u, unsigned n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (unsigned i = 0; i < n; i++)
        b[i] = u[i + 3];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* Of two sizes the difference is negative: no turn. */
void no_turns(const double *u, size_t rows, size_t m, int to, int tag, MPI_Comm comm)
{
    double b[40];
    int p = 0;
    for (size_t j = 1; j < rows; j++)
        for (size_t i = 2; i < m; i++)
            b[p++] = u[j * 9 + i];
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

void keeps_casts(const double *in, int nx, int ny, int k, int to, int tag, MPI_Comm comm)
{
    double b[40];
    int p = 0;
    for (int j = 1; j < ny; j++)
        b[p++] = in[((size_t)k * ny + j) * nx + 3];
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

#define FRAME 2
#define INSIDE(i, j) ((i) + FRAME + (long)((j) + FRAME) * (long)(width + 2 * FRAME))
#define CELL(i, j) in[INSIDE((i) - left, (j) - low)]

void keeps_macros(const double *in, int width, int left, int right, int low, int high, int to,
                  int tag, MPI_Comm comm)
{
    double b[40];
    int p = 0;
    for (int j = high - FRAME + 1; j <= high; j++)
        for (int i = left; i <= right; i++)
            b[p++] = CELL(i, j);
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

/* The macro names a counter itself. */
#define HERE in[(long)j * width + i]

void brings_counters(const double *in, int width, int to, int tag, MPI_Comm comm)
{
    double b[40];
    int p = 0;
    for (int j = 1; j < 4; j++)
        for (int i = 2; i < 5; i++)
            b[p++] = HERE;
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

/* Which number it is the command of the compiler may say. */
#define USUAL_DEPTH 2
#ifndef DEPTH
#define DEPTH USUAL_DEPTH
#endif

void keeps_names(const double *u, int nx, int to, int tag, MPI_Comm comm)
{
    double b[40];
    int p = 0;
    for (int j = 0; j < DEPTH; j++)
        for (int i = 0; i < 4; i++)
            b[p++] = u[j * nx + i];
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[400]; FILL(u);
SEND(10, MPI_DOUBLE, wraps_in_index(u, 4294967290u, 10, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, wraps_in_first(u, 2, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, loses_bits(u, (1L << 32) + 4, 10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, cannot_wrap(u, 10, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, no_turns(u, 3, 1, PEER, TAG, COMM));
SEND(6, MPI_DOUBLE, no_turns(u, 3, 5, PEER, TAG, COMM));
SEND(4, MPI_DOUBLE, keeps_casts(u, 7, 5, 2, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, keeps_macros(u, 8, 1, 5, 2, 9, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, brings_counters(u, 20, PEER, TAG, COMM));
SEND(8, MPI_DOUBLE, keeps_names(u, 20, PEER, TAG, COMM));
*/
