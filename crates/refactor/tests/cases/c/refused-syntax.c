/* A macro that nobody can see through without running the preprocessor. */
#include <mpi.h>

#define REPEAT(i, n) for (int i = 0; i < (n); i++
#define DONE )

void send_macro(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    REPEAT(i, n) DONE
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
