/* Both ways by turns in one run (--paired): under `commloom exec --off regions`, MPI_Pcontrol(0) leaves the program
 * alone, and MPI_Pcontrol(1) does not. A machine that changes its speed within a second changes it for both.
 *
 * Blocks of repetitions go by turns, native, commloom, commloom, native, each after one repetition that is not timed.
 * Rank 0 prints one line per cell with the medians of all blocks, in microseconds,
 *
 *     PAIRS <example> <layout> <description> <bytes> <native> <commloom> <native> <commloom> ...
 *
 * Included by common.h, in the middle.
 */
#ifndef COMMLOOM_EXAMPLES_PAIRED_H
#define COMMLOOM_EXAMPLES_PAIRED_H

enum {
    MOST_PAIRS = 24,
    FEWEST_PAIRS = 8,
    LONGEST_BLOCK = 20,
    /* Under --quick, of pairs and of repetitions: shows that it works. */
    QUICK = 2
};

/* Seconds after which a cell stops, once it has FEWEST_PAIRS. */
#define PAIRS_BUDGET_S 0.3

/* Timed repetitions of a block. */
static inline int block_length(size_t bytes)
{
    if (session.options.quick)
        return QUICK;
    return bytes <= 4096 ? LONGEST_BLOCK : bytes <= 65536 ? 8 : 3;
}

/* One block. Notes how long each repetition took on this rank; the first one is verified. */
static inline void run_block(const struct experiment *experiment, void (*compute)(void *state), void *state,
                             uint64_t *generation, double *seconds, double *step_seconds)
{
    const int length = block_length(session.cell.bytes);
    for (int i = -1; i < length; i++, (*generation)++) {
        double begin, exchanged, end;
        experiment->fill(state, *generation);
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        experiment->communicate(state);
        end = exchanged = MPI_Wtime();
        if (compute) {
            compute(state);
            end = MPI_Wtime();
        }
        if (i < 0) {
            experiment->verify(state, *generation);
            continue;
        }
        seconds[i] = exchanged - begin;
        step_seconds[i] = end - begin;
    }
}

/* Prints the line of the cell just run, of so many pairs. `seconds` are this rank's times. */
static inline void report_pairs(double *seconds, int pairs)
{
    const struct cell *cell = &session.cell;
    const int length = block_length(cell->bytes), all = 2 * pairs * length;
    int mismatches = 0;
    double *slowest = allocate(sizeof *slowest * (size_t)all);
    MPI_Reduce(seconds, slowest, all, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&session.mismatches, &mismatches, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (mismatches > 0)
        session.cells_failed++;
    else
        session.cells_verified++;
    if (mismatches == 0 && session.rank == 0) {
        printf("PAIRS %s %s %s %zu", session.options.example, cell->layout, cell->description, cell->bytes);
        for (int block = 0; block < 2 * pairs; block++) {
            double *times = slowest + block * length;
            qsort(times, (size_t)length, sizeof *times, compare_doubles);
            printf(" %.3f", (times[(length - 1) / 2] + times[length / 2]) / 2 * 1e6);
        }
        printf("\n");
        fflush(stdout);
    }
    free(slowest);
}

/* Runs the current cell by turns. */
static inline void run_pairs(const struct experiment *experiment, void (*compute)(void *state), void *state)
{
    const size_t length = (size_t)block_length(session.cell.bytes);
    double *seconds = allocate(sizeof *seconds * 2 * MOST_PAIRS * length);
    double *step_seconds = allocate(sizeof *step_seconds * 2 * MOST_PAIRS * length);
    uint64_t generation = (uint64_t)session.cells_seen * GENERATIONS_PER_CELL;
    session.mismatches = 0;
    session.checksumming = 0;
    const int most = session.options.quick ? QUICK : MOST_PAIRS, fewest = most < FEWEST_PAIRS ? most : FEWEST_PAIRS;
    for (int i = 0; i < WARM_UP + (session.options.quick ? 0 : session.options.settle); i++) {
        experiment->fill(state, generation++);
        experiment->communicate(state);
        if (compute)
            compute(state);
    }
    const double begin = MPI_Wtime();
    int pairs = 0, last = 0;
    for (; !last; pairs++) {
        last = pairs + 1 == most || (pairs + 1 >= fewest && MPI_Wtime() - begin > PAIRS_BUDGET_S);
        MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);
        session.repetition = pairs;
        for (int turn = 0; turn < 2; turn++) {
            int with_commloom = turn ^ (pairs & 1);
            size_t at = ((size_t)pairs * 2 + (size_t)with_commloom) * length;
            MPI_Pcontrol(with_commloom);
            run_block(experiment, compute, state, &generation, seconds + at, step_seconds + at);
        }
    }
    MPI_Pcontrol(1);
    if (!compute || session.exchange_is_wanted)
        report_pairs(seconds, pairs);
    if (compute) {
        session.cell.layout = session.step_layout;
        if (session.step_is_wanted)
            report_pairs(step_seconds, pairs);
    }
    free(step_seconds);
    free(seconds);
}

#endif
