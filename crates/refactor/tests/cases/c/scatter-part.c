/* What the root deals out goes into a row of every second element. */
#include <mpi.h>

static double row[32];

void scatter_row(const double *all, int n, int root, MPI_Comm comm)
{
    double b[16];
    MPI_Scatter(all, n, MPI_DOUBLE, b, n, MPI_DOUBLE, root, comm);
    for (int i = 0; i < n; i++)
        row[2 * i + 1] = b[i];
}

/* assume: all */
/* run:
double all[30]; FILL(all); FILL(row);
scatter_row(all, 15, 0, COMM);
SHOW(row);
*/
