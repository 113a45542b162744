/* Parameters that the root has read, in one message. */
#include <mpi.h>

int give_parameters(int seed, MPI_Comm comm)
{
    int nx[8] = {0}, ny[8] = {0}, nz[8] = {0}, b[24], rank, all = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        for (int i = 0; i < 8; i++) {
            nx[i] = seed + i;
            ny[i] = seed + 10 * i;
            nz[i] = seed + 20 * i;
        }
    }
    if (rank == 0) {
        for (int i = 0; i < 8; i++) {
            b[i] = nx[i];
            b[8 + i] = ny[i];
            b[16 + i] = nz[i];
        }
    }
    MPI_Bcast(b, 24, MPI_INT, 0, comm);
    for (int i = 0; i < 8; i++) {
        nx[i] = b[i];
        ny[i] = b[8 + i];
        nz[i] = b[16 + i];
    }
    for (int i = 0; i < 8; i++)
        all = 3 * all + 10000 * nx[i] + 100 * ny[i] + nz[i];
    return all;
}

/* Three numbers are copied sooner than a datatype is made for them. */
int give_few(int seed, MPI_Comm comm)
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
all = give_few(3 + RANK, COMM);
SHOW(all);
*/
