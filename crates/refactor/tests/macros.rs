//! Calls that a macro checks are calls in their place, if it evaluates them once.

mod harness;

use harness::only_outcome;

/// The outcome of a call in a program with a macro.
fn outcome(define: &str, call: &str, more: &str) -> String {
    only_outcome(
        "a.c",
        format!(
            "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n{define}\n\
             static double u[640], b[64];\nvoid f(int n) {{ int err;\n\
             for (int i = 0; i < n; i++) b[i] = u[i * 8];\n{call}\n{more} }}\n"
        ),
    )
}

const SEND: &str = "MPI_Send(b, n, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD)";

#[test]
fn checked_calls() {
    let vector = "vector(n, 1, 8) of MPI_DOUBLE";
    for define in [
        "#define CHECK(call) do { int e_ = (call); if (e_ != MPI_SUCCESS) { \
         fprintf(stderr, \"%s: %d\", #call, e_); MPI_Abort(MPI_COMM_WORLD, e_); } } while (0)",
        "static void check_(int e) { if (e) abort(); }\n#define CHECK(x) check_(x)",
        "#define CHECK(call) if ((call) != MPI_SUCCESS) { puts(\"failed\"); exit(1); }",
        "#define CHECK(call) call",
        "#define CHECK(call) do { err = call; if (err) return; } while (0)",
    ] {
        assert_eq!(outcome(define, &format!("CHECK({SEND});"), ""), vector, "{define}");
    }
}

#[test]
fn calls_that_are_no_calls_in_their_place() {
    for define in [
        "#define CHECK(call) if (n > 2) { call; }",
        "#define CHECK(call) for (int k = 0; k < n; k++) call",
        "#define CHECK(call) do { call; printf(\"%g\", b[0]); } while (0)",
        "#define CHECK(call) err = n && (call)",
    ] {
        let found = outcome(define, &format!("CHECK({SEND});"), "");
        assert!(found.starts_with("E-"), "{define}: {found}");
    }
    // What is received is not always unpacked.
    let text = "#include <mpi.h>\n#define STEP(call) do { call; if (n > 3) return; } while (0)\n\
        static double u[640];\nvoid f(int n) { double b[64];\n\
        STEP(MPI_Recv(b, n, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));\n\
        for (int i = 0; i < n; i++) u[i * 8] = b[i]; }\n";
    assert!(only_outcome("a.c", text.into()).starts_with("E-"));
}
