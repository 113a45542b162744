//! Text that would be right alone, and is wrong where it stands: in a macro that declares names,
//! among threads, before somebody who looks at the error.

mod harness;

use harness::rewritten;

const COLUMN: &str = "    for (int i = 0; i < n; i++)\n        b[i] = u[i][1];\n";

fn c(outside: &str, call: &str) -> String {
    rewritten(
        "a.c",
        format!(
            "#include <mpi.h>\n#include <stdlib.h>\nenum {{ NX = 8 }};\n\
             static double u[64][NX];\n{outside}\nvoid f(int n, MPI_Comm c)\n{{\n    \
             double b[64];\n    int count = n;\n{COLUMN}    {call}\n}}\n"
        ),
    )
}

#[test]
fn no_variable_of_a_macro_around_the_call_is_caught() {
    let call = "CHECK(MPI_Send(b, count, MPI_DOUBLE, 1, 7, c));";
    let check = |body: &str| c(&format!("#define CHECK(x) do {{ {body} }} while (0)"), call);
    assert!(check("int error = (x); if (error) abort();").contains("u_type(NX, n)"));
    for body in ["int n = (x); if (n) abort();", "int NX = 0; NX = (x); if (NX) abort();"] {
        assert!(!check(body).contains("u_type(NX"), "{body}");
    }
}

#[test]
fn no_macro_stands_for_a_name_of_the_functions() {
    let call = "MPI_Send(b, n, MPI_DOUBLE, 1, 7, c);";
    assert!(c("", call).contains("u_type(NX, n)"));
    for name in ["comm", "key", "state", "type", "made_of"] {
        let text = c(&format!("#define {name} MPI_COMM_WORLD"), call);
        assert!(text.contains("MPI_Type_vector(") && !text.contains("u_type"), "{name}: {text}");
    }
}

#[test]
fn a_program_with_an_mpi_send_of_its_own_is_left_alone() {
    let call = "MPI_Send(b, n, MPI_DOUBLE, 1, 7, c);";
    let own = |body: &str| {
        let head =
            "int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)";
        c(&format!("{head} {{ {body} }}"), call)
    };
    assert!(!own("return PMPI_Send(b, n, t, to, tag, c);").contains("MPI_Type_vector"));
    // A stand-in for programs of one process.
    assert!(own("return 0;").contains("MPI_Type_vector"));
}

#[test]
fn lists_of_cpp_are_lists_of_int() {
    let cpp = |list: &str| {
        let text = format!(
            "#include <mpi.h>\n#include <vector>\nvoid f(const double *u, {list}, int n, \
             MPI_Comm c)\n{{\n    double b[64];\n    for (int i = 0; i < n; i++)\n        \
             b[i] = u[l[i]];\n    MPI_Send(b, n, MPI_DOUBLE, 1, 7, c);\n}}\n"
        );
        rewritten("a.cpp", text)
    };
    assert!(cpp("const int *l").contains(", 1, &l[0], MPI_DOUBLE"));
    assert!(cpp("const unsigned *l").contains("reinterpret_cast<const int *>(&l[0])"));
    // There is no element 0 of an empty one.
    assert!(cpp("const std::vector<int> &l").contains("l.data(), MPI_DOUBLE"));
}

fn fortran(declared: &str, before: &str, after: &str) -> String {
    rewritten(
        "a.f90",
        format!(
            "subroutine s(u, n)\n  use mpi\n  implicit none\n  integer, intent(in) :: n\n  \
             real(8), intent(in) :: u(:, :)\n  real(8) :: b(64)\n  integer :: k, e\n{declared}\
             {before}  do k = 1, n\n    b(k) = u(1, k)\n  end do\n  call mpi_send(b, n, \
             MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, e)\n{after}end subroutine\n"
        ),
    )
}

#[test]
fn the_error_of_the_call_is_not_that_of_freeing_its_type() {
    let plain = fortran("", "", "  call mpi_barrier(MPI_COMM_WORLD, e)\n");
    assert!(plain.contains("call mpi_type_free(hvector_type_1, e)"), "{plain}");
    let read = fortran("", "", "  if (e /= MPI_SUCCESS) stop 1\n");
    assert!(read.contains("call mpi_type_free(hvector_type_1, ierr_1)"), "{read}");
    assert!(read.contains("MPI_COMM_WORLD, e)"), "{read}");
}

#[test]
fn a_statement_of_openmp_is_no_comment() {
    let program = |line: &str| {
        rewritten(
            "a.f90",
            format!(
                "subroutine s(u, n, t)\n  use mpi\n  implicit none\n  integer, intent(in) :: n\n  \
                 integer, intent(inout) :: t\n  real(8), intent(in) :: u(:, :)\n  \
                 real(8) :: b(64)\n  integer :: k, e\n  t = 1\n{line}\n  do k = 1, n\n    \
                 b(k) = u(1, k)\n  end do\n\n  ! send\n  call mpi_send(b, n, \
                 MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, e)\nend subroutine\n"
            ),
        )
    };
    let comment = program("  ! pack");
    assert!(comment.contains("hvector") && !comment.contains("! pack"), "{comment}");
    let statement = program("  !$ t = 7");
    assert!(statement.contains("hvector") && statement.contains("!$ t = 7"), "{statement}");
}

#[test]
fn threads_of_openmp_have_no_variables_for_types() {
    let parallel = "  !$omp parallel private(b, k)\n  !$omp single\n";
    let end = "  !$omp end single\n  !$omp end parallel\n";
    let inside = fortran("", parallel, end);
    assert!(!inside.contains("hvector"), "{inside}");
    let behind = fortran("", "  ! a comment\n\n  do k = 1, 2\n", "  end do\n");
    assert!(behind.contains("hvector"), "{behind}");
    // What a directive names is declared.
    let behind = fortran("", "  !$omp parallel private(b, k)\n  !$omp end parallel\n", "");
    assert!(behind.contains("hvector") && behind.contains(":: b(64)"), "{behind}");
}

#[test]
fn a_receive_into_what_has_values_stays() {
    let receive = |declared: &str| {
        rewritten(
            "a.f90",
            format!(
                "subroutine s(u, n)\n  use mpi\n  implicit none\n  integer, intent(in) :: n\n  \
                 real(8), intent(inout) :: u(8, *)\n{declared}  integer :: k, e\n  \
                 call mpi_recv(b, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, \
                 MPI_STATUS_IGNORE, e)\n  do k = 1, n\n    u(1, k) = b(k)\n  end do\n\
                 end subroutine\n"
            ),
        )
    };
    assert!(receive("  real(8) :: b(64)\n").contains("vector"));
    // Less may come than is unpacked.
    for declared in ["  real(8) :: b(64) = 0\n", "  real(8) :: b(64)\n  data b /64*0d0/\n"] {
        assert!(!receive(declared).contains("vector"), "{declared}");
    }
}

#[test]
fn elements_of_a_class_may_be_larger_ones() {
    let of = |kind: &str| {
        rewritten(
            "a.f90",
            format!(
                "module m\n  use mpi\n  implicit none\n  type p\n    real(8) :: x, y\n  \
                 end type\ncontains\nsubroutine s(g, n)\n  integer, intent(in) :: n\n  \
                 {kind}(p), intent(in) :: g(*)\n  real(8) :: b(64)\n  integer :: k, e\n  \
                 do k = 1, n\n    b(k) = g(k)%x\n  end do\n  call mpi_send(b, n, \
                 MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, e)\nend subroutine\nend module\n"
            ),
        )
    };
    assert!(of("type").contains("vector"));
    assert!(!of("class").contains("vector"));
}
