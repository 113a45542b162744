/* Memory that is taken for something else than it was declared as. */
#include <mpi.h>

void send_reshaped(double *flat, int n, int to, int tag, MPI_Comm comm)
{
    double (*u)[n] = (double (*)[n])flat;
    double b[64];
    for (int j = 0; j < n; j++)
        b[j] = u[j + 2][1];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void send_raw(char *raw, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int j = 0; j < n; j++)
        b[j] = ((double *)raw)[3 * j + 2];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void send_untyped(const void *raw, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int j = 0; j < n; j++)
        b[j] = ((const double *)raw)[3 * j + n];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void send_as_bytes(const double *u, int n, int m, int to, int tag, MPI_Comm comm)
{
    char b[1000];
    int p = 0;
    for (int j = 0; j < n; j++)
        for (unsigned k = 0; k < m * sizeof(double); k++)
            b[p++] = ((const char *)u)[3 * j * sizeof(double) + k];
    MPI_Send(b, n * m * (int)sizeof(double), MPI_BYTE, to, tag, comm);
}

/* run:
double u[60]; FILL(u);
SEND(5, MPI_DOUBLE, send_reshaped(u, 5, PEER, TAG, COMM));
SEND(5, MPI_DOUBLE, send_raw((void *)u, 5, PEER, TAG, COMM));
SEND(5, MPI_DOUBLE, send_untyped(u, 5, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, send_as_bytes(u, 5, 2, PEER, TAG, COMM));
SHOW(u);
*/
