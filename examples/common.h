/* What all examples share: options, the cell protocol, timing, verification.
 *
 * A program is a list of cells. Each cell communicates one layout, in one description, of one size, over and over:
 *
 *     fill (new values) -> barrier -> communicate (timed) -> verify (some repetitions)
 *
 * A program that also computes between its exchanges (run_steps) has two cells of each: the communication alone, and
 * the whole step, whose layout is called step-... . What is packed by hand instead of being described by a datatype is
 * called by-hand: `make demo` sets it beside the other descriptions.
 *
 * On standard output rank 0 prints, one line per cell,
 *
 *     CELL <example> <layout> <description> <bytes> <median_us> <min_us> <crc64>
 *
 * and at the end `VERIFIED <n> cells`. The time of a repetition is the maximum over all ranks. The checksum covers
 * everything that every rank received in CHECKSUMMED repetitions, whose values do not depend on how many repetitions
 * there were, so that runs can be compared. Every value that is sent differs from every other one in its neighbourhood
 * and from those of the repetitions before: stale, misplaced or missing data cannot pass.
 */
#ifndef COMMLOOM_EXAMPLES_COMMON_H
#define COMMLOOM_EXAMPLES_COMMON_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

enum {
    EXIT_MISMATCH = 1,
    EXIT_USAGE = 2,
    WARM_UP = 2,           /* untimed repetitions of each cell */
    SETTLE = 100,          /* untimed exchanges after that, unless --settle says how many: what decides by the
                            * exchanges of a run has then decided */
    MIN_REPS = 5,          /* of each cell, however long they take */
    MAX_REPS = 100000,     /* bound of --reps */
    QUICK_REPS = 6,        /* of each cell with --quick */
    VERIFY_EVERY = 50,     /* repetitions, besides the first ones and the last */
    CHECKSUM_UNTIL = 4,    /* repetitions 0, 2 and 4 are verified and enter the checksum */
    GENERATIONS_PER_CELL = WARM_UP + MAX_REPS
};

/* Seconds after which a cell stops repeating, once it has MIN_REPS. */
#define CELL_BUDGET_S 0.020
/* The same of whole steps, where most of the time goes into computing. */
#define STEP_BUDGET_S 0.030

/* What receive buffers hold before anything arrives; gaps must still hold it afterwards. */
#define GAP_BYTE 0xA5

struct options {
    const char *example;
    const char *only; /* substring of "example layout description bytes", or NULL */
    int quick;
    int all;  /* also the cells that a demo has no time for */
    int list;
    int paired; /* natively and under commloom by turns: paired.h */
    int reps;   /* 0: by size */
    int settle; /* --settle */
    int order; /* --n, 0: the default sizes */
};

struct cell {
    const char *layout;
    const char *description;
    size_t bytes; /* sent by each rank in one repetition (of a ping-pong: one way) */
};

/* What one program gives to run_cell: three steps on its own state. `generation` numbers the values to send. */
struct experiment {
    void (*fill)(void *state, uint64_t generation);
    void (*communicate)(void *state);
    void (*verify)(void *state, uint64_t generation);
};

/* Facts of this process; one per program. */
static struct {
    struct options options;
    int rank, size;
    int cells_seen, cells_verified, cells_failed;
    struct cell cell;   /* the current one, for messages */
    const char *step_layout; /* of the cell beside it, the whole step */
    int exchange_is_wanted, step_is_wanted;
    int repetition;     /* the current one, for messages */
    int mismatches;     /* in the current cell, on this rank */
    uint64_t checksum;  /* of the current cell, on this rank */
    int checksumming;   /* is this repetition part of the checksum? */
} session;

/* ---- memory ---- */

static inline void *allocate(size_t bytes)
{
    void *memory = NULL;
    size_t rounded = (bytes + 63) / 64 * 64;
    memory = aligned_alloc(64, rounded ? rounded : 64);
    if (!memory) {
        fprintf(stderr, "%s: rank %d: no memory for %zu bytes\n", session.options.example, session.rank, bytes);
        MPI_Abort(MPI_COMM_WORLD, EXIT_MISMATCH);
    }
    return memory;
}

/* ---- checksum: CRC-64 of ECMA-182, reflected (as in xz), eight bytes at a time ---- */

