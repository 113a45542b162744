/* Halo exchange on a periodic three-dimensional grid of ranks.
 *
 * Every rank holds n^3 doubles inside one layer of ghost cells, x fastest. One repetition sends the outermost layers of
 * the cells to the neighbours and receives theirs into the ghost layers: Irecv, Isend, Waitall. The faces are described
 * as vector, nested hvector, subarray or struct. Edges and corners of the ghost layer belong to no face: they are gaps.
 * Along an axis with one rank, or two, a rank exchanges with itself, or has the same neighbour twice: tags tell the two
 * faces apart.
 */
#include "common.h"

enum { AXES = 3, SIDES = 2, FACES = AXES * SIDES, X = 0, Y = 1, Z = 2, LOW = 0, HIGH = 1 };
enum form { VECTOR, HVECTOR, SUBARRAY, STRUCT, FORMS };

static const char *const FORM[FORMS] = {"vector", "hvector", "subarray", "struct"};

/* Which axes are exchanged, bit by bit. */
static const struct {
    const char *name;
    int axes;
    int in_demo; /* others only with --all */
} FACES_OF[] = {
    {"all-faces", 1 << X | 1 << Y | 1 << Z, 1},
    {"x-faces", 1 << X, 1},
    {"y-faces", 1 << Y, 0},
    {"z-faces", 1 << Z, 0},
};

static const int ORDERS[] = {32, 128};

/* A layer of the local array: `count` of `type` at element `start`. */
struct layer {
    size_t start;
    int count;
    MPI_Datatype type;
};

struct grid {
    int n, edge; /* cells per axis without and with ghost layers */
    int axes;    /* that are exchanged */
    MPI_Comm ranks;
    int dims[AXES], coords[AXES], neighbour[AXES][SIDES];
    struct layer inner[AXES][SIDES], ghost[AXES][SIDES];
    double *cells, *expected_row;
    MPI_Status statuses[2 * FACES]; /* of the last repetition: receives, then sends */
};

/* ---- datatypes ---- */

/* Layer number `index` (0 and n + 1 are ghosts) across `axis`: lines of n cells, n of them. */
static struct layer describe(const struct grid *g, enum form form, int axis, int index)
{
    const int n = g->n, edge = g->edge, plane = edge * edge;
    const MPI_Aint cell = (MPI_Aint)sizeof(double);
    const int line = axis == X ? edge : 1;       /* from cell to cell of a line, in cells */
    const int lines = axis == Z ? edge : plane;  /* from line to line, in cells */
    int first[AXES] = {1, 1, 1};
    MPI_Datatype inner;
    struct layer layer = {.count = 1};
    first[axis] = index;
    layer.start = ((size_t)first[Z] * (size_t)edge + (size_t)first[Y]) * (size_t)edge + (size_t)first[X];
    switch (form) {
    case VECTOR: /* of single cells a vector covers one line only: n of them make the face */
        if (axis == X) {
            MPI_Type_vector(n, 1, line, MPI_DOUBLE, &inner);
            MPI_Type_create_resized(inner, 0, lines * cell, &layer.type);
            MPI_Type_free(&inner);
            layer.count = n;
        } else {
            MPI_Type_vector(n, n, lines, MPI_DOUBLE, &layer.type);
        }
        break;
    case HVECTOR:
        MPI_Type_create_hvector(n, 1, line * cell, MPI_DOUBLE, &inner);
        MPI_Type_create_hvector(n, 1, lines * cell, inner, &layer.type);
        MPI_Type_free(&inner);
        break;
    case SUBARRAY: {
        int sizes[AXES] = {edge, edge, edge}, subsizes[AXES] = {n, n, n};
        int starts[AXES] = {first[Z], first[Y], first[X]}; /* C order: slowest first */
        subsizes[Z - axis] = 1;
        MPI_Type_create_subarray(AXES, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &layer.type);
        layer.start = 0;
        break;
    }
    default: { /* one member per line */
        int *ones = allocate(sizeof *ones * (size_t)n);
        MPI_Aint *starts = allocate(sizeof *starts * (size_t)n);
        MPI_Datatype *members = allocate(sizeof *members * (size_t)n);
        MPI_Type_vector(n, 1, line, MPI_DOUBLE, &inner);
        for (int i = 0; i < n; i++) {
            ones[i] = 1;
            starts[i] = i * lines * cell;
            members[i] = inner;
        }
        MPI_Type_create_struct(n, ones, starts, members, &layer.type);
        MPI_Type_free(&inner);
        free(members);
        free(starts);
        free(ones);
    }
    }
    MPI_Type_commit(&layer.type);
    return layer;
}

