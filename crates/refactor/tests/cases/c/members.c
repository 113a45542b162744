/* Two members of the parts of structs in an array of a struct. */
#include <mpi.h>

struct state {
    int level;
    double flux[4];
};

struct cell {
    char name[3];
    struct state before, after;
};

struct grid {
    int n;
    struct cell cells[8];
};

void send_members(const struct grid *g, int to, int tag, MPI_Comm comm)
{
    double b[16];
    for (int i = 0; i < 8; i++) {
        b[2 * i] = g->cells[i].after.flux[1];
        b[2 * i + 1] = g->cells[i].before.flux[3];
    }
    MPI_Send(b, 16, MPI_DOUBLE, to, tag, comm);
}

/* run:
struct grid g; FILLB(g);
SEND(16, MPI_DOUBLE, send_members(&g, PEER, TAG, COMM));
SHOW(g);
*/
