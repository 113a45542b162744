/* What is sent and what is received is one array: only one of the buffers can go. */
#include <mpi.h>

void in_one_array(double *u, int n, MPI_Comm comm)
{
    double out[256], in[256];
    int p;
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            out[k * n + j] = u[j * p + k];
    MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            u[j * p + k] = in[k * n + j];
}

/* run:
double u[6]; FILL(u);
in_one_array(u, 3, COMM);
SHOW(u);
*/
