//! `commloom detect`: which collective operations the messages of a program are.

mod calls;
mod case;
mod diagram;
mod dot;
mod folder;
mod found;
mod json;
mod measure;
mod measured;
mod page;
mod patience;
mod read;
mod recorded;
mod sarif;
mod sources;
mod text;
mod words;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use commloom_advice::{Advice, AdviceError, RecordedPart};
use commloom_commgraph::read::Format;
use commloom_commgraph::{Options, schedule};

use crate::failure::Failure;
use crate::sites::Sites;
use crate::{files, terminal};
use case::Case;
use found::Found;
use words::Paint;

/// Find the collective operations that sends and receives add up to
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(
        long,
        value_enum,
        default_value = "data",
        help = "What the calls must keep of the messages"
    )]
    mode: Mode,
    /// Part of the blocks of a scatterv, gatherv or alltoallv that must be there, from 0 to 1; the
    /// others get a count of zero
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = share)]
    tau: f64,
    /// Also search for operations on some of the processes; always done for recorded programs
    #[arg(long)]
    subsets: bool,
    /// Print one JSON object for each graph, and for a recorded program a last one with the advice
    #[arg(long)]
    json: bool,
    /// Write the advice as SARIF 2.1.0, which editors and code hosts show beside the lines
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Replay the messages of each advice, and its call, with an MPI library on this machine:
    /// mpich, openmpi or the mpirun of another [default: the kind that the program ran with]
    #[arg(long, value_name = "MPI", num_args = 0..=1, require_equals = true)]
    measure: Option<Option<String>>,
    /// Replay what is in this folder: how commloom calls itself
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with = "files")]
    replay_here: Option<PathBuf>,
    /// Before the advice, print every part of a recorded program with its operations
    #[arg(long)]
    phases: bool,
    /// Write the operations, their dependencies and messages as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Draw the messages before and the operations after, as a space-time diagram
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write one web page with what was found, space-time diagrams and communication matrices
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Format of the files [default: told by their first characters]
    #[arg(long, value_enum)]
    format: Option<Written>,
    /// Communication graphs in GOAL or MSCCL XML, the traces of all processes of one program by
    /// liballprof, or a folder of `commloom trace`
    #[arg(required_unless_present = "replay_here", value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Properties that a replacement must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Where the data goes
    Data,
    /// Also for whom each process has waited in the end
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

/// The format of a file.
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
GOAL has no addresses; comments add them: `//@ LABEL addr=0x40` to an operation
of the same rank, and `//@ dead addr=0x40 size=8` for memory that nobody reads
afterwards. Without addresses only matching, deadlocks and wait sets are known.
An MSCCL algorithm is compared with its attribute `coll`: exit status 1 if it
is something else. Give the traces of liballprof together, one for each
process; they are cut at the collectives.

In a recorded program each operation that it spells out is one advice: the
lines that send and receive its messages, how often, the call to write instead,
and what that changes. Names in capitals are buffers: a trace knows addresses,
not variables. Compile the program with -g, so that lines are known.

