/* Each process gives one column to the root. */
#include <mpi.h>

void gather_columns(int ny, int nx, double u[ny][nx], double *all, int root, MPI_Comm comm)
{
    double b[50];
    for (int j = 0; j < ny; j++)
        b[j] = u[j][2];
    MPI_Gather(b, ny, MPI_DOUBLE, all, ny, MPI_DOUBLE, root, comm);
}

/* assume: 'u' and 'all' share no memory */
/* run:
double u[30], all[12]; FILL(u); FILL(all);
gather_columns(6, 5, (void *)u, all, 1, COMM);
SHOW(u); SHOW(all);
*/
