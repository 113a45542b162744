//! `commloom exec`: what it sets, what it refuses, whose exit status it has.
//!
//! The preloads of these tests are empty shared libraries, so that they need no other crate; they
//! are compiled here where there is a C compiler.

mod common;
#[path = "common/mpi.rs"]
mod mpi;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Done, commloom, done};
use mpi::{Mpi, in_path};

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exec").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    dir
}

/// A folder with a preload for every ABI, or `None` (said on standard error) without a C compiler.
fn preloads(dir: &Path) -> Option<PathBuf> {
    let cc = compiler()?;
    let libdir = dir.join("lib");
    std::fs::create_dir_all(&libdir).unwrap();
    std::fs::write(dir.join("empty.c"), "int commloom_test_preload = 1;\n").unwrap();
    for abi in ["mpich", "openmpi", "abi"] {
        let library = libdir.join(format!("libcommloom_{abi}.so"));
        compile(&cc, &["-shared", "-fPIC", "empty.c", "-o", library.to_str().unwrap()], dir);
    }
    Some(libdir)
}

fn compiler() -> Option<PathBuf> {
    let found = in_path("cc").or_else(|| in_path("gcc"));
    if found.is_none() {
        commloom_testkit::skipped("there is no C compiler");
    }
    found
}

fn compile(cc: &Path, args: &[&str], dir: &Path) {
    let output = Command::new(cc).args(args).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A file that is a script and can be executed.
fn script(file: &Path, text: &str) -> String {
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn run(command: &mut Command) -> Done {
    done(&command.output().expect("the binary was built"))
}

fn refused(args: &[&str], message: &str) {
    let done = run(&mut commloom(args));
    assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{args:?}");
    assert!(done.err.starts_with("error: ") && done.err.contains(message), "{}", done.err);
}

#[test]
fn preload_and_settings_reach_the_program_and_its_exit_status_comes_back() {
    let dir = folder("settings");
    let Some(libdir) = preloads(&dir) else { return };
    let program = script(
        &dir.join("program"),
        "#!/bin/sh\necho \"$LD_PRELOAD|$COMMLOOM_REPORT|$COMMLOOM_OFF|$*\"\nexit 7\n",
    );
    let mut command = commloom(&["exec", "--mpi", "openmpi", "--report", "r.txt", "--off", "pack"]);
    command.args(["--", &program, "a b", "--report"]).current_dir(&dir);
    let done = run(command.env("COMMLOOM_LIBDIR", &libdir));
    let preload = libdir.join("libcommloom_openmpi.so").canonicalize().unwrap();
    let report = std::path::absolute(dir.join("r.txt")).unwrap();
    let expected = format!("{}|{}|pack|a b --report\n", preload.display(), report.display());
    assert_eq!(done, Done { status: Some(7), out: expected, err: String::new() });
}

#[test]
fn what_is_preloaded_already_stays_and_parts_are_listed() {
    let dir = folder("prepend");
    let Some(libdir) = preloads(&dir) else { return };
    let program = script(&dir.join("program"), "#!/bin/sh\necho \"$LD_PRELOAD|$COMMLOOM_OFF\"\n");
    let other = libdir.join("libcommloom_abi.so");
    let mut command = commloom(&["exec", "--mpi", "mpich", "--off", "pack,types", "--", &program]);
    command.env("COMMLOOM_LIBDIR", &libdir).env("LD_PRELOAD", &other);
    let done = run(&mut command);
    let preload = libdir.join("libcommloom_mpich.so").canonicalize().unwrap();
    let expected = format!("{}:{}|types,pack\n", preload.display(), other.display());
    assert_eq!(done, Done { status: Some(0), out: expected, err: String::new() });
}

#[test]
fn a_signal_ends_the_program_itself() {
    let dir = folder("signal");
    let Some(libdir) = preloads(&dir) else { return };
    let program = script(&dir.join("program"), "#!/bin/sh\nkill -9 $$\n");
    let mut command = commloom(&["exec", "--mpi", "mpich", "--", &program]);
    let done = run(command.env("COMMLOOM_LIBDIR", &libdir));
    assert_eq!(done.status, None, "killed, not exited: {}", done.err);
}

#[test]
fn the_mpi_of_a_program_is_found_in_its_libraries_and_in_those_behind_them() {
    for mpi in Mpi::installed() {
        let dir = folder(&format!("detect-{}", mpi.name));
        let Some(libdir) = preloads(&dir) else { return };
        let report = "#include <stdio.h>\n#include <stdlib.h>\n#include <mpi.h>\n\
                      int version(void) { int v, s; return MPI_Get_version(&v, &s) + v; }\n";
        std::fs::write(dir.join("behind.c"), report).unwrap();
        let main = "#include <stdio.h>\n#include <stdlib.h>\nint version(void);\n\
                    int main(void) { puts(getenv(\"LD_PRELOAD\")); return version() < 3; }\n";
        std::fs::write(dir.join("main.c"), main).unwrap();
        mpi.compile("mpicc", &["main.c", "behind.c", "-o", "direct"], &dir);
        mpi.compile("mpicc", &["-shared", "-fPIC", "behind.c", "-o", "libbehind.so"], &dir);
        let cc = compiler().expect("mpicc found one");
        let dir_flag = format!("-L{}", dir.display());
        let rpath = format!("-Wl,-rpath,{}", dir.display());
        let args = ["main.c", "-o", "indirect", &dir_flag, "-lbehind", &rpath];
        compile(&cc, &args, &dir);

        let preload = libdir.join(format!("libcommloom_{}.so", mpi.name)).canonicalize().unwrap();
        for program in ["direct", "indirect"] {
            let program = dir.join(program);
            let mut command = commloom(&["exec", "--", program.to_str().unwrap()]);
            let done = run(command.env("COMMLOOM_LIBDIR", &libdir));
            let out = format!("{}\n", preload.display());
            assert_eq!(done, Done { status: Some(0), out, err: String::new() }, "{program:?}");
        }
    }
}

#[test]
fn two_mpi_libraries_at_once_are_refused() {
    let dir = folder("two");
    let Some(cc) = compiler() else { return };
    std::fs::write(dir.join("a.c"), "int a(void) { return 1; }\n").unwrap();
    std::fs::write(dir.join("b.c"), "int b(void) { return 1; }\n").unwrap();
    let main = "int a(void); int b(void); int main(void) { return a() - b(); }\n";
    std::fs::write(dir.join("main.c"), main).unwrap();
    for (source, soname) in [("a.c", "libmpi.so.40"), ("b.c", "libmpi_abi.so.1")] {
        let flag = format!("-Wl,-soname,{soname}");
        compile(&cc, &["-shared", "-fPIC", source, &flag, "-o", soname], &dir);
    }
    let rpath = format!("-Wl,-rpath,{}", dir.display());
    let args = ["main.c", "libmpi.so.40", "libmpi_abi.so.1", "-o", "both", &rpath];
    compile(&cc, &args, &dir);
    let both = dir.join("both");
    refused(
        &["exec", "--", both.to_str().unwrap()],
        "loads several MPI libraries: libmpi.so.40 (openmpi), libmpi_abi.so.1 (abi); choose one \
         with --mpi",
    );
}

#[test]
fn a_preload_for_another_mpi_than_that_of_the_program_is_refused() {
    for mpi in Mpi::installed() {
        let dir = folder(&format!("mismatch-{}", mpi.name));
        let main = "#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n";
        std::fs::write(dir.join("main.c"), main).unwrap();
        mpi.compile("mpicc", &["main.c", "-o", "program"], &dir);
        let program = dir.join("program");
        let other = if mpi.name == "mpich" { "openmpi" } else { "mpich" };
        let message = format!("is linked with an MPI library of the kind `{}`", mpi.name);
        refused(&["exec", "--mpi", other, "--", program.to_str().unwrap()], &message);
    }
}

#[test]
fn programs_without_mpi_are_refused() {
    let dir = folder("none");
    let Some(cc) = compiler() else { return };
    std::fs::write(dir.join("main.c"), "int main(void) { return 0; }\n").unwrap();
    compile(&cc, &["main.c", "-o", "plain"], &dir);
    let plain = dir.join("plain");
    refused(&["exec", "--", plain.to_str().unwrap()], "is linked with no MPI library");
    symlink(&plain, dir.join("mpirun")).unwrap();
    let launcher = dir.join("mpirun");
    refused(
        &["exec", "--", launcher.to_str().unwrap(), "-n", "2", "./app"],
        "write `mpirun ... commloom exec -- PROGRAM`",
    );
}

#[test]
fn programs_that_load_mpi_later_get_the_preload_of_their_launcher() {
    let dir = folder("later");
    let Some(libdir) = preloads(&dir) else { return };
    let shown = script(&dir.join("app.sh"), "#!/bin/sh\necho \"$LD_PRELOAD\"\n");
    let python = script(&dir.join("python3"), "#!/bin/sh\necho \"$LD_PRELOAD\"\n");
    let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "1")];
    let prrte = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")];
    let slurm = [("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")];
    let start = |program: &str, variables: [(&str, &str); 2]| {
        let mut command = commloom(&["exec", "--", program]);
        run(command.envs(variables).env("COMMLOOM_LIBDIR", &libdir))
    };
    for program in [&shown, &python] {
        assert_eq!(file_name(&start(program, hydra).out), "libcommloom_mpich.so");
        assert_eq!(file_name(&start(program, prrte).out), "libcommloom_openmpi.so");
        // Slurm starts programs of all libraries.
        assert_eq!(start(program, slurm).status, Some(2));
    }
}

