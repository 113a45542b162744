//! `commloom refactor`: its formats, against their definitions, and what it does on a terminal.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Done, commloom, done};
use serde_json::Value;

const HALO: &str = "#include <mpi.h>

void column(const double *u, int n, int to, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 7, c);
}

void halves(const double *u, int n, int to, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[i] / 2;
    MPI_Send(b, n, MPI_DOUBLE, to, 7, c);
}
";

const TAKE: &str = "subroutine take(u, n, from, comm)
  use mpi
  implicit none
  integer :: n, from, comm, i, ierr
  double precision :: u(n, n), b(200)
  call mpi_recv(b, n, MPI_DOUBLE_PRECISION, from, 1, comm, MPI_STATUS_IGNORE, ierr)
  do i = 1, n
     u(2, i) = b(i)
  end do
end subroutine
";

/// A folder of its own for a test, with both programs.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("refactor-formats-{test}"));
    // What the last run left would be taken for this one's.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("my halo.c"), HALO).expect("a file");
    fs::write(folder.join("take.f90"), TAKE).expect("a file");
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = commloom(&["refactor"]);
    // Tables of this machine's libraries would be told of.
    command.env_remove("COMMLOOM_MODEL").env("XDG_CACHE_HOME", folder);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn refactor(folder: &Path, args: &[&str]) -> Done {
    done(&command(folder, args).output().expect("the binary was built"))
}

/// The schema, with the one regular expression in it corrected that is none (languages, which
/// nobody has here).
fn schema() -> Value {
    let text = include_str!("sarif/sarif-schema-2.1.0.json");
    let text = text.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
    serde_json::from_str(&text).expect("JSON")
}

/// The schema of OASIS has all that a log may contain (`additionalProperties` is false nearly
/// everywhere).
#[test]
fn sarif_is_valid_by_the_schema_of_the_standard() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let folder = folder("sarif");
    let log = refactor(&folder, &["--sarif", "."]);
    assert_eq!((log.status, log.err.as_str()), (Some(0), ""), "{log:?}");
    let mut log: Value = serde_json::from_str(&log.out).expect("JSON");
    let wrong: Vec<String> = validator.iter_errors(&log).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{log:#}");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 3, "{log:#}");
    assert_eq!(results.iter().filter(|result| result["fixes"].is_array()).count(), 2, "{log:#}");
    let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(uri.as_str().is_some_and(|uri| uri.ends_with("my%20halo.c")), "{uri}");
    // The validator sees what is wrong.
    log["runs"][0]["results"][0]["level"] = "terrible".into();
    assert!(!validator.is_valid(&log));
}

/// An empty log is one, too.
#[test]
fn sarif_without_findings_is_valid() {
    let folder = folder("sarif-empty");
    fs::write(folder.join("none.c"), "int nothing;\n").expect("a file");
    let log: Value =
        serde_json::from_str(&refactor(&folder, &["--sarif", "none.c"]).out).expect("JSON");
    assert!(jsonschema::is_valid(&schema(), &log), "{log:#}");
}

/// Scripts read it: fields stay.
#[test]
fn json_is_as_it_was() {
    let folder = folder("json");
    let all = refactor(&folder, &["--json", "my halo.c", "take.f90"]);
    assert_eq!((all.status, all.err.as_str()), (Some(0), ""), "{all:?}");
    let value: Value = serde_json::from_str(&all.out).expect("JSON");
    insta::assert_snapshot!(format!("{value:#}"));
}

/// Standard output of `commloom refactor` in `folder`, with a terminal where `script` makes one.
fn on_a_terminal(folder: &Path, environment: &[(&str, &str)], args: &str) -> Option<String> {
    let line = format!("'{}' refactor {args}", env!("CARGO_BIN_EXE_commloom"));
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .env("XDG_CACHE_HOME", folder)
        .envs(environment.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            commloom_testkit::skipped("colours of refactor: there is no script (util-linux)");
            None
        }
    }
}

#[test]
fn patches_are_coloured_on_a_terminal_only_and_not_with_no_color() {
    let folder = folder("colours");
    let patch = "take.f90";
    let Some(coloured) = on_a_terminal(&folder, &[], patch) else { return };
    assert!(coloured.contains("\x1b[31m-") && coloured.contains("\x1b[32m+"), "{coloured:?}");
    let plain = on_a_terminal(&folder, &[("NO_COLOR", "1")], patch).expect("as before");
    assert!(plain.contains("+++ b/take.f90") && !plain.contains('\x1b'), "{plain:?}");
    // An empty NO_COLOR is none (no-color.org).
    let empty = on_a_terminal(&folder, &[("NO_COLOR", "")], patch).expect("as before");
    assert_eq!(empty, coloured);
    assert!(!refactor(&folder, &[patch]).out.contains('\x1b'), "no terminal");
    // Nothing but patches: what scripts read stays as it is.
    for format in ["--json take.f90", "--sarif take.f90", "--check take.f90"] {
        let text = on_a_terminal(&folder, &[], format).expect("as before");
        assert!(!text.contains('\x1b'), "{format}: {text:?}");
    }
}

