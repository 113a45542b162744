// Complex numbers of the standard library.
#include <complex>
#include <mpi.h>
#include <vector>

void send_modes(const std::vector<std::complex<double>> &modes, int n, int m, int to, int tag, MPI_Comm comm)
{
    std::vector<std::complex<double>> b(n);
    for (int i = 0; i < n; i++)
        b[i] = modes[i * m];
    MPI_Send(b.data(), n, MPI_C_DOUBLE_COMPLEX, to, tag, comm);
}

/* run:
std::vector<std::complex<double>> modes(30); FILLN((double *)modes.data(), 60);
SEND(6, MPI_C_DOUBLE_COMPLEX, send_modes(modes, 6, 5, PEER, TAG, COMM));
SHOWN(modes.data(), 30);
*/
