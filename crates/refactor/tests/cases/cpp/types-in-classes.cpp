// In a function of a class the type is named so that no member hides it, inherited ones included.
#include <mpi.h>

struct tile {
    int kind;
    double v[3];
};

template <class T> struct named {
    T tile;
};

struct derived : public named<int> {
    void send(const struct tile *all, int n, int to, int tag, MPI_Comm comm) const;
};

struct has_constant {
    enum { first, tile };
    void send(const struct tile *all, int n, int to, int tag, MPI_Comm comm) const;
};

struct has_shared {
    static int tile;
    void send(const struct tile *all, int n, int to, int tag, MPI_Comm comm) const;
};

int has_shared::tile = 2;

void derived::send(const struct tile *all, int n, int to, int tag, MPI_Comm comm) const
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].v[1];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void has_constant::send(const struct tile *all, int n, int to, int tag, MPI_Comm comm) const
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].v[1];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void has_shared::send(const struct tile *all, int n, int to, int tag, MPI_Comm comm) const
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].v[1];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* run:
struct tile all[9]; FILLB(all);
SEND(9, MPI_DOUBLE, derived().send(all, 9, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, has_constant().send(all, 9, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, has_shared().send(all, 9, PEER, TAG, COMM));
SHOW(all);
*/
