// The address of the first element instead of data().
#include <mpi.h>
#include <vector>

void recv_column(std::vector<double> &u, int nx, int ny, int from, int tag, MPI_Comm comm)
{
    std::vector<double> b(ny);
    MPI_Recv(&b[0], ny, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int j = 0; j < ny; ++j)
        u[j * nx + 2] = b[j];
}

// assume: the elements of 'u' that are received are distinct
/* run:
std::vector<double> u(63); FILLN(u, 63);
RECV(7, MPI_DOUBLE, recv_column(u, 9, 7, PEER, TAG, COMM));
SHOWN(u.data(), 63);
*/
