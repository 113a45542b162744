/* Distributed transpose of an N x N matrix of doubles, in blocks of rows, by derived datatypes.
 *
 * Each pair of ranks exchanges one block with Sendrecv (a rank with itself, too); no rank packs or transposes anything
 * itself: one side names the elements in column order, the other one in row order. Rows are padded, the padding is the
 * gap that must stay as it is. The number of ranks need not divide N.
 */
#include "common.h"

enum { PADDING = 3 }; /* elements behind each row */
enum form { COLUMNS, VECTOR_OF_COLUMNS, RECEIVE_COLUMNS, FORMS };

static const char *const FORM[FORMS] = {"columns", "vector-of-columns", "receive-columns"};
static const int ORDERS[] = {64, 256, 1024};

/* A block of a local matrix: `count` of `type`. */
struct block {
    MPI_Datatype type;
    int count;
};

struct matrices {
    int n, width; /* order; elements from row to row */
    int rows;     /* of this rank */
    double *from, *to, *expected_row;
    struct block *out, *in; /* one per rank */
    MPI_Status *statuses;   /* of the last repetition, one per rank */
};

/* The first row of a rank; that of rank `size` is n. */
static int first_row(int n, int rank)
{
    return (int)((int64_t)n * rank / session.size);
}

/* ---- datatypes ---- */

/* rows x columns of a local matrix, row by row. */
static struct block by_rows(const struct matrices *m, int columns)
{
    struct block block = {.count = 1};
    MPI_Type_vector(m->rows, columns, m->width, MPI_DOUBLE, &block.type);
    MPI_Type_commit(&block.type);
    return block;
}

/* The same, column by column: a column, resized so that the next one begins one element further on. */
static struct block by_columns(const struct matrices *m, int columns, int in_one_type)
{
    struct block block = {.count = columns};
    MPI_Datatype column;
    MPI_Type_vector(m->rows, 1, m->width, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, (MPI_Aint)sizeof(double), &block.type);
    MPI_Type_free(&column);
    if (in_one_type) {
        column = block.type;
        MPI_Type_vector(columns, 1, 1, column, &block.type);
        MPI_Type_free(&column);
        block.count = 1;
    }
    MPI_Type_commit(&block.type);
    return block;
}

/* ---- the experiment ---- */

/* Unique among all elements and 1024 generations; exact in a double. */
static double value(const struct matrices *m, uint64_t generation, int row, int column)
{
    return (double)(((int64_t)(generation % 1024) * m->n + row) * m->n + column);
}

static void fill(void *state, uint64_t generation)
{
    struct matrices *m = state;
    const int first = first_row(m->n, session.rank);
    for (int row = 0; row < m->rows; row++)
        for (int column = 0; column < m->n; column++)
            m->from[(size_t)row * (size_t)m->width + (size_t)column] = value(m, generation, first + row, column);
}

static void communicate(void *state)
{
    struct matrices *m = state;
    for (int step = 0; step < session.size; step++) {
        /* In each step the ranks form pairs. */
        const int peer = (step - session.rank + session.size) % session.size;
        const int column = first_row(m->n, peer);
        MPI_Sendrecv(m->from + column, m->out[peer].count, m->out[peer].type, peer, 0, m->to + column,
                     m->in[peer].count, m->in[peer].type, peer, 0, MPI_COMM_WORLD, &m->statuses[peer]);
    }
}

static void verify(void *state, uint64_t generation)
{
    struct matrices *m = state;
    const int first = first_row(m->n, session.rank);
    const size_t row_bytes = sizeof(double) * (size_t)m->width;
    for (int peer = 0; peer < session.size; peer++)
        if (m->rows > 0 && first_row(m->n, peer + 1) > first_row(m->n, peer)) /* what is left of nothing is undefined */
            check_status(&m->statuses[peer], m->in[peer].type,
                         m->rows * (first_row(m->n, peer + 1) - first_row(m->n, peer)), m->in[peer].count);
    for (int row = 0; row < m->rows; row++) {
        memset(m->expected_row, GAP_BYTE, row_bytes);
        for (int column = 0; column < m->n; column++)
            m->expected_row[column] = value(m, generation, column, first + row);
        check("the transposed matrix", row_bytes * (size_t)row, m->to + (size_t)row * (size_t)m->width,
              m->expected_row, row_bytes);
    }
}

static void run(struct matrices *m, enum form form)
{
    static const struct experiment experiment = {fill, communicate, verify};
    const size_t row_bytes = sizeof(double) * (size_t)m->width, bytes = row_bytes * (size_t)m->rows;
    m->from = allocate(bytes);
    m->to = allocate(bytes);
    m->expected_row = allocate(row_bytes);
    m->out = allocate(sizeof *m->out * (size_t)session.size);
    m->in = allocate(sizeof *m->in * (size_t)session.size);
    m->statuses = allocate(sizeof *m->statuses * (size_t)session.size);
    memset(m->from, (unsigned char)~GAP_BYTE, bytes); /* a gap that travels is noticed */
    memset(m->to, GAP_BYTE, bytes);
    for (int peer = 0; peer < session.size; peer++) {
        const int columns = first_row(m->n, peer + 1) - first_row(m->n, peer);
        const struct block as_rows = by_rows(m, columns);
        const struct block as_columns = by_columns(m, columns, form == VECTOR_OF_COLUMNS);
        m->out[peer] = form == RECEIVE_COLUMNS ? as_rows : as_columns;
        m->in[peer] = form == RECEIVE_COLUMNS ? as_columns : as_rows;
    }
    run_cell(&experiment, m);
    for (int peer = 0; peer < session.size; peer++) {
        MPI_Type_free(&m->out[peer].type);
        MPI_Type_free(&m->in[peer].type);
    }
    free(m->statuses);
    free(m->in);
    free(m->out);
    free(m->expected_row);
    free(m->to);
    free(m->from);
}

static void run_order(int n)
{
    struct matrices m = {.n = n, .width = n + PADDING};
    char layout[32];
    m.rows = first_row(n, session.rank + 1) - first_row(n, session.rank);
    snprintf(layout, sizeof layout, "matrix-n%d", n);
    for (int form = COLUMNS; form < FORMS; form++)
        /* The bytes of rank 0: every rank must name the same cell. */
        if (wanted(layout, FORM[form], (size_t)first_row(n, 1) * (size_t)n * sizeof(double), 1))
            run(&m, (enum form)form);
}

int main(int argc, char **argv)
{
    start(argc, argv, "transpose", "Transpose of a matrix that is distributed in blocks of rows.",
          "order of the matrix (default: 64, 256 and 1024)");
    if (session.options.order)
        run_order(session.options.order);
    else
        for (size_t i = 0; i < (session.options.quick ? 2 : LENGTH(ORDERS)); i++)
            run_order(ORDERS[i]);
    return finish();
}
