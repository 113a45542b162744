/* The layouts of the expectation tests of Carpen-Amarie, Hunold and Traeff, "MPI Derived Datatypes: Performance
 * Expectations and Status Quo" (section 2.2, table 2 and expectation tests 1, 5, 6, 8-11), on MPI_INT, for programs
 * that communicate each of them in each description.
 *
 * A layout is given twice, and independently: as element positions, computed by plain loops (fill and verification
 * use only these), and as MPI datatypes (communication uses only those).
 */
#ifndef COMMLOOM_EXAMPLES_LAYOUTS_H
#define COMMLOOM_EXAMPLES_LAYOUTS_H

#include "common.h"

/* Periodic layouts, in elements: blocks of lengths a[0], a[1], a[0], ... whose starts are b[0], b[1], b[0], ... apart.
 */
struct periodic {
    const char *name;
    int a[2], b[2];
    int variant;       /* of table 2; 0: contiguous */
    const char *forms; /* the descriptions, by first letter: unit, vector, indexed, struct */
};

static const struct periodic PERIODIC[] = {
    {"contiguous", {2, 2}, {2, 2}, 0, "u"},
    {"tiled-A2-B4", {2, 2}, {4, 4}, 1, "uvis"},
    {"tiled-A10-B12", {10, 10}, {12, 12}, 1, "uvis"},
    {"tiled-A2-B6", {2, 2}, {6, 6}, 2, "uvis"},
    {"tiled-A10-B30", {10, 10}, {30, 30}, 2, "uvis"},
    {"block-A2-B3,5", {2, 2}, {3, 5}, 1, "ui"},
    {"block-A10-B11,13", {10, 10}, {11, 13}, 1, "ui"},
    {"block-A2-B4,8", {2, 2}, {4, 8}, 2, "ui"},
    {"block-A10-B20,40", {10, 10}, {20, 40}, 2, "ui"},
    {"bucket-A1,3-B4", {1, 3}, {4, 4}, 1, "ui"},
    {"bucket-A9,11-B12", {9, 11}, {12, 12}, 1, "ui"},
    {"bucket-A1,3-B6", {1, 3}, {6, 6}, 2, "ui"},
    {"bucket-A5,15-B30", {5, 15}, {30, 30}, 2, "ui"},
    {"alternating-A1,3-B3,5", {1, 3}, {3, 5}, 1, "ui"},
    {"alternating-A9,11-B11,13", {9, 11}, {11, 13}, 1, "ui"},
    {"alternating-A1,3-B4,8", {1, 3}, {4, 8}, 2, "ui"},
    {"alternating-A5,15-B20,40", {5, 15}, {20, 40}, 2, "ui"},
    /* Expectation test 10: the second block touches the next period. */
    {"alternating-A1,3-B3,3", {1, 3}, {3, 3}, 1, "us"},
    {"alternating-A9,11-B11,11", {9, 11}, {11, 11}, 1, "us"},
};

/* Expectation test 11: first row and first column of a matrix with rows of this many elements. */
static const int ROW_COLUMN[] = {2, 10};
static const char *const ROW_COLUMN_NAME[] = {"rowcol-A2", "rowcol-A10"};
static const size_t ROW_COLUMN_MAX = 256000; /* bytes in a demo: it needs A times as much memory */

static const size_t SIZES[] = {3200, 32000, 256000, 2560000}; /* bytes of payload */

/* One message: where its elements lie, and how MPI is told. */
struct message {
    int elements;  /* payload */
    int span;      /* elements of the buffer, gaps included */
    int *position; /* of each payload element, in the order of the message */
    MPI_Datatype type;
    int count;
    int *out, *in, *expected; /* buffers of `span` elements */
    MPI_Status status;        /* of the last message received */
};

/* ---- positions, by plain loops ---- */

static void positions_of_periodic(struct message *m, const struct periodic *l)
{
    int start = 0, k = 0;
    for (int block = 0; k < m->elements; block++) {
        for (int i = 0; i < l->a[block % 2]; i++)
            m->position[k++] = start + i;
        start += l->b[block % 2];
    }
    m->span = start;
}

static void positions_of_row_column(struct message *m, int a)
{
    for (int k = 0; k < m->elements; k++)
        m->position[k] = k < a ? k : (k - a + 1) * a;
    m->span = (m->elements + 1 - a) * a;
}

/* ---- datatypes ---- */

static MPI_Datatype resized_ints(MPI_Datatype type, int extent)
{
    MPI_Datatype result;
    MPI_Type_create_resized(type, 0, (MPI_Aint)extent * (MPI_Aint)sizeof(int), &result);
    MPI_Type_free(&type);
    return result;
}

