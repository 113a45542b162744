//! `make install`: which files it makes, that they work wherever the folder is moved to, and that
//! nothing is left after `make uninstall`. Installs from the build of the tests.

mod common;
#[path = "common/mpi.rs"]
mod mpi;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mpi::{Mpi, in_path};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("install").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    dir
}

/// The folder of the build that this test belongs to, with the preloads in it.
fn build() -> &'static Path {
    let packages = ["interpose-mpich", "interpose-openmpi", "interpose-abi", "capi"];
    let packages = packages.map(|name| format!("commloom-{name}"));
    commloom_testkit::built(env!("CARGO"), &packages.each_ref().map(String::as_str))
}

#[track_caller]
fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {err}");
    output
}

/// `make install`, without the build; `make uninstall` with that option.
fn script(prefix: &str, destdir: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(root().join("scripts/install"));
    command.args(options).env("BUILD", build()).env("PREFIX", prefix).env("DESTDIR", destdir);
    command
}

/// All files below a folder, relative to it.
fn files(dir: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("below").to_string_lossy();
                found.insert(name.into_owned());
            }
        }
    }
    found
}

#[test]
fn everything_is_installed_and_taken_away_again() {
    let destdir = folder("files");
    let prefix = destdir.join("opt/my commloom");
    succeeds(&mut script("/opt/my commloom", &destdir, &[]));
    let installed = files(&prefix);
    let version = env!("CARGO_PKG_VERSION");
    let mut wanted: Vec<String> = [
        "bin/commloom",
        "include/commloom.h",
        "lib/commloom/libcommloom_abi.so",
        "lib/commloom/libcommloom_mpich.so",
        "lib/commloom/libcommloom_openmpi.so",
        "lib/libcommloom.a",
        "lib/libcommloom.so",
        "lib/pkgconfig/commloom.pc",
        "share/bash-completion/completions/commloom",
        "share/commloom/installed-files",
        "share/doc/commloom/LICENSE-MIT",
        "share/doc/commloom/README.md",
        "share/doc/commloom/book/src/explanation/strategy.md",
        "share/doc/commloom/book/src/reference/costs.md",
        "share/fish/vendor_completions.d/commloom.fish",
        "share/man/man1/commloom.1",
        "share/zsh/site-functions/_commloom",
    ]
    .map(str::to_owned)
    .into();
    wanted.push(format!("lib/libcommloom.so.{version}"));
    wanted.push(format!("share/commloom/modulefiles/commloom/{version}"));
    wanted.push(format!("share/commloom/modulefiles/commloom/{version}.lua"));
    // A manual page for every command that the help names.
    let help = common::output(&["--help"], "");
    let commands = help.split("Commands:\n").nth(1).expect("commands").lines();
    let commands = commands.take_while(|l| !l.is_empty()).filter_map(|l| l.split(' ').nth(2));
    let pages = commands.filter(|c| !c.is_empty() && *c != "help");
    wanted.extend(pages.map(|c| format!("share/man/man1/commloom-{c}.1")));
    assert!(wanted.len() > 23, "{wanted:?}");
    for file in wanted {
        assert!(installed.contains(&file), "{file} is missing in {installed:#?}");
    }
    let unknown = |file: &&String| {
        let known = ["share/doc/commloom/", "share/man/man1/commloom"];
        file.contains("commloom-install.") || !known.iter().any(|k| file.starts_with(k))
    };
    assert_eq!(installed.iter().filter(unknown).count(), 16, "nothing else: {installed:#?}");
    // A second time, over the first; a file that an earlier version had goes away.
    let list = prefix.join("share/commloom/installed-files");
    let old = std::fs::read_to_string(&list).expect("a list") + "share/old/file\n";
    std::fs::create_dir_all(prefix.join("share/old")).expect("a folder");
    std::fs::write(prefix.join("share/old/file"), "old").expect("a file");
    std::fs::write(&list, old).expect("a file");
    succeeds(&mut script("/opt/my commloom", &destdir, &[]));
    assert_eq!(files(&prefix), installed);

    // What is not commloom's stays.
    std::fs::write(prefix.join("share/other"), "other").expect("a file");
    succeeds(&mut script("/opt/my commloom", &destdir, &["--uninstall"]));
    assert_eq!(files(&prefix), BTreeSet::from(["share/other".to_owned()]));
    let folders = std::fs::read_dir(&prefix).expect("a folder").count();
    assert_eq!(folders, 1, "no empty folders are left");
    let again = script("/opt/my commloom", &destdir, &["--uninstall"]).output().expect("bash");
    assert!(!again.status.success());
    assert!(String::from_utf8_lossy(&again.stderr).contains("is not installed"));
}

