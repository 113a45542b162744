/* MPI_Pack and MPI_Unpack over the layouts of the expectation tests (layouts.h): what a program pays that packs before
 * it sends and unpacks after it received. The time is that of both, on rank 0 alone.
 */
#include "layouts.h"

static char *packed;

static void communicate(void *state)
{
    struct message *m = state;
    int size = (int)sizeof(int) * m->elements, position = 0;
    if (session.rank != 0)
        return;
    MPI_Pack(m->out, m->count, m->type, packed, size, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack(packed, size, &position, m->in, m->count, m->type, MPI_COMM_WORLD);
}

static void verify(void *state, uint64_t generation)
{
    if (session.rank == 0)
        check_received(state, generation);
}

int main(int argc, char **argv)
{
    static const struct experiment experiment = {fill, communicate, verify};
    start(argc, argv, "packing", "Packing and unpacking over the layouts of the expectation tests.", NULL);
    packed = allocate(SIZES[LENGTH(SIZES) - 1]);
    run_layouts(&experiment);
    free(packed);
    return finish();
}
