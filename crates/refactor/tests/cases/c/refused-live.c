/* The buffer is kept and written to a file later. */
#include <mpi.h>
#include <stdio.h>

static double last_sent[100];

void send_and_keep(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        last_sent[i] = u[4 * i];
    MPI_Send(last_sent, n, MPI_DOUBLE, to, tag, comm);
}

void write_last(FILE *file, int n)
{
    fwrite(last_sent, sizeof(double), n, file);
}
/* assume: 'last_sent' and 'u' share no memory */