#[test]
fn a_relative_prefix_and_a_missing_build_are_refused() {
    let destdir = folder("refused");
    let output = script("opt", &destdir, &[]).output().expect("bash");
    assert!(String::from_utf8_lossy(&output.stderr).contains("PREFIX must be an absolute path"));
    let output = script("/opt", &destdir, &[]).env("BUILD", &destdir).output().expect("bash");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && err.contains("commloom is missing: 'make build'"), "{err}");
    assert_eq!(files(&destdir), BTreeSet::new());
}

/// Sends a vector from the process to itself, many times.
const PROGRAM: &str = "#include <mpi.h>\n#include <stdio.h>\n
int main(int argc, char **argv) {
    int data[400] = {0}, got[400] = {0};
    MPI_Datatype type;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(100, 2, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 50; i++) {
        data[4] = i;
        MPI_Irecv(got, 1, type, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(data, 1, type, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf(\"%d\\n\", got[4]);
    MPI_Finalize();
    return 0;
}
";

#[test]
fn what_is_installed_works_wherever_it_is_moved_to() {
    let dir = folder("moved");
    let first = dir.join("first");
    succeeds(&mut script(first.to_str().expect("UTF-8"), Path::new(""), &[]));
    let second = dir.join("second/place");
    std::fs::create_dir_all(dir.join("second")).expect("a folder");
    std::fs::rename(&first, &second).expect("moved");
    std::fs::write(dir.join("main.c"), PROGRAM).expect("a file");
    for mpi in Mpi::installed() {
        mpi.compile("mpicc", &["main.c", "-o", mpi.name], &dir);
        let mut command = mpi.single(&second.join("bin/commloom"));
        command.args(["exec", "--report", "-", "--"]).arg(dir.join(mpi.name));
        command.env("COMMLOOM_FORCE", "pack").env_remove("COMMLOOM_LIBDIR");
        let output = succeeds(&mut command);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "49\n", "{}", mpi.name);
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(report.contains("commloom report: 1 ranks"), "{}: {report}", mpi.name);
        assert!(report.contains("vec(100, 16, vec(2, 4, MPI_INT))"), "{}: {report}", mpi.name);
    }
    modules(&second);
    graphs(&second, &dir);
}

/// A program with communication graphs, built as pkg-config says, against the shared and the
/// static library.
fn graphs(prefix: &Path, dir: &Path) {
    if in_path("pkg-config").is_none() {
        commloom_testkit::skipped("there is no pkg-config");
        return;
    }
    let source = root().join("examples/cdag/ft.c");
    let source = source.to_str().expect("UTF-8");
    for (options, rpath) in
        [(&["--cflags", "--libs"][..], true), (&["--static", "--cflags", "--libs"], false)]
    {
        let mut ask = Command::new("pkg-config");
        ask.args(options).arg("commloom").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
        let flags = String::from_utf8_lossy(&succeeds(&mut ask).stdout).into_owned();
        let path = format!("-Wl,-rpath,{}", prefix.join("lib").display());
        let archive = prefix.join("lib/libcommloom.a").display().to_string();
        let flags: Vec<&str> = flags
            .split_whitespace()
            .map(|flag| if flag == "-lcommloom" && !rpath { &archive } else { flag })
            .collect();
        for mpi in Mpi::installed() {
            let program = format!("ft-{}", mpi.name);
            let arguments = [&["-w", source, "-o", &program, &path][..], &flags].concat();
            mpi.compile("mpicc", &arguments, dir);
            let output = succeeds(&mut mpi.single(&dir.join(&program)));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.starts_with("SAME ft, 1 ranks"), "{}: {text}", mpi.name);
        }
    }
}

/// The module file leads to where it lies.
fn modules(prefix: &Path) {
    let command = ["/usr/lib/x86_64-linux-gnu/modulecmd.tcl", "/usr/lib64/modulecmd.tcl"]
        .into_iter()
        .map(PathBuf::from)
        .find(|path| path.is_file())
        .or_else(|| in_path("modulecmd.tcl"));
    let Some(command) = command else {
        commloom_testkit::skipped("there are no Environment Modules");
        return;
    };
    let mut load = Command::new(command);
    load.args(["sh", "load", "commloom"])
        .env("MODULEPATH", prefix.join("share/commloom/modulefiles"))
        .env_remove("LOADEDMODULES");
    let shown = String::from_utf8_lossy(&succeeds(&mut load).stdout).into_owned();
    let bin = format!("PATH='{}", prefix.join("bin").display());
    assert!(shown.contains(&bin) || shown.contains(&bin.replace('\'', "")), "{shown}");
}

/// Shells accept the completions.
#[test]
fn completions_are_programs_of_their_shells() {
    let dir = folder("completions");
    for shell in ["bash", "zsh", "fish"] {
        let script = common::output(&["completions", shell], "");
        assert!(script.contains("reconstruct"), "{shell}");
        let Some(program) = in_path(shell) else {
            commloom_testkit::skipped(&format!("there is no {shell}"));
            continue;
        };
        let file = dir.join(shell);
        std::fs::write(&file, script).expect("a file");
        succeeds(Command::new(program).arg("-n").arg(file));
    }
}
