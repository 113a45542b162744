//! Options of compilers that change Fortran's default kinds: rewritten programs stay right under
//! them, or do not compile.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::source::{FileId, Language, Source};

use harness::programs::{Library, libraries};

/// A face of default reals, a column of a structure with some; the datatype is the caller's.
const FACES: &str = "
module cells
  implicit none
  type :: cell
     sequence
     integer :: id, level
     real :: flux(3)
  end type
end module

subroutine send_plane(u, n, m, k, rtype, dest)
  use mpi
  implicit none
  integer :: n, m, k, rtype, dest, i, j, p, ierr
  real :: u(n, m, k), b(n * k)
  p = 0
  do j = 1, k
     do i = 1, n
        p = p + 1
        b(p) = u(i, 2, j)
     end do
  end do
  call MPI_Send(b, n * k, rtype, dest, 5, MPI_COMM_WORLD, ierr)
end subroutine

subroutine send_fluxes(c, n, rtype, dest)
  use mpi
  use cells
  implicit none
  integer :: n, rtype, dest, i, ierr
  type(cell) :: c(n)
  real :: b(2 * n)
  do i = 1, n
     b(2 * i - 1) = c(i)%flux(3)
     b(2 * i) = c(i)%flux(1)
  end do
  call MPI_Send(b, 2 * n, rtype, dest, 6, MPI_COMM_WORLD, ierr)
end subroutine
";

/// Rank 1 sends, rank 0 prints.
const CALLER: &str = "
program caller
  use mpi
  use cells
  implicit none
  real :: u(4, 3, 5), got(20)
  type(cell) :: c(6)
  integer :: rtype, rank, i, ierr, status(MPI_STATUS_SIZE)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  rtype = MPI_REAL
  if (kind(u) == 8) rtype = MPI_REAL8
  if (rank == 1) then
     u = reshape([(real(i) / 3, i = 1, 60)], [4, 3, 5])
     do i = 1, 6
        c(i) = cell(i, 2 * i, [real(i) / 7, real(i) / 9, real(i) / 11])
     end do
     call send_plane(u, 4, 3, 5, rtype, 0)
     call send_fluxes(c, 6, rtype, 0)
  else
     call MPI_Recv(got, 20, rtype, 1, 5, MPI_COMM_WORLD, status, ierr)
     print *, got
     call MPI_Recv(got, 12, rtype, 1, 6, MPI_COMM_WORLD, status, ierr)
     print *, got(1:12)
  end if
  call MPI_Finalize(ierr)
end program
";

/// The same bytes only while `double precision` is `real(8)`.
const MIXED: &str = "
subroutine send_mixed(u, n, dest)
  use mpi
  implicit none
  integer :: n, dest, j, ierr
  real(8) :: u(n, n)
  double precision :: b(n)
  do j = 1, n
     b(j) = u(2, j)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
";

/// The text with all its calls rewritten.
fn rewritten(text: &str, calls: usize) -> String {
    let source =
        Source { name: "text.f90".into(), language: Language::FortranFree, text: text.to_owned() };
    let project = Project::new(vec![source]);
    let options = Options { assume: vec!["all".into()], ..Options::default() };
    let findings = check::check(&project, &options);
    let changed = findings.iter().filter(|f| f.outcome.is_ok()).count();
    assert_eq!(changed, calls, "{findings:?}");
    check::changed(&project, FileId(0), &findings).expect("a changed text")
}

fn compile(library: Library, name: &str, text: &str, options: &[&str]) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kinds-{}-{name}", library.0));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("text.f90"), text).expect("a text");
    let output = Command::new(library.command("mpif90"))
        .current_dir(&folder)
        .args(["-w", "-fallow-argument-mismatch", "-o", "program", "text.f90"])
        .args(options)
        .output()
        .expect("a compiler");
    match output.status.success() {
        true => Ok(folder.join("program")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn printed(library: Library, name: &str, text: &str, options: &[&str]) -> String {
    let program = compile(library, name, text, options).expect("it compiles");
    let output = library.mpiexec(&program).output().expect("mpiexec");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn programs_with_other_default_kinds_send_the_same() {
    let before = format!("{FACES}{CALLER}");
    let after = format!("{}{CALLER}", rewritten(FACES, 2));
    for library in libraries() {
        for options in [&[][..], &["-fdefault-real-8"], &["-fdefault-real-8", "-fcheck=all"]] {
            let old = printed(library, "before", &before, options);
            let new = printed(library, "after", &after, options);
            assert!(old.lines().count() >= 2, "{old}");
            assert_eq!(old, new, "{} {options:?}\n{after}", library.0);
        }
    }
}

#[test]
fn copies_that_would_convert_do_not_compile() {
    let after = rewritten(MIXED, 1);
    for library in libraries() {
        let compiled = |options: &[&str]| compile(library, "mixed", &after, options);
        compiled(&["-c"]).expect("it compiles");
        let refused = compiled(&["-c", "-fdefault-real-8"]).expect_err(&after);
        assert!(refused.contains("Division by zero"), "{refused}");
    }
}
