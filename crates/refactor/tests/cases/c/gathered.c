/* What all have given is put in its place: by the root, or by all. */
#include <mpi.h>

void gather_slabs(double *mine, double *restrict whole, int n, int m, int root, MPI_Comm comm)
{
    double b[256];
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Gather(mine, n * m, MPI_DOUBLE, b, n * m, MPI_DOUBLE, root, comm);
    if (rank == root) {
        for (int p = 0; p < size; p++)
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++)
                    whole[(i * size + p) * n + j] = b[(p * m + i) * n + j];
    }
}

void gather_columns_everywhere(double *mine, double *restrict whole, int n, MPI_Comm comm)
{
    double b[256];
    int size;
    MPI_Comm_size(comm, &size);
    MPI_Allgather(mine, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
    for (int p = 0; p < size; p++)
        for (int j = 0; j < n; j++)
            whole[j * size + p] = b[p * n + j];
}

void scatter_slabs(const double *restrict whole, double *restrict mine, int n, int m, MPI_Comm comm)
{
    double b[256];
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int p = 0; p < size; p++)
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++)
                    b[(p * m + i) * n + j] = whole[(i * size + p) * n + j];
    MPI_Scatter(b, n * m, MPI_DOUBLE, mine, n * m, MPI_DOUBLE, 0, comm);
}

/* assume: the elements of 'whole' that are received are distinct */
/* run:
double mine[6], whole[12], columns[12]; FILL(mine); FILL(whole); FILL(columns);
gather_slabs(mine, whole, 3, 2, 1, COMM);
SHOW(whole);
gather_columns_everywhere(mine, columns, 6, COMM);
SHOW(columns);
scatter_slabs(columns, mine, 3, 2, COMM);
SHOW(mine);
*/