static inline uint64_t crc64(uint64_t crc, const void *data, size_t bytes)
{
    static uint64_t table[8][256];
    const unsigned char *p = data;
    if (!table[0][1]) {
        for (int byte = 0; byte < 256; byte++) {
            uint64_t value = (uint64_t)byte;
            for (int bit = 0; bit < 8; bit++)
                value = (value >> 1) ^ ((value & 1) ? UINT64_C(0xC96C5795D7870F42) : 0);
            table[0][byte] = value;
        }
        for (int byte = 0; byte < 256; byte++)
            for (int slice = 1; slice < 8; slice++)
                table[slice][byte] = (table[slice - 1][byte] >> 8) ^ table[0][table[slice - 1][byte] & 0xFF];
    }
    crc = ~crc;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word = 0;
        for (int i = 0; i < 8; i++)
            word |= (uint64_t)p[i] << (8 * i);
        crc ^= word;
        crc = table[7][crc & 0xFF] ^ table[6][crc >> 8 & 0xFF] ^ table[5][crc >> 16 & 0xFF] ^
              table[4][crc >> 24 & 0xFF] ^ table[3][crc >> 32 & 0xFF] ^ table[2][crc >> 40 & 0xFF] ^
              table[1][crc >> 48 & 0xFF] ^ table[0][crc >> 56];
    }
    for (; bytes > 0; bytes--, p++)
        crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xFF];
    return ~crc;
}

/* ---- verification ---- */

/* Compares received memory with what it must hold, and adds it to the checksum. `offset` is where `got` lies in the
 * buffer called `buffer`; the first difference of each cell is reported. */
static inline void check(const char *buffer, size_t offset, const void *got, const void *expected, size_t bytes)
{
    const unsigned char *g = got, *e = expected;
    if (session.checksumming)
        session.checksum = crc64(session.checksum, got, bytes);
    if (memcmp(got, expected, bytes) == 0)
        return;
    size_t at = 0, different = 0;
    for (size_t i = bytes; i-- > 0;)
        if (g[i] != e[i])
            at = i, different++;
    if (session.mismatches++ == 0)
        fprintf(stderr,
                "%s: rank %d, cell %s %s %zu, repetition %d: %s differs at byte %zu: got 0x%02x, expected 0x%02x "
                "(%zu bytes differ from there on)\n",
                session.options.example, session.rank, session.cell.layout, session.cell.description,
                session.cell.bytes, session.repetition, buffer, offset + at, g[at], e[at], different);
}

/* The same for what a status says of a message that was received: elements of the basic type, whole items of `type`. */
static inline void check_status(const MPI_Status *status, MPI_Datatype type, int elements, int count)
{
    int got_elements = -1, got_count = -1;
    MPI_Get_elements(status, type, &got_elements);
    MPI_Get_count(status, type, &got_count);
    if (got_elements == elements && got_count == count)
        return;
    if (session.mismatches++ == 0)
        fprintf(stderr,
                "%s: rank %d, cell %s %s %zu, repetition %d: the status has MPI_Get_elements %d, expected %d; "
                "MPI_Get_count %d, expected %d\n",
                session.options.example, session.rank, session.cell.layout, session.cell.description,
                session.cell.bytes, session.repetition, got_elements, elements, got_count, count);
}

/* ---- options ---- */

static inline void print_help(FILE *out, const char *what, const char *order_help)
{
    fprintf(out, "%s\n\nusage: mpiexec -n RANKS %s [OPTIONS]\n\n", what, session.options.example);
    fprintf(out, "  --only SUBSTRING  only cells whose line \"example layout description bytes\" contains it\n"
                 "  --quick           fewer and smaller cells, few repetitions\n"
                 "  --all             more cells than a demo has time for\n"
                 "  --paired          by turns as it is and with commloom, under `commloom exec --off regions`\n"
                 "  --reps N          exactly N timed repetitions of each cell (default: by size and time)\n"
                 "  --settle N        N untimed exchanges of each cell before (default: %d)\n", SETTLE);
    if (order_help)
        fprintf(out, "  --n N             %s\n", order_help);
    fprintf(out, "  --list            print the cells and stop\n"
                 "  --help            print this text and stop\n\n"
                 "exit status: 0 all verified, 1 a mismatch, 2 wrong usage\n");
}

