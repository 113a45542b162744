//! `commloom detect`: which collective operations the messages of a program are.

mod calls;
mod case;
mod diagram;
mod dot;
mod found;
mod json;
mod patience;
mod read;
mod recorded;
mod words;

use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use commloom_commgraph::read::Format;
use commloom_commgraph::{Options, schedule};

use crate::failure::Failure;
use found::Found;
use words::Paint;

/// Find the collective operations that sends and receives add up to
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What a replacement must keep: the data alone, or also who has waited for whom
    #[arg(long, value_enum, default_value = "data")]
    mode: Mode,
    /// Which part of the blocks of a scatterv, gatherv or alltoallv must be there, from 0 to 1; the others
    /// get a count of zero
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = share)]
    tau: f64,
    /// Also look for operations on some of the processes
    #[arg(long)]
    subsets: bool,
    /// Print one JSON object for each graph
    #[arg(long)]
    json: bool,
    /// Write the operations, their dependencies and messages as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Draw the messages before and the operations after, as a space-time diagram
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// What the files are written in; found out by their first characters if not given
    #[arg(long, value_enum)]
    format: Option<Written>,
    /// Communication graphs in GOAL or MSCCL XML, the traces of all processes of one program by liballprof, or a folder
    /// that `commloom trace` has filled
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What a replacement must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Where the data goes
    Data,
    /// And for whom each process has waited in the end
    Strict,
}

impl From<Mode> for schedule::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Data => schedule::Mode::Data,
            Mode::Strict => schedule::Mode::Strict,
        }
    }
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Written {
    /// The group operation assembly language of LogGOPSim
    Goal,
    /// Algorithms for GPUs
    Msccl,
    /// Traces of LogGOPSim's tracer
    Allprof,
}

impl From<Written> for Format {
    fn from(written: Written) -> Self {
        match written {
            Written::Goal => Format::Goal,
            Written::Msccl => Format::Msccl,
            Written::Allprof => Format::Allprof,
        }
    }
}

const EXAMPLES: &str = "\
GOAL has no addresses; comments add them: `//@ LABEL addr=0x40` to an operation of the same rank, and \
`//@ dead addr=0x40 size=8` where nobody reads that memory afterwards. Without addresses only matching, deadlocks \
and wait sets are known. An MSCCL algorithm is compared with its attribute `coll`: exit status 1 where it is something \
else. Traces of liballprof are given together, one for each process, and are cut at the collectives.

Examples:
  commloom detect broadcast.goal
      8 processes, 14 operations, 7 messages, 7 transfers
      MPI_Bcast(buf=0x40, count=1024, datatype=MPI_BYTE, root=0)
      left: nothing
  commloom detect --svg ring.svg allreduce_ring.xml
  commloom detect --json --tau 0.8 stencil.goal
  commloom detect pmpi-trace-rank-*.txt
  mpirun -n 8 commloom trace -o app.trace -- ./app; commloom detect app.trace";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let cases = read::cases(&args.files, args.format.map(Format::from))?;
    if cases.len() > 1 {
        one_picture(args.dot.as_deref(), cases.len())?;
        one_picture(args.svg.as_deref(), cases.len())?;
    }
    let options = Options { density: args.tau, subsets: args.subsets };
    let paint = Paint::new(std::io::stdout().is_terminal() && no_colour_is_unset());
    let mut out = std::io::stdout().lock();
    let mut all_claims_hold = true;
    let mut before = None;
    for case in &cases {
        let found = patience::show(&case.name, || Found::of(case, options, args.mode.into()))?;
        all_claims_hold &= found.claim_holds();
        if let Some(file) = &args.dot {
            write(file, &dot::graph(case)?)?;
        }
        if let Some(file) = &args.svg {
            write(file, &diagram::svg(case, &found)?)?;
        }
        if args.json {
            writeln!(out, "{}", json::object(case, &found)?)?;
            continue;
        }
        let words = words::text(case, &found, paint);
        // Phases of a program are often the same again.
        if case.phase.is_some() && before.as_ref() == Some(&words) {
            writeln!(out, "{}: the same", case.name)?;
            continue;
        }
        if cases.len() > 1 {
            writeln!(out, "{}:", paint.bold(&case.name))?;
        }
        write!(out, "{words}")?;
        before = Some(words);
    }
    if !args.json {
        for note in cases.iter().flat_map(|case| &case.notes) {
            writeln!(out, "note: {note}")?;
        }
    }
    if all_claims_hold { Ok(()) } else { Err(Failure::No) }
}

fn one_picture(file: Option<&Path>, graphs: usize) -> Result<(), Failure> {
    match file {
        None => Ok(()),
        Some(file) => Err(Failure::message(format!(
            "{} can show one graph, but there are {graphs}: give one file at a time",
            file.display()
        ))),
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| Failure::File {
        doing: "write",
        name: file.display().to_string(),
        error,
    })
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|x| (0.0..=1.0).contains(x));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn no_colour_is_unset() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
