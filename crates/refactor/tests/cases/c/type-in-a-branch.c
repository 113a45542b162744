/* Only a branch of the preprocessor has MPI: the function that keeps the type stands in it. */
#define WITH_MPI 1
#if WITH_MPI
#include <mpi.h>
#endif

static int twice(int n) { return 2 * n; }

#if WITH_MPI
/* Sends every second number. */
void send_second(const double *u, int n, int peer, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, tag, comm);
}
#endif

int twice_as_many(int n) { return twice(n); }

/* run:
double u[72]; FILL(u);
SEND(4, MPI_DOUBLE, send_second(u, 4, PEER, TAG, COMM));
SEND(7, MPI_DOUBLE, send_second(u, 7, PEER, TAG, COMM));
*/
