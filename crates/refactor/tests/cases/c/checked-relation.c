/* What is sent and what is received are apart only if there are enough columns: the program makes
   sure of that itself. */
#include <mpi.h>
#include <stdlib.h>

void exchange_where_wide(double *u, int rows, int columns, int other, int tag, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    if (columns < 1)
        return;
    MPI_Irecv(in, rows, MPI_DOUBLE, other, tag, comm, &request);
    for (int k = 0; k < rows; k++)
        out[k] = u[k * (columns + 2) + columns];
    MPI_Send(out, rows, MPI_DOUBLE, other, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < rows; k++)
        u[k * (columns + 2)] = in[k];
}

void exchange_twice_in_wide(double *u, int rows, int columns, int other, int tag, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    if (rows > 1 && columns > 3) {
        for (int turn = 0; turn < 2; turn++) {
            MPI_Irecv(in, rows, MPI_DOUBLE, other, tag, comm, &request);
            for (int k = 0; k < rows; k++)
                out[k] = u[k * (columns + 2) + columns];
            MPI_Send(out, rows, MPI_DOUBLE, other, tag, comm);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            for (int k = 0; k < rows; k++)
                u[k * (columns + 2)] = in[k];
        }
    }
}

/* The number is another one in the second turn: the test stays. */
void exchange_in_fewer(double *u, int rows, int columns, int other, int tag, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    if (columns < 1)
        exit(1);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Irecv(in, rows, MPI_DOUBLE, other, tag, comm, &request);
        for (int k = 0; k < rows; k++)
            out[k] = u[k * (columns + 2) + columns];
        MPI_Send(out, rows, MPI_DOUBLE, other, tag, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; k < rows; k++)
            u[k * (columns + 2)] = in[k];
        columns--;
    }
}

/* run:
double u[120], v[120], w[120]; FILL(u); FILL(v); FILL(w);
for (int columns = 0; columns < 5; columns++)
    exchange_where_wide(u, 6, columns, PEER, TAG, COMM);
SHOW(u);
for (int columns = 0; columns < 8; columns++)
    exchange_twice_in_wide(v, 5, columns, PEER, TAG, COMM);
SHOW(v);
for (int columns = 1; columns < 5; columns++)
    exchange_in_fewer(w, 6, columns, PEER, TAG, COMM);
SHOW(w);
*/
