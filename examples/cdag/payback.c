/* How often a schedule has to run until compiling it has paid (Fig. 7(c) of the paper).
 *
 *     payback COUNT [RUNS]
 *
 * Rank 0 prints a line for each pattern, times in microseconds:
 *
 *     PAYBACK pattern ranks bytes plain run compile again calls
 *
 * plain: the messages as written, run: the schedule, both medians of RUNS runs, of which each is the slowest rank's. compile:
 * noting and compiling the graph for the first time; again: for the second time. calls: what the schedule calls.
 */
#include "patterns.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The slowest rank's time since `start`, in microseconds. */
static double since(double start)
{
    double mine = (MPI_Wtime() - start) * 1e6, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static double median(double *times, int runs)
{
    qsort(times, (size_t)runs, sizeof *times, by_size);
    return times[runs / 2];
}

static double time_compilation(const struct pattern *pattern, struct memory *m, cDAG_Schedule *schedule)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    *schedule = compile(noted(pattern, m));
    return since(begin);
}

static void measure(const struct pattern *pattern, int count, int runs)
{
    struct memory m = new_memory(pattern, count);
    double *times = allocate(sizeof(double) * (size_t)runs);
    fill(pattern, &m, 0);
    cDAG_Schedule schedule, same;
    double compile_us = time_compilation(pattern, &m, &schedule);
    double again_us = time_compilation(pattern, &m, &same);
    double us[2];
    for (int way = 0; way < 2; way++) {
        for (int i = -2; i < runs; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            if (way == 0) plain(pattern, &m);
            else TRY(cDAG_Run(schedule));
            double time = since(begin);
            if (i >= 0) times[i] = time;
        }
        us[way] = median(times, runs);
    }
    char text[1024], *calls, *end;
    TRY(cDAG_Describe(schedule, text, sizeof text));
    calls = strchr(text, ' ') + 1;
    end = strchr(calls, ';');
    if (end) *end = '\0';
    if (rank == 0) {
        printf("PAYBACK %s %d %zu %.2f %.2f %.2f %.2f %s\n", pattern->name, size, bytes_of(count), us[0], us[1],
               compile_us, again_us, calls);
        fflush(stdout);
    }
    TRY(cDAG_FreeSchedule(schedule));
    TRY(cDAG_FreeSchedule(same));
    free(times);
    free_memory(&m);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int count = argc > 1 ? atoi(argv[1]) : 128, runs = argc > 2 ? atoi(argv[2]) : 101;
    if (count < 1 || runs < 1) {
        if (rank == 0) fprintf(stderr, "usage: payback COUNT [RUNS]\n");
        MPI_Finalize();
        return 2;
    }
    /* The communicator is duplicated when the first graph is made: once, whatever follows. */
    TRY(cDAG_Free(new_graph()));
    for (int i = 0; i < PATTERN_COUNT; i++) measure(&PATTERNS[i], count, runs);
    MPI_Finalize();
    return 0;
}