/* One period, resized: a message is many of it (section 2.2 of the paper). */
static MPI_Datatype unit_type(const struct periodic *l)
{
    MPI_Datatype type;
    int starts[2] = {0, l->b[0]};
    if (l->a[0] != l->a[1])
        MPI_Type_indexed(2, l->a, starts, MPI_INT, &type);
    else if (l->b[0] != l->b[1])
        MPI_Type_create_indexed_block(2, l->a[0], starts, MPI_INT, &type);
    else
        MPI_Type_contiguous(l->a[0], MPI_INT, &type);
    return resized_ints(type, l->a[0] == l->a[1] && l->b[0] == l->b[1] ? l->b[0] : l->b[0] + l->b[1]);
}

/* Expectation test 6. */
static MPI_Datatype vector_type(const struct periodic *l, int elements)
{
    MPI_Datatype type;
    MPI_Type_vector(elements / l->a[0], l->a[0], l->b[0], MPI_INT, &type);
    return type;
}

/* Expectation tests 8 and 9: every block is listed. */
static MPI_Datatype indexed_type(const struct periodic *l, int elements)
{
    int blocks = elements / (l->a[0] + l->a[1]) * 2, start = 0;
    int *lengths = allocate(sizeof *lengths * (size_t)blocks), *starts = allocate(sizeof *starts * (size_t)blocks);
    for (int i = 0; i < blocks; i++) {
        lengths[i] = l->a[i % 2];
        starts[i] = start;
        start += l->b[i % 2];
    }
    MPI_Datatype type;
    if (l->a[0] == l->a[1] && l->b[0] != l->b[1])
        MPI_Type_create_indexed_block(blocks, l->a[0], starts, MPI_INT, &type);
    else
        MPI_Type_indexed(blocks, lengths, starts, MPI_INT, &type);
    free(starts);
    free(lengths);
    return type;
}

/* Expectation test 5: a struct of two tiled parts of 2 and 3 units; a message is many of it. */
static MPI_Datatype tiled_struct_type(const struct periodic *l)
{
    enum { FIRST = 2, SECOND = 3 };
    MPI_Datatype type, parts[2];
    int ones[2] = {1, 1};
    MPI_Aint starts[2] = {0, (MPI_Aint)FIRST * l->b[0] * (MPI_Aint)sizeof(int)};
    MPI_Type_vector(FIRST, l->a[0], l->b[0], MPI_INT, &parts[0]);
    MPI_Type_vector(SECOND, l->a[0], l->b[0], MPI_INT, &parts[1]);
    MPI_Type_create_struct(2, ones, starts, parts, &type);
    MPI_Type_free(&parts[0]);
    MPI_Type_free(&parts[1]);
    return resized_ints(type, (FIRST + SECOND) * l->b[0]);
}

/* Expectation test 10: where the second block ends the period, blocks of two periods join: a first block of a[0], a
 * tiled middle of a[1] + a[0], a last block of a[1]. */
static MPI_Datatype alternating_struct_type(const struct periodic *l, int elements)
{
    int periods = elements / (l->a[0] + l->a[1]), period = l->b[0] + l->b[1];
    MPI_Datatype type, middle, parts[3];
    int lengths[3] = {l->a[0], 1, l->a[1]};
    MPI_Aint size = (MPI_Aint)sizeof(int), starts[3];
    starts[0] = 0;
    starts[1] = l->b[0] * size;
    starts[2] = ((MPI_Aint)(periods - 1) * period + l->b[0]) * size;
    MPI_Type_vector(periods - 1, l->a[1] + l->a[0], period, MPI_INT, &middle);
    parts[0] = parts[2] = MPI_INT;
    parts[1] = middle;
    MPI_Type_create_struct(3, lengths, starts, parts, &type);
    MPI_Type_free(&middle);
    return type;
}

enum row_column_form { FULLY_INDEXED, BLOCK_AND_INDEXED, STRUCT };
static const char *const ROW_COLUMN_FORM[] = {"indexed", "block+indexed", "struct"};

static MPI_Datatype row_column_type(const struct message *m, int a, enum row_column_form form)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int rest = m->elements - a; /* elements of the column below the row */
    if (form == FULLY_INDEXED) {
        MPI_Type_create_indexed_block(m->elements, 1, m->position, MPI_INT, &type);
    } else if (form == BLOCK_AND_INDEXED) {
        int *lengths = allocate(sizeof *lengths * (size_t)(1 + rest));
        int *starts = allocate(sizeof *starts * (size_t)(1 + rest));
        for (int i = 0; i <= rest; i++) {
            lengths[i] = i == 0 ? a : 1;
            starts[i] = i * a;
        }
        MPI_Type_indexed(1 + rest, lengths, starts, MPI_INT, &type);
        free(starts);
        free(lengths);
    } else {
        MPI_Datatype column, parts[2];
        int lengths[2] = {a, 1};
        MPI_Aint starts[2] = {0, (MPI_Aint)a * (MPI_Aint)sizeof(int)};
        MPI_Type_vector(rest, 1, a, MPI_INT, &column);
        parts[0] = MPI_INT;
        parts[1] = column;
        MPI_Type_create_struct(2, lengths, starts, parts, &type);
        MPI_Type_free(&column);
    }
    return type;
}