/* ---- the experiment ---- */

/* The value of a cell before counting along x: unique among all cells of all ranks and 1024 generations, and exact in
 * a double up to 2^43 cells. */
static double row_value(const struct grid *g, uint64_t generation, long y, long z)
{
    const int64_t nx = (int64_t)g->dims[X] * g->n, ny = (int64_t)g->dims[Y] * g->n, nz = (int64_t)g->dims[Z] * g->n;
    return (double)((((int64_t)(generation % 1024) * nz + z) * ny + y) * nx);
}

/* Global coordinate of the local cell `local` (from 0, ghost), around the periodic grid. */
static long global(const struct grid *g, int axis, int local)
{
    const long all = (long)g->dims[axis] * g->n;
    return ((long)g->coords[axis] * g->n + local - 1 + all) % all;
}

static double *row_of(const struct grid *g, double *cells, int y, int z)
{
    return cells + ((size_t)z * (size_t)g->edge + (size_t)y) * (size_t)g->edge;
}

static void fill_row(const struct grid *g, double *row, uint64_t generation, int y, int z)
{
    const double base = row_value(g, generation, global(g, Y, y), global(g, Z, z)) + (double)global(g, X, 1);
    for (int x = 1; x <= g->n; x++)
        row[x] = base + (double)(x - 1);
}

/* As a program that computes: every repetition writes every cell. */
static void fill(void *state, uint64_t generation)
{
    struct grid *g = state;
    for (int z = 1; z <= g->n; z++)
        for (int y = 1; y <= g->n; y++)
            fill_row(g, row_of(g, g->cells, y, z), generation, y, z);
}

static void communicate(void *state)
{
    struct grid *g = state;
    MPI_Request requests[2 * FACES];
    int pending = 0;
    /* The tag is the face of the sender. */
    for (int axis = 0; axis < AXES; axis++)
        for (int side = 0; side < SIDES && g->axes >> axis & 1; side++) {
            const struct layer *l = &g->ghost[axis][side];
            MPI_Irecv(g->cells + l->start, l->count, l->type, g->neighbour[axis][side], axis * SIDES + !side, g->ranks,
                      &requests[pending++]);
        }
    for (int axis = 0; axis < AXES; axis++)
        for (int side = 0; side < SIDES && g->axes >> axis & 1; side++) {
            const struct layer *l = &g->inner[axis][side];
            MPI_Isend(g->cells + l->start, l->count, l->type, g->neighbour[axis][side], axis * SIDES + side, g->ranks,
                      &requests[pending++]);
        }
    MPI_Waitall(pending, requests, g->statuses);
}

static int is_ghost(const struct grid *g, int local)
{
    return local == 0 || local == g->n + 1;
}

