// A function of the program that has the name of MPI's.
#include <cstdio>
#include <mpi.h>

struct Own_library {
    int MPI_Ssend(const void *b, int n, MPI_Datatype of, int to, int tag, MPI_Comm comm)
    {
        printf("%g\n", ((const double *)b)[1]);
        return ::MPI_Send(b, n, of, to, tag, comm);
    }
    void sent(const double *__restrict u, int n, int to, MPI_Comm comm)
    {
        double b[64];
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Ssend(b, n, MPI_DOUBLE, to, 7, comm);
    }
};
