// Vectors of the standard library, by their elements and by data().
#include <mpi.h>
#include <vector>

void send_column(const std::vector<double> &u, int nx, int ny, int column, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(ny);
    for (int j = 0; j < ny; ++j)
        b[j] = u[j * nx + column];
    MPI_Send(b.data(), ny, MPI_DOUBLE, to, tag, comm);
}

/* run:
std::vector<double> u(63); FILLN(u, 63);
SEND(7, MPI_DOUBLE, send_column(u, 9, 7, 4, PEER, TAG, COMM));
SHOWN(u.data(), 63);
*/
