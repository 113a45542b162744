/* Requests of a loop that another loop of the same turns waits for, and macros that check. */
#include <mpi.h>

#define CHECK_TURN(call) \
    do { \
        int error_ = (call); \
        if (error_ != MPI_SUCCESS) \
            MPI_Abort(MPI_COMM_WORLD, error_); \
    } while (0)

void columns_in_turn(const double *u, int n, const int *to, int tag, MPI_Comm comm)
{
    double b[3][8];
    MPI_Request requests[3];
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < n; i++)
            b[d][i] = u[6 * i + d];
        CHECK_TURN(MPI_Isend(b[d], n, MPI_DOUBLE, to[d], tag, comm, &requests[d]));
    }
    for (int d = 0; d < 3; d++)
        CHECK_TURN(MPI_Wait(&requests[d], MPI_STATUS_IGNORE));
}

void one_checked_wait(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[8];
    MPI_Request request;
    for (int i = 0; i < n; i++)
        b[i] = u[6 * i + 4];
    CHECK_TURN(MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &request));
    CHECK_TURN(MPI_Wait(&request, MPI_STATUS_IGNORE));
    u[4] = 0;
}

/* Not all are waited for before what is sent changes. */
void turns_too_early(double *u, int n, const int *to, int tag, MPI_Comm comm)
{
    double b[3][8];
    MPI_Request requests[3];
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < n; i++)
            b[d][i] = u[6 * i + d];
        MPI_Isend(b[d], n, MPI_DOUBLE, to[d], tag, comm, &requests[d]);
    }
    for (int d = 0; d < 3; d++) {
        MPI_Wait(&requests[d], MPI_STATUS_IGNORE);
        u[2] = 0;
    }
}

/* run:
double u[48]; FILL(u);
int to[3] = {PEER, PEER, PEER};
if (RANK == 0)
    columns_in_turn(u, 8, to, TAG, COMM);
else
    for (int k = 0; k < 3; k++)
        TAKE(8, MPI_DOUBLE);
SEND(8, MPI_DOUBLE, one_checked_wait(u, 8, PEER, TAG, COMM));
if (RANK == 0)
    turns_too_early(u, 8, to, TAG, COMM);
else
    for (int k = 0; k < 3; k++)
        TAKE(8, MPI_DOUBLE);
SHOW(u);
*/
