// Containers that the library fills, a method of a class in a namespace, and procedures that macros
// make there.
#include <algorithm>
#include <iterator>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <vector>

void inserted(const std::vector<double> &u, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b;
    b.insert(b.end(), u.begin(), u.begin() + 4);
    MPI_Send(b.data(), 4, MPI_DOUBLE, to, tag, comm);
}

void generated(const double *u, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(4);
    int i = 0;
    std::generate(b.begin(), b.end(), [&] { return u[3 * i++]; });
    MPI_Send(b.data(), 4, MPI_DOUBLE, to, tag, comm);
}

void transformed(const std::vector<double> &u, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b;
    std::transform(u.begin(), u.end(), std::back_inserter(b), [](double x) { return x; });
    MPI_Send(b.data(), 4, MPI_DOUBLE, to, tag, comm);
}

void made_of(const std::vector<double> &u, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(u.begin(), u.begin() + 4);
    MPI_Send(b.data(), 4, MPI_DOUBLE, to, tag, comm);
}

void assigned(const std::vector<double> &u, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b;
    b.assign(u.begin(), u.end());
    MPI_Send(b.data(), 4, MPI_DOUBLE, to, tag, comm);
}

void captured(const double *u, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(4);
    auto pack = [&](int at) {
        for (int i = 0; i < 4; i++)
            b[i] = u[3 * i + at];
    };
    pack(1);
    MPI_Send(b.data(), 4, MPI_DOUBLE, to, tag, comm);
}

namespace halo {
#define SENDER(name, at)                                                                            \
    void name(const double *u, int to, int tag, MPI_Comm comm)                                      \
    {                                                                                               \
        double b[4];                                                                                \
        for (int i = 0; i < 4; i++)                                                                 \
            b[i] = u[3 * i + at];                                                                   \
        MPI_Send(b, 4, MPI_DOUBLE, to, tag, comm);                                                  \
    }
SENDER(send_second, 1)

class Exchange {
    std::unique_ptr<double[]> b_;

public:
    SENDER(send_third, 2)
    void send(const double *u, int to, int tag, MPI_Comm comm)
    {
        for (int i = 0; i < 4; i++)
            b_[i] = u[3 * i];
        MPI_Send(b_.get(), 4, MPI_DOUBLE, to, tag, comm);
    }
};
}
