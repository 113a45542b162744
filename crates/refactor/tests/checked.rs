//! Relations of sizes that the program has checked itself need no test, and all others keep it.

use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::source::{Language, Source};

/// The outcome of the receive: free of tests, under one, or the code of its refusal.
fn outcome(name: &str, text: &str) -> String {
    let language = Language::of_name(name).expect("a language");
    let project = Project::new(vec![Source { name: name.into(), language, text: text.into() }]);
    let all = check::check(&project, &Options::default());
    let received = all.iter().find(|one| one.function.eq_ignore_ascii_case("mpi_irecv"));
    match received.map(|one| &one.outcome) {
        Some(Ok(change)) => {
            let is_tested = change.notes.iter().any(|note| note.starts_with("where "));
            let is_text = change.edits.iter().any(|edit| edit.text.contains("overlap here"));
            assert_eq!(is_tested, is_text, "{text}");
            if is_tested { "tested".into() } else { "free".into() }
        }
        Some(Err(refusal)) => refusal.code.to_string(),
        None => panic!("nothing is said: {text}"),
    }
}

const EXCHANGE: &str = "MPI_Irecv(in, rows, MPI_DOUBLE, other, 1, W, &request);\n\
    for (int k = 0; k < rows; k++)\nout[k] = u[k * (nx + 2) + nx];\n\
    MPI_Send(out, rows, MPI_DOUBLE, other, 1, W);\n\
    MPI_Wait(&request, MPI_STATUS_IGNORE);\n\
    for (int k = 0; k < rows; k++)\nu[k * (nx + 2)] = in[k];\n";

/// A procedure with `HERE` in the place of the exchange, which needs that `nx` is 1 at least.
fn c(before: &str, body: &str) -> String {
    let text = format!(
        "#include <mpi.h>\n#include <stdlib.h>\n#define W MPI_COMM_WORLD\n{before}\n\
         void f(double *restrict u, int rows, int nx, int other, int m, unsigned s)\n{{\n\
         double out[100], in[100];\nMPI_Request request;\n{}\n}}\n",
        body.replace("HERE", EXCHANGE)
    );
    outcome("a.c", &text)
}

#[test]
fn what_the_program_has_checked_needs_no_test() {
    for body in [
        "if (nx < 1) return;\nHERE",
        "if (nx < 1) MPI_Abort(W, 1);\nHERE",
        "if (nx <= 0) { exit(1); }\nHERE",
        "if (!(nx >= 1)) abort();\nHERE",
        "if (rows < 1 || nx < 1) { MPI_Abort(W, 1); }\nHERE",
        "if (nx >= 1) {\nHERE\n}",
        "if (rows > 1 && 2 <= nx) {\nHERE\n}",
        "if (nx < 1) { m = 0; } else {\nHERE\n}",
        "if (nx > 3) m = 1; else return;\nHERE",
        "if (nx < 1) { nx = 7; return; }\nm = nx;\nHERE",
        "if (nx != 4) return;\nHERE",
        "for (int t = 0; t < m; t++) {\nif (nx < 1) break;\nHERE\n}",
        "for (int t = 0; t < m; t++) {\nif (nx < 1) continue;\nHERE\n}",
        "if (nx < 1) return;\nfor (int t = 0; t < m; t++) {\nHERE\n}",
        "if (nx < 1) { if (m) return; else exit(2); }\nHERE",
    ] {
        assert_eq!(c("", body), "free", "{body}");
    }
    assert_eq!(c("", "HERE"), "tested");
}