static inline void usage_error(const char *message, const char *argument)
{
    if (session.rank == 0)
        fprintf(stderr, "%s: %s%s%s\n  see --help\n", session.options.example, message, argument ? " " : "",
                argument ? argument : "");
    MPI_Finalize();
    exit(EXIT_USAGE);
}

static inline int number_argument(const char *option, const char *text, int max)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    if (!text || *text == '\0' || *end != '\0' || value < 1 || value > max) {
        char message[128];
        snprintf(message, sizeof message, "%s wants a number from 1 to %d, not", option, max);
        usage_error(message, text ? text : "nothing");
    }
    return (int)value;
}

/* Starts MPI and reads the options. `order_help` describes --n, or is NULL where there is no such option. */
static inline void start(int argc, char **argv, const char *example, const char *what, const char *order_help)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &session.size);
    struct options *options = &session.options;
    options->example = example;
    options->settle = SETTLE;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(option, "--help") == 0) {
            if (session.rank == 0)
                print_help(stdout, what, order_help);
            MPI_Finalize();
            exit(0);
        } else if (strcmp(option, "--quick") == 0) {
            options->quick = 1;
        } else if (strcmp(option, "--all") == 0) {
            options->all = 1;
        } else if (strcmp(option, "--list") == 0) {
            options->list = 1;
        } else if (strcmp(option, "--paired") == 0) {
            options->paired = 1;
        } else if (strcmp(option, "--only") == 0) {
            if (!value)
                usage_error("--only wants a text", NULL);
            options->only = value, i++;
        } else if (strcmp(option, "--reps") == 0) {
            options->reps = number_argument(option, value, MAX_REPS), i++;
        } else if (strcmp(option, "--settle") == 0) {
            options->settle = number_argument(option, value, MAX_REPS), i++;
        } else if (order_help && strcmp(option, "--n") == 0) {
            options->order = number_argument(option, value, 4096), i++;
        } else {
            usage_error("unknown option", option);
        }
    }
}

/* ---- cells ---- */

/* Is this cell to be run? Answers no, and prints it, under --list. Every rank asks for the same cells in the same
 * order. Cells that are not `in_demo` run under --all only. */
static inline int wanted(const char *layout, const char *description, size_t bytes, int in_demo)
{
    char line[256];
    if (!in_demo && !session.options.all)
        return 0;
    snprintf(line, sizeof line, "%s %s %s %zu", session.options.example, layout, description, bytes);
    if (session.options.only && !strstr(line, session.options.only))
        return 0;
    session.cells_seen++;
    session.cell = (struct cell){layout, description, bytes};
    if (session.options.list && session.rank == 0)
        printf("%s\n", line);
    return !session.options.list;
}

/* The same for the two cells of one experiment: the exchange, and the step with the computing after it. Both are timed
 * in the same repetitions, whichever of them is reported. */
static inline int steps_wanted(const char *exchange, const char *step, const char *description, size_t bytes,
                               int in_demo)
{
    session.exchange_is_wanted = wanted(exchange, description, bytes, in_demo);
    session.step_is_wanted = wanted(step, description, bytes, in_demo);
    session.cell = (struct cell){exchange, description, bytes};
    session.step_layout = step;
    return session.exchange_is_wanted || session.step_is_wanted;
}

