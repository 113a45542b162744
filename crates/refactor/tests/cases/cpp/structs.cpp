// One member of the structs in a vector, by a list of indices.
#include <mpi.h>
#include <vector>

struct Atom {
    double r[3];
    double f[3];
    int type;
};

void send_listed(const std::vector<Atom> &atoms, const std::vector<int> &list, int to, int tag, MPI_Comm comm)
{
    const int n = (int)list.size();
    std::vector<double> b(3 * n);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            b[3 * i + d] = atoms[list[i]].r[d];
    MPI_Send(b.data(), 3 * n, MPI_DOUBLE, to, tag, comm);
}

/* run:
std::vector<Atom> atoms(9); case_bytes(atoms.data(), 9 * sizeof(Atom));
std::vector<int> list = {8, 0, 3, 3};
SEND(12, MPI_DOUBLE, send_listed(atoms, list, PEER, TAG, COMM));
std::vector<int> none;
SEND(0, MPI_DOUBLE, send_listed(atoms, none, PEER, TAG, COMM));
SHOWN(atoms.data(), 9);
*/
