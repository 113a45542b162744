// Copies that convert, or of which one does not see how many they are.
#include <algorithm>
#include <mpi.h>
#include <vector>

void send_as_floats(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    float b[100];
    std::copy(u, u + n, b);
    MPI_Send(b, n, MPI_FLOAT, to, tag, comm);
}

void send_to_the_end(const std::vector<double> &u, int n, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(n);
    std::copy(u.begin(), u.end(), b.begin());
    MPI_Send(b.data(), n, MPI_DOUBLE, to, tag, comm);
}

void send_backwards(const std::vector<double> &u, int n, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(n);
    std::copy(u.rbegin(), u.rbegin() + n, b.begin());
    MPI_Send(b.data(), n, MPI_DOUBLE, to, tag, comm);
}