static inline int repetitions(size_t bytes)
{
    if (session.options.reps)
        return session.options.reps;
    if (session.options.quick)
        return QUICK_REPS;
    return bytes <= 4096 ? 300 : bytes <= 65536 ? 100 : bytes <= 524288 ? 40 : 16;
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One checksum of all ranks, in rank order; valid on rank 0. */
static inline uint64_t combined_checksum(void)
{
    uint64_t *all = allocate(sizeof *all * (size_t)session.size), combined;
    MPI_Gather(&session.checksum, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    combined = session.rank == 0 ? crc64(0, all, sizeof *all * (size_t)session.size) : 0;
    free(all);
    return combined;
}

/* Prints the line of the cell just run. `seconds` are this rank's times. */
static inline void report_cell(double *seconds, int reps)
{
    const struct cell *cell = &session.cell;
    int mismatches = 0;
    double *slowest = allocate(sizeof *slowest * (size_t)reps);
    MPI_Reduce(seconds, slowest, reps, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&session.mismatches, &mismatches, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    uint64_t checksum = combined_checksum();
    if (mismatches > 0) {
        session.cells_failed++;
    } else {
        session.cells_verified++;
        if (session.rank == 0) {
            qsort(slowest, (size_t)reps, sizeof *slowest, compare_doubles);
            double median = (slowest[(reps - 1) / 2] + slowest[reps / 2]) / 2;
            printf("CELL %s %s %s %zu %.3f %.3f %016llx\n", session.options.example, cell->layout, cell->description,
                   cell->bytes, median * 1e6, slowest[0] * 1e6, (unsigned long long)checksum);
            fflush(stdout);
        }
    }
    free(slowest);
}

/* Runs the repetitions of the current cell and notes how long communicating took on this rank in each. Where a program
 * computes after communicating, also how long both took. Answers how many repetitions there were. */
static inline int repeat(const struct experiment *experiment, void (*compute)(void *state), void *state,
                         double *seconds, double *step_seconds)
{
    const int limit = repetitions(session.cell.bytes);
    const int fixed = session.options.reps || session.options.quick;
    const double budget = compute ? STEP_BUDGET_S : CELL_BUDGET_S;
    double total = 0;
    uint64_t generation = (uint64_t)session.cells_seen * GENERATIONS_PER_CELL;
    session.mismatches = 0;
    session.checksum = 0;
    for (int i = 0; i < WARM_UP + (fixed ? 0 : session.options.settle); i++) {
        experiment->fill(state, generation++);
        experiment->communicate(state);
        if (compute)
            compute(state);
    }
    int rep = 0, last = 0;
    for (; !last; rep++) {
        last = rep + 1 == limit || (!fixed && rep + 1 >= MIN_REPS && total > budget);
        MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);
        experiment->fill(state, generation);
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime(), end;
        experiment->communicate(state);
        seconds[rep] = (end = MPI_Wtime()) - begin;
        if (compute) {
            compute(state);
            step_seconds[rep] = (end = MPI_Wtime()) - begin;
        }
        total += end - begin;
        session.repetition = rep;
        session.checksumming = rep <= CHECKSUM_UNTIL && rep % 2 == 0;
        if (session.checksumming || last || rep % VERIFY_EVERY == VERIFY_EVERY - 1)
            experiment->verify(state, generation);
        generation++;
    }
    return rep;
}

#include "paired.h"

/* Runs the cell that wanted() just named. */
static inline void run_cell(const struct experiment *experiment, void *state)
{
    if (session.options.paired) {
        run_pairs(experiment, NULL, state);
        return;
    }
    double *seconds = allocate(sizeof *seconds * (size_t)repetitions(session.cell.bytes));
    report_cell(seconds, repeat(experiment, NULL, state, seconds, NULL));
    free(seconds);
}

/* The same for what computes between its exchanges, after steps_wanted(). */
static inline void run_steps(const struct experiment *experiment, void (*compute)(void *state), void *state)
{
    if (session.options.paired) {
        run_pairs(experiment, compute, state);
        return;
    }
    double *seconds = allocate(sizeof *seconds * (size_t)repetitions(session.cell.bytes));
    double *step_seconds = allocate(sizeof *step_seconds * (size_t)repetitions(session.cell.bytes));
    int reps = repeat(experiment, compute, state, seconds, step_seconds);
    if (session.exchange_is_wanted)
        report_cell(seconds, reps);
    session.cell.layout = session.step_layout;
    if (session.step_is_wanted)
        report_cell(step_seconds, reps);
    free(step_seconds);
    free(seconds);
}

/* Ends the program: the last line and the exit status. */
static inline int finish(void)
{
    int status = session.cells_failed ? EXIT_MISMATCH : 0;
    if (session.rank == 0 && !session.options.list) {
        if (session.cells_seen == 0)
            fprintf(stderr, "%s: no cell contains \"%s\" (see --list)\n", session.options.example,
                    session.options.only ? session.options.only : "");
        if (session.cells_failed)
            fprintf(stderr, "%s: %d of %d cells FAILED\n", session.options.example, session.cells_failed,
                    session.cells_seen);
        else
            printf("VERIFIED %d cells\n", session.cells_verified);
    }
    MPI_Finalize();
    return status;
}

#endif
