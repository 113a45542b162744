//! Every message whose buffer is filled, or emptied, by a loop is reported or refused, wherever
//! the loop stands; what is computed, or computed with, is an array of the program, and no buffer.

use commloom_refactor::check::{self, Finding, Options, Project};
use commloom_refactor::source::{Language, Source};

fn findings(files: &[(&str, &str)]) -> Vec<Finding> {
    let source = |(name, text): &(&str, &str)| Source {
        name: (*name).into(),
        language: Language::of_name(name).expect("a language"),
        text: (*text).into(),
    };
    check::check(&Project::new(files.iter().map(source).collect()), &Options::default())
}

/// Of each site: the buffer and the type, or the code of the refusal.
fn outcomes(files: &[(&str, &str)]) -> Vec<String> {
    let all = findings(files).into_iter();
    all.map(|finding| match finding.outcome {
        Ok(change) => format!("{} {}", finding.buffer, change.summary),
        Err(refusal) => format!("{} {}", finding.buffer, refusal.code),
    })
    .collect()
}

const HEAD: &str = "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n";

fn c(body: &str) -> Vec<String> {
    outcomes(&[("a.c", &format!("{HEAD}{body}"))])
}

fn cpp(body: &str) -> Vec<String> {
    outcomes(&[("a.cpp", &format!("#include <mpi.h>\n#include <vector>\n{body}"))])
}

fn fortran(body: &str) -> Vec<String> {
    outcomes(&[("a.f90", body)])
}

#[test]
fn segments_of_one_packed_buffer() {
    let found = c("struct matrix { int n, *len, *list; double *buf; };\n\
        void f(struct matrix *a, const double *x, int m) {\n\
          double *b = a->buf; int i;\n\
          for (i = 0; i < a->n; i++) b[i] = x[a->list[i]];\n\
          for (i = 0; i < m; i++) {\n\
            MPI_Send(b, a->len[i], MPI_DOUBLE, i, 0, MPI_COMM_WORLD);\n\
            b += a->len[i];\n\
          }\n}\n");
    assert_eq!(found, ["b E-RANGE"]);
}

#[test]
fn copies_in_another_procedure() {
    let by_argument = c("void pack(double *b, const double *u, int n) \
          { for (int i = 0; i < n; i++) b[i] = u[3 * i]; }\n\
        void post(double *b, int n) { MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); }\n\
        int f(double *b, const double *u, int n) \
          { pack(b, u, n); if (n) post(b, n); return n; }\n\
        int g(double *b, int n) { return f(b, b + n, n) + f(b + n, b, n); }\n");
    // The procedures are looked at together, where one calls them all.
    assert_eq!(by_argument, ["b E-ALIAS"]);
    let shared = c("static double *b;\n\
        void pack(const double *u, int n) { for (int i = 0; i < n; i++) b[i] = u[3 * i]; }\n\
        void post(int n) { MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); }\n");
    assert_eq!(shared, ["b E-ESCAPES"]);
    let member = c("struct halo { double *out, *in; };\n\
        void pack(struct halo *h, const double *u, int n) \
          { for (int i = 0; i < n; i++) h->out[i] = u[3 * i]; }\n\
        void swap(struct halo *h, int n) {\n\
          MPI_Request r[2];\n\
          MPI_Irecv(h->in, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, r);\n\
          MPI_Isend(h->out, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, r + 1);\n\
          MPI_Waitall(2, r, MPI_STATUSES_IGNORE); }\n\
        void unpack(struct halo *h, double *u, int n) \
          { for (int i = 0; i < n; i++) u[3 * i] = h->in[i]; }\n");
    assert_eq!(member, ["h E-ESCAPES", "h E-ESCAPES"]);
}

