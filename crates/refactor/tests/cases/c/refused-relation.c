/* Relations of sizes that cannot be asked for before all that depends on them. */
#include <mpi.h>
#include <stddef.h>

/* The number is another one when the copies are made. */
void changed_between(double *u, int rows, int columns, int other, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    MPI_Irecv(in, rows, MPI_DOUBLE, other, 1, comm, &request);
    columns = columns - 1;
    for (int k = 0; k < rows; k++)
        out[k] = u[k * (columns + 2) + columns];
    MPI_Send(out, rows, MPI_DOUBLE, other, 1, comm);
    columns = columns + 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < rows; k++)
        u[k * (columns + 2)] = in[k];
}

/* Unsigned numbers wrap. */
void unsigned_columns(double *u, int rows, size_t columns, int other, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    MPI_Irecv(in, rows, MPI_DOUBLE, other, 1, comm, &request);
    for (size_t k = 0; k < (size_t)rows; k++)
        out[k] = u[k * (columns + 2) + columns];
    MPI_Send(out, rows, MPI_DOUBLE, other, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (size_t k = 0; k < (size_t)rows; k++)
        u[k * (columns + 2)] = in[k];
}

/* All of the halo is sent: whatever the number of columns is, one element is in both. */
void one_in_both(double *u, int rows, int columns, int other, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    MPI_Irecv(in, 2 * rows, MPI_DOUBLE, other, 1, comm, &request);
    for (int k = 0; k < rows; k++)
        for (int s = 0; s < 2; s++)
            out[2 * k + s] = u[k * (columns + 2) + 1 + s];
    MPI_Send(out, 2 * rows, MPI_DOUBLE, other, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < rows; k++)
        for (int s = 0; s < 2; s++)
            u[k * (columns + 2) + s] = in[2 * k + s];
}

/* A jump leads in. */
void jumped_into(double *u, int rows, int columns, int other, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    MPI_Irecv(in, rows, MPI_DOUBLE, other, 1, comm, &request);
    for (int k = 0; k < rows; k++)
        out[k] = u[k * (columns + 2) + columns];
    MPI_Send(out, rows, MPI_DOUBLE, other, 1, comm);
    if (rows > 5)
        goto wait;
    columns += 0;
wait:
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < rows; k++)
        u[k * (columns + 2)] = in[k];
}

/* run:
double u[60]; FILL(u);
changed_between(u, 6, 4, PEER, COMM);
unsigned_columns(u, 6, 4, PEER, COMM);
one_in_both(u, 6, 4, PEER, COMM);
jumped_into(u, 6, 4, PEER, COMM);
SHOW(u);
*/
