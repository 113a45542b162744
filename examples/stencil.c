/* A three-dimensional stencil that computes between its exchanges, in four forms of the exchange.
 *
 * Every rank holds n^3 doubles inside one layer of ghost cells, x fastest, of a periodic grid of ranks. One step sends
 * the outermost layers of the cells to the neighbours, receives theirs into the ghost layers, and computes the next
 * values of all cells: between two exchanges the caches fill with other data, as they do in programs.
 *
 *     isend       MPI_Irecv, MPI_Isend, MPI_Waitall, each face a subarray
 *     persistent  the same as persistent requests
 *     alltoallw   MPI_Neighbor_alltoallw of the same subarrays
 *     by-hand     faces packed into buffers by loops, memcpy where cells are adjacent
 *
 * Every exchange is two cells of the output: exchange-nN, the communication with all packing and unpacking, and
 * step-nN, the communication and the computing after it.
 *
 * The stencil is the wave equation with the second differences in time and space,
 *
 *     next - 2 now + before = (sum of the six neighbours) - 6 now,
 *
 * on integers, so that no step rounds. A sum of three waves, each of which moves by one cell along its axis in each
 * step, solves it exactly: u(x, y, z, t) = X(x + t) + Y(y + t) + Z(z + t), for any X, Y and Z. So every cell is
 * compared with a value that no exchange has touched, on any number of ranks. The scheme is unstable for anything else:
 * one wrong cell grows until nothing is right.
 */
#include "common.h"
#include <stddef.h>

enum { AXES = 3, SIDES = 2, FACES = AXES * SIDES, X = 0, Y = 1, Z = 2, LOW = 0, HIGH = 1, LEVELS = 2 };
enum form { ISEND, PERSISTENT, ALLTOALLW, BY_HAND, FORMS };

static const int ONES[FACES] = {1, 1, 1, 1, 1, 1};
static const char *const FORM[FORMS] = {"isend", "persistent", "alltoallw", "by-hand"};

static const struct {
    int n;
    int in_demo; /* others only with --all */
} ORDERS[] = {{32, 1}, {64, 0}, {128, 1}, {256, 0}};

/* Faces are numbered by axis and side of the rank that sends them: what a neighbour sends from its low face arrives in
 * the high ghost layer. */
struct grid {
    int n, edge; /* cells per axis without and with ghost layers */
    MPI_Comm ranks;
    MPI_Comm faces; /* the same ranks, an edge for each face */
    int dims[AXES], coords[AXES], target[FACES], source[FACES];
    enum form form;
    double *cells[LEVELS]; /* of this step, and of the one before, which computing makes the next one */
    int now;               /* which of them is of this step */
    int started;
    double *wave[AXES], *expected_row;
    MPI_Datatype inner[FACES], ghost[FACES]; /* layers, as parts of the whole array */
    MPI_Request persistent[LEVELS][2 * FACES];
    double *outgoing[FACES], *incoming[FACES]; /* faces packed by hand */
    MPI_Status statuses[2 * FACES];            /* of the last exchange: receives, then sends */
};

static int axis_of(int face)
{
    return face / SIDES;
}

/* The layer that is sent from a face, and the one that it arrives in: 0 and n + 1 are ghosts. */
static int inner_layer(const struct grid *g, int face)
{
    return face % SIDES == LOW ? 1 : g->n;
}

static int ghost_layer(const struct grid *g, int face)
{
    return face % SIDES == LOW ? g->n + 1 : 0;
}

/* Where the row of cells at (y, z) begins, with its ghost. */
static size_t row_at(const struct grid *g, int y, int z)
{
    return ((size_t)z * (size_t)g->edge + (size_t)y) * (size_t)g->edge;
}

/* ---- the exchange, described by datatypes ---- */

