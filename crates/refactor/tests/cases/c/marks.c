/* What is written beside the copies stays, whatever it is: only the copies go. */
#include <mpi.h>

static int marked[100];

void mark_what_is_sent(const double *restrict u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++) {
        b[i] = u[4 * i];
        marked[4 * i] = i + 1;
    }
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void count_what_arrives(double *restrict u, int *restrict arrived, int n, int from, int tag,
                        MPI_Comm comm)
{
    double b[100];
    MPI_Recv(b, n, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++) {
        u[4 * i] = b[i];
        arrived[1]++;
    }
}

/* The index is a part of a structure that others read. */
struct index {
    int next;
};

void counted_in_a_structure(const double *restrict u, struct index *restrict at, int n, int to,
                            int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++) {
        b[i] = u[4 * i];
        at->next = i;
    }
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[100]; FILL(u);
int arrived[2] = {3, 4};
struct index at = {7};
SEND(9, MPI_DOUBLE, mark_what_is_sent(u, 9, PEER, TAG, COMM));
SHOW(marked);
RECV(9, MPI_DOUBLE, count_what_arrives(u, arrived, 9, PEER, TAG, COMM));
SHOW(u); SHOW(arrived);
SEND(9, MPI_DOUBLE, counted_in_a_structure(u, &at, 9, PEER, TAG, COMM));
SHOW(at);
*/
