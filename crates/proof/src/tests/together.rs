//! Statements that stay, or calls, and the changes that they keep from being made.

use commloom_program::Project;
use commloom_source::{Language, Source};

use super::{Assumptions, SEND, VECTOR, around, c, code, judged, sites};

/// The value that the first loop leaves in an index is read before the second one writes it again.
#[test]
fn an_index_that_is_read_between_two_copies_stays() {
    let first = "p = 0; for (i = 0; i < n; i++) b[p++] = u[2*i];";
    let second = "for (i = 0; i < n; i++) b[p++] = u[2*i + 1];";
    let variables = "int h = 0, *q = &h; struct { int a; } g;";
    let send = "MPI_Send(b, p, MPI_DOUBLE, 1, 2, c); other(h, g.a, q);";
    for between in ["h = p;", "int k = p; h = k;", "*q = p;", "g.a = p;", "if (p > 10) h = 1;"] {
        let outcome = c(&around(&format!("{variables} {first} {between} {second} {send}")));
        assert_eq!(code(&outcome), "E-SCALAR-LIVE", "{outcome} in {between}");
    }
    let outcome = c(&around(
        "int h; for (i = 0; i < n; i++) b[i] = u[2*i]; h = i; \
         for (i = 0; i < n; i++) b[n + i] = u[2*i + 1]; \
         MPI_Send(b, 2*n, MPI_DOUBLE, 1, 2, c); other(h);",
    ));
    assert_eq!(code(&outcome), "E-SCALAR-LIVE", "{outcome}");
    // Nothing reads it there.
    let outcome = c(&around(&format!("{variables} {first} h = n; {second} {send}")));
    assert!(!outcome.starts_with("E-"), "{outcome}");
}

/// The loop around the copies stays, with what reads the index in each turn.
#[test]
fn an_index_that_is_read_in_each_turn_stays() {
    let outcome = c(&around(
        "p = 0; for (int k = 0; k < 3; k++) { list[k] = p; \
         for (i = 0; i < n; i++) b[p++] = u[3*i + k]; } MPI_Send(b, p, MPI_DOUBLE, 1, 2, c);",
    ));
    assert!(outcome.starts_with("E-"), "{outcome}");
}

#[test]
fn an_index_that_is_read_through_a_pointer_stays() {
    let outcome = c(&around(
        "int h, *q = &p; p = 0; for (i = 0; i < n; i++) b[p++] = u[2*i]; h = *q; \
         for (i = 0; i < n; i++) b[p++] = u[2*i + 1]; MPI_Send(b, p, MPI_DOUBLE, 1, 2, c); \
         other(h);",
    ));
    assert_eq!(code(&outcome), "E-SCALAR-LIVE", "{outcome}");
}

/// Another call than that for the copies has the index as its count, too.
#[test]
fn a_count_of_another_call_gets_its_value() {
    let text = around(&format!(
        "p = 0; for (i = 0; i < n; i++) b[p++] = u[2*i]; {SEND} \
         MPI_Recv(b, p, MPI_DOUBLE, 1, 2, c, &s);"
    ));
    let source = Source {
        name: "a.c".into(),
        language: Language::C,
        text: format!("#include <mpi.h>\n{text}"),
    };
    let all = sites(&Project::new(vec![source]), &Assumptions::default());
    assert_eq!(all[0].outcome.as_ref().unwrap().assign.len(), 1, "{text}");
}

/// A function between copies and call reads an index that the whole file sees.
#[test]
fn an_index_that_a_function_reads_before_the_call_stays() {
    let text = |between: &str| {
        format!(
            "static int p, seen; static void look(void) {{ seen = p; }} \
             void f(int n, double *u, MPI_Comm c) {{ double b[n]; p = 0; \
             for (int i = 0; i < n; i++) b[p++] = u[2*i]; {between} {SEND} }}"
        )
    };
    assert_eq!(code(&c(&text("look();"))), "E-SCALAR-LIVE");
    assert_eq!(c(&text("")), VECTOR);
}

/// The second call shares copies with both others, which have none in common.
#[test]
fn one_call_that_stays_keeps_its_whole_group() {
    let both = "for (i = 0; i < n; i++) b[i] = u[4*i]; for (i = 0; i < n; i++) b[n + i] = v[3*i]; \
                MPI_Send(b + n, n, MPI_DOUBLE, 1, 2, c); MPI_Send(b, 2*n, MPI_DOUBLE, 1, 2, c);";
    let chain = |written: &str| {
        let body = format!("static double v[100]; {both} {written} {SEND}");
        judged("a.c", &around(&body), &[])
    };
    let go = chain("");
    assert!(go.len() == 3 && go.iter().all(|o| !o.starts_with("E-")), "{go:?}");
    let stay = chain("u[4] = 9;");
    assert!(stay.len() == 3 && stay.iter().all(|o| code(o) == "E-SRC-WRITTEN"), "{stay:?}");
}

/// No fact that is true of the program makes these right.
#[test]
fn no_fact_is_offered_that_does_not_help() {
    let own = "static double w[100]; for (int i = 0; i < 100; i++) w[i] = u[d + i * 2];";
    let send = "MPI_Send(w, 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD); }";
    let itself = format!("static double u[400]; static void f(int d) {{ {own} f(d + 1); {send}");
    let other = format!(
        "static double u[400]; void f(int d); static void g(int d) {{ f(d + 1); }} \
         void f(int d) {{ {own} g(d); {send}"
    );
    for text in [itself, other] {
        let outcome = c(&text);
        assert!(outcome.starts_with("E-CHANGED") && !outcome.contains(" ("), "{outcome}");
    }
    let given_back = "void f(int n) { double *u = malloc(n * 32), *b = malloc(n * 8); \
        for (int i = 0; i < 4 * n; i++) u[i] = i; for (int i = 0; i < n; i++) b[i] = u[4 * i]; \
        free(u); MPI_Send(b, n, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD); free(b); }";
    let outcome = c(given_back);
    assert!(outcome.starts_with("E-SRC-WRITTEN") && !outcome.contains(" ("), "{outcome}");
    let pairs = "static int a[400], e[200]; void f(void) { for (int i = 0; i < 100; i++) { \
        e[2 * i] = a[3*i]; e[2 * i + 1] = a[3 * i + 2]; } \
        MPI_Send(e, 100, MPI_2INT, 1, 7, MPI_COMM_WORLD); }";
    let outcome = c(pairs);
    assert!(outcome.starts_with("E-DATATYPE") && !outcome.contains(" ("), "{outcome}");
}