static MPI_Datatype describe(const struct grid *g, int axis, int layer)
{
    int sizes[AXES] = {g->edge, g->edge, g->edge}, subsizes[AXES] = {g->n, g->n, g->n}, starts[AXES] = {1, 1, 1};
    MPI_Datatype type;
    subsizes[Z - axis] = 1; /* C order: slowest first */
    starts[Z - axis] = layer;
    MPI_Type_create_subarray(AXES, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void exchange_isend(struct grid *g, double *u)
{
    MPI_Request requests[2 * FACES];
    for (int f = 0; f < FACES; f++)
        MPI_Irecv(u, 1, g->ghost[f], g->source[f], f, g->ranks, &requests[f]);
    for (int f = 0; f < FACES; f++)
        MPI_Isend(u, 1, g->inner[f], g->target[f], f, g->ranks, &requests[FACES + f]);
    MPI_Waitall(2 * FACES, requests, g->statuses);
}

static void exchange_persistent(struct grid *g)
{
    MPI_Startall(2 * FACES, g->persistent[g->now]);
    MPI_Waitall(2 * FACES, g->persistent[g->now], g->statuses);
}

static void exchange_alltoallw(struct grid *g, double *u)
{
    static const MPI_Aint displacements[FACES];
    MPI_Neighbor_alltoallw(u, ONES, displacements, g->inner, u, ONES, displacements, g->ghost, g->faces);
}

/* ---- the same, packed by hand ---- */

/* Where a line of cells of a layer begins: along y in a layer across x, along x in the others. */
static size_t line_at(const struct grid *g, int axis, int layer, int line)
{
    switch (axis) {
    case X:
        return row_at(g, 1, line) + (size_t)layer;
    case Y:
        return row_at(g, layer, line) + 1;
    default:
        return row_at(g, line, layer) + 1;
    }
}

static void pack(const struct grid *g, const double *u, int axis, int layer, double *out)
{
    const size_t n = (size_t)g->n, edge = (size_t)g->edge;
    for (int line = 1; line <= g->n; line++, out += n) {
        const double *from = u + line_at(g, axis, layer, line);
        if (axis == X)
            for (size_t i = 0; i < n; i++)
                out[i] = from[i * edge];
        else
            memcpy(out, from, n * sizeof *out);
    }
}

static void unpack(const struct grid *g, double *u, int axis, int layer, const double *in)
{
    const size_t n = (size_t)g->n, edge = (size_t)g->edge;
    for (int line = 1; line <= g->n; line++, in += n) {
        double *to = u + line_at(g, axis, layer, line);
        if (axis == X)
            for (size_t i = 0; i < n; i++)
                to[i * edge] = in[i];
        else
            memcpy(to, in, n * sizeof *in);
    }
}

/* Each face is on its way while the next one is packed. */
static void exchange_by_hand(struct grid *g, double *u)
{
    const int cells = g->n * g->n;
    MPI_Request receives[FACES], sends[FACES];
    for (int f = 0; f < FACES; f++)
        MPI_Irecv(g->incoming[f], cells, MPI_DOUBLE, g->source[f], f, g->ranks, &receives[f]);
    for (int f = 0; f < FACES; f++) {
        pack(g, u, axis_of(f), inner_layer(g, f), g->outgoing[f]);
        MPI_Isend(g->outgoing[f], cells, MPI_DOUBLE, g->target[f], f, g->ranks, &sends[f]);
    }
    MPI_Waitall(FACES, receives, g->statuses);
    for (int f = 0; f < FACES; f++)
        unpack(g, u, axis_of(f), ghost_layer(g, f), g->incoming[f]);
    MPI_Waitall(FACES, sends, g->statuses + FACES);
}

/* ---- the experiment ---- */

static void communicate(void *state)
{
    struct grid *g = state;
    double *u = g->cells[g->now];
    switch (g->form) {
    case ISEND:
        exchange_isend(g, u);
        break;
    case PERSISTENT:
        exchange_persistent(g);
        break;
    case ALLTOALLW:
        exchange_alltoallw(g, u);
        break;
    default:
        exchange_by_hand(g, u);
    }
}

static void compute(void *state)
{
    struct grid *g = state;
    const ptrdiff_t edge = g->edge, plane = edge * edge;
    for (int z = 1; z <= g->n; z++)
        for (int y = 1; y <= g->n; y++) {
            const double *now = g->cells[g->now] + row_at(g, y, z);
            double *restrict next = g->cells[!g->now] + row_at(g, y, z); /* so far the step before */
            for (ptrdiff_t x = 1; x <= g->n; x++)
                next[x] = now[x - 1] + now[x + 1] + now[x - edge] + now[x + edge] + now[x - plane] + now[x + plane] -
                          4 * now[x] - next[x];
        }
    g->now = !g->now;
}

/* Where a wave has the value of the local cell `local` (from 0, ghost) at `time`. */
static size_t on_wave(const struct grid *g, int axis, int local, uint64_t time)
{
    const uint64_t cells = (uint64_t)g->dims[axis] * (uint64_t)g->n;
    return (size_t)(((uint64_t)g->coords[axis] * (uint64_t)g->n + (uint64_t)local + cells - 1 + time) % cells);
}

/* The values of the cells `from` to `to` of a row. */
static void solve_row(const struct grid *g, double *row, int from, int to, int y, int z, uint64_t time)
{
    const double base = g->wave[Y][on_wave(g, Y, y, time)] + g->wave[Z][on_wave(g, Z, z, time)];
    const size_t cells = (size_t)g->dims[X] * (size_t)g->n;
    size_t at = on_wave(g, X, from, time);
    for (int x = from; x <= to; x++) {
        row[x] = base + g->wave[X][at];
        at = at + 1 == cells ? 0 : at + 1;
    }
}

/* The first two levels; from then on each step computes its values. */
static void fill(void *state, uint64_t generation)
{
    struct grid *g = state;
    if (g->started)
        return;
    g->started = 1;
    for (int z = 1; z <= g->n; z++)
        for (int y = 1; y <= g->n; y++) {
            solve_row(g, g->cells[g->now] + row_at(g, y, z), 1, g->n, y, z, generation);
            solve_row(g, g->cells[!g->now] + row_at(g, y, z), 1, g->n, y, z, generation - 1);
        }
}

static int is_ghost(const struct grid *g, int local)
{
    return local == 0 || local == g->n + 1;
}

static void check_cells(struct grid *g, size_t at, int from, int count)
{
    const double *cells = g->cells[!g->now] + at + from;
    check("the local array", (at + (size_t)from) * sizeof *cells, cells, g->expected_row + from,
          (size_t)count * sizeof *cells);
}

/* The level of this step, which computing has left as it was: cells as all steps before have made them, ghost layers
 * as received; edges and corners belong to no face and are as they were at first. */
static void verify(void *state, uint64_t generation)
{
    struct grid *g = state;
    const int checksumming = session.checksumming;
    for (int f = 0; f < FACES && g->form != ALLTOALLW; f++)
        if (g->form == BY_HAND)
            check_status(&g->statuses[f], MPI_DOUBLE, g->n * g->n, g->n * g->n);
        else
            check_status(&g->statuses[f], g->ghost[f], g->n * g->n, 1);
    for (int z = 0; z < g->edge; z++)
        for (int y = 0; y < g->edge; y++) {
            const size_t at = row_at(g, y, z);
            const int ghosts = is_ghost(g, y) + is_ghost(g, z);
            memset(g->expected_row, GAP_BYTE, sizeof(double) * (size_t)g->edge);
            if (ghosts == 0)
                solve_row(g, g->expected_row, 0, g->n + 1, y, z, generation);
            else if (ghosts == 1)
                solve_row(g, g->expected_row, 1, g->n, y, z, generation);
            check_cells(g, at, 0, 1);
            session.checksumming = checksumming && ghosts > 0; /* own cells were not received */
            check_cells(g, at, 1, g->n);
            session.checksumming = checksumming;
            check_cells(g, at, g->n + 1, 1);
        }
}

/* ---- the cells ---- */

/* Integers that look random, the same on all ranks: sums of some dozens are exact. */
static double *make_wave(size_t cells, uint64_t seed)
{
    double *wave = allocate(sizeof *wave * cells);
    for (size_t i = 0; i < cells; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        wave[i] = (double)(seed >> 24);
    }
    return wave;
}

static void prepare(struct grid *g)
{
    const size_t edge = (size_t)g->edge, bytes = sizeof(double) * edge * edge * edge;
    g->now = g->started = 0;
    g->expected_row = allocate(sizeof(double) * edge);
    for (int axis = 0; axis < AXES; axis++)
        g->wave[axis] = make_wave((size_t)g->dims[axis] * (size_t)g->n, (uint64_t)axis + 1);
    for (int level = 0; level < LEVELS; level++) {
        g->cells[level] = allocate(bytes);
        memset(g->cells[level], GAP_BYTE, bytes);
    }
    for (int f = 0; f < FACES; f++) {
        g->inner[f] = describe(g, axis_of(f), inner_layer(g, f));
        g->ghost[f] = describe(g, axis_of(f), ghost_layer(g, f));
        g->outgoing[f] = allocate(sizeof(double) * (size_t)g->n * (size_t)g->n);
        g->incoming[f] = allocate(sizeof(double) * (size_t)g->n * (size_t)g->n);
        for (int level = 0; level < LEVELS && g->form == PERSISTENT; level++) {
            MPI_Request *requests = g->persistent[level];
            MPI_Recv_init(g->cells[level], 1, g->ghost[f], g->source[f], f, g->ranks, &requests[f]);
            MPI_Send_init(g->cells[level], 1, g->inner[f], g->target[f], f, g->ranks, &requests[FACES + f]);
        }
    }
}

static void clean_up(struct grid *g)
{
    for (int level = 0; level < LEVELS; level++) {
        for (int i = 0; i < 2 * FACES && g->form == PERSISTENT; i++)
            MPI_Request_free(&g->persistent[level][i]);
        free(g->cells[level]);
    }
    for (int f = 0; f < FACES; f++) {
        MPI_Type_free(&g->inner[f]);
        MPI_Type_free(&g->ghost[f]);
        free(g->outgoing[f]);
        free(g->incoming[f]);
    }
    for (int axis = 0; axis < AXES; axis++)
        free(g->wave[axis]);
    free(g->expected_row);
}

static void run_order(struct grid *g, int n, int in_demo)
{
    static const struct experiment experiment = {fill, communicate, verify};
    const size_t bytes = FACES * sizeof(double) * (size_t)n * (size_t)n;
    char exchange[64], step[64];
    snprintf(exchange, sizeof exchange, "exchange-n%d", n);
    snprintf(step, sizeof step, "step-n%d", n);
    g->n = n;
    g->edge = n + 2;
    for (int form = ISEND; form < FORMS; form++) {
        if (!steps_wanted(exchange, step, FORM[form], bytes, in_demo))
            continue;
        g->form = (enum form)form;
        prepare(g);
        run_steps(&experiment, compute, g);
        clean_up(g);
    }
}

int main(int argc, char **argv)
{
    int periodic[AXES] = {1, 1, 1};
    struct grid g = {.dims = {0, 0, 0}};
    start(argc, argv, "stencil", "A stencil on a periodic 3-D grid of any number of ranks, with its halo exchange.",
          "cells along each axis of a rank (default: 32 and 128, with --all 64 and 256, too)");
    MPI_Dims_create(session.size, AXES, g.dims);
    MPI_Cart_create(MPI_COMM_WORLD, AXES, g.dims, periodic, 0, &g.ranks);
    MPI_Cart_coords(g.ranks, session.rank, AXES, g.coords);
    for (int f = 0; f < FACES; f++)
        MPI_Cart_shift(g.ranks, axis_of(f), f % SIDES == HIGH ? 1 : -1, &g.source[f], &g.target[f]);
    /* In the Cartesian communicator, MPICH and Open MPI disagree on which is which of two blocks between the same two
     * ranks (up to two ranks along an axis). Here both match them in the order of the faces. */
    MPI_Dist_graph_create_adjacent(g.ranks, FACES, g.source, ONES, FACES, g.target, ONES, MPI_INFO_NULL, 0, &g.faces);
    if (session.options.order)
        run_order(&g, session.options.order, 1);
    else
        for (size_t i = 0; i < (session.options.quick ? 1 : LENGTH(ORDERS)); i++)
            run_order(&g, ORDERS[i].n, ORDERS[i].in_demo);
    MPI_Comm_free(&g.faces);
    MPI_Comm_free(&g.ranks);
    return finish();
}
