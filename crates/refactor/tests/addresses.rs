//! Ways to a buffer, or to a source, that are no names of it: numbers that an address became, and
//! objects of C++ that keep a pointer or a reference until they go.

mod harness;

use harness::only_outcome;

/// The outcome of a send of `b`, which is filled from `w`, with what stands outside, before the
/// copies, between copies and send, and after the send.
fn outcome(file: &str, outside: &str, [before, between, after]: [&str; 3]) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n{outside}\n\
         void f(int n) {{ double b[64], w[128];\n\
         for (int i = 0; i < 2 * n; i++) w[i] = i * 2;\n{before}\n\
         for (int i = 0; i < n; i++) b[i] = w[2 * i];\n{between}\n\
         MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n{after}\n}}\n"
    );
    only_outcome(file, text)
}

const VECTOR: &str = "vector(n, 1, 2) of MPI_DOUBLE";

#[test]
fn a_number_may_be_the_address_of_the_buffer() {
    let call = "static double at(uintptr_t u) { return *(double *)u; }";
    let own = "static double of(double *p) { return p[1]; }";
    for (outside, before, after) in [
        ("", "uintptr_t u = (uintptr_t)b;", "printf(\"%f\", *(double *)(u + 16));"),
        ("", "long u = (long)&b[2];", "printf(\"%f\", ((double *)u)[1]);"),
        ("", "long u = (long)&b[2]; double x;", "x = *(double *)u; printf(\"%f\", x);"),
        ("", "long u = (long)b; double *p = (double *)u;", "printf(\"%f\", p[1]);"),
        ("", "long u = (long)b; double *p = w; p = (double *)u;", "printf(\"%f\", p[1]);"),
        (call, "uintptr_t u = (uintptr_t)b;", "printf(\"%f\", at(u));"),
        (own, "uintptr_t u = (uintptr_t)b;", "printf(\"%f\", of((double *)u));"),
    ] {
        assert_eq!(outcome("a.c", outside, [before, "", after]), "E-BUF-LIVE", "{before} {after}");
    }
    // Numbers that came from elsewhere, and places that the text says.
    for (before, after) in [
        ("long u = (long)n;", "printf(\"%f\", *(double *)u);"),
        ("long u = (long)w;", "printf(\"%f\", *(double *)u);"),
        ("", "printf(\"%d\", (int)(uintptr_t)&((char *)0)[4]);"),
    ] {
        assert_eq!(outcome("a.c", "", [before, "", after]), VECTOR, "{before} {after}");
    }
}

#[test]
fn a_number_may_be_the_address_of_the_source() {
    for between in ["*(double *)u = 4;", "((double *)u)[1] = 4;", "p[2] = 4;"] {
        let before = "uintptr_t u = (uintptr_t)w; double *p = (double *)u;";
        let found = outcome("a.c", "", [before, between, ""]);
        assert!(["E-SRC-WRITTEN", "E-COVER"].contains(&found.as_str()), "{between}: {found}");
    }
}

const CLASSES: &str = "#include <memory>\n#include <tuple>\n\
    struct Plain { double *p; };\n\
    struct Guard { double *p; ~Guard() { printf(\"%f\", p[1]); } };\n\
    struct Made { explicit Made(double *q) : p(q) {} double *p; ~Made() { p[2] = 5; } };\n\
    struct Timer { int at; ~Timer() { printf(\"%d\", at); } };";

#[test]
fn an_object_reads_the_buffer_where_its_scope_ends() {
    for before in [
        "Guard guard{b};",
        "Made made(b);",
        "std::unique_ptr<double, void (*)(double *)> p(b, [](double *q) { printf(\"%f\", *q); });",
        "Plain plain{b}; Guard guard{plain.p};",
    ] {
        assert_eq!(outcome("a.cpp", CLASSES, [before, "", ""]), "E-BUF-LIVE", "{before}");
    }
    for before in ["Timer timer{1};", "Guard guard{w};", "{ Guard guard{b}; }", "Plain plain{b};"] {
        assert_eq!(outcome("a.cpp", CLASSES, [before, "", ""]), VECTOR, "{before}");
    }
}

#[test]
fn a_result_keeps_what_it_refers_to() {
    let after = "printf(\"%f\", std::get<0>(t));";
    let before = "auto t = std::tie(b[2]);";
    assert_eq!(outcome("a.cpp", CLASSES, [before, "", after]), "E-BUF-LIVE");
}

#[test]
fn an_object_that_is_deleted_writes_the_source() {
    for before in ["Made *made = new Made(w);", "Made *made = new Made{w};"] {
        let parts = [before, "delete made;", ""];
        assert_eq!(outcome("a.cpp", CLASSES, parts), "E-SRC-WRITTEN", "{before}");
    }
    let parts = ["Timer *timer = new Timer{1};", "delete timer;", ""];
    assert_eq!(outcome("a.cpp", CLASSES, parts), VECTOR);
}
