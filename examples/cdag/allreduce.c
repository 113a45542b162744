/* Allreduces as users write them (section 3.3 of the paper), and two other patterns: each is found and replaced, in data and
 * in strict mode, and leaves the same memory as its plain messages.
 */
#include "compare.h"
#include "patterns.h"

enum { COUNT = 100, ITERATIONS = 3 };

static int try_pattern(const struct pattern *pattern, int strict)
{
    struct memory expected = new_memory(pattern, COUNT), found = new_memory(pattern, COUNT);
    size_t bytes = bytes_of(COUNT) * (size_t)(pattern->blocks ? size : 1);
    cDAG_graph graph = noted(pattern, &found);
    TRY(cDAG_Set(graph, CDAG_STRICT, strict));
    TRY(cDAG_Set(graph, CDAG_REPLACE, 1));
    cDAG_Schedule schedule = compile(graph);
    int same = 1;
    for (int i = 0; i < ITERATIONS; i++) {
        fill(pattern, &expected, i);
        fill(pattern, &found, i);
        plain(pattern, &expected);
        TRY(cDAG_Run(schedule));
        same &= same_everywhere(found.out, expected.out, bytes);
    }
    report(pattern->name, schedule, same);
    TRY(cDAG_FreeSchedule(schedule));
    free_memory(&expected);
    free_memory(&found);
    return same;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int same = 1;
    for (int strict = 0; strict < 2; strict++) {
        for (int i = 0; i < PATTERN_COUNT; i++) same &= try_pattern(&PATTERNS[i], strict);
    }
    MPI_Finalize();
    return !same;
}
