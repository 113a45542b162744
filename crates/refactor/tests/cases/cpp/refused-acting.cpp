// Functions that no name calls: operators of no class, conversions of values and of arguments,
// objects that are made once, specializations of templates, and a pointer that reads like a call.
#include <mpi.h>

double acted[640];

struct Free_operand {
    double *p;
};

int operator+(Free_operand r, int x)
{
    r.p[4] = -1;
    return x;
}

void free_operator(Free_operand q, int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = acted[4 * i];
    int tag = q + 3;
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

struct Converted {
    double *p;
    operator int()
    {
        p[4] = -1;
        return 7;
    }
};

void converted(Converted &q, int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = acted[4 * i];
    int tag = q;
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

struct Converting {
    Converting(int k) : v(k)
    {
        acted[4] = -1;
    }
    int v;
};

static int taken(const Converting &r)
{
    return r.v;
}

void converting(int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = acted[4 * i];
    int tag = taken(7);
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

static int made_once()
{
    static Converting r(3);
    return 7;
}

void once(int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = acted[4 * i];
    int tag = made_once();
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

template <class T> void specialized(T)
{
}
template <> void specialized<double>(double)
{
    acted[4] = -1;
}

void special(int n, int to, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = acted[4 * i];
    specialized(1.0);
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}

void hidden_update()
{
}
static void other_update()
{
    acted[4] = -1;
}

void hidden_by_pointer(int n, int to, MPI_Comm comm)
{
    double b[64];
    void(*hidden_update)() = other_update;
    for (int i = 0; i < n; i++)
        b[i] = acted[4 * i];
    hidden_update();
    MPI_Send(b, n, MPI_DOUBLE, to, 0, comm);
}
