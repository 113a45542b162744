//! Any text is read and judged without a panic: programs that are cut, mixed and sprinkled with
//! tokens. libFuzzer does the same for longer (`fuzz/fuzz_targets/refactor_*.rs`).

use commloom_refactor::check::{self, Options};
use commloom_refactor::legality::{Assumptions, sites};
use commloom_refactor::project::{Command, Given, Project, Setup, Wrapper, response, words};
use commloom_refactor::source::{FileId, Language, Source};

const C: &str = r#"#include <mpi.h>
#define N 8
#define IDX(i, j) ((i) * N + (j))
#define PUT(b, x) do { *b++ = (x); } while (0)
typedef struct { double r[3]; int id; } A;
static double buffer[100];
#if N > 3
static void f(int n, double u[n][N], A *restrict a, int *list, MPI_Comm c)
{
    double b[N * N], *p = b; MPI_Request r; int i, j, k = 0;
    for (i = 0; i < n; i++)
        for (j = N - 1; j >= 0; j -= 2)
            b[k++] = u[i][j];
    MPI_Isend(b, k, MPI_DOUBLE, 1, 2, c, &r);
    switch (n) { case 1: u[0][IDX(1, 2)] = 3; break; default: goto out; }
out:
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (i = 0; i < n; ++i) {
        PUT(p, a[list[i]].r[1]); memcpy(&buffer[3 * i], a[i].r, sizeof a[i].r);
    }
    MPI_Send(buffer, 3 * n, MPI_DOUBLE, 1, 3, c);
}
#endif
"#;

const CPP: &str = r#"#include <vector>
namespace grid { class Field { int n; std::vector<double> v; void send(MPI_Comm c);
  template <class T> T at(const T &x) { return x; } }; }
void grid::Field::send(MPI_Comm c) {
  std::vector<double> b(n), w(3 * n); auto f = [&](int i) { return i; };
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) b[i] = v[2 * i];
  MPI_Send(b.data(), n, MPI_DOUBLE, 1, 2, c);
  for (auto &x : v) x = 1; delete[] new double[3];
  MPI_Recv(&w[0], n, MPI_DOUBLE, 1, 2, c, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++) v[3 * i] = w[i];
}
"#;

const FREE: &str = "module m\n  integer, parameter :: dp = 8\n  real(dp) :: u(5, -1:8, 8)\
    \n  type t\n    real(dp) :: x(3)\n  end type\nend module\n\
subroutine s(n, a)\n  use m, only: v => u, t\n  real(8), intent(in) :: a(:, :)\n  type(t) :: q(4)\
\n  real(8) :: b(100)\n  integer :: i, j, p, req, ierr\n  p = 0\n\
  do j = 1, n\n    do i = 2, n - 1\n      p = p + 1\n      b(p) = a(i, j)\n    end do\n  end do\
  \n  call mpi_isend(b, p, mpi_double_precision, 1, 2, comm, req, ierr)\n\
  call mpi_wait(req, st, ierr)\n  v(1, :, 2) = b(1:10)\n  q(1)%x(2) = 3; select case (n)\
  \n  case (1:3)\n    stop\n  end select\nend subroutine\n";

const FIXED: &str = "      subroutine give(u,n1,n2)\n      include 'h.h'\n      implicit none\
    \n      integer n1,n2,i,ss\n      double precision u(n1,n2),buff(100)\n\
c     comment\n      common /block/ buff\n      equivalence (buff(1),x)\n      ss=0\
\n      do 10 i=2,\n     &  n2-1\n        ss=ss+1\n 10     buff(ss)=u(2,i)\n\
      call mpi_send(buff,ss,dp_type,1,2,comm,ierr)\n      call \
      mpi_recv(buff,ss,dp_type,1,2,comm,st,ierr)\n      do i=2,n2-1\n        u(1,i)=buff(i-1)\
      \n      enddo\n      end\n";

/// A generator too simple to be wrong: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(high).unwrap() % limit.max(1)
    }
}

