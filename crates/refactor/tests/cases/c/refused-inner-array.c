#include <mpi.h>
#include <string.h>

struct exchange { int k; double b[64]; };

/* The buffer is an array in a structure, by the name of a pointer. */
double inner_array(double *restrict u, int n, int m, int to, MPI_Comm comm)
{
    struct exchange x;
    double *b = x.b;
    memset(b, 0, sizeof x.b);
    if (m > 2) {
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Send(b, n, MPI_DOUBLE, to, 3, comm);
    }
    return b[0];
}
