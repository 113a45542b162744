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
    // Somebody may send less than is unpacked.
    let given = "static double b[64] = {1.0};";
    assert_eq!(outcome(given, "", "0", "}"), "E-RECV-COUNT");
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

#[test]
fn buffers_that_get_values_in_any_way() {
    let count = "E-RECV-COUNT";
    for buffer in [
        "double *b = new double[n]();",
        "double *b = new double[64]{1.0};",
        "thread_local double b[64];",
        "double b[64]; std::fill_n(b, n, 2.0);",
        "double b[64]; for (auto &x : b) x = 1.5;",
        "double b[64]; [&] { for (int i = 0; i < n; i++) b[i] = 1.0; }();",
        "double b[64]; auto set = [&](int i) { b[i] = 1.0; }; set(2);",
        "double b[64]; prepare(b);",
        "double b[64], *p = b; *p = 1.0;",
        "double b[64]; double (&r)[64] = b; r[1] = 1.0;",
        "double b[64]; in >> b[0];",
    ] {
        assert_eq!(outcome("", buffer, "from", NULL), count, "{buffer}");
    }
}

#[test]
fn buffers_of_fortran_that_get_values_in_any_way() {
    let outcome = |declared: &str, before: &str| {
        let text = "subroutine work(u, n, from)
  use mpi
  implicit none
  integer :: n, from, i, e
  real(8) :: u(n, n)
DECLARED
BEFORE
  call mpi_recv(b, n, MPI_DOUBLE_PRECISION, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  do i = 1, n
    u(2, i) = b(i)
  end do
  if (from == MPI_PROC_NULL) return
end subroutine
";
        only_outcome("a.f90", text.replace("DECLARED", declared).replace("BEFORE", before))
    };
    assert!(outcome("real(8) :: b(64)", "").starts_with("vector("));
    assert!(outcome("real(8), allocatable :: b(:)", "allocate(b(n))").starts_with("vector("));
    for (declared, before) in [
        ("real(8), allocatable :: b(:)", "allocate(b(n), source=6d0)"),
        ("real(8) :: b(64), c(64)\nequivalence (b, c)", "c = 1"),
        ("real(8), target :: b(64)\nreal(8), pointer :: p(:)", "p => b\np = 1"),
        ("real(8) :: b(64)", "associate (z => b)\nz = 1\nend associate"),
        ("real(8) :: b(64)", "read (9, *) b"),
        ("real(8) :: b(64)\nnamelist /all/ b", "read (9, all)"),
        ("real(8) :: b(64)\nnamelist /all/ b", "read (9, nml=all)"),
    ] {
        assert_eq!(outcome(declared, before), "E-RECV-COUNT", "{declared}; {before}");
    }
}

/// One buffer for all neighbours: what one has sent is there when the next one does not.
#[test]
fn buffers_that_another_message_had() {
    let outcome = |first: &str, source: &str, around: &str| {
        only_outcome(
            "a.c",
            format!(
                "#include <mpi.h>\nstatic double u[4096], v[4096];\n\
                 void work(int n, const int *of, int left, int right, MPI_Comm c) {{\n\
                 double b[64]; int k = 0;\n{first}\n{around} {{\n\
                 MPI_Recv(b, n, MPI_DOUBLE, {source}, 7, c, MPI_STATUS_IGNORE);\n\
                 for (int i = 0; i < n; i++) u[i * 8 + 1] = b[i];\n}}\n\
                 if (right == MPI_PROC_NULL) return;\n}}\n"
            ),
        )
    };
    let vector = "vector(n, 1, 8) of MPI_DOUBLE";
    assert_eq!(outcome("", "right", ""), vector);
    assert_eq!(outcome("", "right", "for (k = 0; k < 9; k++)"), vector);
    assert_eq!(outcome("", "of[k]", "for (k = 0; k < 4; k++)"), "E-RECV-COUNT");
    assert_eq!(outcome("", "k ? left : right", "for (k = 0; k < 2; k++)"), "E-RECV-COUNT");
}

#[test]
fn a_buffer_that_was_packed_or_received_before_keeps_that() {
    let outcomes = |first: &str| {
        harness::outcomes(
            "a.c",
            format!(
                "#include <mpi.h>\nstatic double u[4096], v[4096];\n\
                 void work(int n, int left, int right, MPI_Comm c) {{\n\
                 double b[64];\n{first}\n\
                 MPI_Recv(b, n, MPI_DOUBLE, right, 7, c, MPI_STATUS_IGNORE);\n\
                 for (int i = 0; i < n; i++) u[i * 8 + 1] = b[i];\n\
                 if (right == MPI_PROC_NULL) return;\n}}\n"
            ),
        )
    };
    let vector = "vector(n, 1, 8) of MPI_DOUBLE";
    let received = "MPI_Recv(b, n, MPI_DOUBLE, left, 7, c, MPI_STATUS_IGNORE);\n\
                    for (int i = 0; i < n; i++) v[i * 8] = b[i];";
    assert_eq!(outcomes(received), [vector, "E-RECV-COUNT"]);
    assert_eq!(outcomes(&received.replace("left", "right")), [vector, vector]);
    let sent = "for (int i = 0; i < n; i++) b[i] = v[i * 8];\n\
                MPI_Send(b, n, MPI_DOUBLE, left, 7, c);";
    assert_eq!(outcomes(sent), [vector, "E-RECV-COUNT"]);
}
