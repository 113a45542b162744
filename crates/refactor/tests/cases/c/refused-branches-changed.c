/* Branches of the preprocessor that a file decides anew. */
#include <mpi.h>

/* The same condition, which a file changes in between. */
#define LARGE 1
#if LARGE
#define NUMBER_FOUR double
#else
#define NUMBER_FOUR float
#endif
#undef LARGE
#define LARGE 0
#if LARGE
#define MPI_NUMBER_FOUR MPI_DOUBLE
#else
#define MPI_NUMBER_FOUR MPI_FLOAT
#endif

void send_four(const NUMBER_FOUR *u, int n, int to, int tag, MPI_Comm comm)
{
    NUMBER_FOUR b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_NUMBER_FOUR, to, tag, comm);
}
