//! Meanings of names, sizes of types, effects of calls.

use commloom_source::symbols::{Symbols, Touched};
use commloom_source::tree::{ExpressionKind, Type};
use commloom_source::{Language, Source};

use super::{Command, Compiled, Project, Setup, View, words};

fn project(files: &[(&str, &str)]) -> Project {
    let sources = files.iter().map(|(name, text)| Source {
        name: (*name).into(),
        language: Language::of_name(name).unwrap(),
        text: (*text).into(),
    });
    Project::new(sources.collect())
}

fn view<'p>(project: &'p Project, name: &str) -> View<'p> {
    let id = project.procedures().find(|&id| project.procedure(id).name == name).unwrap();
    project.view(id)
}

fn size(view: &View<'_>, variable: &str) -> Option<u64> {
    view.size_of(&view.variable(variable)?.of)
}

/// The names that the calls in a procedure write.
fn writes(view: &View<'_>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut known = true;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            for e in s.expressions() {
                e.each(&mut |e| {
                    if let ExpressionKind::Call { function, arguments } = &e.kind {
                        match view.effects(function, arguments).writes {
                            Touched::These(names) => all.extend(names),
                            Touched::Anything => known = false,
                        }
                    }
                });
            }
        });
    }
    all.sort();
    all.dedup();
    known.then_some(all)
}

#[test]
fn c_headers_sizes_and_offsets() {
    let p = project(&[
        (
            "src/a.c",
            "#include \"inc/a.h\"\nvoid f(A *x) { A y; double z[N][M2]; int n = COUNT(3); }",
        ),
        (
            "src/inc/a.h",
            "#include \"b.h\"\ntypedef struct { char c; double r[N]; int id; } A;\n\
             #define COUNT(k) (k+N)\nextern double g[];",
        ),
        ("src/inc/b.h", "#define N 5\n#define M2 (N*2)\nenum { RED, GREEN };\n"),
        ("other/b.h", "#define N 7\n"),
    ]);
    let f = view(&p, "f");
    assert_eq!(size(&f, "y"), Some(56));
    assert_eq!(size(&f, "z"), Some(400));
    assert_eq!(size(&f, "x"), Some(8));
    let record = f.resolve(&f.variable("y").unwrap().of);
    assert_eq!(f.field(&record, "id"), Some((48, Type::Basic("int".into(), 4))));
    assert!(f.constant("GREEN").is_some() && f.variable("g").is_some());
    assert_eq!(f.global("g").as_deref(), Some("g"));
    assert_eq!(f.global("y"), None);
}

#[test]
fn fortran_includes_modules_and_commons() {
    let p = project(&[
        (
            "bt/x.f",
            "      subroutine f(n)\n      include 'header.h'\n      integer n\n      call g(u, k)\
             \n      u(1,2) = rhs(3)\n      end\n      subroutine g(a, j)\
             \n      include 'header.h'\n      double precision a(5)\n      a(1) = 2.d0\
             \n      rhs(2) = 1.d0\n      end\n",
        ),
        (
            "bt/header.h",
            "      integer nx\n      parameter (nx = 4)\n      double precision u(5,nx), rhs(nx)\
             \n      common /fields/ u, rhs\n",
        ),
        (
            "m.f90",
            "module m\n  integer, parameter :: dp = 8\n  real(8) :: field(3,4)\nend module\n\
             subroutine h\n  use m, only: here => field\n  here(1,1) = 0\nend subroutine\n",
        ),
    ]);
    assert_eq!(p.source(p.units()[1].file).unwrap().language, Language::FortranFixed);
    let f = view(&p, "f");
    assert_eq!(size(&f, "u"), Some(160));
    assert_eq!(f.global("u").as_deref(), Some("/fields/u"));
    assert!(matches!(f.variable("k"), Some(d) if d.of == Type::Basic("integer".into(), 4)));
    assert_eq!(writes(&f).unwrap(), ["rhs", "u"]);
    let h = view(&p, "h");
    assert_eq!(h.global("here").as_deref(), Some("m::field"));
    assert!(h.variable("field").is_none());
}

