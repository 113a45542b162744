//! `commloom exec`: runs a program with the preload for its MPI.

use std::ffi::{OsStr, OsString};

use clap::ValueEnum;

use commloom_environment as environment;

use crate::failure::Failure;
use crate::launch::{Abi, preloaded, replaced_by};

/// Run an MPI program, unchanged, with commloom's datatypes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", environment::help()))]
pub struct Args {
    /// Write one report of all ranks to FILE when the program finalizes MPI: a web page where its name
    /// ends in .html, JSON for .json, otherwise text (`-`: text to standard error)
    #[arg(long, value_name = "FILE|-")]
    report: Option<OsString>,
    /// Leave parts of the work to the MPI library
    #[arg(long, value_enum, value_delimiter = ',')]
    off: Vec<Part>,
    /// Replace persistent requests, and regions between MPI_Pcontrol marks, that are a collective
    /// operation together, while the program runs: by default where a trial was faster. All ranks need it (see docs/replace.md)
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "faster")]
    replace: Option<When>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum When {
    /// Where a trial at run time was faster
    Faster,
    /// Wherever it is possible
    Always,
}

const EXAMPLES: &str = "\
Put it between mpirun and the program, so that every process is started by it. The program's exit
status, signals and standard streams are its own.

Examples:
  mpirun -n 4 commloom exec -- ./halo 100
  mpirun -n 4 commloom exec --report halo.html -- ./halo 100
  mpirun -n 4 commloom exec --mpi openmpi -- python3 app.py
  mpirun -n 4 commloom exec --off pack -- ./halo 100
  mpirun -n 4 commloom exec --replace --report - -- ./app

A setting that cannot be meant or followed ends the command with status 2 before the program starts.
Settings in the environment: commloom exec --help.";

/// Runs the command; returns only where the program could not be started.
pub fn run(args: Args) -> Result<(), Failure> {
    let mut command = preloaded(&args.program, args.mpi)?;
    if let Some(report) = &args.report {
        command.env(environment::REPORT.name, from_anywhere(report));
    }
    if !args.off.is_empty() {
        command.env(environment::OFF.name, off(&args.off));
    }
    if let Some(when) = args.replace {
        let how = if when == When::Always { "always" } else { "faster" };
        command.env(environment::REPLACE.name, how);
    }
    Err(replaced_by(command))
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
