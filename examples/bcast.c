/* Broadcast over the layouts of the expectation tests (layouts.h), from rank 0. */
#include "layouts.h"

static void communicate(void *state)
{
    struct message *m = state;
    MPI_Bcast(session.rank == 0 ? m->out : m->in, m->count, m->type, 0, MPI_COMM_WORLD);
}

static void verify(void *state, uint64_t generation)
{
    if (session.rank != 0)
        check_received(state, generation);
}

int main(int argc, char **argv)
{
    static const struct experiment experiment = {fill, communicate, verify};
    start(argc, argv, "bcast", "Broadcast over the layouts of the expectation tests.", NULL);
    if (session.size < 2 && !session.options.list)
        usage_error("needs at least 2 ranks", NULL);
    run_layouts(&experiment);
    return finish();
}
