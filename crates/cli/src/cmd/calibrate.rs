//! `commloom calibrate`: the constants of the cost model, measured with one MPI library.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use crate::calibrate;
use crate::failure::Failure;

/// Measure the constants of the cost model with the MPI_Pack of an MPI library
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The MPI library: mpich, openmpi, abi (the standard ABI of MPI 5), or a path to libmpi.so
    #[arg(
        long,
        value_name = "mpich|openmpi|abi|LIBRARY",
        required_unless_present = "measure_here"
    )]
    mpi: Option<String>,
    /// Write the constants to FILE in place of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How often every layout is timed
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Measure in this process: how commloom calls itself
    #[arg(long, value_name = "LIBRARY", hide = true)]
    measure_here: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
A hundred small layouts are packed in turn, and the constants that explain the times best are
found by least squares. The file says how well they do. It takes about a second, in a process of
its own, without mpirun; run it on a machine that does nothing else.

Examples:
  commloom calibrate --mpi mpich -o mpich.toml
  commloom calibrate --mpi /opt/openmpi/lib/libmpi.so.40 > openmpi.toml
  commloom normalize --cost mpich.toml layout.txt
  commloom reconstruct --cost mpich.toml,leaf=4 displacements.txt";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !args.measure_here.is_empty() {
        return calibrate::measure_here(&args.measure_here, args.rounds);
    }
    let libraries = candidates(args.mpi.as_deref().unwrap_or_default());
    // On a terminal only, and never on standard output.
    let bar = if std::io::stderr().is_terminal() {
        ProgressBar::new(args.rounds.into()).with_style(style())
    } else {
        ProgressBar::hidden()
    };
    let measured = calibrate::measure(&libraries, args.rounds, |done| bar.set_position(done));
    bar.finish_and_clear();
    let measured = measured?;
    let Some((fit, scaled)) = calibrate::fitted(&measured.times) else {
        return Err(Failure::message("the times that were measured determine no constants"));
    };
    let text = calibrate::write(&measured, &fit, &scaled, args.rounds);
    match &args.output {
        Some(file) => std::fs::write(file, text).map_err(|error| Failure::File {
            doing: "write",
            name: file.display().to_string(),
            error,
        }),
        None => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
    }
}

/// Where the library may be: its sonames, looked up as the loader does, or the path itself.
fn candidates(mpi: &str) -> Vec<PathBuf> {
    let names: &[&str] = match mpi {
        "mpich" => &["libmpich.so.12", "libmpi.so.12"],
        "openmpi" => &["libmpi.so.40"],
        "abi" => &["libmpi_abi.so.1", "libmpi_abi.so.0"],
        path => &[path],
    };
    names.iter().map(PathBuf::from).collect()
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("packing {bar:40} round {pos} of {len}, {eta} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}
