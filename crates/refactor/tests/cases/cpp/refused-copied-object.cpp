// A container that is copied as a whole is read: by a declaration, by an assignment, as an array.
#include <array>
#include <mpi.h>
#include <vector>
double declared(const double *u, int n, int peer, MPI_Comm comm)
{
    std::vector<double> b(400);
    for (int i = 0; i < n; ++i)
        b[i] = u[3 * i];
    MPI_Send(b.data(), n, MPI_DOUBLE, peer, 3, comm);
    std::vector<double> other = b;
    return other[0];
}
double assigned(const double *u, int n, int peer, MPI_Comm comm)
{
    std::vector<double> b(400), other;
    for (int i = 0; i < n; ++i)
        b[i] = u[3 * i];
    MPI_Send(b.data(), n, MPI_DOUBLE, peer, 3, comm);
    other = b;
    return other[0];
}
double fixed(const double *u, int n, int peer, MPI_Comm comm)
{
    std::array<double, 400> b{};
    for (int i = 0; i < n; ++i)
        b[i] = u[3 * i];
    MPI_Send(b.data(), n, MPI_DOUBLE, peer, 3, comm);
    auto other = b;
    return other[0];
}