/// The last part of a path on a line.
fn file_name(line: &str) -> &str {
    line.trim().rsplit('/').next().unwrap_or_default()
}

#[test]
fn static_programs_and_scripts_are_refused_with_what_to_do() {
    let dir = folder("static");
    let text = script(&dir.join("run.py"), "#!/usr/bin/env python3\nprint(1)\n");
    refused(
        &["exec", "--", &text],
        "is a script (for /usr/bin/env python3), so its MPI library cannot be told from it; say \
         which with --mpi mpich|openmpi|abi",
    );
    let odd = script(&dir.join("odd"), "not a program");
    refused(&["exec", "--", &odd], "is not an ELF program");
    let Some(cc) = compiler() else { return };
    std::fs::write(dir.join("main.c"), "int main(void) { return 0; }\n").unwrap();
    compile(&cc, &["-static", "main.c", "-o", "static"], &dir);
    let program = dir.join("static");
    refused(
        &["exec", "--", program.to_str().unwrap()],
        "is statically linked: no library can be put in front of its MPI",
    );
    refused(
        &["exec", "--mpi", "mpich", "--", program.to_str().unwrap()],
        "is statically linked: no library can be put in front of its MPI",
    );
}

#[test]
fn programs_that_are_not_there_or_not_executable_are_refused() {
    let dir = folder("missing");
    refused(
        &["exec", "--", "no-such-program-here"],
        "program not found: no `no-such-program-here` in PATH",
    );
    refused(&["exec", "--", "./no/such"], "program not found: there is no file ./no/such");
    refused(&["exec", "--", dir.to_str().unwrap()], "is not executable: it is a directory");
    std::fs::write(dir.join("data"), "x").unwrap();
    let data = dir.join("data");
    refused(
        &["exec", "--", data.to_str().unwrap()],
        "is not executable: it has no execute permission",
    );
    script(&dir.join("here"), "#!/bin/sh\n");
    let done = run(commloom(&["exec", "--", "here"]).current_dir(&dir));
    assert!(done.err.contains("for the file in this directory write ./here"), "{}", done.err);
    assert_eq!(run(&mut commloom(&["exec", "--"])).status, Some(2));
}

