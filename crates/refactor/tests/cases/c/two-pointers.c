/* What pointers in a structure lead to, not where these are. */
#include <mpi.h>

struct field_pointers {
    const double *x, *y;
};

void send_both_fields(const struct field_pointers *f, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++) {
        b[2 * i] = f->x[i];
        b[2 * i + 1] = f->y[3 * i];
    }
    MPI_Send(b, 2 * n, MPI_DOUBLE, to, tag, comm);
}

struct pointer_table {
    const double *of[2][2];
};

void send_two_of_table(const struct pointer_table *t, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++) {
        b[2 * i] = t->of[0][1][i];
        b[2 * i + 1] = t->of[1][0][3 * i];
    }
    MPI_Send(b, 2 * n, MPI_DOUBLE, to, tag, comm);
}

/* run:
double x[20], y[60]; FILL(x); FILL(y);
struct field_pointers f = {x, y};
SEND(40, MPI_DOUBLE, send_both_fields(&f, 20, PEER, TAG, COMM));
struct pointer_table t = {{{y, x}, {y, x}}};
SEND(40, MPI_DOUBLE, send_two_of_table(&t, 20, PEER, TAG, COMM));
*/
