// Assignments and operators that are functions of the program, templates that are called as those
// of the standard library are, and helpers that hide others.
#include <mpi.h>

struct Doubled {
    double v;
    Doubled &operator=(const Doubled &other)
    {
        v = 2 * other.v;
        return *this;
    }
};

void doubles(const Doubled *__restrict u, int n, int to, MPI_Comm comm)
{
    Doubled b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[8 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}

struct Acting {
    double *p;
    int operator-()
    {
        p[4] = -1;
        return 7;
    }
};

double shared[640];

void negated(Acting q, int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = shared[4 * i];
    int t = -q;
    MPI_Send(b, n, MPI_DOUBLE, to, t, comm);
}

namespace own {
template <class T> struct vector {
    T *data;
    int step;
    T &operator[](int i)
    {
        return data[i * step];
    }
};
} // namespace own

void strided(own::vector<double> v, int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = v[2 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}

static inline int at(int i, int j)
{
    return 11 * i + j;
}

namespace q {
static inline int at(int i, int j)
{
    return 11 * i + j + 1;
}

void hidden(const double *__restrict d, int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = d[at(i, 3)];
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}
} // namespace q

double first(const double *d)
{
    return d[at(0, 0)];
}
