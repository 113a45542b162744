//! `commloom calibrate`: the constants of the cost model, or what messages take, measured with
//! one MPI library.

use std::env;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use commloom_choice::{Table, file_name};

use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::terminal::say;
use crate::{calibrate, files, terminal};

/// Measure an MPI library, for costs and for the choice of `exec`
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
    /// Measure messages between two processes: `commloom exec` chooses strategies by them
    #[arg(long)]
    messages: bool,
    /// Write to FILE instead of standard output (with --messages: of the cache folder)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How often every layout is timed [default: 300, with --messages 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Measure in this process: how commloom calls itself
    #[arg(long, value_name = "LIBRARY", hide = true)]
    measure_here: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Without --messages it packs a hundred small layouts by turns, and fits the
constants to the times by least squares. The file says how well they fit. It
takes about a second, without mpirun, on a machine that does nothing else.

With --messages start it as two processes, where such processes of an
application would run. It sends messages of some 560 layouts, natively and
packed by commloom, and takes half a minute. `commloom exec` finds the result in
the cache folder by the version of the library.

Examples:
  mpirun -n 2 commloom calibrate --messages --mpi mpich
  commloom calibrate --mpi mpich -o mpich.toml
  commloom calibrate --mpi /opt/openmpi/lib/libmpi.so.40 > openmpi.toml
  commloom normalize --cost mpich.toml layout.txt
  commloom reconstruct --cost mpich.toml,leaf=4 displacements.txt

Environment:
  XDG_CACHE_HOME
      the result of --messages goes to its folder commloom; else to
      ~/.cache/commloom
  COMMLOOM_MODEL
      the file from which `commloom exec` takes times instead";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let rounds = args.rounds.unwrap_or(if args.messages { 7 } else { 300 });
    if !args.measure_here.is_empty() {
        return calibrate::measure_here(&args.measure_here, rounds);
    }
    let libraries = candidates(args.mpi.as_deref().unwrap_or_default());
    if args.messages {
        return messages(args, &libraries, rounds);
    }
    let bar = bar("packing {bar:40} round {pos} of {len}, {eta} left");
    bar.set_length(rounds.into());
    let measured = calibrate::measure(&libraries, rounds, |done| bar.set_position(done));
    bar.finish_and_clear();
    let measured = measured?;
    let Some((fit, scaled)) = calibrate::fitted(&measured.times) else {
        return Err(Failure::message("the times that were measured determine no constants"));
    };
    let text = calibrate::write(&measured, &fit, &scaled, rounds);
    match &args.output {
        Some(file) => files::write(file, &text),
        None => Ok(terminal::exact().write_all(text.as_bytes())?),
    }
}

/// One of two processes; the first one writes.
fn messages(args: &Args, libraries: &[PathBuf], rounds: u32) -> Result<(), Failure> {
    let bar = bar("sending {bar:40} layout {pos} of {len}, {eta} left");
    let measured = calibrate::messages(libraries, rounds, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let Some(table) = measured? else { return Ok(()) };
    let file = match &args.output {
        Some(file) => file.clone(),
        None => cache_file(&table)?,
    };
    files::write(&file, table.to_string())?;
    say!("{}: written to {}", table.library, file.display());
    Ok(())
}

/// Where `commloom exec` looks for the table; its folder exists afterwards.
fn cache_file(table: &Table) -> Result<PathBuf, Failure> {
    let folder = Table::cache_folder(|name| env::var(name).ok()).ok_or_else(|| {
        Failure::message(
            "there is no cache directory: set XDG_CACHE_HOME or HOME, or use --output FILE",
        )
    })?;
    std::fs::create_dir_all(&folder).map_err(|error| Failure::File {
        doing: "create",
        name: folder.display().to_string(),
        error,
    })?;
    Ok(folder.join(file_name(&table.library)))
}

/// Where the library may be: its sonames, looked up as the loader does, or the path itself.
pub fn candidates(mpi: &str) -> Vec<PathBuf> {
    let names: &[&str] = match mpi {
        "mpich" => &["libmpich.so.12", "libmpi.so.12"],
        "openmpi" => &["libmpi.so.40"],
        "abi" => &["libmpi_abi.so.1", "libmpi_abi.so.0"],
        path => &[path],
    };
    names.iter().map(PathBuf::from).collect()
}

/// On a terminal only, and never on standard output.
fn bar(template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
