//! Buffers that are members of objects: where an object is read as a whole, nobody names the
//! member, and the copies that fill it stay.

mod harness;

use harness::only_outcome;

/// The outcome of a send from a member of `W`, in a program with more text.
fn outcome(more: &str) -> String {
    outcome_of("", more)
}

/// The same, with more members.
fn outcome_of(members: &str, more: &str) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <cstdio>\n#include <cstring>\n#include <memory>\n\
         #include <vector>\nstruct W {{ double b[64], u[640]; {members}\n\
         void work(int n) {{\n\
           for (int i = 0; i < n; i++) b[i] = u[i * 4];\n\
           MPI_Send(b, n, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);\n}} }};\n{more}\n"
    );
    only_outcome("a.cpp", text)
}

#[test]
fn objects_that_stay_objects() {
    let vector = "vector(n, 1, 4) of MPI_DOUBLE";
    for more in [
        "",
        "int n(W &w) { w.work(3); W c = w, *p = &c; W d(w); d = *p; return p->u[2] + c.u[0]; }",
        "W make() { W w; return w; } void f() { auto w = make(); w.work(3); }",
        "void f(W *w) { if (w != nullptr) w->work(3); }\nvoid g() { W w[3]; f(&w[1]); f(w); }",
        "void f() { auto w = std::make_unique<W>(); w->work(2); W *p = new W; delete p; }",
        "void f(W &w) { w.work(2); }\n\
         void g(std::vector<W> &all) { for (auto &w : all) w.work(3); f(all[2]); }",
        "void f() { W w; std::printf(\"%g %zu\", w.u[1], sizeof w); }",
    ] {
        assert_eq!(outcome(more), vector, "{more}");
    }
}

#[test]
fn objects_that_are_read_as_a_whole() {
    for more in [
        "double f(W &w) { const auto &[x, y] = w; return x[1]; }",
        "W make() { W w; w.work(3); return w; } double f() { auto [x, y] = make(); return x[1]; }",
        "double f(W &w) { double (W::*p)[64] = &W::b; return (w.*p)[1]; }",
        "double f(W w) { return reinterpret_cast<const double *>(&w)[1]; }",
        "double f(W &w) { double *p = (double *)&w; return p[1]; }",
        "void f(W &w, double *z) { memcpy(z, &w, 512); }",
        "void f(W *w) { MPI_Send(w, 512, MPI_BYTE, 1, 3, MPI_COMM_WORLD); }",
        "void f(W &w) { auto c = &w; fwrite(c, 512, 1, stdout); }",
        "void f(std::unique_ptr<W> w) { fwrite(w.get(), 512, 1, stdout); }",
        "template <class T> void put(const T &t) { fwrite(&t, 8, 1, stdout); }\n\
         void f(W &w) { put(w); }",
        "struct V : W { int k; }; void f(V &v, double *z) { memcpy(z, &v, 512); }",
        "struct V { int k; W w; }; void f(V &v, double *z) { memcpy(z, &v, 512); }",
        "void f(std::vector<W> &all, double *z) { memcpy(z, all.data(), 512); }",
        "void f(std::vector<W> &all, double *z) { for (auto &w : all) memcpy(z, &w, 512); }",
        "W *get(); W w; W *get() { return &w; } void f(double *z) { memcpy(z, get(), 512); }",
        "W w; double *raw = (double *)&w;",
        "union U { W w; double d[704]; };",
        "double mem[704]; void f() { W *w = (W *)mem; w->work(3); }",
        "double mem[704]; void f() { W *w = new (mem) W; w->work(3); }",
        "double f(W &w) { auto g = [w]() { return &w; }; return 1; }",
    ] {
        assert_eq!(outcome(more), "E-BUF-LIVE", "{more}");
    }
    for members in [
        "void save(double *z) { memcpy(z, this, 64); }",
        "bool operator==(const W &) const = default;\nint f(W &o) { return *this == o; }",
        "double *view = b;",
    ] {
        assert_eq!(outcome_of(members, ""), "E-BUF-LIVE", "{members}");
    }
}
