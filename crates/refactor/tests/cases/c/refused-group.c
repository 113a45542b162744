/* The second call needs copies of both others: as the last one stays, all three do. */
#include <mpi.h>

void write_between_parts(double *restrict u, const double *restrict v, int n, int m, int to, int tag,
                 MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    for (int i = 0; i < m; i++)
        b[n + i] = v[3 * i];
    MPI_Send(b + n, m, MPI_DOUBLE, to, tag, comm);
    MPI_Send(b, n + m, MPI_DOUBLE, to, tag, comm);
    u[4] = 9;
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* Nothing is written before the last one: all three go. */
void send_three_parts(double *restrict u, const double *restrict v, int n, int m, int to, int tag,
                     MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    for (int i = 0; i < m; i++)
        b[n + i] = v[3 * i];
    MPI_Send(b + n, m, MPI_DOUBLE, to, tag, comm);
    MPI_Send(b, n + m, MPI_DOUBLE, to, tag, comm);
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[100], v[100]; FILL(u); FILL(v);
if (RANK == 0) {
    write_between_parts(u, v, 10, 7, PEER, TAG, COMM);
    send_three_parts(u, v, 10, 7, PEER, TAG, COMM);
} else {
    TAKE(7, MPI_DOUBLE); TAKE(17, MPI_DOUBLE); TAKE(10, MPI_DOUBLE);
    TAKE(7, MPI_DOUBLE); TAKE(17, MPI_DOUBLE); TAKE(10, MPI_DOUBLE);
}
SHOW(u);
*/
