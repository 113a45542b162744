/* A declaration that the grammar does not know, in the same procedure. */
#include <mpi.h>

double send_with_phase(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    double _Complex phase = 1;
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    return __real__ phase;
}
