/* The root sends in one branch, the others receive in the other; they have other arrays. */
#include <mpi.h>

void give_diagonal(double *restrict whole, double *restrict mine, int n, MPI_Comm comm)
{
    double b[32];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 1) {
        for (int i = 0; i < n; i++)
            b[i] = whole[i * (n + 1)];
        MPI_Bcast(b, n, MPI_DOUBLE, 1, comm);
    } else {
        MPI_Bcast(b, n, MPI_DOUBLE, 1, comm);
        for (int i = 0; i < n; i++)
            mine[2 * i] = b[i];
    }
}

/* run:
double whole[25], mine[10]; FILL(whole); FILL(mine);
give_diagonal(whole, mine, 5, COMM);
SHOW(mine);
*/