#[test]
fn a_missing_preload_is_refused_with_the_places_looked_at() {
    let dir = folder("preload");
    let program = script(&dir.join("program"), "#!/bin/sh\n");
    let mut command = commloom(&["exec", "--mpi", "abi", "--", &program]);
    let done = run(command.env("COMMLOOM_LIBDIR", &dir));
    let expected = format!(
        "error: the preload for abi is missing; looked for\n  {}/libcommloom_abi.so\n\
         set COMMLOOM_LIBDIR to the folder that holds libcommloom_abi.so\n",
        dir.display()
    );
    assert_eq!(done, Done { status: Some(2), out: String::new(), err: expected });

    // Without the variable: beside the executable and in ../lib/commloom.
    let bin = dir.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_commloom"), bin.join("commloom")).unwrap();
    let installed = || {
        let mut command = Command::new(bin.join("commloom"));
        command.args(["exec", "--mpi", "abi", "--", &program]).env_remove("COMMLOOM_LIBDIR");
        run(&mut command)
    };
    let done = installed();
    assert!(done.err.contains("bin/libcommloom_abi.so"), "{}", done.err);
    assert!(done.err.contains("bin/../lib/commloom/libcommloom_abi.so"), "{}", done.err);
    let Some(made) = preloads(&dir) else { return };
    let lib = dir.join("lib/commloom");
    std::fs::create_dir_all(&lib).unwrap();
    std::fs::copy(made.join("libcommloom_abi.so"), lib.join("libcommloom_abi.so")).unwrap();
    assert_eq!(installed().status, Some(0));
}

