//! Receives from nobody (`MPI_PROC_NULL`): the copies from the buffer are made all the same, and
//! where it has values, these go to their targets.

mod harness;

use harness::only_outcome;

/// The outcome of a receive, with what is declared outside, the buffer, and what stands around.
fn outcome(outside: &str, buffer: &str, source: &str, more: &str) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <stdlib.h>\n#include <vector>\n\
         static double u[4096];\n{outside}\n\
         void work(int n, int from, int rank, int size) {{ {buffer}\n\
         MPI_Recv(&b[0], n, MPI_DOUBLE, {source}, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
         for (int i = 0; i < n; i++) u[i * 8] = b[i];\n{more}\n"
    );
    only_outcome("a.cpp", text)
}

const NULL: &str = "} int other(int rank) { return rank ? rank - 1 : MPI_PROC_NULL; }";

#[test]
fn buffers_with_values() {
    let vector = "vector(n, 1, 8) of MPI_DOUBLE";
    for (outside, buffer) in [
        ("static double b[64];", ""),
        ("static double b[64] = {1.0};", ""),
        ("", "static double b[64];"),
        ("", "std::vector<double> b(n);"),
    ] {
        let text = format!("{outside} {buffer}");
        assert_eq!(outcome(outside, buffer, "from", NULL), "E-RECV-COUNT", "{text}");
        // Nobody is nowhere in the program, or not at the other end.
        assert_eq!(outcome(outside, buffer, "from", "}"), vector, "{text}");
        for source in ["0", "MPI_ANY_SOURCE", "(rank + 1) % size"] {
            assert_eq!(outcome(outside, buffer, source, NULL), vector, "{text} {source}");
        }
        let computed = format!("{buffer} int left = (rank + size - 1) % size;");
        assert_eq!(outcome(outside, &computed, "left", NULL), vector, "{text}");
        let set = format!("{computed} if (rank == 0) left = MPI_PROC_NULL;");
        assert_eq!(outcome(outside, &set, "left", "}"), "E-RECV-COUNT", "{text}");
        let guarded = |condition: &str| format!("{buffer} if ({condition}) {{");
        for condition in ["from != MPI_PROC_NULL", "n && MPI_PROC_NULL != from", "from >= 0"] {
            let more = format!("}} {NULL}");
            let found = outcome(outside, &guarded(condition), "from", &more);
            assert_eq!(found, vector, "{text} {condition}");
        }
        let more = format!("}} {NULL}");
        let found = outcome(outside, &guarded("n != MPI_PROC_NULL"), "from", &more);
        assert_eq!(found, "E-RECV-COUNT", "{text}");
    }
    // MPI tells who the neighbours are.
    let shifts = "} void g(MPI_Comm c, int *a, int *b) { MPI_Cart_shift(c, 0, 1, a, b); }";
    assert_eq!(outcome("static double b[64];", "", "from", shifts), "E-RECV-COUNT");
}

#[test]
fn buffers_of_which_nobody_knows_what_is_in_them() {
    let vector = "vector(n, 1, 8) of MPI_DOUBLE";
    for buffer in ["double b[64];", "double *b = (double *)malloc(8 * n);"] {
        assert_eq!(outcome("", buffer, "from", NULL), vector, "{buffer}");
    }
    let cleared = "double *b = (double *)calloc(n, 8);";
    assert_eq!(outcome("", cleared, "from", NULL), "E-RECV-COUNT");
}
