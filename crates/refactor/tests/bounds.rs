//! The bounds of an array have the values that the scope of its declaration gives them. Where a
//! procedure has something else of that name, or does not see it, the name is not written.

mod harness;

use harness::rewritten;

/// How often a word stands in a text.
fn count(text: &str, word: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| *w == word).count()
}

/// A program with a mark in it, and with each of some texts in place of the mark. The word is
/// written where the text is nothing, and nowhere else; it is as often in what goes.
fn is_written_only_plainly(name: &str, program: &str, word: &str, hiding: &[&str]) {
    let plain = program.replace("MARK", "");
    let text = rewritten(name, plain.clone());
    assert!(count(&text, word) > count(&plain, word), "not even here: {text}");
    for hide in hiding {
        let original = program.replace("MARK", hide);
        let text = rewritten(name, original.clone());
        assert_eq!(count(&text, word), count(&original, word), "{hide}: {text}");
    }
}

const WORK: &str = "    double b[64];\n    for (int i = 0; i < n; i++)\n        \
    b[i] = PLACE;\n    MPI_Send(b, n, MPI_DOUBLE, 1, 7, c);\n}\n";

/// Where an array of C is declared, and how an element of a column is reached.
const ARRAYS: [(&str, &str, &str); 5] = [
    ("enum { NX = 8 };\nstatic double u[64][NX];\n", "int n", "u[i][1]"),
    ("static const int NX = 8;\nextern double u[64][NX];\n", "int n", "u[i][1]"),
    ("enum { NX = 8 };\ntypedef double row[NX];\n", "row *u, int n", "u[i][1]"),
    ("enum { NX = 8 };\n", "double u[][NX], int n", "u[i][1]"),
    (
        "enum { NX = 8 };\nstruct grid { double u[64][NX]; };\n",
        "struct grid *g, int n",
        "g->u[i][1]",
    ),
];

const HIDING: [&str; 6] = [
    "    int NX = 3; n += NX;\n",
    "    const int NX = 3; n += NX;\n",
    "    static int NX = 3; n += NX++;\n",
    "    enum { NX = 3 }; n += NX;\n",
    "    for (int NX = 0; NX < 3; NX++) n++;\n",
    "    enum { OTHER, NX = 5 };\n",
];

#[test]
fn of_c_behind_variables_and_constants_of_the_procedure() {
    for (outside, parameters, place) in ARRAYS {
        let work = WORK.replace("PLACE", place);
        let program =
            format!("#include <mpi.h>\n{outside}void f({parameters}, MPI_Comm c)\n{{\nMARK{work}");
        is_written_only_plainly("a.c", &program, "NX", &HIDING);
    }
}

#[test]
fn of_cpp_behind_members_parameters_of_templates_and_bindings() {
    let work = WORK.replace("PLACE", "u[i][1]");
    let head = "#include <mpi.h>\n#include <array>\nconst int NX = 8;\ndouble u[64][NX];\n";
    for (before, hidden) in [
        ("struct s { MARK void f(int n, MPI_Comm c) {\n", "int NX = 3;"),
        ("struct base { MARK }; struct s : base { void f(int n, MPI_Comm c) {\n", "int NX;"),
        ("template <MARK class T> void f(int n, MPI_Comm c) {\n", "int NX,"),
        ("std::array<int, 2> d(); void f(int n, MPI_Comm c) {\nMARK", "auto [NX, NY] = d();\n"),
    ] {
        let end = if before.starts_with("struct") { "};\n" } else { "" };
        let program = format!("{head}{before}{work}{end}");
        is_written_only_plainly("a.cpp", &program, "NX", &[hidden]);
    }
}

