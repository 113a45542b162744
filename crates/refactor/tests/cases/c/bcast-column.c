/* A column from the root, which may be anyone; the others unpack. */
#include <mpi.h>

void give_column(double u[6][7], int column, int root, MPI_Comm comm)
{
    double b[6];
    int rank, i;
    MPI_Comm_rank(comm, &rank);
    if (rank == root)
        for (i = 0; i < 6; i++)
            b[i] = u[i][column];
    MPI_Bcast(b, 6, MPI_DOUBLE, root, comm);
    if (rank != root)
        for (i = 0; i < 6; i++)
            u[i][column] = b[i];
}

void give_rows(double u[6][7], int rank, MPI_Comm comm)
{
    double b[14];
    MPI_Request request;
    int j;
    if (!rank) {
        for (j = 0; j < 7; j++)
            b[j] = u[1][j];
        for (j = 0; j < 7; j++)
            b[7 + j] = u[4][j];
    }
    MPI_Ibcast(b, 14, MPI_DOUBLE, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank) {
        for (j = 0; j < 7; j++)
            u[1][j] = b[j];
        for (j = 0; j < 7; j++)
            u[4][j] = b[7 + j];
    }
}

/* assume: 'rank' is the rank in 'comm' */
/* run:
double u[6][7]; FILLN(&u[0][0], 42);
give_column(u, 3, 1, COMM);
SHOW(u);
give_rows(u, RANK, COMM);
SHOW(u);
*/
