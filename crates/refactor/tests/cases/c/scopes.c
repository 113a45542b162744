/* What the text names must mean at the call what it meant in the copies. */
#include <mpi.h>

static double scoped[200];

typedef struct {
    double mass, charge;
} particle;

struct atom {
    int kind;
    double charge;
};

void hidden_source(int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = scoped[2 * i];
    {
        double scoped = 3;
        (void)scoped;
        MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    }
}

void gone_source(int n, int to, int tag, MPI_Comm comm)
{
    double b[40], t[80];
    for (int i = 0; i < 80; i++)
        t[i] = -i;
    {
        float t[80];
        double w[80];
        for (int i = 0; i < 80; i++)
            t[i] = 0, w[i] = scoped[i];
        for (int i = 0; i < n; i++)
            b[i] = w[2 * i];
    }
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    scoped[0] = t[3];
}

void same_names(int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    {
        double t[80];
        for (int i = 0; i < 80; i++)
            t[i] = scoped[i];
        for (int i = 0; i < n; i++)
            b[i] = t[2 * i];
    }
    {
        double t[80];
        for (int i = 0; i < 80; i++)
            t[i] = -1;
        MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
        scoped[0] = t[3];
    }
}

void hidden_type(const particle *all, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].charge;
    {
        typedef int particle;
        particle none = 0;
        (void)none;
        MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    }
}

/* `sizeof(particle)` would be the size of the variable. */
void variable_for_type(const particle *all, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = all[i].charge;
    {
        int particle = 3;
        MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
        scoped[2] = particle;
    }
}

void parameter_for_type(const particle *all, int particle, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < particle; i++)
        b[i] = all[i].mass;
    MPI_Send(b, particle, MPI_DOUBLE, to, tag, comm);
}

/* No variable hides a tag. */
void variable_for_tag(const struct atom *atom, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = atom[i].charge;
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* The inner variable is the one that is seen at the call, too. */
void inner_source(int n, int to, int tag, MPI_Comm comm)
{
    int t = 5;
    scoped[1] = t;
    {
        double t[80], b[40];
        for (int i = 0; i < 80; i++)
            t[i] = scoped[i];
        for (int i = 0; i < n; i++)
            b[i] = t[2 * i];
        MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    }
}

/* Each turn sends a part of what was packed before. */
void parts_in_turns(const int *list, const int *length, int n, int parts, int to, int tag,
                    MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = scoped[list[i]];
    int at = 0;
    for (int k = 0; k < parts; k++) {
        MPI_Send(b + at, length[k], MPI_DOUBLE, to, tag, comm);
        at += length[k];
    }
}

/* run:
double u[200]; FILL(u);
particle all[10]; FILLB(all);
struct atom atoms[10]; FILLB(atoms);
int list[] = {3, 1, 4, 1, 5}, length[] = {2, 3};
for (int i = 0; i < 200; i++) scoped[i] = u[i];
SEND(10, MPI_DOUBLE, hidden_source(10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, gone_source(10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, same_names(10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, hidden_type(all, 10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, variable_for_type(all, 10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, parameter_for_type(all, 10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, variable_for_tag(atoms, 10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, inner_source(10, PEER, TAG, COMM));
if (RANK == 0) parts_in_turns(list, length, 5, 2, PEER, TAG, COMM);
else { TAKE(2, MPI_DOUBLE); TAKE(3, MPI_DOUBLE); }
*/