#[test]
fn of_macros_that_change_on_the_way() {
    let work = WORK.replace("PLACE", "u[i][1]");
    for (outside, hide) in [
        ("#define NX 8\nstatic double u[64][NX];\nMARK", "#undef NX\n#define NX 4\n"),
        (
            "#define W 6\n#define NX (W + 2)\nstatic double u[64][NX];\nMARK",
            "#undef W\n#define W 3\n",
        ),
    ] {
        let head = format!("#include <mpi.h>\n{outside}");
        let program = format!("{head}void f(int n, MPI_Comm c)\n{{\n{work}");
        is_written_only_plainly("a.c", &program, "NX", &[hide]);
    }
}

const SEND: &str = "  real(8) :: b(64)\n  integer :: k, e\nMARK  do k = 1, n\n    \
    b(k) = u(1, k)\n  end do\n  call mpi_send(b, n, MPI_DOUBLE_PRECISION, 1, 1, \
    MPI_COMM_WORLD, e)\n";

#[test]
fn of_fortran_behind_variables_of_the_procedure_and_other_modules() {
    let hiding = ["  integer :: nx = 3\n", "  integer, parameter :: nx = 3\n"];
    // Of the module that the procedure stands in, of the host, of a module that is used.
    let inside = format!(
        "module m\n  use mpi\n  implicit none\n  integer, parameter :: nx = 6\n  \
         real(8) :: u(0:nx+1, 64)\ncontains\nsubroutine s(n)\n  integer, intent(in) :: n\n\
         {SEND}end subroutine\nend module\n"
    );
    is_written_only_plainly("a.f90", &inside, "nx", &hiding);
    let hosted = format!(
        "program p\n  use mpi\n  implicit none\n  integer, parameter :: nx = 6\n  \
         real(8) :: u(0:nx+1, 64)\n  call s(5)\ncontains\nsubroutine s(n)\n  \
         integer, intent(in) :: n\n{SEND}end subroutine\nend program\n"
    );
    is_written_only_plainly("a.f90", &hosted, "nx", &hiding);
    let used = format!(
        "module m\n  integer, parameter :: nx = 6\n  real(8) :: u(0:nx+1, 64)\nend module\n\
         subroutine s(n)\n  use mpi\n  use m\n  implicit none\n  integer, intent(in) :: n\n\
         {SEND}end subroutine\n"
    );
    is_written_only_plainly("a.f90", &used, "nx", &hiding);
}

#[test]
fn of_fortran_that_a_module_keeps_to_itself() {
    let program = |access: &str| {
        let send = SEND.replace("MARK", "");
        format!(
            "module m\n  {access}\n  integer, parameter :: nx = 6\n  real(8) :: u(0:nx+1, 64)\n\
             end module\nsubroutine s(n)\n  use mpi\n  use m\n  implicit none\n  \
             integer, intent(in) :: n\n{send}end subroutine\n"
        )
    };
    let public = rewritten("a.f90", program(""));
    assert!(count(&public, "nx") > 2, "{public}");
    for access in ["private\n  public :: u", "private :: nx", "private nx"] {
        let original = program(access);
        let text = rewritten("a.f90", original.clone());
        assert_eq!(count(&text, "nx"), count(&original, "nx"), "{access}: {text}");
        assert!(text.contains("mpi_type_vector(max(0, n), 1, 8,"), "{access}: {text}");
    }
}

#[test]
fn of_the_host_are_those_at_its_entry() {
    let program = |intent: &str| {
        let send = SEND.replace("MARK", "");
        format!(
            "subroutine h(u, ld)\n  use mpi\n  implicit none\n  integer{intent} :: ld\n  \
             real(8) :: u(ld, *)\n  call s(5)\ncontains\nsubroutine s(n)\n  \
             integer, intent(in) :: n\n{send}end subroutine\nend subroutine\n"
        )
    };
    let fixed = rewritten("a.f90", program(", intent(in)"));
    assert!(fixed.contains("mpi_type_vector(max(0, n), 1, ld,"), "{fixed}");
    let open = program("");
    assert_eq!(rewritten("a.f90", open.clone()), open);
}
