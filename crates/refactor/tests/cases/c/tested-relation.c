/* What is sent and what is received lies in one array: with fewer columns than the halo has they
   are the same elements, and the program relies on its buffers. */
#include <mpi.h>

#define HALO 2

static int columns;

void exchange_tested_columns(double *u, int rows, int left, int right, MPI_Comm comm)
{
    double to_left[200], to_right[200], from_left[200], from_right[200];
    MPI_Request requests[4];
    int width = columns + 2 * HALO;
    MPI_Irecv(from_left, HALO * rows, MPI_DOUBLE, left, 1, comm, &requests[0]);
    MPI_Irecv(from_right, HALO * rows, MPI_DOUBLE, right, 2, comm, &requests[1]);
    for (int k = 0; k < rows; k++) {
        for (int s = 0; s < HALO; s++) {
            to_left[k * HALO + s] = u[k * width + HALO + s];
            to_right[k * HALO + s] = u[k * width + columns + s];
        }
    }
    MPI_Isend(to_left, HALO * rows, MPI_DOUBLE, left, 2, comm, &requests[2]);
    MPI_Isend(to_right, HALO * rows, MPI_DOUBLE, right, 1, comm, &requests[3]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < rows; k++) {
        for (int s = 0; s < HALO; s++) {
            u[k * width + s] = from_left[k * HALO + s];
            u[k * width + columns + HALO + s] = from_right[k * HALO + s];
        }
    }
    MPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE);
}

/* The same with rows, which follow each other. */
void exchange_rows_of(double *u, int n, int rows, int other, int tag, MPI_Comm comm)
{
    double out[100], in[100];
    MPI_Request request;
    MPI_Irecv(in, 2 * n, MPI_DOUBLE, other, tag, comm, &request);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            out[k * n + i] = u[(rows + k) * (n + 3) + i];
    MPI_Send(out, 2 * n, MPI_DOUBLE, other, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            u[k * (n + 3) + i] = in[k * n + i];
}

/* run:
double u[120], v[120]; FILL(u); FILL(v);
for (columns = 1; columns < 5; columns++)
    exchange_tested_columns(u, 5, PEER, PEER, COMM);
SHOW(u);
for (int rows = 1; rows < 5; rows++)
    exchange_rows_of(v, 7, rows, PEER, TAG, COMM);
SHOW(v);
*/