/// The head of an ELF file for x86 with 32 bits: the loader would leave out a preload with 64.
#[test]
fn programs_for_another_machine_are_refused() {
    let dir = folder("machine");
    let mut head = vec![0; 52];
    head[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    // An executable (2), for the 386 (3), version 1; a head of 52 bytes.
    for (at, value) in [(16, 2), (18, 3), (20, 1), (40, 52)] {
        head[at] = value;
    }
    let file = dir.join("program");
    std::fs::write(&file, head).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = file.to_str().unwrap();
    for args in [&["exec", "--", program][..], &["exec", "--mpi", "mpich", "--", program]] {
        refused(args, "is no program for 64-bit x86");
    }
}

/// A program that leaves a file where it starts.
fn started(dir: &Path) -> (String, PathBuf) {
    let mark = dir.join("started");
    let text = format!("#!/bin/sh\n: > {}\nexit 7\n", mark.display());
    (script(&dir.join("program"), &text), mark)
}

#[test]
fn settings_that_cannot_be_meant_are_refused_before_the_program_starts() {
    let dir = folder("refused");
    let Some(libdir) = preloads(&dir) else { return };
    let (program, mark) = started(&dir);
    let run_with = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = commloom(&["exec", "--mpi", "mpich"]);
        command.args(args).args(["--", &program]).current_dir(&dir);
        run(command.env("COMMLOOM_LIBDIR", &libdir).envs(variables.iter().copied()))
    };
    std::fs::write(dir.join("table"), "nothing").unwrap();
    let number = "a whole number of microseconds";
    let words =
        "one or more of types, pack, files, windows, history, regions, all, separated by commas";
    for (name, value, expected) in [
        ("COMMLOOM", "of", "is `of`; allowed: on or off".to_owned()),
        ("COMMLOOM_WARMUP", "abc", format!("is `abc`; allowed: {number}")),
        ("COMMLOOM_OFF", "packs", format!("is `packs`; allowed: {words}")),
        ("COMMLOOM_FORCE", "all", "is `all`; allowed: pack, types or mixed".to_owned()),
        ("COMMLOOM_REPLACE", "yes", "is `yes`; allowed: faster or always".to_owned()),
        ("COMMLOOM_REPLACE_PATIENCE", "1ms", format!("is `1ms`; allowed: {number}")),
        ("COMMLOOM_TRACE_LIMIT", "-1", "is `-1`; allowed: a whole number of bytes".to_owned()),
        ("COMMLOOM_MODEL", "none", "cannot read none (COMMLOOM_MODEL): No such file".to_owned()),
        ("COMMLOOM_MODEL", "table", "table (COMMLOOM_MODEL): line 1".to_owned()),
        ("COMMLOOM_MODEL", "/dev/zero", "(COMMLOOM_MODEL): it is no regular file".to_owned()),
        ("COMMLOOM_TRACE", "none", "cannot write the trace to none: No such file".to_owned()),
        ("COMMLOOM_REPORT", ".", "cannot write the report to .: is a directory".to_owned()),
    ] {
        let done = run_with(&[], &[(name, value)]);
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{name}={value}: {}", done.err);
        assert!(done.err.starts_with("error: ") && done.err.contains(&expected), "{}", done.err);
        assert!(done.err.contains(name) || done.err.contains(value), "{}", done.err);
        assert!(!mark.exists(), "{name}={value} was refused");
    }
    // All of them at once are all named.
    let both =
        run_with(&[], &[("COMMLOOM", "of"), ("COMMLOOM_FORCE", "x"), ("COMMLOOM_WARMUP", "0")]);
    assert_eq!(both.err.matches("; allowed: ").count(), 2, "{}", both.err);

    std::fs::write(dir.join("old"), "of yesterday").unwrap();
    symlink("no/such/place", dir.join("link")).unwrap();
    for place in ["no/such/folder/r.html", "/proc/r.html", ".", "link"] {
        let done = run_with(&["--report", place], &[]);
        assert_eq!(done.status, Some(2), "{place}");
        assert!(done.err.contains("cannot write the report to"), "{}", done.err);
        assert!(!mark.exists());
    }
    for place in ["old", "new.html", "-", "/dev/null"] {
        let done = run_with(&["--report", place], &[]);
        let expected = Done { status: Some(7), out: String::new(), err: String::new() };
        assert_eq!(done, expected, "{place}: the program started");
    }
    assert_eq!(std::fs::read_to_string(dir.join("old")).unwrap(), "of yesterday");
    assert!(!dir.join("new.html").exists(), "nothing is left of the trial");
}

