//! Numbers that get other values under other names: by what has captured them, by streams, lists
//! of variables, pointers and shared storage. None is taken for the value that it had.

mod harness;

use harness::rewritten;

/// A program of C++ that sends a column, after something has perhaps changed its number.
fn cpp(outside: &str, between: &str) -> String {
    rewritten(
        "a.cpp",
        format!(
            "#include <mpi.h>\n#include <tuple>\n#include <iostream>\n#include <functional>\n\
             static double u[64][64];\n{outside}\n\
             void work(int n, MPI_Comm c) {{\n    double b[64];\n    int j = 1;\n    \
             {between}\n    for (int i = 0; i < n; i++)\n        b[i] = u[i][j];\n    \
             MPI_Send(b, n, MPI_DOUBLE, 1, 7, c);\n}}\n"
        ),
    )
}

#[test]
fn a_column_that_nothing_changes_is_known() {
    // A number is shifted.
    let outside = "struct Mask { int bits; }; extern Mask mask;";
    for between in ["", "int half = mask.bits >> 1;", "int k = n >> j; k++;"] {
        let text = cpp(outside, between);
        assert!(text.contains("MPI_Send(&u[0][1], 1"), "{between}: {text}");
    }
}

#[test]
fn a_column_that_others_set_is_the_one_they_set() {
    for (outside, between) in [
        ("", "auto set = [&] { j = 3; }; set();"),
        ("", "auto set = [&r = j](int to) { r = to; }; set(3);"),
        ("", "[&] { j = 3; }();"),
        ("", "int k; std::tie(j, k) = std::make_pair(4, 3);"),
        ("", "std::cin >> j;"),
        ("", "int k; std::cin >> k >> j;"),
        ("struct Set { int &to; void operator()() { to = 3; } };", "Set set{j}; set();"),
        ("", "std::reference_wrapper<int> r = j; r.get() = 3;"),
        ("int &same(int &x) { return x; }", "same(j) = 3;"),
        ("", "int k; (n ? j : k) = 3;"),
        ("", "int k; (n > 1 ? j : k)--;"),
        ("", "int k; *(n ? &j : &k) = 3;"),
        ("", "int k; (k, j) = 3;"),
        ("", "(j = 2) += 2;"),
        ("", "static_cast<int &>(j) = 3;"),
        ("", "decltype(auto) r = (j); r = 3;"),
        ("", "int &&r = std::move(j); r = 3;"),
        ("", "int &r(j); r = 3;"),
        ("", "int all[] = {j = 3, 2};"),
        ("", "std::exchange(j, 3);"),
        ("", "using std::exchange; exchange(j, 3);"),
    ] {
        let text = cpp(outside, between);
        assert!(!text.contains("MPI_Send(&u[0][1]"), "{between}: {text}");
    }
}

#[test]
fn a_column_is_the_one_of_its_scope() {
    for (outside, between) in [
        ("", "{ auto [j, k] = std::pair<int, int>(3, 4); j = 5; }"),
        ("namespace a { int j; }", "{ using a::j; j = 5; }"),
    ] {
        let text = cpp(outside, between);
        assert!(!text.contains("MPI_Send(&u[0][5]"), "{between}: {text}");
    }
    let text = fortran("  integer :: k", "  block\n  integer :: k\n  k = 5\n  end block");
    assert!(!text.contains("mpi_send(u(5"), "{text}");
    let array = "  integer :: k, a(2)\n  equivalence (a(2), k)";
    let text = fortran(array, "  a = 4");
    assert!(!text.contains("mpi_send(u(2"), "{text}");
}

fn fortran(declared: &str, between: &str) -> String {
    rewritten(
        "a.f90",
        format!(
            "subroutine work(u, n)\n  use mpi\n  implicit none\n  integer, intent(in) :: n\n  \
             real(8) :: u(64, 64), b(64)\n  integer :: i, e\n{declared}\n  k = 2\n{between}\n  \
             do i = 1, n\n    b(i) = u(k, i)\n  end do\n  call mpi_send(b, n, \
             MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, e)\nend subroutine\n"
        ),
    )
}

#[test]
fn a_row_that_other_names_of_fortran_set_is_the_one_they_set() {
    let known = fortran("  integer :: k", "");
    assert!(known.contains("mpi_send(u(2, 1), 1"), "{known}");
    for (declared, between) in [
        ("  integer :: k\n  namelist /all/ k", "  read (9, all)"),
        ("  integer :: k\n  namelist /all/ k", "  read (9, nml=all)"),
        ("  integer :: k, k2\n  equivalence (k, k2)", "  k2 = 4"),
        ("  integer, target :: k\n  integer, pointer :: p", "  p => k\n  p = 6"),
    ] {
        let text = fortran(declared, between);
        assert!(!text.contains("mpi_send(u(2"), "{declared}, {between}: {text}");
    }
}

#[test]
fn what_a_list_of_variables_reads_between_copies_and_call_has_changed() {
    for listed in ["k", "u", "b"] {
        let text = rewritten(
            "a.f90",
            format!(
                "subroutine work(u, n, k)\n  use mpi\n  implicit none\n  integer :: n, k, i, e\n  \
                 real(8) :: u(64, 64), b(64)\n  namelist /all/ {listed}\n  do i = 1, n\n    b(i) = \
                 u(k, i)\n  end do\n  read (9, all)\n  call mpi_send(b, n, \
                 MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, e)\nend subroutine\n"
            ),
        );
        assert!(text.contains("mpi_send(b, n"), "{listed}: {text}");
    }
}

/// Which branch of the preprocessor is compiled says how large an element is.
#[test]
fn a_kind_of_several_branches_is_not_known() {
    let text = |kind: &str| {
        let kinds = format!("module kinds\n{kind}\nend module\n");
        kinds
            + "subroutine work(u, n)\n  use mpi\n  use kinds, only: wp => dp\n  implicit none\n  \
               integer :: n, i, e\n  real(wp) :: u(64, 64), b(64)\n  do i = 1, n\n    b(i) = u(3, \
               i)\n  end do\n  call mpi_send(b, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, \
               e)\nend subroutine\n"
    };
    let double = "integer, parameter :: dp = kind(1d0)";
    let both = format!("#ifdef SINGLE\ninteger, parameter :: dp = 4\n#else\n{double}\n#endif");
    assert!(rewritten("a.F90", text(double)).contains("mpi_send(u(3, 1), 1"));
    assert!(rewritten("a.F90", text(&both)).contains("mpi_send(b, n"));
}
