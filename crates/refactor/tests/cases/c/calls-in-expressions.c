/* Calls that are evaluated once, whatever their results are, in larger expressions. */
#include <mpi.h>
#include <stdio.h>

int all_in_expressions(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double first[8], second[8], third[8], fourth[8], last[8];
    int error, all = 0;
    for (int i = 0; i < n; i++)
        first[i] = u[6 * i];
    if ((error = MPI_Send(first, n, MPI_DOUBLE, to, tag, comm)) != MPI_SUCCESS) {
        fprintf(stderr, "%d\n", error);
        return error;
    }
    for (int i = 0; i < n; i++)
        second[i] = u[6 * i + 1];
    if (MPI_Send(second, n, MPI_DOUBLE, to, tag, comm) != MPI_SUCCESS && n > 0)
        return 1;
    for (int i = 0; i < n; i++)
        third[i] = u[6 * i + 2];
    all |= MPI_Send(third, n, MPI_DOUBLE, to, tag, comm);
    for (int i = 0; i < n; i++)
        fourth[i] = u[6 * i + 3];
    all += MPI_SUCCESS != MPI_Send(fourth, n, MPI_DOUBLE, to, tag, comm) ? 1 : 0;
    if (all)
        return all;
    for (int i = 0; i < n; i++)
        last[i] = u[6 * i + 4];
    return MPI_Send(last, n, MPI_DOUBLE, to, tag, comm);
}

/* What the branch does to what is sent comes after the call, before it is complete. */
void clear_in_branch(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[8];
    MPI_Request request;
    for (int i = 0; i < n; i++)
        b[i] = u[6 * i];
    if (MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &request) == MPI_SUCCESS)
        u[0] = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#define LEAVE_IF(failed) \
    do { \
        int failed_ = (failed); \
        if (failed_ != MPI_SUCCESS) \
            return failed_; \
    } while (0)

int assigned_and_checked(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[8];
    int error;
    for (int i = 0; i < n; i++)
        b[i] = u[6 * i + 5];
    LEAVE_IF(error = MPI_Send(b, n, MPI_DOUBLE, to, tag, comm));
    return error;
}

/* run:
double u[48]; FILL(u);
if (RANK == 0)
    all_in_expressions(u, 8, PEER, TAG, COMM);
else
    for (int k = 0; k < 5; k++)
        TAKE(8, MPI_DOUBLE);
SEND(8, MPI_DOUBLE, clear_in_branch(u, 8, PEER, TAG, COMM));
SEND(8, MPI_DOUBLE, assigned_and_checked(u, 8, PEER, TAG, COMM));
SHOW(u);
*/
