// A loop over what is in a container has no bounds that can be seen.
#include <mpi.h>
#include <vector>

void send_all(const std::vector<double> &u, const std::vector<int> &points, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(points.size());
    int k = 0;
    for (int point : points)
        b[k++] = u[point];
    MPI_Send(b.data(), k, MPI_DOUBLE, to, tag, comm);
}