#[test]
fn what_is_not_checked_on_every_way_keeps_the_test() {
    for (before, body) in [
        // Too little, or something else.
        ("", "if (nx < 0) return;\nHERE"),
        ("", "if (nx > 1) return;\nHERE"),
        ("", "if (nx < 1 && m) return;\nHERE"),
        ("", "if (nx >= 1 || m) {\nHERE\n}"),
        ("", "if (m < 1) return;\nHERE"),
        ("", "if (nx < 1) {\nHERE\n}"),
        ("", "if (nx >= 1) { m = 2; } else {\nHERE\n}"),
        ("", "if (nx + m < 1) return;\nHERE"),
        ("", "if (nx < m || m < 0) return;\nHERE"),
        // Numbers that wrap.
        ("", "if (nx < 1u) return;\nHERE"),
        ("", "if (nx < s || s < 1) return;\nHERE"),
        ("", "if ((unsigned)nx < 1) return;\nHERE"),
        ("", "if (nx < 0xffffffff) return;\nHERE"),
        ("", "if ((short)nx < 1) return;\nHERE"),
        // It comes back, or does not come by.
        ("", "if (nx < 1) { m = 1; }\nHERE"),
        ("", "if (nx < 1) while (m) return;\nHERE"),
        ("", "if (nx < 1) { if (m) return; }\nHERE"),
        ("", "if (m) { if (nx < 1) return; }\nHERE"),
        ("", "for (int t = 0; t < m; t++) { if (nx < 1) return; }\nHERE"),
        ("", "for (int t = 0; t < m; t++) { if (nx < 1) break; }\nHERE"),
        ("void stop(void);", "if (nx < 1) stop();\nHERE"),
        ("void abort(void) { }", "if (nx < 1) abort();\nHERE"),
        ("", "void (*exit)(int) = 0;\nif (nx < 1) exit(1);\nHERE"),
        ("", "if (nx < 1) MPI_Finalize();\nHERE"),
        // The number changes.
        ("", "if (nx < 1) return;\nnx = nx - m;\nHERE"),
        ("", "if (nx < 1) return;\nif (m) nx = 0;\nHERE"),
        ("", "if (nx < 1) return; else nx = m;\nHERE"),
        ("", "if (nx < 1 ? 1 : (nx = m)) return;\nHERE"),
        ("", "while (nx >= 1 && nx--) {\nHERE\n}"),
        ("", "if (nx < 1) return;\nwhile (nx--) {\nHERE\n}"),
        ("", "if (nx < 1) return;\nfor (nx = 0; nx < m; nx++) {\nHERE\n}"),
        ("", "switch (m) {\ncase 0: if (nx < 1) return;\ncase 1:\nHERE\n}"),
        ("", "do {\nif (nx < 1) break;\n} while (0);\nHERE"),
        ("", "if (nx < 1) do { break; } while (0);\nHERE"),
        ("", "switch (m) {\ncase 0:\nif (nx < 1) break;\nm = 1;\n}\nHERE"),
        ("", "if (nx-- < 1) return;\nHERE"),
        ("", "if (nx < 1) return;\nfor (int t = 0; t < m; t++) {\nHERE\nnx--;\n}"),
        ("", "int *p = &nx;\nif (nx < 1) return;\n*p = m;\nHERE"),
        ("void set(int *);", "if (nx < 1) return;\nset(&nx);\nHERE"),
        ("void any(void); void keep(int *);", "keep(&nx);\nif (nx < 1) return;\nany();\nHERE"),
        ("", "if (nx < 1) return;\nMPI_Bcast(&nx, 1, MPI_INT, 0, W);\nHERE"),
        ("", "if (nx < 1 || (nx = m)) return;\nHERE"),
        // Another variable of the name.
        ("", "{ int nx = m; if (nx < 1) return; }\nHERE"),
        // Jumps, and what the preprocessor decides.
        ("", "if (m) goto on;\nif (nx < 1) return;\non:\nHERE"),
        ("", "#ifdef CAREFUL\nif (nx < 1) return;\n#endif\nHERE"),
    ] {
        let found = c(before, body);
        assert!(found == "tested" || found.starts_with("E-"), "{before} {body}: {found}");
    }
}