#[test]
fn parameters_of_included_files_are_computed() {
    let p = project(&[
        ("a.f", "      subroutine f\n      include 'header.h'\n      x(1) = 0.d0\n      end\n"),
        (
            "header.h",
            "      integer n, m\n      parameter (n = 12, m = (n / 2) + 1)\
             \n      double precision x(m)\n",
        ),
    ]);
    assert_eq!(size(&view(&p, "f"), "x"), Some(7 * 8));
}

#[test]
fn effects_go_through_calls() {
    let p = project(&[(
        "a.c",
        "double g[9], h[9]; static int count;\n\
         void leaf(double *x, int n) { x[n] = 1; count++; }\n\
         void middle(double *a, const double *b) { double *p = a + 3; leaf(p, 2); }\n\
         void top(double *u, double *v) { middle(u, v); }\n\
         void even(int n) { if (n) odd(n - 1); }\nvoid odd(int n) { h[n] = 0; even(n - 1); }\n\
         void recursive(void) { odd(3); }\n\
         void unknown(double *u) { elsewhere(u); }\n\
         void library(double *u, double *v) { memcpy(u, v, 8); \
         MPI_Send(v, 1, MPI_DOUBLE, 0, 0, c); sqrt(2.0); }\n\
         void above(double *u) { unknown(u); }",
    )]);
    assert_eq!(writes(&view(&p, "top")).unwrap(), ["count", "u"]);
    assert_eq!(writes(&view(&p, "recursive")).unwrap(), ["h"]);
    assert_eq!(writes(&view(&p, "unknown")), None);
    assert_eq!(writes(&view(&p, "above")), None);
    assert_eq!(writes(&view(&p, "library")).unwrap(), ["u"]);
}

#[test]
fn what_may_be_the_same_memory() {
    let p = project(&[(
        "a.c",
        "double g[9], k[9]; int list[9];\n\
         void f(double *a, double *b, int *i, double *restrict r) {\n\
           double local[9], seen[9]; double *m = malloc(72), *n = malloc(72), *q = g, *w = seen;\n\
           a[0] = b[0]; }\n",
    )]);
    let f = view(&p, "f");
    for (one, other, expected) in [
        ("a", "b", true),
        ("a", "i", false),
        ("a", "r", false),
        ("a", "g", true),
        ("g", "k", false),
        ("a", "local", false),
        ("a", "seen", false),
        ("m", "n", false),
        ("m", "a", false),
        ("m", "g", false),
        ("q", "g", true),
        ("q", "k", false),
        ("q", "a", true),
        ("w", "seen", true),
        ("w", "g", false),
    ] {
        assert_eq!(f.may_alias(one, other), expected, "{one} {other}");
        assert_eq!(f.may_alias(other, one), expected, "{other} {one}");
    }
}

#[test]
fn methods_see_their_class() {
    let p = project(&[
        ("k.hpp", "class K { public: int n; double x[3]; void f(); };"),
        (
            "k.cpp",
            "#include \"k.hpp\"\nvoid K::f() { x[0] = n; helper(x); }\n\
             void helper(double *y) { y[0] = 1; }",
        ),
    ]);
    let f = view(&p, "K::f");
    assert_eq!(size(&f, "x"), Some(24));
    assert_eq!(writes(&f).unwrap(), ["x"]);
}

#[test]
fn circles_end() {
    let p = project(&[
        ("a.h", "#include \"b.h\"\n"),
        ("b.h", "#include \"a.h\"\ntypedef T U; typedef U T; struct S { struct S s; };"),
        ("a.c", "#include \"a.h\"\nvoid f(void) { T x; struct S y; f(); }"),
        (
            "m.f90",
            "module a\nuse b\nend module\nmodule b\nuse a\nend module\nsubroutine s\nuse a\n\
             end subroutine\n",
        ),
    ]);
    let f = view(&p, "f");
    assert_eq!(size(&f, "x"), None);
    assert_eq!(size(&f, "y"), None);
}

/// A program below `/p`, some files of which have commands.
fn compiled(files: &[(&str, &str)], commands: &[(&str, &str)]) -> Project {
    let mut setup = Setup { compiled: Compiled::default(), ..Setup::default() };
    let sources = files.iter().map(|(name, text)| {
        setup.compiled.locate(name, &format!("/p/{name}"));
        let language = Language::of_name(name).unwrap();
        Source { name: (*name).into(), language, text: (*text).into() }
    });
    let sources = sources.collect();
    for (name, command) in commands {
        setup.compiled.add(name, Command::of(&words(command).unwrap(), "/p"));
    }
    Project::with(sources, setup)
}

