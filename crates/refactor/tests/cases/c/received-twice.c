/* One buffer for two messages, one after the other. */
#include <mpi.h>

void receive_both_columns(double u[8][9], int from, MPI_Comm comm)
{
    double b[8];
    MPI_Recv(b, 8, MPI_DOUBLE, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++)
        u[i][0] = b[i];
    MPI_Recv(b, 8, MPI_DOUBLE, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++)
        u[i][8] = b[i];
}

/* The second message is shorter: the end of the first one is used twice. */
void receive_a_rest(double u[8][9], int from, MPI_Comm comm)
{
    double b[8];
    MPI_Recv(b, 8, MPI_DOUBLE, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++)
        u[i][0] = b[i];
    MPI_Recv(b, 6, MPI_DOUBLE, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++)
        u[i][8] = b[i];
}

/* run:
double u[8][9]; FILLN(&u[0][0], 72);
if (RANK == 0) receive_both_columns(u, PEER, COMM);
else { GIVE(8, MPI_DOUBLE); GIVE(8, MPI_DOUBLE); }
SHOW(u);
*/