#[test]
fn references_and_globals_change_elsewhere() {
    let text = |before: &str, body: &str| {
        let text = format!(
            "#include <mpi.h>\n#include <cstdlib>\n#define W MPI_COMM_WORLD\nstatic int nx;\n\
             void any();\n{before}\n\
             void f(double *__restrict u, int rows, int other, int m)\n{{\n\
             double out[100], in[100];\nMPI_Request request;\n{}\n}}\n",
            body.replace("HERE", EXCHANGE)
        );
        outcome("a.cpp", &text)
    };
    assert_eq!(text("", "if (nx < 1) std::exit(1);\nHERE"), "free");
    for (before, body) in [
        ("", "int &r = nx;\nif (nx < 1) return;\nr = m;\nHERE"),
        ("void set() { nx = 0; }", "if (nx < 1) return;\nset();\nHERE"),
        ("void set() { nx = 0; }", "if (nx < 1) return;\nany();\nHERE"),
        ("static bool set(int m) { nx = m; return m; }", "if (nx < 1 || set(m)) return;\nHERE"),
        ("", "auto set = [&]() { nx = m; };\nif (nx < 1) return;\nset();\nHERE"),
        ("void scan(int *);", "scan(&nx);\nif (nx < 1) return;\nany();\nHERE"),
        ("", "try {\nif (nx < 1) throw 1;\n} catch (int) {\n}\nHERE"),
        ("static const unsigned hs = 1;", "if (nx < hs) return;\nHERE"),
        ("constexpr unsigned hs = 1;", "if (nx < hs) return;\nHERE"),
    ] {
        let found = text(before, body);
        assert!(found == "tested" || found.starts_with("E-"), "{before} {body}: {found}");
    }
}

#[test]
fn checks_of_fortran() {
    let text = |declared: &str, body: &str| {
        let text = format!(
            "subroutine f(u, rows, nx, other, m)\n  use mpi\n  implicit none\n  \
             integer :: rows, nx, other, m\n  double precision :: u(0:100)\n  {declared}\n  \
             double precision :: out(100), in(100)\n  integer :: request, k, e\n  {}\n\
             end subroutine\n",
            body.replace(
                "HERE",
                "call mpi_irecv(in, rows, mpi_double_precision, other, 1, mpi_comm_world, \
                 request, e)\n  do k = 1, rows\n    out(k) = u((k - 1) * (nx + 2) + nx)\n  \
                 end do\n  \
                 call mpi_send(out, rows, mpi_double_precision, other, 1, mpi_comm_world, e)\n  \
                 call mpi_wait(request, mpi_status_ignore, e)\n  do k = 1, rows\n    \
                 u((k - 1) * (nx + 2)) = in(k)\n  end do"
            )
        );
        outcome("a.f90", &text)
    };
    for body in [
        "if (nx < 1) return\n  HERE",
        "if (nx < 1) stop 'too small'\n  HERE",
        "if (nx .lt. 1) then\n    call mpi_abort(mpi_comm_world, 1, e)\n  end if\n  HERE",
        "if (nx >= 1) then\n  HERE\n  end if",
    ] {
        assert_eq!(text("", body), "free", "{body}");
    }
    for (declared, body) in [
        ("", "HERE"),
        ("", "if (nx < 0) return\n  HERE"),
        ("", "if (nx < 1) return\n  nx = m\n  HERE"),
        ("", "if (nx < 1) return\n  read (*, *) nx\n  HERE"),
        ("external :: set", "if (nx < 1) return\n  call set(nx)\n  HERE"),
        ("external :: leave", "if (nx < 1) call leave(1)\n  HERE"),
        ("", "if (nx < 1) return\n  associate (q => nx)\n  q = m\n  end associate\n  HERE"),
        ("", "if (nx < 1) return\n  do nx = 0, m\n  HERE\n  end do"),
        ("", "if (m > 1) go to 10\n  if (nx < 1) return\n10 continue\n  HERE"),
        ("target :: nx\n  integer, pointer :: p", "p => nx\n  if (nx < 1) return\n  p = m\n  HERE"),
        ("integer :: n2\n  equivalence (n2, nx)", "if (nx < 1) return\n  n2 = m\n  HERE"),
    ] {
        let found = text(declared, body);
        assert!(found == "tested" || found.starts_with("E-"), "{declared} {body}: {found}");
    }
}