#[test]
fn variables_that_nobody_reads_are_named_once_and_the_program_starts() {
    let dir = folder("unknown");
    let Some(libdir) = preloads(&dir) else { return };
    let program = script(&dir.join("program"), "#!/bin/sh\necho \"$COMMLOOM_TOLD\"\n");
    for (rank, expected) in [
        (
            "0",
            "warning: COMMLOOM_REPROT is no setting of commloom and has no effect; is \
             COMMLOOM_REPORT meant?\n",
        ),
        ("1", ""),
    ] {
        let mut command = commloom(&["exec", "--mpi", "mpich", "--", &program]);
        command.env("COMMLOOM_LIBDIR", &libdir).env("COMMLOOM_REPROT", "r.html");
        let done = run(command.env("PMI_RANK", rank).env("PMI_SIZE", "2"));
        let out = "COMMLOOM_REPROT\n".to_owned();
        assert_eq!(done, Done { status: Some(0), out, err: expected.to_owned() });
    }
}

#[test]
fn what_all_ranks_have_to_say_is_said_once() {
    for mpi in Mpi::installed() {
        let dir = folder(&format!("once-{}", mpi.name));
        let Some(libdir) = preloads(&dir) else { return };
        let (program, mark) = started(&dir);
        let ours = env!("CARGO_BIN_EXE_commloom");
        let mpiexec = |args: &[&str]| {
            let mut command = mpi.single(&mpi.command("mpiexec").expect("beside the compiler"));
            run(command.args(args).env("COMMLOOM_LIBDIR", &libdir).current_dir(&dir))
        };
        for (options, expected) in [
            (vec!["--report", "no/such/r.html"], "cannot write the report to"),
            (vec!["--ofd"], "unexpected argument"),
        ] {
            let exec =
                [&["-n", "4", ours, "exec", "--mpi", "mpich"], &options[..], &["--", &program]];
            let done = mpiexec(&exec.concat());
            assert_eq!(done.err.matches(expected).count(), 1, "{}: {}", mpi.name, done.err);
            assert_eq!(done.status, Some(2), "{}: {}", mpi.name, done.err);
        }
        let done = mpiexec(&["-n", "4", ours, "exec", "--mpi", "mpich", "--", "./none"]);
        assert_eq!(done.err.matches("program not found").count(), 1, "{}: {}", mpi.name, done.err);
        // What one of them has alone, that one says, and the job ends.
        let long = script(&dir.join("long"), "#!/bin/sh\nexec sleep 100000\n");
        let fine = ["-n", "1", ours, "exec", "--mpi", "mpich", "--", &long, ":"];
        let other = ["-n", "1", ours, "exec", "--mpi", "mpich", "--", "./b"];
        let done = mpiexec(&[&fine[..], &other].concat());
        let said = done.err.matches("there is no file ./b").count();
        assert!(said == 1 && done.status != Some(0), "{}: {}", mpi.name, done.err);
        assert!(!mark.exists());
    }
}
