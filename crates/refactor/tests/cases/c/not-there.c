/* Memory that only the loops' turns read, and what only they divide by: where there are none, it may
 * not be there. */
#include <mpi.h>

struct link_part {
    int off, n;
    double *values;
};

/* The bound is read anyway: so is what stands beside it. */
void link_bound(const double *restrict u, const struct link_part *l, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < l->n; i++)
        b[i] = u[l->off + 3 * i];
    MPI_Send(b, l->n, MPI_DOUBLE, to, tag, comm);
}

void link_offset(const double *restrict u, const struct link_part *l, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[l->off + 3 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void link_values(const struct link_part *l, int n, int m, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * m + j] = l->values[8 * i + j];
    MPI_Send(b, n * m, MPI_DOUBLE, to, tag, comm);
}

void row_of_none(double *const *restrict rows, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = rows[0][3 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void offset_of_none(const double *restrict u, const int *restrict off, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[off[0] + 3 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* An empty part at no address, beside one that is not empty. */
void one_of_two(const double *restrict x, int nx, const double *restrict y, int ny, int to, int tag, MPI_Comm comm)
{
    double b[64];
    int k = 0;
    for (int i = 0; i < nx; i++)
        b[k++] = x[3 * i];
    for (int i = 0; i < ny; i++)
        b[k++] = y[3 * i];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}

void quotient_of_place(const double *restrict u, int n, int to, int tag, MPI_Comm comm)
{
    double b[64];
    for (int i = 0; i < n; i++)
        b[i] = u[(i + 40) % n];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void quotient_of_bound(const double *restrict u, int n, int m, int w, int to, int tag, MPI_Comm comm)
{
    double b[64];
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m / w; j++)
            b[k++] = u[16 * i + 2 * j];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}

void step_of_none(const double *restrict u, int n, int step, int to, int tag, MPI_Comm comm)
{
    double b[64];
    int k = 0;
    for (int i = 0; i < n; i += step)
        b[k++] = u[i];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[200], *rows[1] = {u}; FILL(u);
int off[1] = {5};
struct link_part l = {4, 9, u};
SEND(9, MPI_DOUBLE, link_bound(u, &l, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, link_offset(u, &l, 9, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, link_offset(u, 0, 0, PEER, TAG, COMM));
SEND(12, MPI_DOUBLE, link_values(&l, 3, 4, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, link_values(0, 0, 4, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, link_values(0, 3, 0, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, row_of_none(rows, 9, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, row_of_none(0, 0, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, offset_of_none(u, off, 9, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, offset_of_none(u, 0, 0, PEER, TAG, COMM));
SEND(14, MPI_DOUBLE, one_of_two(u, 9, u + 50, 5, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, one_of_two(u, 9, 0, 0, PEER, TAG, COMM));
SEND(5, MPI_DOUBLE, one_of_two(0, 0, u, 5, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, one_of_two(0, 0, 0, 0, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, quotient_of_place(u, 9, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, quotient_of_place(u, 0, PEER, TAG, COMM));
SEND(9, MPI_DOUBLE, quotient_of_bound(u, 3, 6, 2, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, quotient_of_bound(u, 0, 6, 0, PEER, TAG, COMM));
SEND(4, MPI_DOUBLE, step_of_none(u, 12, 3, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, step_of_none(u, 0, 0, PEER, TAG, COMM));
SHOW(u);
*/
