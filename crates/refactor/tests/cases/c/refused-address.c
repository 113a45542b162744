/* An array of pointers: each row is somewhere. */
#include <mpi.h>

void send_rows_of_pointers(double **rows, int n, int column, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = rows[i][column];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* The place is computed in a way that has no form. */
static int hash(int i)
{
    while (i >= 13)
        i = i / 2 + i % 3;
    return i;
}

void send_scattered(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[hash(i)];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
