/* Velocities go along only if they are wanted. */
#include <mpi.h>

void send_particles(const double *x, const double *v, int n, int with_v, int to, int tag, MPI_Comm comm)
{
    double b[600];
    int m = 0;
    for (int i = 0; i < n; i++)
        b[m++] = x[4 * i];
    if (with_v)
        for (int i = 0; i < n; i++)
            b[m++] = v[4 * i + 1];
    MPI_Send(b, m, MPI_DOUBLE, to, tag, comm);
}

/* run:
double x[40], v[40]; FILL(x); FILL(v);
SEND(20, MPI_DOUBLE, send_particles(x, v, 10, 1, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, send_particles(x, v, 10, 0, PEER, TAG, COMM));
SHOW(x); SHOW(v);
*/