#[test]
fn copies_in_procedures_that_pointers_mean() {
    let pack = "static void pack(const double *u, double *b, int n) \
          { for (int i = 0; i < n; i++) b[i] = u[3 * i]; }\n";
    let post = "MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);";
    for body in [
        "struct way { void (*load)(const double *, double *, int); };\n\
         void begin(struct way *w) { w->load = pack; }\n\
         void f(struct way *w, double *b, double *u, int n) { w->load(u, b, n); POST }\n",
        "void f(double *b, double *u, int n) \
         { void (*load)(const double *, double *, int) = &pack; (*load)(u, b, n); POST }\n",
        "void f(void (*load)(const double *, double *, int), double *b, double *u, int n) \
         { load(u, b, n); POST }\n\
         void g(double *b, double *u) { f(pack, b, u, 3); }\n",
    ] {
        assert_eq!(c(&format!("{pack}{}", body.replace("POST", post))), ["b E-ESCAPES"], "{body}");
    }
    let found = fortran(
        "module m\n use mpi\n contains\n\
         subroutine pack(u, b, n)\n double precision :: u(:), b(:)\n integer :: n, i\n\
         do i = 1, n\n b(i) = u(3 * i)\n end do\n end subroutine\n\
         subroutine post(u, b, n)\n double precision :: u(:), b(:)\n integer :: n, e\n\
         procedure(pack), pointer :: load => null()\n load => pack\n call load(u, b, n)\n\
         call mpi_send(b, n, mpi_double_precision, 1, 0, mpi_comm_world, e)\n\
         end subroutine\nend module\n",
    );
    assert_eq!(found, ["b E-ESCAPES"]);
}

