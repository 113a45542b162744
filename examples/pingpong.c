/* Ping-pong over the layouts of the expectation tests (layouts.h).
 *
 * Rank 0 sends, rank 1 receives with the same type and sends what it received back; the time is that of the round
 * trip.
 */
#include "layouts.h"

static void communicate(void *state)
{
    struct message *m = state;
    if (session.rank == 0) {
        MPI_Send(m->out, m->count, m->type, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(m->in, m->count, m->type, 1, 0, MPI_COMM_WORLD, &m->status);
    } else {
        MPI_Recv(m->in, m->count, m->type, 0, 0, MPI_COMM_WORLD, &m->status);
        MPI_Send(m->in, m->count, m->type, 0, 0, MPI_COMM_WORLD);
    }
}

static void verify(void *state, uint64_t generation)
{
    struct message *m = state;
    check_status(&m->status, m->type, m->elements, m->count);
    check_received(m, generation);
}

int main(int argc, char **argv)
{
    static const struct experiment experiment = {fill, communicate, verify};
    start(argc, argv, "pingpong", "Ping-pong of two ranks over the layouts of the expectation tests.", NULL);
    if (session.size != 2 && !session.options.list)
        usage_error("needs exactly 2 ranks", NULL);
    run_layouts(&experiment);
    return finish();
}
