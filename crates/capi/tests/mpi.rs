//! The C examples, compiled with every MPI library found and run on several ranks: schedules leave
//! the same memory as plain messages.

#[allow(dead_code)] // It has more than is needed here.
#[path = "../../mpi/tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use commloom_testkit::ranks::on_one_machine;

/// Programs, and on how many ranks they run.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("ft", &["2", "3", "4", "8"]),
    ("allreduce", &["2", "3", "4", "5", "6", "7", "8"]),
    ("errors", &["3"]),
];

fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The shared library that cargo has built for this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.parent().expect("a folder").join("libcommloom.so")
}

/// Compiles an example against the shared library, under the name that it is looked for by.
fn compile(compiler: &Path, name: &str, place: &Path) -> PathBuf {
    let (source, program) =
        (folder("../../examples/cdag").join(name).with_extension("c"), place.join(name));
    let output = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow", "-O1", "-I"])
        .arg(folder("include"))
        .arg("-o")
        .args([&program, &source, &place.join("libcommloom.so.0")])
        .arg("-Wl,-rpath,$ORIGIN")
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Runs a program on so many ranks.
fn run(compiler: &Path, program: &Path, ranks: &str) -> String {
    let mpiexec =
        compiler.to_string_lossy().replace("mpicc_abi", "mpiexec").replace("mpicc", "mpiexec");
    let output = on_one_machine(&mut Command::new(&mpiexec))
        .args(["-n", ranks])
        .arg(program)
        .output()
        .expect("mpiexec runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (name, error) = (program.display(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name} on {ranks} ranks:\n{text}\n{error}");
    text
}

/// The patterns, and the calls that they must become.
const CALLS: [(&str, &str); 7] = [
    ("ft", "alltoall"),
    ("linear-broadcast", "bcast"),
    ("reflin", "allreduce"),
    ("reflog", "allreduce"),
    ("caftut", "allreduce"),
    ("nas", "allreduce"),
    ("transpose", "alltoall"),
];

fn check(name: &str, ranks: &str, text: &str) {
    assert!(!text.contains("DIFFERENT") && !text.contains("WRONG"), "{name} on {ranks}: {text}");
    for line in text.lines().filter(|line| line.starts_with("SAME ")) {
        let pattern = line[5..].split(',').next().expect("a name");
        let (_, call) = CALLS.iter().find(|(p, _)| *p == pattern).expect("a known pattern");
        assert!(line.contains(&format!("calls: {call};")), "{name} on {ranks}: {line}");
    }
}

#[test]
fn the_c_examples_do_what_their_plain_messages_do() {
    let mut compilers = common::compilers();
    // On Debian, `mpicc` is one of the others.
    let has_others = |folder: Option<&Path>| folder.is_some_and(|f| f.join("mpicc.mpich").exists());
    compilers.retain(|compiler| !compiler.ends_with("mpicc") || !has_others(compiler.parent()));
    if compilers.is_empty() {
        common::skip("mpi", "no mpicc on PATH, in .venv*/bin or in COMMLOOM_MPICC");
        return;
    }
    for (i, compiler) in compilers.iter().enumerate() {
        let place = common::scratch(&format!("capi_{i}"));
        std::fs::copy(library(), place.join("libcommloom.so.0")).expect("the library was built");
        for (name, ranks) in PROGRAMS {
            let program = compile(compiler, name, &place);
            for ranks in ranks {
                check(name, ranks, &run(compiler, &program, ranks));
            }
        }
        println!("{}: {PROGRAMS:?}", compiler.display());
    }
}