static const char *form_name(char form)
{
    return form == 'u' ? "unit" : form == 'v' ? "vector" : form == 'i' ? "indexed" : "struct";
}

/* Sets type and count of `m` for the description with this first letter. */
static void describe_periodic(struct message *m, const struct periodic *l, char form)
{
    int unit = l->a[0] == l->a[1] && l->b[0] == l->b[1] ? l->a[0] : l->a[0] + l->a[1];
    m->count = 1;
    switch (form) {
    case 'u':
        m->type = l->variant ? unit_type(l) : MPI_INT;
        m->count = l->variant ? m->elements / unit : m->elements;
        break;
    case 'v':
        m->type = vector_type(l, m->elements);
        break;
    case 'i':
        m->type = indexed_type(l, m->elements);
        break;
    default:
        if (l->b[0] == l->b[1] && l->a[0] == l->a[1]) {
            m->type = tiled_struct_type(l);
            m->count = m->elements / (5 * l->a[0]);
        } else {
            m->type = alternating_struct_type(l, m->elements);
        }
    }
}

/* ---- what is sent ---- */

/* Unique in its buffer, and unlike those of other generations; the odd factor spreads it over all four bytes. */
static int value(uint64_t generation, int elements, int k)
{
    return (int)(((uint32_t)generation * (uint32_t)elements + (uint32_t)k) * UINT32_C(2654435761));
}

static void fill(void *state, uint64_t generation)
{
    struct message *m = state;
    if (session.rank == 0)
        for (int k = 0; k < m->elements; k++)
            m->out[m->position[k]] = value(generation, m->elements, k);
}

/* What rank `session.rank` must hold in `in` after the values of a generation arrived there. */
static void check_received(struct message *m, uint64_t generation)
{
    for (int k = 0; k < m->elements; k++)
        m->expected[m->position[k]] = value(generation, m->elements, k);
    check("the receive buffer", 0, m->in, m->expected, sizeof(int) * (size_t)m->span);
}

static void run(struct message *m, const struct experiment *experiment)
{
    size_t bytes = sizeof(int) * (size_t)m->span;
    int predefined = m->type == MPI_INT;
    m->out = allocate(bytes);
    m->in = allocate(bytes);
    m->expected = allocate(bytes);
    memset(m->out, (unsigned char)~GAP_BYTE, bytes); /* a gap that travels is noticed */
    memset(m->in, GAP_BYTE, bytes);
    memset(m->expected, GAP_BYTE, bytes);
    if (!predefined)
        MPI_Type_commit(&m->type);
    run_cell(experiment, m);
    if (!predefined)
        MPI_Type_free(&m->type);
    free(m->expected);
    free(m->in);
    free(m->out);
}

static void run_periodic(const struct periodic *l, size_t bytes, const struct experiment *experiment)
{
    struct message m = {.elements = (int)(bytes / sizeof(int))};
    for (const char *form = l->forms; *form; form++) {
        if (!wanted(l->name, form_name(*form), bytes, l->variant < 2))
            continue;
        m.position = allocate(bytes);
        positions_of_periodic(&m, l);
        describe_periodic(&m, l, *form);
        run(&m, experiment);
        free(m.position);
    }
}

static void run_row_column(size_t which, size_t bytes, const struct experiment *experiment)
{
    struct message m = {.elements = (int)(bytes / sizeof(int)), .count = 1};
    for (int form = FULLY_INDEXED; form <= STRUCT; form++) {
        if (!wanted(ROW_COLUMN_NAME[which], ROW_COLUMN_FORM[form], bytes, bytes <= ROW_COLUMN_MAX))
            continue;
        m.position = allocate(bytes);
        positions_of_row_column(&m, ROW_COLUMN[which]);
        m.type = row_column_type(&m, ROW_COLUMN[which], (enum row_column_form)form);
        run(&m, experiment);
        free(m.position);
    }
}

/* All cells of the program. */
static void run_layouts(const struct experiment *experiment)
{
    for (size_t size = 0; size < (session.options.quick ? 2 : LENGTH(SIZES)); size++) {
        for (size_t i = 0; i < LENGTH(PERIODIC); i++)
            run_periodic(&PERIODIC[i], SIZES[size], experiment);
        for (size_t i = 0; i < LENGTH(ROW_COLUMN); i++)
            run_row_column(i, SIZES[size], experiment);
    }
}

#endif
