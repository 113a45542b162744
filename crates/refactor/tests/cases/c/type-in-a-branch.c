/* Only a branch of the preprocessor has MPI: the function that keeps the type stands in it. */
#define KEPT_WITH_MPI 1
#if KEPT_WITH_MPI
#include <mpi.h>
#endif

static int kept_doubled(int n) { return 2 * n; }

#if KEPT_WITH_MPI
/* Sends every second number. */
void send_kept_second(const double *u, int n, int peer, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, peer, tag, comm);
}
#endif

int kept_doubled_again(int n) { return kept_doubled(n); }

/* run:
double u[72]; FILL(u);
SEND(4, MPI_DOUBLE, send_kept_second(u, 4, PEER, TAG, COMM));
SEND(7, MPI_DOUBLE, send_kept_second(u, 7, PEER, TAG, COMM));
*/