/// A few changes at places drawn by chance.
fn spoiled(text: &str, random: &mut Random) -> String {
    const WORDS: [&str; 20] = [
        "(", ")", "{", "}", "[", "]", "*", "&", "=", ";", "\n", "#if 1\n", "#endif\n", "do ",
        "end ", "for(", "0x", "\"", "é", ",",
    ];
    let mut all: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let (one, other) = (random.below(all.len()), random.below(all.len()));
        let (start, end) = (one.min(other), one.max(other));
        match random.below(4) {
            0 => drop(all.drain(start..end.min(start + 40))),
            1 => {
                let copied: Vec<char> = all[start..end].to_vec();
                all.splice(start..start, copied);
            }
            2 => all.truncate(end.max(20)),
            _ => {
                let word = WORDS[random.below(WORDS.len())].repeat(1 + random.below(3));
                all.splice(start..start, word.chars());
            }
        }
    }
    all.into_iter().collect()
}

fn judge(name: &str, text: String) {
    let language = Language::of_name(name).unwrap();
    let source = Source { name: name.into(), language, text };
    let project = Project::new(vec![source.clone()]);
    sites(&project, &Assumptions::new(["all".to_owned()]));
    // As calls of procedures that are listed, with macros that the compiler is given; all the way
    // to the new text.
    let renamed = source.text.replace("MPI_Send", "put").replace("MPI_Isend", "put_later");
    let text = renamed.replace("mpi_send", "put").replace("mpi_isend", "put_later");
    let setup = setup(name);
    let project = Project::with(vec![Source { text, ..source }], setup);
    let options = Options { assume: vec!["all".into()], rounds: 1 };
    check::changed(&project, FileId(0), &check::check(&project, &options));
}

fn setup(name: &str) -> Setup {
    let mut setup = Setup::default();
    let at = |number| Given::Argument(number);
    let fixed = [
        ("buf", at(1)),
        ("count", at(2)),
        ("datatype", Given::Text("MPI_DOUBLE".into())),
        ("dest", at(4)),
        ("tag", at(5)),
        ("comm", Given::Text("of({6})".into())),
        ("ierror", at(7)),
    ];
    let later = [("buf", at(1)), ("count", at(2)), ("datatype", at(3)), ("request", at(7))];
    setup.wrappers.add(Wrapper::new("put", "MPI_Send", &fixed).unwrap());
    setup.wrappers.add(Wrapper::new("put_later", "MPI_Isend", &later).unwrap());
    setup.compiled.locate(name, &format!("/p/{name}"));
    let options = ["-DN=4", "-Dn=n+n", "-DP(x)=(x", "-DI=", "-I."].map(str::to_owned);
    setup.compiled.add(name, Command::of(&options, "/p"));
    setup
}

#[test]
fn commands() {
    let text =
        "cc -I 'a b'/../c -D\"X=\\\"y\" @f -DF(a,b)=a##b -U X -include h.h -o x.o -isystem /s x.c";
    for seed in 1..=300 {
        let text = spoiled(text, &mut Random(seed));
        let outcome = std::panic::catch_unwind(|| {
            let all = words(&text).unwrap_or_else(|_| response(&text));
            let mut setup = Setup::default();
            setup.compiled.locate("a.c", "/p/a.c");
            setup.compiled.add("a.c", Command::of(&all, "/p"));
            let source = Source { name: "a.c".into(), language: Language::C, text: C.into() };
            Project::with(vec![source], setup);
        });
        assert!(outcome.is_ok(), "seed {seed}: {text}");
    }
}

fn all_of(name: &str, text: &str) {
    for seed in 1..=150 {
        let text = spoiled(text, &mut Random(seed));
        let shown = text.clone();
        let outcome = std::panic::catch_unwind(|| judge(name, text));
        assert!(outcome.is_ok(), "seed {seed} of {name}:\n{shown}");
    }
}

#[test]
fn c() {
    all_of("a.c", C);
}

#[test]
fn cpp() {
    all_of("a.cpp", CPP);
}

#[test]
fn fortran_free() {
    all_of("a.f90", FREE);
}

#[test]
fn fortran_fixed() {
    all_of("a.f", FIXED);
}
