/* Memory that may not be there, under conditions. */
#include <mpi.h>

struct one_part {
    int n;
    double *d;
};

void perhaps_there(const double *restrict u, const struct one_part *restrict g, int has, int to, MPI_Comm comm)
{
    double b[64];
    int k = 0;
    for (int i = 0; i < 4; i++)
        b[k++] = u[i];
    if (has)
        for (int i = 0; i < 20; i++)
            b[k++] = g->d[i * 8];
    MPI_Send(b, k, MPI_DOUBLE, to, 0, comm);
}

/* The loops' index is needed later, and is none that can be computed without them. */
int counted_there(const double *restrict u, const struct one_part *restrict g, int n, int to, MPI_Comm comm)
{
    double b[64];
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < g->n; j++)
            b[k++] = u[8 * i + 2 * j];
    MPI_Send(b, k, MPI_DOUBLE, to, 0, comm);
    return k;
}
