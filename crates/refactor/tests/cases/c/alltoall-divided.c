/* As many rows as columns, dealt out: the number of rows is divided by that of the processes. */
#include <mpi.h>
#include <string.h>

void deal_out(const double *restrict m, double *restrict t, int N, int procs, MPI_Comm comm)
{
    double out[256], in[256];
    int k, l;
    for (k = 0; k < procs; k++)
        for (l = 0; l < N / procs; l++)
            memcpy(&out[2 * (k * N / procs * N / procs + l * N / procs)], &m[2 * (k * N / procs + l * N)], 2 * N / procs * sizeof(double));
    MPI_Alltoall(&out[0], 2 * N / procs * N / procs, MPI_DOUBLE, &in[0], 2 * N / procs * N / procs, MPI_DOUBLE, comm);
    for (k = 0; k < N / procs; k++)
        for (l = 0; l < N; l++)
            memcpy(&t[2 * (l + k * N)], &in[2 * (k + l * N / procs)], 2 * sizeof(double));
}

/* assume: 'N' is a multiple of 'procs' */
/* assume: 'comm' has 'procs' processes */
/* assume: the elements of 't' that are received are distinct */
/* run:
double m[2 * 4 * 2], t[2 * 4 * 2]; FILL(m); FILL(t);
deal_out(m, t, 4, 2, COMM);
SHOW(t);
*/
