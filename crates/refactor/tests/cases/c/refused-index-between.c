/* What the first loop leaves in an index is read before the second one counts on. */
#include <mpi.h>

int first_part(const double *restrict u, const double *restrict v, int n, int m, int to, int tag,
               MPI_Comm comm)
{
    double b[100];
    int k = 0, first;
    for (int i = 0; i < n; i++)
        b[k++] = u[4 * i];
    first = k;
    for (int i = 0; i < m; i++)
        b[k++] = v[3 * i];
    MPI_Send(b, k, MPI_DOUBLE, to, tag, comm);
    return first;
}

int loop_variable(const double *restrict u, const double *restrict v, int n, int m, int to, int tag,
                  MPI_Comm comm)
{
    double b[100];
    int i, first;
    for (i = 0; i < n; i++)
        b[i] = u[4 * i];
    first = i;
    for (i = 0; i < m; i++)
        b[n + i] = v[3 * i];
    MPI_Send(b, n + m, MPI_DOUBLE, to, tag, comm);
    return first;
}

int received(double *restrict u, double *restrict v, int n, int m, int from, int tag, MPI_Comm comm)
{
    double b[100];
    int k = 0, first;
    MPI_Recv(b, n + m, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[4 * i] = b[k++];
    first = k;
    for (int i = 0; i < m; i++)
        v[3 * i] = b[k++];
    return first;
}

/* The value is not read: the second loop begins at nothing again. */
void begun_again(const double *restrict u, const double *restrict v, int n, int m, int to, int tag,
                 MPI_Comm comm)
{
    double b[100];
    int i;
    for (i = 0; i < n; i++)
        b[i] = u[4 * i];
    for (i = 0; i < m; i++)
        b[n + i] = v[3 * i];
    MPI_Send(b, n + m, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[100], v[100]; FILL(u); FILL(v);
int first[3] = {0, 0, 0};
SEND(17, MPI_DOUBLE, first[0] = first_part(u, v, 10, 7, PEER, TAG, COMM));
SEND(17, MPI_DOUBLE, first[1] = loop_variable(u, v, 10, 7, PEER, TAG, COMM));
RECV(17, MPI_DOUBLE, first[2] = received(u, v, 10, 7, PEER, TAG, COMM));
SEND(17, MPI_DOUBLE, begun_again(u, v, 10, 7, PEER, TAG, COMM));
SHOW(u); SHOW(v); SHOW(first);
*/
