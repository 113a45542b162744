/* One buffer, packed once, each half to somebody else. */
#include <mpi.h>

void send_halves(const double *u, int n, int first, int second, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++) {
        b[i] = u[2 * i];
        b[n + i] = u[2 * i + 1];
    }
    MPI_Send(b, n, MPI_DOUBLE, first, tag, comm);
    MPI_Send(b + n, n, MPI_DOUBLE, second, tag, comm);
}

/* run:
double u[40]; FILL(u);
if (RANK == 0) {
    send_halves(u, 10, PEER, PEER, TAG, COMM);
} else {
    TAKE(10, MPI_DOUBLE); TAKE(10, MPI_DOUBLE);
}
SHOW(u);
*/
