// The name of a type is not written where a variable, or a member of the class, hides it.
#include <mpi.h>

struct cell {
    int kind;
    double v[3];
};

void hidden_by_variable(const cell *all, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].v[1];
    {
        int cell = 3;
        MPI_Send(b, n, MPI_DOUBLE, to, tag + 0 * cell, comm);
    }
}

struct halo {
    int cell;
    void send(const struct cell *all, int n, int to, int tag, MPI_Comm comm) const;
};

void halo::send(const struct cell *all, int n, int to, int tag, MPI_Comm comm) const
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].v[2];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

struct row {
    int kind;
    double v[3];
};

struct aliased {
    typedef int row;
};

struct derived_halo : aliased {
    void send(const struct ::row *all, int n, int to, int tag, MPI_Comm comm) const;
};

void derived_halo::send(const struct ::row *all, int n, int to, int tag, MPI_Comm comm) const
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].v[2];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
