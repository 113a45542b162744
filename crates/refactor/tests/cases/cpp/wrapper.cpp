// A namespace of wrappers: a template for any type, requests by reference.
#include <mpi.h>
#include <vector>

namespace net {
template <class T>
void isend(const T *what, int count, MPI_Datatype type, int to, MPI_Request &request)
{
    MPI_Isend(what, count, type, to, 7, MPI_COMM_WORLD, &request);
}

inline void isend_reals(const std::vector<double> &, int) {}

inline void isend_doubles(const double *what, int count, int to, MPI_Request &request)
{
    MPI_Isend(what, count, MPI_DOUBLE, to, 7, MPI_COMM_WORLD, &request);
}

inline void wait(MPI_Request &request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
}

void both_columns(std::vector<double> &u, int nx, int ny, int to)
{
    std::vector<double> a(ny), b(ny);
    MPI_Request first, second;
    for (int j = 0; j < ny; ++j)
        a[j] = u[j * nx];
    net::isend(a.data(), ny, MPI_DOUBLE, to, first);
    for (int j = 0; j < ny; ++j)
        b[j] = u[j * nx + 3];
    net::isend_doubles(b.data(), ny, to, second);
    net::wait(first);
    net::wait(second);
}

// wrapper: isend = MPI_Isend(buf=1, count=2, datatype=3, dest=4, request=5)
// wrapper: net::isend_doubles = MPI_Isend(buf=1, count=2, datatype=MPI_DOUBLE, dest=3, tag="7", comm=MPI_COMM_WORLD, request=&{4})
// wrapper: net::wait = MPI_Wait(request=1)
/* run:
std::vector<double> u(45), got(5); FILLN(u, 45);
if (RANK == 0) both_columns(u, 9, 5, PEER);
else for (int k = 0; k < 2; k++) {
    MPI_Recv(got.data(), 5, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SHOWN(got.data(), 5);
}
*/
