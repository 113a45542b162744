//! Global pointers of C that alone lead to their memory: what is allocated for them, and never
//! shown to others, is no memory of an argument.

mod harness;

use harness::only_outcome;

/// The outcome of a send whose buffer is the global pointer `b`, in a program with more text.
fn outcome(more: &str) -> String {
    outcome_of("b = (double *)malloc(8 * n);", more)
}

/// The same, with the statement that sets the pointer.
fn outcome_of(set: &str, more: &str) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <cstdlib>\n#include <cstring>\n#include <new>\n\
         #include <utility>\n\
         double *b, *other, *u0;\nstruct box {{ double *p; }};\nvoid unknown(double *);\n\
         void init(int n, double *given) {{ {set} u0 = (double *)malloc(8 * n); }}\n\
         void done() {{ free(b); b = NULL; }}\n{more}\n\
         void f(const double *u, int n, MPI_Comm c) {{\n\
           for (int i = 0; i < n; i++) b[i] = u[3 * i];\n\
           MPI_Send(b, n, MPI_DOUBLE, 1, 0, c);\n}}\n"
    );
    only_outcome("a.cpp", text)
}

#[test]
fn memory_of_its_own_is_no_argument() {
    let vector = "vector(n, 1, 3) of MPI_DOUBLE";
    assert_eq!(outcome(""), vector);
    for set in ["b = new double[n];", "b = (double *)calloc(n, 8);", "if (!b) b = new double[n];"] {
        assert_eq!(outcome_of(set, ""), vector, "{set}");
    }
    // Uses that show it to nobody.
    for more in [
        "void g(int n) { if (b == NULL) exit(1); memset(b, 0, 8 * n); b[0] = 1; *(b + 1) = 2; }",
        "void g(int n, MPI_Request *r) { MPI_Irecv(&b[0], n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, r);\
         MPI_Wait(r, MPI_STATUS_IGNORE); }",
        "int g(double *b) { other = b; return 1; }",
    ] {
        assert_eq!(outcome(more), vector, "{more}");
    }
}

#[test]
fn memory_that_others_may_know_is_refused() {
    for set in [
        "b = given;",
        "b = u0;",
        "b = new (given) double[n];",
        "b = (double *)realloc(given, 8 * n);",
        "b = (double *)malloc(8 * n); b += 2;",
        "b = (double *)malloc(8 * n); b++;",
        "b = (double *)malloc(8 * n); given = b;",
        "unknown(b = (double *)malloc(8 * n));",
    ] {
        assert_eq!(outcome_of(set, ""), "E-ALIAS", "{set}");
    }
    for more in [
        "void g() { other = b; }",
        "void g() { other = &b[3]; }",
        "void g() { other = b + 3; }",
        "void g(struct box *x) { x->p = b; }",
        "void g() { struct box x = { b }; unknown(x.p); }",
        "double *g() { return b; }",
        "double **g() { return &b; }",
        "double &g() { return b[1]; }",
        "void g() { unknown(b); }",
        "void h(double *x) { other = x; }\nvoid g() { h(b); }",
        "void g() { double *&r = b; r = other; }",
        "void g() { double &r = b[0]; other = &r; }",
        "void h(double &x) { other = &x; }\nvoid g() { h(b[1]); }",
        "struct into { into &operator<<(double &x) { other = &x; return *this; } };\n\
         void g() { into x; x << b[1]; }",
        "void g() { std::swap(b, other); }",
        "void g(int n) { other = (double *)memcpy(b, u0, n); }",
        "void g(int n) { other = n ? b : u0; }",
        "void g() { for (b = other; b; b++) break; }",
        "void g() { auto take = [&] { other = b; }; take(); }",
        "void g(MPI_Aint *a) { MPI_Get_address(b, a); }",
        "void g(int n, MPI_Win *w) {\
         MPI_Win_create(b, 8 * n, 8, MPI_INFO_NULL, MPI_COMM_WORLD, w); }",
        "void g() { MPI_Alloc_mem(80, MPI_INFO_NULL, &b); }",
        "double **where = &b;",
        "double *same = b;",
        "void *malloc(size_t n) { return u0; }",
    ] {
        assert_eq!(outcome(more), "E-ALIAS", "{more}");
    }
}

#[test]
fn a_pointer_of_fortran_leads_to_targets_only() {
    let of = |attribute: &str| {
        let text = format!(
            "subroutine s(p, n)\n  use mpi\n  implicit none\n  integer, intent(in) :: n\n  \
             real(8), pointer, intent(in) :: p(:, :)\n  real(8){attribute} :: b(64)\n  \
             integer :: k, e\n  do k = 1, n\n    b(k) = p(1, k)\n  end do\n  \
             call mpi_send(b, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, e)\n\
             end subroutine\n"
        );
        only_outcome("a.f90", text)
    };
    assert!(of("").contains("hvector"), "{}", of(""));
    assert_eq!(of(", target"), "E-ALIAS");
}