#[test]
fn the_exit_status_says_what_was_found() {
    let folder = folder("status");
    fs::write(folder.join("none.c"), "int nothing;\n").expect("a file");
    let status = |args: &[&str]| refactor(&folder, args).status;
    assert_eq!(status(&["--check", "."]), Some(1));
    assert_eq!(status(&["--check", "--json", "."]), Some(1));
    assert_eq!(status(&["--check", "--sarif", "."]), Some(1));
    assert_eq!(status(&["--check", "none.c"]), Some(0));
    assert_eq!(status(&["."]), Some(0));
    assert_eq!(status(&["--json", "."]), Some(0));
    for wrong in [
        &["--check", "--apply", "."][..],
        &["--allow-dirty", "."],
        &["--run", "true", "."],
        &["--json", "--sarif", "."],
        &[],
        &["--no-such-option", "."],
    ] {
        assert_eq!(status(wrong), Some(2), "{wrong:?}");
    }
}

/// Several files are one edit: all of them change, or none.
#[test]
fn apply_changes_all_files_or_none_and_no_file_twice() {
    let folder = folder("all");
    let read = || {
        ["my halo.c", "take.f90"].map(|name| fs::read_to_string(folder.join(name)).expect("a file"))
    };
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args)
            .current_dir(&folder)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "a"]);
    fs::write(folder.join("take.f90"), format!("{TAKE}! more\n")).expect("a file");
    let before = read();
    let dirty = refactor(&folder, &["--apply", "."]);
    assert_eq!(dirty.status, Some(2), "{dirty:?}");
    assert!(dirty.err.contains("take.f90") && dirty.err.contains("--allow-dirty"), "{dirty:?}");
    assert_eq!(read(), before, "a file that is clean must not change alone");
    let fails = refactor(&folder, &["--apply", "--allow-dirty", "--run", "exit 3", "."]);
    assert_eq!(fails.status, Some(1), "{fails:?}");
    assert_eq!(read(), before);
    let missing = refactor(&folder, &["--apply", "--allow-dirty", "--run", "no-such-command", "."]);
    assert_eq!(missing.status, Some(1), "{missing:?}");
    assert_eq!(read(), before);
    assert_eq!(refactor(&folder, &["--apply", "--allow-dirty", "."]).status, Some(0));
    let after = read();
    assert!(after.iter().zip(&before).all(|(after, before)| after != before));
    assert_eq!(refactor(&folder, &["--apply", "--allow-dirty", "."]).status, Some(0));
    assert_eq!(read(), after, "applied twice");
    assert_eq!(refactor(&folder, &["--check", "."]).status, Some(0), "nothing is left");
}

/// Three times the same reason, and another one: each is said once, and every place is there.
#[test]
fn what_is_refused_in_the_same_words_is_said_once() {
    let half = |name: &str| {
        let head =
            format!("void {name}(const double *u, int n, MPI_Comm c)\n{{\n    double b[100];\n");
        let copies = "    for (int i = 0; i < n; i++)\n        b[i] = u[i] / 2;\n";
        format!("{head}{copies}    MPI_Send(b, n, MPI_DOUBLE, 1, 7, c);\n}}\n")
    };
    let through = "void through(double *b, const double *u, int n)\n{\n    for (int i = 0; i < n; \
                   i++)\n        b[i] = u[4 * i];\n    MPI_Send(b, n, MPI_DOUBLE, 1, 7, \
                   MPI_COMM_WORLD);\n}\n";
    let one = format!("#include <mpi.h>\n{}{through}{}", half("a"), half("b"));
    let other = format!("#include <mpi.h>\n{}", half("c"));
    let folder = folder("said-once");
    for (name, text) in [("one.c", one), ("other.c", other)] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let told = refactor(&folder, &["--check", "one.c", "other.c"]).err;
    assert_eq!(told.matches("E-ARITH").count(), 1, "{told}");
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("the same at")).collect();
    assert_eq!(lines, ["    the same at one.c:20", "    the same at other.c:7"], "{told}");
    assert!(told.contains("one.c:13: E-"), "{told}");
    assert!(told.ends_with("0 of 4 packed buffers can be datatypes; 4 cannot\n"), "{told}");
}
