//! `commloom exec`: runs a program with the preload for its MPI.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::launch::{Abi, abi_of, check_dynamic, find_preload, find_program};

/// Run an MPI program, unchanged, with commloom's datatypes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write one report of all ranks to FILE when the program finalizes MPI: a web page where its name
    /// ends in .html, JSON for .json, otherwise text (`-`: text to standard error)
    #[arg(long, value_name = "FILE|-")]
    report: Option<OsString>,
    /// Leave parts of the work to the MPI library
    #[arg(long, value_enum, value_delimiter = ',')]
    off: Vec<Part>,
    /// The MPI of the program, where its own libraries do not tell
    #[arg(long, value_enum)]
    mpi: Option<Abi>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    program: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Normalized types
    Types,
    /// The pack engine
    Pack,
    /// Everything: the program runs as without commloom
    All,
}

const EXAMPLES: &str = "\
Put it between mpirun and the program, so that every process is started by it. The program's exit
status, signals and standard streams are its own.

Examples:
  mpirun -n 4 commloom exec -- ./halo 100
  mpirun -n 4 commloom exec --report halo.html -- ./halo 100
  mpirun -n 4 commloom exec --mpi openmpi -- python3 app.py
  mpirun -n 4 commloom exec --off pack -- ./halo 100

Environment: COMMLOOM_LIBDIR is the folder of the preloads; without it they are looked for beside
commloom and in ../lib/commloom.";

/// Runs the command; returns only where the program could not be started.
pub fn run(args: Args) -> Result<(), Failure> {
    let (name, arguments) = args.program.split_first().expect("clap requires a program");
    let path = env::var_os("PATH").unwrap_or_default();
    let program = find_program(name, &path)?;
    let abi = match args.mpi {
        Some(abi) => {
            check_dynamic(&program)?;
            agreed(abi, &program)?
        }
        None => abi_of(&program)?,
    };
    let executable = env::current_exe().map_err(|error| Failure::File {
        doing: "find",
        name: "the executable of commloom".to_owned(),
        error,
    })?;
    let preload = find_preload(abi, &executable, env::var_os("COMMLOOM_LIBDIR").as_deref())?;

    let mut command = Command::new(&program);
    command.arg0(name).args(arguments).env("LD_PRELOAD", prepended(&preload)?);
    if let Some(report) = &args.report {
        command.env("COMMLOOM_REPORT", from_anywhere(report));
    }
    if !args.off.is_empty() {
        command.env("COMMLOOM_OFF", off(&args.off));
    }
    let error = command.exec();
    Err(Failure::File { doing: "start", name: program.display().to_string(), error })
}

/// The ABI that the user says, unless the program is linked with a library of another one. Programs that
/// tell nothing (scripts, Python) are believed to be what the user says.
fn agreed(said: Abi, program: &Path) -> Result<Abi, Failure> {
    match abi_of(program) {
        Ok(found) if found != said => Err(Failure::message(format!(
            "{} is linked with an MPI library of the kind `{found}`, so the preload for `{said}` cannot \
             work in it; leave out --mpi, or say --mpi {found}",
            program.display()
        ))),
        Ok(_) | Err(_) => Ok(said),
    }
}

/// The preload, before what is preloaded already. The loader splits the list at spaces and colons
/// and knows no way to quote them.
fn prepended(preload: &Path) -> Result<OsString, Failure> {
    let separates = |b: &u8| matches!(b, b' ' | b':' | b'\t' | b'\n');
    if preload.as_os_str().as_encoded_bytes().iter().any(separates) {
        return Err(Failure::message(format!(
            "{} cannot be preloaded: the loader takes no path with a space or colon; set \
             COMMLOOM_LIBDIR to a folder without",
            preload.display()
        )));
    }
    let mut list = preload.as_os_str().to_owned();
    if let Some(before) = env::var_os("LD_PRELOAD").filter(|v| !v.is_empty()) {
        list.push(":");
        list.push(before);
    }
    Ok(list)
}

/// The report file as an absolute path: the program may change its directory.
fn from_anywhere(report: &OsStr) -> OsString {
    if report == "-" {
        return report.to_owned();
    }
    std::path::absolute(report).map_or_else(|_| report.to_owned(), Into::into)
}

fn off(parts: &[Part]) -> &'static str {
    let has = |part| parts.contains(&part);
    match (has(Part::All), has(Part::Types), has(Part::Pack)) {
        (true, _, _) => "all",
        (false, true, true) => "types,pack",
        (false, true, false) => "types",
        (false, false, true) => "pack",
        (false, false, false) => "",
    }
}
