// The buffer is read in text that is no procedure of the tree, or by another name.
#include <mpi.h>

static double field[80];
double in_nested[40], in_friend[40], at_file[40], by_default[40], qualified[40], chosen[40], returned[40];

struct outer {
    struct nested {
        double read() { return in_nested[3]; }
    };
    friend double read_friend(const outer &) { return in_friend[3]; }
};

static auto read_file = [] { return at_file[3]; };

double read_default(double x = by_default[3]);

double read_qualified()
{
    return (::qualified[3]);
}

double read_chosen(int c)
{
    double *p = c ? chosen : nullptr;
    return p ? p[3] : 0;
}

double *get()
{
    return returned;
}

void send_in_nested(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        in_nested[i] = field[2 * i];
    MPI_Send(in_nested, n, MPI_DOUBLE, to, tag, comm);
}

void send_in_friend(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        in_friend[i] = field[2 * i];
    MPI_Send(in_friend, n, MPI_DOUBLE, to, tag, comm);
}

void send_at_file(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        at_file[i] = field[2 * i];
    MPI_Send(at_file, n, MPI_DOUBLE, to, tag, comm);
}

void send_by_default(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        by_default[i] = field[2 * i];
    MPI_Send(by_default, n, MPI_DOUBLE, to, tag, comm);
}

void send_qualified(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        qualified[i] = field[2 * i];
    MPI_Send(qualified, n, MPI_DOUBLE, to, tag, comm);
}

void send_chosen(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        chosen[i] = field[2 * i];
    MPI_Send(chosen, n, MPI_DOUBLE, to, tag, comm);
}

void send_returned(int n, int to, int tag, MPI_Comm comm)
{
    for (int i = 0; i < n; i++)
        returned[i] = field[2 * i];
    MPI_Send(returned, n, MPI_DOUBLE, to, tag, comm);
}
