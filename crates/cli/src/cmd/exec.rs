//! `commloom exec`: runs a program with the preload for its MPI.

use std::ffi::{OsStr, OsString};

use clap::ValueEnum;

use commloom_environment as environment;

use crate::failure::Failure;
use crate::launch::{Abi, preloaded, replaced_by};

/// Run an MPI program with faster derived datatypes
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", environment::help())
)]
pub struct Args {
    /// Write one report of all ranks to FILE: a web page if its name ends in .html, JSON for
    /// .json, otherwise text (`-`: text to standard error)
    #[arg(long, value_name = "FILE|-")]
    report: Option<OsString>,
    /// Switch parts of commloom off
    #[arg(long, value_enum, value_delimiter = ',')]
    off: Vec<Part>,
    /// Call collective operations in the place of persistent requests that are one together. All
    /// ranks need this option, and all must be on one node
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "faster"
    )]
    replace: Option<When>,
    /// Kind of the program's MPI library, if commloom cannot tell (scripts, Python)
    #[arg(long, value_enum)]
    mpi: Option<Abi>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    program: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// No equivalent datatypes
    Types,
    /// No packing
    Pack,
    /// Files pass through untouched
    Files,
    /// Puts into windows pass through untouched
    Windows,
    /// Nothing is kept from one run of a program for the next
    History,
    /// Nothing is done from MPI_Pcontrol(0) to MPI_Pcontrol(1)
    Regions,
    /// Nothing is intercepted
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
Put it in front of your program: srun commloom exec -- ./app. The program keeps
its exit status, signals and standard streams. Programs that send only
contiguous buffers gain nothing; GPU buffers pass through untouched.

Examples:
  mpirun -n 4 commloom exec -- ./halo 100
  mpirun -n 4 commloom exec --report halo.html -- ./halo 100
  mpirun -n 4 commloom exec -- python3 app.py
  srun -n 4 commloom exec --mpi openmpi -- python3 app.py
  mpirun -n 4 commloom exec --off pack -- ./halo 100
  mpirun -n 4 commloom exec --replace --report - -- ./app

A setting that is not allowed ends the command with status 2 before the program
starts. Settings in the environment: commloom exec --help.";

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

fn off(parts: &[Part]) -> String {
    let named = [
        (Part::All, "all"),
        (Part::Types, "types"),
        (Part::Pack, "pack"),
        (Part::Files, "files"),
        (Part::Windows, "windows"),
        (Part::History, "history"),
        (Part::Regions, "regions"),
    ];
    let given = named.into_iter().filter(|(part, _)| parts.contains(part));
    given.map(|(_, name)| name).collect::<Vec<_>>().join(",")
}
