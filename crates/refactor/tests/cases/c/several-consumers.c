/* One buffer, two pending sends. */
#include <mpi.h>

void send_to_both(const double *u, int n, int first, int second, int tag, MPI_Comm comm)
{
    double b[100];
    MPI_Request r[2];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i + 3];
    MPI_Isend(b, n, MPI_DOUBLE, first, tag, comm, &r[0]);
    MPI_Isend(b, n, MPI_DOUBLE, second, tag, comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* run:
double u[40]; FILL(u);
if (RANK == 0) {
    send_to_both(u, 10, PEER, PEER, TAG, COMM);
} else {
    TAKE(10, MPI_DOUBLE); TAKE(10, MPI_DOUBLE);
}
SHOW(u);
*/