/* Row by row: own cells kept, ghost faces of the exchanged axes filled, all else as it was at first. */
static void verify(void *state, uint64_t generation)
{
    struct grid *g = state;
    const size_t row_bytes = sizeof(double) * (size_t)g->edge;
    int received = 0;
    for (int axis = 0; axis < AXES; axis++)
        for (int side = 0; side < SIDES && g->axes >> axis & 1; side++) {
            const struct layer *l = &g->ghost[axis][side];
            check_status(&g->statuses[received++], l->type, g->n * g->n, l->count);
        }
    for (int z = 0; z < g->edge; z++)
        for (int y = 0; y < g->edge; y++) {
            double *row = row_of(g, g->cells, y, z), *expected = g->expected_row;
            int ghosts = is_ghost(g, y) + is_ghost(g, z);
            int exchanged = (!is_ghost(g, y) || g->axes >> Y & 1) && (!is_ghost(g, z) || g->axes >> Z & 1);
            memset(expected, GAP_BYTE, row_bytes);
            if (ghosts == 0 || (ghosts == 1 && exchanged))
                fill_row(g, expected, generation, y, z);
            if (ghosts == 0 && g->axes >> X & 1) {
                const double base = row_value(g, generation, global(g, Y, y), global(g, Z, z));
                expected[0] = base + (double)global(g, X, 0);
                expected[g->n + 1] = base + (double)global(g, X, g->n + 1);
            }
            check("the local array", (size_t)((char *)row - (char *)g->cells), row, expected, row_bytes);
        }
}

static void run(struct grid *g, enum form form)
{
    static const struct experiment experiment = {fill, communicate, verify};
    const size_t edge = (size_t)g->edge, bytes = sizeof(double) * edge * edge * edge;
    g->cells = allocate(bytes);
    g->expected_row = allocate(sizeof(double) * edge);
    memset(g->cells, GAP_BYTE, bytes);
    for (int axis = 0; axis < AXES; axis++)
        for (int side = 0; side < SIDES; side++) {
            g->inner[axis][side] = describe(g, form, axis, side == LOW ? 1 : g->n);
            g->ghost[axis][side] = describe(g, form, axis, side == LOW ? 0 : g->n + 1);
        }
    run_cell(&experiment, g);
    for (int axis = 0; axis < AXES; axis++)
        for (int side = 0; side < SIDES; side++) {
            MPI_Type_free(&g->inner[axis][side].type);
            MPI_Type_free(&g->ghost[axis][side].type);
        }
    free(g->expected_row);
    free(g->cells);
}

static void run_order(struct grid *g, int n)
{
    g->n = n;
    g->edge = n + 2;
    for (size_t faces = 0; faces < LENGTH(FACES_OF); faces++) {
        char layout[64];
        size_t axes = 0;
        snprintf(layout, sizeof layout, "%s-n%d", FACES_OF[faces].name, n);
        g->axes = FACES_OF[faces].axes;
        for (int axis = 0; axis < AXES; axis++)
            axes += (size_t)(g->axes >> axis & 1);
        for (int form = VECTOR; form < FORMS; form++)
            if (wanted(layout, FORM[form], axes * SIDES * (size_t)n * (size_t)n * sizeof(double),
                       FACES_OF[faces].in_demo))
                run(g, (enum form)form);
    }
}

int main(int argc, char **argv)
{
    int periodic[AXES] = {1, 1, 1};
    struct grid g = {.dims = {0, 0, 0}};
    start(argc, argv, "halo3d", "Halo exchange on a periodic 3-D grid of any number of ranks.",
          "cells along each axis of a rank (default: 32 and 128)");
    MPI_Dims_create(session.size, AXES, g.dims); /* the most ranks along x, whose faces are the most scattered */
    MPI_Cart_create(MPI_COMM_WORLD, AXES, g.dims, periodic, 0, &g.ranks);
    MPI_Cart_coords(g.ranks, session.rank, AXES, g.coords);
    for (int axis = 0; axis < AXES; axis++)
        MPI_Cart_shift(g.ranks, axis, 1, &g.neighbour[axis][LOW], &g.neighbour[axis][HIGH]);
    if (session.options.order)
        run_order(&g, session.options.order);
    else
        for (size_t i = 0; i < (session.options.quick ? 1 : LENGTH(ORDERS)); i++)
            run_order(&g, ORDERS[i]);
    MPI_Comm_free(&g.ranks);
    return finish();
}
