/* What the table does not say, or what is done with the value of the call. */
#include <mpi.h>

int put_some_doubles(int to, const double *what, int count)
{
    return MPI_Send(what, count, MPI_DOUBLE, to, 7, MPI_COMM_WORLD);
}

int put_some_ints(int to, const int *what, int count)
{
    return MPI_Send(what, count, MPI_INT, to, 7, MPI_COMM_WORLD) == MPI_SUCCESS ? count : 0;
}

void put_something(int to, const double *what, int count, MPI_Datatype type)
{
    MPI_Send(what, count, type, to, 7, MPI_COMM_WORLD);
}

void put_some_chars(int to, const char *what, int count)
{
    MPI_Send(what, count, MPI_CHAR, to, 7, MPI_COMM_WORLD);
}

void put_column(const double *u, int n, int to)
{
    double b[64];
    for (int j = 0; j < n; j++)
        b[j] = u[j * 8];
    put_some_doubles(to, b, n);
}

int put_column_of_ints(const int *u, int n, int to)
{
    int b[64];
    for (int j = 0; j < n; j++)
        b[j] = u[j * 8];
    int sent = put_some_ints(to, b, n);
    return sent;
}

void put_column_as_bytes(const int *u, int n, int to)
{
    int b[64];
    for (int j = 0; j < n; j++)
        b[j] = u[j * 8];
    put_something(to, (double *)b, n, MPI_INT);
}

void put_column_of_chars(const char *u, int n, int to)
{
    char b[64];
    for (int j = 0; j < n; j++)
        b[j] = u[j * 8];
    put_some_chars(to, b, n);
}

/* wrapper: put_some_chars = MPI_Send(dest=1, buf=2, count=3, datatype=MPI_CHAR, tag=7, comm=MPI_COMM_WORLD) */
/* wrapper: put_some_doubles = MPI_Send(dest=1, buf=2, count=3, datatype=MPI_DOUBLE) */
/* wrapper: put_some_ints = MPI_Send(dest=1, buf=2, count=3, datatype=MPI_INT, tag="7", comm=MPI_COMM_WORLD) */
/* wrapper: put_something = MPI_Send(dest=1, buf=2, count=3, datatype=4) */
