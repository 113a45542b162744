/* A matrix in rows becomes one in columns: the part for each process is a block of columns. */
#include <mpi.h>

void transpose_out(const double *restrict u, double *restrict got, int rows, int n, MPI_Comm comm)
{
    double b[256];
    int size, p, i, j, at = 0;
    MPI_Comm_size(comm, &size);
    for (p = 0; p < size; p++)
        for (i = 0; i < rows; i++)
            for (j = 0; j < n; j++)
                b[at++] = u[i * n * size + p * n + j];
    MPI_Alltoall(b, rows * n, MPI_DOUBLE, got, rows * n, MPI_DOUBLE, comm);
}

void transpose_in(double *restrict mine, double *restrict u, int rows, int n, MPI_Comm comm)
{
    double b[256];
    int size;
    MPI_Comm_size(comm, &size);
    MPI_Alltoall(mine, rows * n, MPI_DOUBLE, b, rows * n, MPI_DOUBLE, comm);
    for (int p = 0; p < size; p++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++)
                u[j * rows * size + p * rows + i] = b[(p * rows + i) * n + j];
}

void transpose_both(double (*restrict from)[2], double (*restrict to)[2], int n, MPI_Comm comm)
{
    double out[256], in[256];
    MPI_Request request;
    int size, p, j;
    MPI_Comm_size(comm, &size);
    for (p = 0; p < size; p++)
        for (j = 0; j < n; j++)
            out[p * n + j] = from[p * n + j][1];
    MPI_Ialltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (p = 0; p < size; p++)
        for (j = 0; j < n; j++)
            to[p * n + j][0] = in[p * n + j];
}

/* assume: the elements of 'u' that are received are distinct */
/* run:
double u[24], got[24], from[6][2], to[6][2]; FILL(u); FILL(got); FILLN(&from[0][0], 12); FILLN(&to[0][0], 12);
transpose_out(u, got, 3, 4, COMM);
SHOW(got);
transpose_in(got, u, 3, 4, COMM);
SHOW(u);
transpose_both(from, to, 3, COMM);
SHOW(to);
*/
