/* Broadcasts that are not of one place, or not of the root. */
#include <mpi.h>

/* Others unpack to another array. */
void other_array(double *restrict u, double *restrict v, int n, MPI_Comm comm)
{
    double b[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    if (rank != 0)
        for (int i = 0; i < n; i++)
            v[2 * i] = b[i];
}

/* The one that packs is not the root. */
void other_root(double *restrict u, int n, MPI_Comm comm)
{
    double b[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 1)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    for (int i = 0; i < n; i++)
        u[2 * i] = b[i];
}

/* The rank of another communicator. */
void other_rank(double *restrict u, int n, MPI_Comm comm, MPI_Comm row)
{
    double b[100];
    int rank;
    MPI_Comm_rank(row, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    for (int i = 0; i < n; i++)
        u[2 * i] = b[i];
}

/* The rank gets another meaning. */
void changed_rank(double *restrict u, int n, MPI_Comm comm)
{
    double b[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    rank = (rank + 1) % 2;
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    if (rank != 0)
        for (int i = 0; i < n; i++)
            u[2 * i] = b[i];
}

/* All use the buffer itself. */
double buffer_used(double *restrict u, int n, MPI_Comm comm)
{
    double b[100], sum = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    for (int i = 0; i < n; i++)
        u[2 * i] = b[i];
    for (int i = 0; i < n; i++)
        sum += b[i];
    return sum;
}

/* Only one of the others unpacks. */
void only_one(double *restrict u, int n, MPI_Comm comm)
{
    double b[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    if (rank == 3)
        for (int i = 0; i < n; i++)
            u[2 * i] = b[i];
}

/* The source is written after it was packed. */
void written_between(double *restrict u, int n, MPI_Comm comm)
{
    double b[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    u[0] = 1;
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    if (rank != 0)
        for (int i = 0; i < n; i++)
            u[2 * i] = b[i];
}

/* The number comes with the message. */
void number_inside(double *restrict u, int *restrict n, MPI_Comm comm)
{
    int b[101], list[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        b[0] = *n;
        for (int i = 0; i < 100; i++)
            b[1 + i] = list[i];
    }
    MPI_Bcast(b, 101, MPI_INT, 0, comm);
    *n = b[0];
    for (int i = 0; i < *n; i++)
        list[i] = b[1 + i];
    u[0] = list[0];
}

/* Some processes need not have the elements that others have. */
void fewer_elsewhere(double *restrict u, int n, int m, MPI_Comm comm)
{
    double b[100];
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
    MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
    if (rank != 0)
        for (int i = 0; i < m; i++)
            u[2 * i] = b[i];
}
