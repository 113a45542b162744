//! Calls every MPI library that can be found. This binary is two things: the test, and the MPI
//! program that the test runs, alone and under `mpiexec`.

mod common;
mod program;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use commloom_testkit::ranks::{in_front, on_one_machine};

/// Tells where the MPI library of a compiler lies.
const WHERE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(void) {
    char text[8192];
    int length;
    Dl_info info;
    MPI_Get_library_version(text, &length);
    if (!dladdr(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"), &info)) return 1;
    puts(info.dli_fname);
    return 0;
}
"#;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(program::FLAG) => program::main(&arguments[2..]),
        Some("--list") => ExitCode::SUCCESS,
        _ => drive(),
    }
}

/// One way to run the program.
struct Way {
    name: &'static str,
    ranks: Option<&'static str>,
    mode: program::Mode,
    environment: &'static [(&'static str, &'static str)],
}

/// For two ranks. MPICH copies between processes where it may, from fewer bytes on than it does by
/// default.
const NEAR: [(&str, &str); 1] = [("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "1000")];
/// Messages between two ranks go as between two nodes: for MPICH, Intel MPI, and Open MPI.
const FAR: [(&str, &str); 4] = [
    ("MPIR_CVAR_NOLOCAL", "1"),
    ("I_MPI_FABRICS", "ofi"),
    ("OMPI_MCA_pml", "ob1"),
    ("OMPI_MCA_btl", "self,tcp"),
];
/// Where many random messages are asked for, nothing else is done.
const CAMPAIGN: &str = "COMMLOOM_MESSAGES";

const WAYS: [Way; 5] = [
    Way { name: "alone", ranks: None, mode: program::Mode::Open, environment: &[] },
    Way { name: "two ranks", ranks: Some("2"), mode: program::Mode::Open, environment: &NEAR },
    Way { name: "far apart", ranks: Some("2"), mode: program::Mode::Messages, environment: &FAR },
    Way { name: "opened locally", ranks: None, mode: program::Mode::Local, environment: &[] },
    Way { name: "linked", ranks: None, mode: program::Mode::Linked, environment: &[] },
];

fn drive() -> ExitCode {
    let compilers = common::compilers();
    if compilers.is_empty() {
        common::skip("libraries", "no mpicc on PATH, in .venv*/bin or in COMMLOOM_MPICC");
        return ExitCode::SUCCESS;
    }
    let mut failed = false;
    let mut seen: Vec<PathBuf> = Vec::new();
    for (i, compiler) in compilers.iter().enumerate() {
        let library = library_of(compiler, &common::scratch(&format!("libraries_{i}")));
        if seen.contains(&library) {
            continue;
        }
        seen.push(library.clone());
        println!("{} -> {}", compiler.display(), library.display());
        let campaign = std::env::var_os(CAMPAIGN).is_some();
        for way in WAYS.iter().filter(|way| !campaign || way.ranks.is_some()) {
            let Some(mut command) = command(compiler, &library, way) else {
                println!("  {}: no mpiexec beside {}", way.name, compiler.display());
                continue;
            };
            let output = command.output().expect("mpiexec and this program can be run");
            let stdout = String::from_utf8_lossy(&output.stdout);
            if output.status.success() && stdout.contains(program::PASSED) {
                for line in stdout.lines().filter(|l| !l.is_empty()) {
                    println!("  {}: {line}", way.name);
                }
            } else {
                failed = true;
                println!("  {}: FAILED ({})", way.name, output.status);
                println!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The MPI library that programs of this compiler are linked to.
fn library_of(compiler: &Path, folder: &Path) -> PathBuf {
    let (source, binary) = (folder.join("where.c"), folder.join("where"));
    fs::write(&source, WHERE).expect("writable");
    common::compile(compiler, &source, &binary, &["-ldl"])
        .unwrap_or_else(|e| panic!("{} cannot link: {e}", compiler.display()));
    let path = common::run(&binary);
    fs::canonicalize(path.trim()).expect("the dynamic linker found it")
}

/// The command that runs this binary as an MPI program. Where ranks are asked for and the compiler
/// has no `mpiexec` beside it, there is none.
fn command(compiler: &Path, library: &Path, way: &Way) -> Option<Command> {
    let this = std::env::current_exe().expect("a running program has a file");
    let mut command = match way.ranks {
        None => Command::new(this),
        Some(ranks) => {
            let mut command = Command::new(mpiexec_of(compiler)?);
            command.args(["-n", ranks]).arg(this);
            command
        }
    };
    command.arg(program::FLAG).arg(way.mode.name()).arg(library);
    on_one_machine(&mut command);
    command.envs(way.environment.iter().copied());
    if way.mode == program::Mode::Linked {
        command.env("LD_PRELOAD", in_front(library));
    }
    Some(command)
}

/// `mpiexec` for `mpicc`, `mpiexec.mpich` for `mpicc.mpich`.
fn mpiexec_of(compiler: &Path) -> Option<PathBuf> {
    let name = compiler.file_name().and_then(OsStr::to_str)?;
    let name = name.replace("mpicc", "mpiexec").replace("_abi", "");
    let path = compiler.with_file_name(name);
    path.is_file().then_some(path)
}
