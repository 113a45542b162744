/* What is volatile by a component, by the name of a type, or by a cast. */
#include <mpi.h>

struct device {
    volatile double value;
    double other;
};
typedef volatile double shared;

void volatile_components(const struct device *all, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = all[i].value;
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void volatile_names(const shared *restrict all, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = all[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void volatile_casts(const double *restrict all, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = *(const volatile double *)&all[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
