// What the first loop leaves in an index is read before the second one counts on.
#include <mpi.h>
#include <vector>

int send_parts(const std::vector<double> &u, const std::vector<double> &v, int n, int m, int to, int tag,
               MPI_Comm comm)
{
    std::vector<double> b(n + m);
    int k = 0;
    for (int i = 0; i < n; i++)
        b[k++] = u[4 * i];
    int first = k;
    for (int i = 0; i < m; i++)
        b[k++] = v[3 * i];
    MPI_Send(b.data(), k, MPI_DOUBLE, to, tag, comm);
    return first;
}
