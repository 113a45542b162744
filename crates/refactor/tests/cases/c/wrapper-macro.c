/* A macro that stands for a call, and a procedure that puts other arguments in. */
#include <mpi.h>

#define TELL(what, count, to) MPI_Send(what, count, MPI_INT, to, 7, MPI_COMM_WORLD)

struct link {
    int rank;
    MPI_Comm comm;
};

void through(struct link *link, void *what, int count, MPI_Datatype type)
{
    MPI_Send(what, count, type, link->rank, 7, link->comm);
}

void marks(const int *marks, int n, int to)
{
    int b[64];
    for (int j = 0; j < n; j++)
        b[j] = marks[3 * j + 1];
    TELL(b, n, to);
}

void marks_through(const int *marks, int n, struct link *link)
{
    int b[64];
    for (int j = 0; j < n; j++)
        b[j] = marks[3 * j];
    through(link, b, n, MPI_INT);
}

/* wrapper: TELL = MPI_Send(buf=1, count=2, datatype=MPI_INT, dest=3, tag="7", comm=MPI_COMM_WORLD) */
/* wrapper: through = MPI_Send(dest={1}->rank, buf=2, count=3, datatype=4) */
/* run:
int u[30], got[10]; FILL(u);
struct link link = {PEER, MPI_COMM_WORLD};
if (RANK == 0) {
    marks(u, 10, PEER);
    marks_through(u, 10, &link);
} else
    for (int k = 0; k < 2; k++) {
        MPI_Recv(got, 10, MPI_INT, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        SHOW(got);
    }
*/
