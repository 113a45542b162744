/* A wait completes what its handle says then: a handle that was copied, swapped or stepped over is
   not the one that the send has set. */
#include <mpi.h>
#include <string.h>

struct pending {
    MPI_Request send, other;
};

void rq_swapped(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    MPI_Request all[2], held;
    all[1] = MPI_REQUEST_NULL;
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &all[0]);
    held = all[0];
    all[0] = all[1];
    all[1] = held;
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    u[0] = -1;
    MPI_Wait(&all[1], MPI_STATUS_IGNORE);
}

void rq_stepped(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    MPI_Request all[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Request *next = all;
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, next);
    next = all + 1;
    MPI_Wait(next, MPI_STATUS_IGNORE);
    u[0] = -1;
    MPI_Wait(all, MPI_STATUS_IGNORE);
}

void rq_copied(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    struct pending here, there;
    here.other = MPI_REQUEST_NULL;
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &here.send);
    memcpy(&there, &here, sizeof here);
    here.send = here.other;
    MPI_Wait(&here.send, MPI_STATUS_IGNORE);
    u[0] = -1;
    MPI_Wait(&there.send, MPI_STATUS_IGNORE);
}

static void rq_exchange(MPI_Request *one, MPI_Request *other)
{
    MPI_Request held = *one;
    *one = *other;
    *other = held;
}

void rq_given(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    MPI_Request mine, none = MPI_REQUEST_NULL;
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &mine);
    rq_exchange(&mine, &none);
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
    u[0] = -1;
    MPI_Wait(&none, MPI_STATUS_IGNORE);
}

/* Another request of the array may be set. */
void rq_kept(double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    MPI_Request all[2];
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Isend(b, n, MPI_DOUBLE, to, tag, comm, &all[0]);
    all[1] = MPI_REQUEST_NULL;
    MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    u[0] = -1;
}

/* run:
double u[80]; FILL(u);
SEND(20, MPI_DOUBLE, rq_swapped(u, 20, PEER, TAG, COMM));
SEND(20, MPI_DOUBLE, rq_stepped(u, 20, PEER, TAG, COMM));
SEND(20, MPI_DOUBLE, rq_copied(u, 20, PEER, TAG, COMM));
SEND(20, MPI_DOUBLE, rq_given(u, 20, PEER, TAG, COMM));
SEND(20, MPI_DOUBLE, rq_kept(u, 20, PEER, TAG, COMM));
SHOW(u);
*/
