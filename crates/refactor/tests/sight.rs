//! Constructs that are seen through (small functions, allocations, old values, broken neighbours),
//! and what unknown procedures can reach.

use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::source::{Language, Source};

/// Of each site: the type, or the code of the refusal.
fn outcomes(name: &str, text: &str) -> Vec<String> {
    let language = Language::of_name(name).expect("a language");
    let project = Project::new(vec![Source { name: name.into(), language, text: text.into() }]);
    let findings = check::check(&project, &Options::default());
    findings
        .into_iter()
        .map(|finding| match finding.outcome {
            Ok(change) => change.summary,
            Err(refusal) => refusal.code.to_string(),
        })
        .collect()
}

const HEAD: &str = "#include <mpi.h>\n#include <stdlib.h>\n";

fn c(body: &str) -> Vec<String> {
    outcomes("a.c", &format!("{HEAD}{body}"))
}

#[test]
fn a_function_that_computes_an_index_is_what_it_returns() {
    let found = c("static inline int at(int i, int j, int n) { return i + n * j; }\n\
        static int twice(int j) { return at(0, j, 2); }\n\
        void f(const double *restrict u, int n, int m) {\n\
          double b[100]; int k = 0, j;\n\
          for (j = 0; j < m; j++) b[k++] = u[at(3, j, n) + twice(j)];\n\
          MPI_Send(b, m, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["vector(m, 1, n + 2) of MPI_DOUBLE"]);
}

#[test]
fn a_function_with_effects_stays_a_call() {
    let found = c("static int next;\nstatic int at(int i) { return i + next++; }\n\
        void f(const double *restrict u, int m) {\n\
          double b[100]; int j;\n\
          for (j = 0; j < m; j++) b[j] = u[at(j)];\n\
          MPI_Send(b, m, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["E-ADDRESS"]);
}

#[test]
fn a_local_variable_hides_a_function() {
    let found = c("static int at(int i) { return 2 * i; }\n\
        void f(const double *restrict u, int m, int (*other)(int)) {\n\
          double b[100]; int j; int (*at)(int) = other;\n\
          for (j = 0; j < m; j++) b[j] = u[at(j)];\n\
          MPI_Send(b, m, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["E-ADDRESS"]);
}

#[test]
fn steps_that_are_no_numbers_count_turns_that_are_begun() {
    let found = c("void f(const double *restrict u, int n, int s) {\n\
          double b[100]; int j, k = 0;\n\
          for (j = 0; j < n; j += s) b[k++] = u[j];\n\
          MPI_Send(b, k, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["vector(((n + s - 1) / s), 1, s) of MPI_DOUBLE"]);
}

#[test]
fn a_buffer_may_be_allocated_under_a_condition() {
    let text = |between: &str| {
        format!(
            "void f(int n, int m, const double *restrict u) {{\n\
              double *b, *other = malloc(8 * n); int j;\n\
              if (m > 1) b = malloc(8 * n);\n\
              for (j = 0; j < n; j++) b[j] = u[j * n];\n\
              {between}\n\
              if (m > 1) MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}}\n"
        )
    };
    assert_eq!(c(&text("")), ["vector(n, 1, n) of MPI_DOUBLE"]);
    assert_eq!(c(&text("if (m > 2) b = other;")), ["E-CHANGED"]);
    assert_eq!(c(&text("b = other;")).len(), 1);
    assert!(c(&text("b = other;"))[0].starts_with("E-"));
    assert!(c(&text("b++;"))[0].starts_with("E-"));
}

#[test]
fn what_was_allocated_here_is_hidden_from_unknown_procedures() {
    let found = c(
        "void trace(int);\nvoid fill(double *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }\n\
        void f(int n) {\n\
          double *u = malloc(8 * n * n), *b = malloc(8 * n); int j;\n\
          fill(&u[0], n * n);\n\
          for (j = 0; j < n; j++) b[j] = u[j * n];\n\
          trace(1);\n\
          MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n\
          free(b); free(u);\n}\n",
    );
    assert_eq!(found, ["vector(n, 1, n) of MPI_DOUBLE"]);
}

#[test]
fn what_was_given_away_is_not_hidden() {
    for leak in [
        "keep(u);",
        "kept = u;",
        "store(u);",
        "{ double *v = u; keep(v); }",
        "{ double *v = id(u); keep(v); }",
        "table[0] = u;",
    ] {
        let found = c(&format!(
            "void trace(int);\nvoid keep(double *);\ndouble *kept, *table[3];\n\
            void store(double *a) {{ kept = a + 1; }}\ndouble *id(double *a) {{ return a; }}\n\
            void f(int n) {{\n\
              double *u = malloc(8 * n * n), *b = malloc(8 * n); int j;\n\
              {leak}\n\
              for (j = 0; j < n; j++) b[j] = u[j * n];\n\
              trace(1);\n\
              MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}}\n"
        ));
        assert!(found.iter().all(|f| f.starts_with("E-")) && found.len() == 1, "{leak}: {found:?}");
    }
}

fn fortran(before: &str, between: &str, declarations: &str) -> Vec<String> {
    let text = format!(
        "subroutine s(n, v)\n  use mpi\n  integer :: n, j, ierr\n  real(8) :: v(n, n)\
         \n  real(8) :: u(n, n)\n  real(8), allocatable :: b(:)\n  \
        {declarations}\n  allocate(b(n))\n  u = v\n  {before}\n  do j = 1, n\n    b(j) = u(2, j)\
        \n  end do\n  {between}\n  \
        call mpi_send(b, n, mpi_double_precision, 0, 0, mpi_comm_world, ierr)\n  deallocate(b)\n\
        end subroutine\n"
    );
    outcomes("a.f90", &text)
}

#[test]
fn bounds_are_those_of_the_only_allocate() {
    let found = fortran("", "", "");
    assert_eq!(found, ["vector(n, 1, n) of mpi_double_precision"]);
    // Who else may allocate is not known.
    let found = fortran("call other(b)", "", "external :: other");
    assert!(found[0].starts_with("E-"), "{found:?}");
}

#[test]
fn locals_of_fortran_are_hidden_from_unknown_procedures() {
    let declarations = "external :: trace";
    let found = fortran("call trace(u)", "call trace(1)", declarations);
    assert_eq!(found, ["vector(n, 1, n) of mpi_double_precision"]);
    assert!(fortran("", "call trace(u)", declarations)[0].starts_with("E-"));
    assert!(fortran("", "call trace(1)", "external :: trace\n  target :: u")[0].starts_with("E-"));
    assert!(
        fortran(
            "",
            "call trace(1)",
            "external :: trace\n  common /c/ b2, m\n  equivalence (b2, m)"
        )
        .len()
            == 1
    );
}

#[test]
fn a_scalar_that_an_unknown_procedure_gets_is_not_known_after_it() {
    let found = fortran("n = 5", "call trace(n)", "external :: trace");
    assert!(found[0].starts_with("E-"), "{found:?}");
}

#[test]
fn old_values_are_said_by_new_ones() {
    let found = c("void f(const double *restrict u, int is, int ie, int ims) {\n\
          double b[100]; int i, k = 0;\n\
          is = is - ims; ie -= ims;\n\
          for (i = is; i <= ie; i++) b[k++] = u[2 * i];\n\
          MPI_Send(b, ie - is + 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["vector(ie - is + 1, 1, 2) of MPI_DOUBLE"]);
    // What it was cannot be said any more.
    let found = c("void f(const double *restrict u, int is, int n) {\n\
          double b[100]; int i, k = 0;\n\
          for (i = 0; i < n; i++) b[k++] = u[2 * i + is];\n\
          is = 7;\n\
          MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["E-CHANGED"]);
}

#[test]
fn errors_elsewhere_do_no_harm() {
    let good_c = "void good(const double *restrict u, int n) {\n  double b[100]; int i;\
        \n  for (i = 0; i < n; i++) b[i] = u[3 * i];\n  \
        MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n";
    for broken in [
        "void bad(int x) {\n  x = = 3;\n  if (x { }\n}\n",
        "int q = @@@;\n",
        "struct { int ; ] };\n",
    ] {
        for text in [format!("{HEAD}{broken}{good_c}"), format!("{HEAD}{good_c}{broken}")] {
            for name in ["a.c", "a.cpp"] {
                assert_eq!(
                    outcomes(name, &text),
                    ["vector(n, 1, 3) of MPI_DOUBLE"],
                    "{name}: {text}"
                );
            }
        }
    }
    let good = "subroutine good(u, n)\n  use mpi\n  integer :: n, i, ierr\
        \n  real(8) :: u(3*n), b(n)\n  do i = 1, n\n    b(i) = u(3*i)\n  end do\n  \
        call mpi_send(b,n,mpi_double_precision,0,0,mpi_comm_world,ierr)\nend subroutine\n";
    let broken = "subroutine bad(x)\n  integer :: x\n  x = = 3 +\nend subroutine\n";
    for text in [format!("{broken}{good}"), format!("{good}{broken}")] {
        assert_eq!(outcomes("a.f90", &text), ["vector(n, 1, 3) of mpi_double_precision"], "{text}");
        let fixed: String = text.lines().map(|line| format!("      {line}\n")).collect();
        assert_eq!(outcomes("a.f", &fixed), ["vector(n, 1, 3) of mpi_double_precision"], "{fixed}");
    }
}

/// A procedure without errors, after and before others that the grammar does not get out of.
fn beside(name: &str, head: &str, good: &str, broken: &[&str], expected: &str) {
    let plain = outcomes(name, &format!("{head}{good}"));
    assert_eq!(plain, [expected], "{good}");
    for broken in broken {
        let both = format!("{good}{broken}{}", good.replace("good", "better"));
        for (text, count) in [
            (format!("{head}{broken}{good}"), 1),
            (format!("{head}{good}{broken}"), 1),
            (format!("{head}{both}"), 2),
            (format!("{head}{broken}{broken}{good}"), 1),
        ] {
            assert_eq!(outcomes(name, &text), vec![expected; count], "{name}: {text}");
        }
    }
}

const GOOD_C: &str = "void good(const double *restrict u, int n) {\n  double b[100]; int i;\
    \n  for (i = 0; i < n; i++) b[i] = u[3 * i];\n  \
    MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n";

#[test]
fn reading_begins_again_at_the_next_procedure() {
    let broken = [
        "void bad( {\n  x = 1;\n}\n",
        "void bad(int x {\n  if (x) { x = 2; }\n}\n",
        "void bad(int x) {\n  f(x;\n  x = 2;\n}\n",
        "void bad(int x) {\n  x = (1 + 2;\n}\n",
        "void bad(int x) {\n  if (x) {\n    x = 1;\n}\n",
        "void bad(int x) {\n  while (x) {\n",
        "static int bad[3] = { 1, 2, \n\n",
        "struct bad {\n  int x;\n",
        "void bad(int x)\n{\n#ifdef A\n  if (x) {\n#else\n  if (!x) {\n#endif\n  }\n}\n",
        "int bad(int x,\n",
    ];
    let expected = "vector(n, 1, 3) of MPI_DOUBLE";
    for name in ["a.c", "a.cpp"] {
        let good = GOOD_C.to_owned();
        beside(name, HEAD, &good, &broken, expected);
        // The brace on a line of its own, the type too.
        let other =
            GOOD_C.replace(") {\n  double", ")\n{\n  double").replace("void good", "void\ngood");
        beside(name, HEAD, &other, &broken, expected);
    }
    let of_cpp = [
        "class Bad {\n  int n;\n  void f() { n = 1; }\n",
        "class Bad {\n  int n;\n  void f( { n = 1; }\n};\n",
        "namespace bad {\nvoid f( {\n}\n}\n",
        "template <class T\nvoid bad(T x) {\n}\n",
        "void Bad::f( const {\n}\n",
        "auto bad = [](int x { return x; };\n",
    ];
    beside("a.cpp", HEAD, GOOD_C, &of_cpp, expected);
    // In a namespace, and indented.
    let inside: String = GOOD_C.lines().map(|line| format!("  {line}\n")).collect();
    let text =
        format!("{HEAD}namespace a {{\n  void bad( {{\n    x = 1;\n  }}\n{inside}}}\n{}", GOOD_C);
    assert_eq!(outcomes("a.cpp", &text), [expected, expected], "{text}");
}

#[test]
fn fortran_begins_again_at_the_next_unit() {
    let good = "subroutine good(u, n)\n  use mpi\n  integer :: n, i, ierr\
        \n  real(8) :: u(3*n), b(n)\n  do i = 1, n\n    b(i) = u(3*i)\n  end do\n  \
        call mpi_send(b,n,mpi_double_precision,0,0,mpi_comm_world,ierr)\nend subroutine good\n";
    let broken = [
        "subroutine bad(x\n  integer :: x\n  x = 1\nend subroutine\n",
        "subroutine bad(x)\n  integer :: x\n  do x = 1, 3\n    x = (2\nend subroutine bad\n",
        "subroutine bad(x)\n  integer :: x, i\n  do i = 1, 3\n    x = 2\n",
        "subroutine bad(x)\n  integer :: x\n  if (x == 1 then\n    x = 2\n  end if\n\
         end subroutine\n",
        "subroutine bad(x)\n  character(5) :: x\n  x = 'a\nend subroutine\n",
        "real(8) function bad(x\n  bad = 1\nend function\n",
    ];
    let expected = "vector(n, 1, 3) of mpi_double_precision";
    beside("a.f90", "", good, &broken, expected);
    let fixed = |text: &str| {
        text.lines().map(|l| format!("      {}\n", l.trim_start())).collect::<String>()
    };
    let all: Vec<String> = broken.iter().map(|text| fixed(text)).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    beside("a.f", "", &fixed(good), &all, expected);
}

/// Statements in a procedure that cannot be read may use a buffer too.
#[test]
fn what_could_not_be_read_may_do_anything() {
    let good = "double b[100];\nvoid good(const double *restrict u, int n) {\n  int i;\
        \n  for (i = 0; i < n; i++) b[i] = u[3 * i];\n  \
        MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n";
    let found = c(&format!("{good}void bad( {{\n  print(b[3]);\n}}\n"));
    assert_eq!(found, ["E-BUF-LIVE"]);
    // Given to it, the source may be written.
    let found =
        c("void bad( {\n}\nvoid good(double *restrict u, int n) {\n  double b[100]; int i;\
         \n  for (i = 0; i < n; i++) b[i] = u[3 * i];\n  bad(u);\n  \
        MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["E-SRC-WRITTEN"]);
    let found = outcomes(
        "a.f90",
        "subroutine bad(x\nend subroutine\nsubroutine good(u, n)\n  use mpi\
         \n  integer :: n, i, ierr\n  real(8) :: u(3*n), b(n)\n  do i = 1, n\n    b(i) = u(3*i)\
         \n  end do\n  \
        call bad(u)\n  call mpi_send(b,n,mpi_double_precision,0,0,mpi_comm_world,ierr)\n\
        end subroutine\n",
    );
    assert_eq!(found, ["E-SRC-WRITTEN"]);
}

#[test]
fn an_error_in_the_procedure_is_the_reason() {
    let found = c("void f(const double *restrict u, int n) {\n  double b[100]; int i;\
         \n  for (i = 0; i < n; i++) b[i] = u[3 * i];\n  \
        MPI_Send(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);\n  i = = 3;\n}\n");
    assert_eq!(found, ["E-SYNTAX"]);
}
