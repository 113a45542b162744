/* Parts for processes that have no common type, or of which there may be more or less than processes. */
#include <mpi.h>

void other_number(const double *restrict u, double *restrict got, int n, int p, MPI_Comm comm)
{
    double b[256];
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[j * p + k];
    MPI_Alltoall(b, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}

void other_communicator(const double *restrict u, double *restrict got, int n, MPI_Comm comm, MPI_Comm row)
{
    double b[256];
    int p;
    MPI_Comm_size(row, &p);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[j * p + k];
    MPI_Alltoall(b, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}

void one_less(const double *restrict u, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    int p;
    MPI_Comm_size(comm, &p);
    p = p - 1;
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[j * p + k];
    MPI_Alltoall(b, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}

void falling(const double *restrict u, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    int p;
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[n * (p - 1 - k) + j];
    MPI_Alltoall(b, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}

void same_for_all(const double *restrict u, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    int p;
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[2 * j];
    MPI_Alltoall(b, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}

/* The arrays move by different distances. */
void two_arrays(const double *restrict u, const double *restrict v, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    int p, at = 0;
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < p; k++) {
        for (int j = 0; j < n; j++)
            b[at++] = u[k * n + j];
        for (int j = 0; j < n; j++)
            b[at++] = v[2 * (k * n + j)];
    }
    MPI_Alltoall(b, 2 * n, MPI_DOUBLE, got, 2 * n, MPI_DOUBLE, comm);
}

/* Where the parts go is in an array. */
void by_list(const double *restrict u, const int *restrict where, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    int p;
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[where[k] + j];
    MPI_Alltoall(b, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}

/* Arrays say how long the parts are. */
void of_any_length(const double *restrict u, int *counts, int *starts, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    for (int j = 0; j < n; j++)
        b[j] = u[2 * j];
    MPI_Alltoallv(b, counts, starts, MPI_DOUBLE, got, counts, starts, MPI_DOUBLE, comm);
}

/* All unpack what only the root has received. */
void all_unpack(double *mine, double *restrict whole, int n, MPI_Comm comm)
{
    double b[256];
    int p;
    MPI_Comm_size(comm, &p);
    MPI_Gather(mine, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, comm);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            whole[j * p + k] = b[k * n + j];
}

/* The list of the root need not be there elsewhere. */
void list_of_root(double *mine, double *restrict whole, const int *restrict list, int n, MPI_Comm comm)
{
    double b[256];
    int p, rank;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    MPI_Gather(mine, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, comm);
    if (rank == 0)
        for (int k = 0; k < p; k++)
            for (int j = 0; j < n; j++)
                whole[k + list[j]] = b[k * n + j];
}

/* The parts are longer than what is packed for each. */
void longer(const double *restrict u, double *restrict got, int n, MPI_Comm comm)
{
    double b[256];
    int p;
    MPI_Comm_size(comm, &p);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++)
            b[k * n + j] = u[j * p + k];
    MPI_Alltoall(b, n + 1, MPI_DOUBLE, got, n + 1, MPI_DOUBLE, comm);
}
