/* What is read as something else, and memory that ends. */
#include <mpi.h>

/* An `int` in an array of `char`. */
void list_of_bytes(const double *restrict u, char *raw, int n, int to, MPI_Comm comm)
{
    double b[64];
    int *list = (int *)raw;
    for (int i = 0; i < n; i++)
        b[i] = u[list[i]];
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}

/* The block of the array ends before the send does. */
void short_lived(int n, int to, MPI_Comm comm)
{
    MPI_Request r;
    double b[64];
    {
        double t[512];
        for (int i = 0; i < 512; i++)
            t[i] = i;
        for (int i = 0; i < n; i++)
            b[i] = t[8 * i];
        MPI_Isend(b, n, MPI_DOUBLE, to, 0, comm, &r);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Zeros where nothing comes (MPI_PROC_NULL). */
void filled(double *restrict u, int n, int from, MPI_Comm comm)
{
    double b[64] = {0};
    MPI_Recv(b, n, MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[8 * i] = b[i];
}
