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

/* run:
double x[20], y[60]; FILL(x); FILL(y);
struct field_pointers f = {x, y};
SEND(40, MPI_DOUBLE, send_both_fields(&f, 20, PEER, TAG, COMM));
*/
