/* Rows of a sparse matrix: where each begins, and how long it is, is in an array. */
#include <mpi.h>

void send_sparse(const double *values, const int *start, const int *rows, int n, int length, int to,
                 int tag, MPI_Comm comm)
{
    double b[200];
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = start[rows[i]]; j < start[rows[i] + 1]; j++)
            b[k++] = values[j];
    MPI_Send(b, length, MPI_DOUBLE, to, tag, comm);
}

/* assume: all */
/* run:
double values[40]; int start[] = {0, 3, 3, 10, 14, 22}, rows[] = {4, 0, 1, 3}; FILL(values);
SEND(15, MPI_DOUBLE, send_sparse(values, start, rows, 4, 15, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_sparse(values, 0, 0, 0, 0, PEER, TAG, COMM));
SHOW(values);
*/
