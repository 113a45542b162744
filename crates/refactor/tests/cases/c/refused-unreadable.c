/* How often the loop turns is known to nobody. */
#include <mpi.h>

void send_list(const double *u, const int *next, int first, int to, int tag, MPI_Comm comm)
{
    double b[100];
    int k = 0;
    for (int i = first; i >= 0; i = next[i])
        b[k++] = u[i];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}
