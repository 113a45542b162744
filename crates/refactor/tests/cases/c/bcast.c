/* Parameters that the root has read, in one message. */
#include <mpi.h>

int give_parameters(int seed, MPI_Comm comm)
{
    int nx = 0, ny = 0, nz = 0, b[3], rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        nx = seed;
        ny = seed + 10;
        nz = seed + 20;
    }
    if (rank == 0) {
        b[0] = nx;
        b[1] = ny;
        b[2] = nz;
    }
    MPI_Bcast(b, 3, MPI_INT, 0, comm);
    nx = b[0];
    ny = b[1];
    nz = b[2];
    return 10000 * nx + 100 * ny + nz;
}

/* run:
int all = give_parameters(3 + RANK, COMM);
SHOW(all);
*/