#[test]
fn single_elements_of_a_callee_that_is_called_in_a_loop() {
    let found = c("static double b[100]; static int at;\n\
        static void put(double v) { b[at++] = v; }\n\
        void f(const double *u, int n) {\n\
          at = 0;\n\
          for (int i = 0; i < n; i++) put(u[3 * i]);\n\
          MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["b E-ESCAPES"]);
    let once = c("static double b[2];\n\
        static void put(double v) { b[0] = v; }\n\
        void f(const double *u) {\n\
          put(u[3]); MPI_Send(b, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n}\n");
    assert!(once.is_empty(), "{once:?}");
}

#[test]
fn containers_and_objects_of_cpp() {
    let found = cpp("void f(const double *u, int n) {\n\
          std::vector<double> b;\n\
          for (int i = 0; i < n; i++) b.push_back(u[3 * i]);\n\
          MPI_Send(b.data(), n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n}\n");
    assert_eq!(found, ["b E-RANGE"]);
    let members = cpp("struct Halo {\n\
          std::vector<double> out;\n\
          void pack(const double *u, int n) { for (int i = 0; i < n; i++) out[i] = u[3 * i]; }\n\
          void post(int n) { MPI_Send(&out[0], n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); }\n};\n");
    assert_eq!(members, ["out E-ESCAPES"]);
}

#[test]
fn variables_of_modules_and_arguments_of_fortran() {
    let text = "module m\n  use mpi\n  double precision, allocatable :: b(:), r(:)\n\
        contains\n\
        subroutine pack(u, n)\n  integer :: n, i\n  double precision :: u(n, n)\n\
          do i = 1, n\n    b(i) = u(2, i)\n  end do\nend subroutine\n\
        subroutine post(n, q)\n  integer :: n, q(2), ierr\n\
          call mpi_irecv(r, n, mpi_double_precision, 1, 0, mpi_comm_world, q(1), ierr)\n\
          call mpi_isend(b, n, mpi_double_precision, 1, 0, mpi_comm_world, q(2), ierr)\n\
        end subroutine\n\
        subroutine unpack(u, n)\n  integer :: n\n  double precision :: u(n, n)\n\
          u(1, 1:n) = r(1:n)\nend subroutine\n\
        end module\n";
    assert_eq!(fortran(text), ["r E-ESCAPES", "b E-ESCAPES"]);
    // A name that says fixed form, and a text that is not.
    assert_eq!(outcomes(&[("a.F", text)]), ["r E-ESCAPES", "b E-ESCAPES"]);
}

#[test]
fn arrays_of_the_program_are_no_buffers() {
    let halo = c("double u[100], old[100];\n\
        void sweep(const double *f, int n) \
          { for (int i = 1; i < n; i++) u[i] = 0.5 * (u[i - 1] + f[i]); }\n\
        void save(int n) { for (int i = 0; i < n; i++) old[i] = u[i]; }\n\
        void step(int n) {\n\
          MPI_Send(u, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n\
          MPI_Recv(u, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n");
    assert!(halo.is_empty(), "{halo:?}");
    let sum = c("double sum;\nvoid f(double *u, int n) {\n\
          for (int i = 0; i < n; i++) u[i] = i;\n\
          MPI_Allreduce(MPI_IN_PLACE, u, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n}\n");
    assert!(sum.is_empty(), "{sum:?}");
}

const SET: &str = "static void set(double *a, double *c, double v) { *a = v; *c = v; }\n\
    static double cell(const double *u, int i) { return 2 * u[3 * i] + 1; }\n\
    static void put(double *b, const double *u) { *b = cell(u, 0); }\n\
    double other(const double *u, int i);\n";

/// Of a made type no more is known than that somebody has described a message by it.
#[test]
fn messages_that_are_described_already_are_no_buffers() {
    let stencil = |count: &str, made: &str| {
        c(&format!(
            "static MPI_Datatype column, own;\n\
             void make(int n) {{ MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column); {made}\n\
             MPI_Type_commit(&column); }}\n\
             void f(double *u, const double *v, int n) {{ int i;\n\
             for (i = 1; i < n; i++) u[i * n] = v[i * n];\n\
             for (i = 1; i < n; i++) u[i] = 0.5 * (u[i - 1] + v[i]);\n\
             MPI_Send(u + 1, {count}, own, 1, 0, MPI_COMM_WORLD); }}\n"
        ))
    };
    assert_eq!(stencil("1", "own = column;"), [""; 0]);
    assert_eq!(stencil("n", "own = column;"), [""; 0]);
    // Nobody makes it: it may be a name for a number.
    assert_eq!(stencil("n", ""), ["u E-DATATYPE"]);
    let particles = c("struct p { double x[3]; char kind; };\nstatic MPI_Datatype particle;\n\
        void make(void) { MPI_Type_commit(&particle); }\n\
        void f(struct p *b, const struct p *u, const int *at, int n) {\n\
          for (int i = 0; i < n; i++) b[i] = u[at[i]];\n\
          MPI_Send(b, n, particle, 1, 0, MPI_COMM_WORLD); }\n");
    assert_eq!(particles, ["b E-DATATYPE"]);
}

#[test]
fn one_element_is_no_buffer() {
    let read = c("void sizes(int *n, const int *all, int at) \
          { for (int i = 0; i < at; i++) *n = all[i]; }\n\
        void f(const int *all, int at) { int n; sizes(&n, all, at);\n\
          MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD); }\n");
    assert_eq!(read, [""; 0]);
    // One for each process.
    let parts = c("struct s { int *b, *in; };\n\
        void fill(struct s *s, const int *u, int n) \
          { for (int i = 0; i < n; i++) s->b[i] = u[3 * i]; }\n\
        void f(struct s *s) \
          { MPI_Alltoall(s->b, 1, MPI_INT, s->in, 1, MPI_INT, MPI_COMM_WORLD); }\n");
    assert_eq!(parts, ["s E-ESCAPES"]);
}

#[test]
fn computed_in_a_loop_and_written_to_by_a_call() {
    for loops in [
        "for (i = 0; i < n; i++) b[i] = cell(u, i);",
        "for (i = 0; i < n; i++) b[i] = other(u, i);",
        "for (i = 0; i < n; i++) b[i] = 2 * u[i];",
        "for (i = 0; i < n; i++) b[i] = i;",
        "for (i = 0; i < n; i++) { v = cell(u, i); b[i] = v; }",
        "while (i < n) { b[i] = cell(u, i); i++; }",
        "do b[i] = cell(u, i); while (++i < n);",
        "for (i = 0; i < n; i++) *p++ = cell(u, i);",
        "while (p < b + n) *p++ = cell(u, i++);",
        "for (i = 0; i < n; i++) put(b + i, u + i);",
        "for (i = 0; i < n; i++) if (u[i] > 0) b[i] = cell(u, i);",
        "if (n > 3) for (i = 0; i < n; i++) b[i] = cell(u, i);",
    ] {
        for call in ["MPI_Send(b, n, MPI_DOUBLE, 1, 0, W);", "MPI_Bcast(b, n, MPI_DOUBLE, 0, W);"] {
            for turns in ["", "for (k = 0; k < 9; k++) "] {
                let found = c(&format!(
                    "{SET}#define W MPI_COMM_WORLD\nvoid f(double *b, const double *u, int n) \
                     {{\n  double v, *p = b; int i = 0, k;\n  {turns}{{\n  {loops}\n  \
                     set(b, b + 3, 2.5);\n  {call}\n  }}\n}}\n"
                ));
                let is_one = found.len() == 1 && found[0].starts_with("b E-");
                assert!(is_one, "{loops} {call} {turns}: {found:?}");
            }
        }
    }
    let shared = c(&format!(
        "{SET}static double b[100];\nstatic void mark(void) {{ b[3] = 2.5; }}\n\
         void f(const double *u, int n) {{\n  for (int i = 0; i < n; i++) b[i] = cell(u, i);\n  \
         mark(); MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n}}\n"
    ));
    assert_eq!(shared, ["b E-ARITH"]);
    for loops in ["u[i] = 2 * b[i];", "u[i] = other(b, i) + b[i];", "put(u + i, b + i);"] {
        let received = c(&format!(
            "{SET}void f(double *b, double *u, int n) {{\n  \
             MPI_Recv(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n  \
             set(b, b + 3, 2.5);\n  for (int i = 0; i < n; i++) {loops}\n}}\n"
        ));
        assert_eq!(received, ["b E-ARITH"], "{loops}");
    }
}

#[test]
fn computed_in_loops_of_cpp_and_fortran() {
    let head = "static void set(double &a, double &c, double v) { a = v; c = v; }\n\
        static double cell(const double *u, int i) { return 2 * u[3 * i] + 1; }\n";
    for body in [
        "std::vector<double> b(n); for (int i = 0; i < n; i++) b[i] = cell(u, i);",
        "std::vector<double> b(n); for (int i = 0; i < n; i++) \
         { double &x = b[i]; x = cell(u, i); }",
        "std::vector<double> b(n); int k = 0; for (double &x : b) x = cell(u, k++);",
        "std::vector<double> b(n); for (auto it = b.begin(); it != b.end(); ++it) \
         *it = cell(u, 1);",
        "std::vector<double> b; for (int i = 0; i < n; i++) b.push_back(cell(u, i));",
    ] {
        for between in ["", "set(b[0], b[3], 2.5);"] {
            let found = cpp(&format!(
                "{head}void f(const double *u, int n) {{\n{body}\n{between}\n\
                 MPI_Send(b.data(), n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n}}\n"
            ));
            let is_one = found.len() == 1 && found[0].starts_with("b E-");
            assert!(is_one, "{body} {between}: {found:?}");
        }
    }
    for body in [
        "do i = 1, n\n b(i) = cell(u, i)\n end do",
        "do while (i <= n)\n b(i) = cell(u, i)\n i = i + 1\n end do",
        "do i = 1, n\n call put(b(i), u(i))\n end do",
        "do concurrent (i = 1:n)\n b(i) = cell(u, i)\n end do",
        "forall (i = 1:n) b(i) = 2 * u(i)",
        "b(1:n) = 2 * u(1:n)",
    ] {
        for call in ["call set(b(1), b(3), 2.5d0)", "call first(b, 2.5d0)"] {
            let found = fortran(&format!(
                "module m\n use mpi\n contains\n\
                 double precision function cell(u, i)\n double precision :: u(:)\n \
                 integer :: i\n cell = 2 * u(i)\n end function\n\
                 subroutine put(a, v)\n double precision :: a, v\n a = v\n end subroutine\n\
                 subroutine set(a, c, v)\n double precision :: a, c, v\n a = v\n c = v\n \
                 end subroutine\n\
                 subroutine first(a, v)\n double precision :: a(*), v\n a(1) = v\n \
                 end subroutine\n\
                 subroutine f(b, u, n)\n double precision :: b(:), u(:)\n integer :: n, i, e\n \
                 i = 1\n {body}\n {call}\n \
                 call mpi_send(b, n, mpi_double_precision, 1, 0, mpi_comm_world, e)\n \
                 end subroutine\nend module\n"
            ));
            let is_one = found.len() == 1 && found[0].starts_with("b E-");
            assert!(is_one, "{body} {call}: {found:?}");
        }
    }
}

/// Arrays that are computed with and that MPI writes to, values from before the loop around the
/// call, and constants.
#[test]
fn arrays_of_the_program_that_are_computed_beside_the_call() {
    let recv = "MPI_Recv(u + n, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    let send = "MPI_Send(u, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);";
    for body in [
        format!("for (i = 1; i < n; i++) u[i] = 0.5 * (u[i - 1] + v[i]); {recv} {send}"),
        format!("for (i = 0; i < n; i++) u[i] = i; for (k = 0; k < 9; k++) {{ {send} }}"),
        format!("for (i = 0; i < n; i++) u[i] = 0.0; set(u, u + 3, 2.5); {send}"),
    ] {
        let found = c(&format!("{SET}void f(double *u, double *v, int n) {{ int i, k; {body} }}"));
        assert!(found.is_empty(), "{body}: {found:?}");
    }
}

#[test]
fn text_that_could_not_be_read() {
    let found = findings(&[(
        "a.c",
        &format!(
            "{HEAD}void f(double *b, int n)\n{{\n  #pragma x\n  int i = [ 3 ; \
             MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD) ] ;\n}}\n"
        ),
    )]);
    let codes: Vec<String> =
        found.iter().filter_map(|f| Some(f.outcome.as_ref().err()?.code.to_string())).collect();
    assert_eq!(codes, ["E-SYNTAX"]);
}

#[test]
fn calls_by_another_name() {
    let found = fortran(
        "subroutine f(u, n)\n  use mpi, put => mpi_send\n  integer :: n, i, ierr\n\
         real(8) :: u(20, 20), b(20)\n  do i = 1, n\n    b(i) = u(3, i)\n  end do\n\
         call put(b, n, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, ierr)\nend subroutine\n",
    );
    assert_eq!(found, ["b E-CALL-FORM"]);
}

/// As hypre and AMG have it: procedures of their own in front of MPI's, and for programs of one
/// process others of the same names, which macros make of MPI's.
#[test]
fn procedures_in_front_of_mpi_in_branches() {
    let stub = "#ifdef ONE\n\
        #define MPI_Send my_Send\n\
        int my_Send(void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) { return 0; }\n\
        #else\n";
    let real = "int my_Send(void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)\n\
        { return (int) MPI_Send(b, (int) n, t, to, tag, c); }\n";
    let caller = "void f(double *b, const double *u, int n, MPI_Comm c) {\n\
          for (int i = 0; i < n; i++) b[i] = u[3 * i];\n\
          my_Send(b, n, MPI_DOUBLE, 1, 0, c);\n}\n";
    assert_eq!(c(&format!("{stub}{real}#endif\n{caller}")), ["b E-ESCAPES"]);
    // With the macro this is not MPI's.
    let direct = caller.replace("my_Send", "MPI_Send");
    assert_eq!(c(&format!("{stub}#endif\n{direct}")), ["b E-CALL-FORM"]);
}

#[test]
fn constants_that_are_counted() {
    let text = "      SUBROUTINE F(N)\n      INCLUDE 'mpif.h'\n      DIMENSION A(20,20), B(20)\n\
                \u{20}     DO 20 I = 1, N\n      B(I) = A(3,I)\n   20 CONTINUE\n\
                \u{20}     PRINT 90, N\n   90 FORMAT(8H DO I=1!,I3,5H don')\n\
                \u{20}     CALL MPI_SEND(B,N,MPI_REAL,1,7,MPI_COMM_WORLD,IERR)\n      END\n";
    assert_eq!(outcomes(&[("a.f", text)]).len(), 1);
}

#[test]
fn procedures_that_macros_make() {
    let made = c("#define PACK(name, T) static void name##_pack(T *b, const T *u, int n) \\\n\
          { for (int i = 0; i < n; i++) b[i] = u[i * 8]; }\nPACK(d, double)\n\
        void f(const double *u, int n) { double b[64]; d_pack(b, u, n); \
          MPI_Send(b, n, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD); }\n");
    assert_eq!(made, ["b E-SYNTAX"]);
    let whole = c("#define SENDER(name, T, M) static void name(const T *u, int n) { T b[64]; \\\n\
          for (int i = 0; i < n; i++) b[i] = u[i * 8]; \\\n\
          MPI_Send(b, n, M, 1, 7, MPI_COMM_WORLD); }\nSENDER(f, double, MPI_DOUBLE)\n");
    assert_eq!(whole.len(), 1);
    assert!(whole[0].starts_with("b E-"), "{whole:?}");
}

#[test]
fn loops_of_macros_without_braces_are_mentioned() {
    for (head, each) in [
        ("#define EACH(n) for (i = 0; i < (n); ++i)\n", "int i; EACH(8)"),
        ("#define EACH(i, n) for (int i = 0; i < (n); ++i)\n", "EACH(i, 8)"),
    ] {
        let found = c(&format!(
            "{head}static double a[8][8];\nvoid f(void) {{ double b[8]; {each}\n b[i] = a[i][4];\n\
             MPI_Send(b, 8, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); }}\n"
        ));
        let [one] = found.as_slice() else { panic!("{each}: {found:?}") };
        assert!(one.starts_with("b E-"), "{each}: {one}");
        // What such a loop writes is no new variable.
        let found = c(&format!(
            "{head}static double a[8][8];\nvoid f(double *p) {{ double b[8];\n\
             for (int k = 0; k < 8; k++) b[k] = a[k][4];\np = &a[0][0]; {each} p[i] = 0;\n\
             MPI_Send(b, 8, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); }}\n"
        ));
        let [one] = found.as_slice() else { panic!("{each}: {found:?}") };
        assert!(one.starts_with("b E-"), "{each}: {one}");
    }
}

#[test]
fn the_last_value_of_a_comma_is_copied() {
    let found = c("static double a[8][8]; static int calls;\n\
         void f(void) { double b[8]; for (int i = 0; i < 8; i++) b[i] = (calls++, a[i][2]);\n\
         MPI_Send(b, 8, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); }\n");
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert!(one.starts_with("b E-"), "{one}");
}

#[test]
fn bindings_results_and_lambdas_that_fill_are_mentioned() {
    let send = "MPI_Send(b.data(), 8, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);";
    let head = "#include <mpi.h>\n#include <vector>\nstruct P { double x, y; };\n\
         static std::vector<P> ps; static double a[8][8];\n\
         static std::vector<double> column(int c) { std::vector<double> v(8);\n\
         for (int i = 0; i < 8; i++) v[i] = a[i][c]; return v; }\n\
         template <class F> void each(F f) { for (int i = 0; i < 8; i++) f(i); }\n";
    for body in [
        "std::vector<double> b; for (auto &[x, y] : ps) b.push_back(y);",
        "auto b = column(5);",
        "std::vector<double> b = column(5);",
        "std::vector<double> b(8); each([&](int i) { b[i] = a[i][4]; });",
    ] {
        let found = outcomes(&[("a.cpp", &format!("{head}void f() {{ {body}\n{send} }}\n"))]);
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert!(found.iter().all(|one| one.contains("E-")), "{body}: {found:?}");
    }
    let body = "std::vector<double> b(8); each([&](int i) { b[i] = 2 * a[i][4]; });";
    let found = outcomes(&[("a.cpp", &format!("{head}void f() {{ {body}\n{send} }}\n"))]);
    assert_eq!(found, [""; 0], "computed: {found:?}");
}

/// No compiler takes such lines without an option that says what they are.
#[test]
fn lines_that_are_comments_as_the_compiler_is_told() {
    let head = "      SUBROUTINE S(U, N)\n      INCLUDE 'mpif.h'\n      INTEGER N, I, E\n\
        \x20     DOUBLE PRECISION U(16, N), B(64)\n";
    let copy = "        B(I) = U(3, I)\n";
    let send = "      CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, 1, 7,\n\
        \x20    &     MPI_COMM_WORLD, E)\n";
    let found = |before: &str, among: &str| {
        let begin = "      DO 20 I = 1, N\n";
        let text = format!("{head}{before}{begin}{copy}{among}   20 CONTINUE\n{send}      END\n");
        outcomes(&[("a.f", &text)])
    };
    assert_eq!(found("", "D       B(I) = -U(3, I)\n"), ["b E-PREPROCESSOR"]);
    assert_eq!(found("", "d\tB(I) = -U(3, I)\n"), ["b E-PREPROCESSOR"]);
    let vector = ["b vector(n, 1, 16) of MPI_DOUBLE_PRECISION"];
    assert_eq!(found("Debugging is not done here.\n", ""), vector);
    assert_eq!(found("D     WRITE (*, *) N\n", ""), vector);
}