#[test]
fn folders_of_the_command_decide_which_header_is_meant() {
    let files = [
        ("src/a.c", "#include \"size.h\"\nvoid f(void) { double z[N]; }"),
        ("src/b.c", "#include <size.h>\nvoid g(void) { double z[N]; }"),
        ("src/size.h", "#define N 1\n"),
        ("one/size.h", "#define N 2\n"),
        ("two/size.h", "#include \"more.h\"\n"),
        ("two/more.h", "#define N 3\n"),
        ("one/more.h", "#define N 4\n"),
    ];
    let sizes = |a: &str, b: &str| {
        let p = compiled(&files, &[("src/a.c", a), ("src/b.c", b)]);
        (size(&view(&p, "f"), "z"), size(&view(&p, "g"), "z"))
    };
    assert_eq!(sizes("-Ione -Itwo", "-Ione -Itwo"), (Some(8), Some(16)));
    assert_eq!(sizes("-Itwo", "-Itwo -Ione"), (Some(8), Some(24)));
    // A compiler looks nowhere else.
    assert_eq!(sizes("", ""), (Some(8), None));
}

#[test]
fn macros_of_the_command_are_defined() {
    let files = [
        (
            "a.c",
            "#ifndef N\n#define N 4\n#endif\n#include \"h.h\"\n\
             void f(void) { double z[N]; double y[TWICE(N)]; double x[M]; }",
        ),
        (
            "h.h",
            "#if N > 7\n#define M 2\n#else\n#define M 1\n#endif\n\
             static inline void h(void) { REAL v; double w[TWICE(3)]; }\n",
        ),
        (
            "f.f90",
            "#define L 3\n#ifdef BIG\n#define J 2\n#else\n#define J 1\n#endif\nsubroutine s\
             \n  real(8) :: q(K), l3(L), j2(J)\nend subroutine\n",
        ),
    ];
    let of = |command: &str| compiled(&files, &[("a.c", command), ("f.f90", command)]);
    let p = of("-DN=8 '-DTWICE(x)=((x)*2)' -DK=6 -DREAL=float");
    let (f, h) = (view(&p, "f"), view(&p, "h"));
    assert_eq!((size(&f, "z"), size(&f, "y"), size(&f, "x")), (Some(64), Some(128), Some(16)));
    assert_eq!(size(&h, "w"), Some(48), "headers are compiled by who includes them");
    let s = view(&p, "s");
    assert_eq!((size(&s, "q"), size(&s, "l3"), size(&s, "j2")), (Some(48), Some(24), None));
    // Another file of the program may define it first.
    let p = of("-DN=8 -UN");
    let f = view(&p, "f");
    assert_eq!((size(&f, "z"), size(&f, "x")), (None, None));
}

#[test]
fn macros_of_fortran_that_are_no_numbers_are_no_constants() {
    let p = project(&[
        (
            "a.f90",
            "#define buf work\n#define N 3\nsubroutine s\n  include 'h.h'\n  real(8) :: q(M)\
             \n  buf(1) = 2\nend subroutine\n",
        ),
        ("h.h", "      integer N2, M\n      parameter (N2=4, M=2*N2+1)\n"),
    ]);
    let s = view(&p, "s");
    assert!(s.constant("buf").is_none() && s.constant("n").is_some());
    assert_eq!(size(&s, "q"), Some(72), "computed constants of headers stay");
}

#[test]
fn two_commands_for_a_file_count_both() {
    let files = [("a.c", "void f(void) { double z[N]; double y[M]; }")];
    let p = compiled(&files, &[("a.c", "-DN=8 -DM=2"), ("a.c", "-DN=9 -DM=2")]);
    let f = view(&p, "f");
    assert_eq!((size(&f, "z"), size(&f, "y")), (None, Some(16)));
}

#[test]
fn an_include_of_the_command_comes_first() {
    let files = [("src/a.c", "void f(void) { double z[N]; }"), ("inc/conf.h", "#define N 7\n")];
    let p = compiled(&files, &[("src/a.c", "-include conf.h -Iinc")]);
    assert_eq!(size(&view(&p, "f"), "z"), Some(56));
}
