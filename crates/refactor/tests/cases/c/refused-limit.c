/* Strides that 64 bits do not hold. */
#include <mpi.h>

void send_far(const double *u, long n, int to, int tag, MPI_Comm comm)
{
    double b[2];
    for (long i = 0; i < 2; i++)
        b[i] = u[i * n * 0x4000000000000000L];
    MPI_Send(b, 2, MPI_DOUBLE, to, tag, comm);
}