Examples:
  commloom detect broadcast.goal
      8 processes, 14 operations, 7 messages, 7 transfers
      MPI_Bcast(buf=0x40, count=1024, datatype=MPI_BYTE, root=0)
      left: nothing
  commloom detect --svg ring.svg allreduce_ring.xml
  commloom detect --json --tau 0.8 stencil.goal
  commloom detect pmpi-trace-rank-*.txt
  mpirun -n 8 commloom trace -o app.trace -- ./app
  commloom detect app.trace
  commloom detect --html app.html app.trace
  commloom detect --measure app.trace
  commloom detect --measure=/opt/mpi/bin/mpirun --sarif app.sarif app.trace
  commloom detect --json app.trace | tail -1 | jq '.advice[].code'";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(folder) = &args.replay_here {
        return measure::work(folder);
    }
    let cases = read::cases(&args.files, args.format.map(Format::from))?;
    if cases.len() > 1 {
        one_picture(args.dot.as_deref(), cases.len())?;
        one_picture(args.svg.as_deref(), cases.len())?;
    }
    let recorded = cases.iter().any(|case| case.ran.is_some());
    if !recorded {
        let wanted = args.sarif.is_some().then_some("--sarif");
        if let Some(option) = wanted.or(args.measure.is_some().then_some("--measure")) {
            return Err(Failure::message(format!(
                "{option} is for programs that ran, and these files are of none: give a folder \
                 that `commloom trace` has filled"
            )));
        }
    }
    let (cases, found) = analysed(cases, args)?;
    for (case, found) in cases.iter().zip(&found) {
        if let Some(file) = &args.dot {
            files::write(file, &dot::graph(case)?)?;
        }
        if let Some(file) = &args.svg {
            files::write(file, &diagram::svg(case, found)?)?;
        }
    }
    let mut sites = Sites::default();
    let failed = |error: AdviceError| cases[error.part].failure(&error.error);
    let parts = cases.iter().zip(&found).enumerate();
    let parts = parts.filter_map(|(number, (case, found))| part(number, case, found));
    let findings = commloom_advice::findings(parts, |site| sites.call(site)).map_err(failed)?;
    let advice = commloom_advice::advice(&findings, |site| sites.call(site));
    let mut advice = advice.map_err(failed)?;
    if let Some(mpi) = &args.measure {
        measured::measure_advice(&mut advice, &cases, mpi.as_deref())?;
    }
    let mut advice: Vec<Advice> = advice.into_iter().map(|(advice, _)| advice).collect();
    commloom_advice::by_saving(&mut advice);
    advice.iter_mut().for_each(sources::add_lines);
    if let Some(file) = &args.sarif {
        files::write(file, &sarif::log(&advice)?)?;
    }
    if let Some(file) = &args.html {
        files::write(file, &page::page(&cases, &found, &advice)?)?;
    }
    if args.json {
        let mut out = terminal::json();
        for (case, found) in cases.iter().zip(&found) {
            writeln!(out, "{}", json::object(case, found)?)?;
        }
        if recorded {
            writeln!(out, "{}", json::advice(&advice)?)?;
        }
    } else {
        let paint = Paint::new(super::takes_colours(&std::io::stdout()));
        people(&cases, &found, &advice, args.phases, paint)?;
    }
    if found.iter().all(Found::claim_holds) { Ok(()) } else { Err(Failure::No) }
}

/// A graph as advice takes it, where a program ran.
fn part<'a>(number: usize, case: &'a Case, found: &'a Found) -> Option<RecordedPart<'a>> {
    Some(RecordedPart {
        number,
        graph: &case.program.graph,
        ran: case.ran.as_ref()?,
        collectives: found.collectives(),
        detection: found.analysis().map(|analysis| &analysis.detection),
        complete: found.wait_sets_complete(),
    })
}

/// The findings of each graph. A part of a program that ran but makes no sense, as one whose
/// trace is damaged, is a note to the others.
fn analysed(all: Vec<Case>, args: &Args) -> Result<(Vec<Case>, Vec<Found>), Failure> {
    let (mut cases, mut found, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut notes = Vec::new();
    for mut case in all {
        // Programs have grids of processes; their phases are short.
        let subsets = args.subsets || case.ran.is_some();
        let options = Options { density: args.tau, subsets };
        match patience::show(&case.name, || Found::of(&case, options, args.mode.into())) {
            Ok(one) => {
                found.push(one);
                cases.push(case);
            }
            Err(failure) if case.ran.is_some() => {
                notes.append(&mut case.notes);
                failures.push(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    let Some(last) = cases.last_mut() else {
        return Err(failures.into_iter().next().unwrap_or(Failure::message("there is no graph")));
    };
    notes.extend(failures.iter().map(|failure| format!("left out: {failure}")));
    last.notes.extend(notes);
    Ok((cases, found))
}

/// The findings, in words: of programs that ran what to do, and of how many messages; of others,
/// and with `phases` of those too, each graph.
fn people(
    cases: &[Case],
    found: &[Found],
    advice: &[Advice],
    phases: bool,
    paint: Paint,
) -> Result<(), Failure> {
    let mut out = terminal::text(paint.has_colours());
    let mut before = None;
    for (part, (case, found)) in (1..).zip(cases.iter().zip(found)) {
        if case.ran.is_some() && !phases {
            continue;
        }
        let words = words::text(case, found, paint) + &words::advised(part, advice);
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
    if cases.iter().any(|case| case.ran.is_some()) {
        write!(out, "{}", words::summary(cases, found, advice))?;
        for (number, advice) in (1..).zip(advice) {
            write!(out, "\n{}", text::text(number, advice, paint))?;
        }
    }
    for note in cases.iter().flat_map(|case| &case.notes) {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
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

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|x| (0.0..=1.0).contains(x));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
