//! The demo: every example, every MPI library, natively and under `commloom exec`.
//!
//! [`run`] is the whole story; each step has its own file. Each example runs once as it is and
//! once with commloom, and both must receive the same bytes; then it runs with commloom, which
//! leaves every other block of exchanges alone, and these blocks are compared: launches are not
//! alike on all machines ([`schedule`]). Nothing here judges a time: what decides over success is
//! that every launch verified its own results, that no cell is missing, and that bytes are equal.

pub mod environment;
pub mod guidelines;
pub mod launch;
pub mod mpi;
pub mod paired;
pub mod protocol;
pub mod record;
pub mod schedule;
pub mod summary;
pub mod table;

use indicatif::{ProgressBar, ProgressStyle};
use launch::{Launcher, Processes};
use mpi::{Example, Library};
use record::{Launch, Record};
use schedule::{Mode, Turn};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Options of the demo.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// How often every example is launched to be timed; bench-mpi: in each mode.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Begin no further run after so many minutes, and three runs.
    #[arg(long)]
    pub minutes: Option<u32>,
    /// Few, small cells and few repetitions: shows that everything works, says nothing about
    /// speed.
    #[arg(long)]
    pub quick: bool,
    /// Also the cells that there is usually no time for.
    #[arg(long, conflicts_with = "quick")]
    pub all: bool,
    /// MPI libraries: the suffix of their commands (mpicc.NAME, mpiexec.NAME), or NAME=DIR for
    /// those in DIR/bin, or NAME=DIR:OTHER for a library in DIR without mpicc that runs the
    /// programs of the one in OTHER.
    #[arg(long, value_delimiter = ',', default_value = "mpich,openmpi", value_name = "NAMES")]
    pub mpi: Vec<String>,
    /// Only cells whose line "example layout description bytes" contains this text.
    #[arg(long, value_name = "SUBSTRING")]
    pub only: Option<String>,
    /// Where all samples go, written after every run [default: in the target directory].
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the table as Markdown, too.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Measure nothing: report on the samples in FILE, which --json has written (bench-mpi only).
    #[arg(long, value_name = "FILE")]
    pub judge: Option<PathBuf>,
    /// Run natively only, without commloom.
    #[arg(long)]
    pub baseline: bool,
    /// The commloom binary [default: release/commloom in the target directory].
    #[arg(long, value_name = "FILE")]
    pub commloom: Option<PathBuf>,
    /// Seconds after which a launch counts as hanging and is ended.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    pub timeout: u64,
}

/// Why the demo could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A command of an MPI library is not on the path.
    #[error(
        "{command} was not found, so the examples cannot run with {library}\n  \
         install it (make setup), or leave it out with --mpi"
    )]
    NoMpi {
        /// Name of the library, as given to `--mpi`.
        library: String,
        /// The command that is missing.
        command: String,
    },
    /// There is no commloom to compare with.
    #[error(
        "there is no commloom at {}\n  build it (cargo build --release), or run natively only with \
         --baseline",
        .0.display()
    )]
    NoCommloom(PathBuf),
    /// An example does not compile.
    #[error("{command} failed:\n{output}")]
    Compile {
        /// The compiler command.
        command: String,
        /// Its output.
        output: String,
    },
    /// A program that the demo needs could not be started or gave no usable answer.
    #[error("{command}: {reason}")]
    Command {
        /// The command.
        command: String,
        /// The error.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Nothing to do.
    #[error(
        "no example has a cell that contains {0:?}\n  see the cells of one with: mpiexec APP --list"
    )]
    NoCells(String),
}

/// So many runs are made however long they take: a machine may be ten times as slow as another.
const FEWEST_RUNS: u32 = 3;
/// Runs after which the table is shown for the first time.
const FIRST_LOOK: u32 = 1;

/// The launches of the demo: those made once, and those made again and again.
const DEMO: [&[Mode]; 2] = [&[Mode::Native, Mode::Commloom], &[Mode::ByTurns]];
/// The same of the benchmark, which compares the least times of many launches.
const BENCH: [&[Mode]; 2] = [&[], &[Mode::Native, Mode::Commloom]];

/// Runs the demo and prints its table; on standard error a first one soon. The answer is whether
/// every launch succeeded and all results agree.
///
/// # Errors
/// When something that the demo needs is missing, or a file cannot be written.
pub fn run(options: &Options) -> Result<bool, Error> {
    let programs = [mpi::EXAMPLES.as_slice(), &mpi::FORTRAN_EXAMPLES].concat();
    let record = record(options, &programs, DEMO, "demo.json", |record, runs| {
        if runs == FIRST_LOOK {
            anstream::eprintln!(
                "after {runs} of {} runs:\n\n{}",
                options.runs,
                table::terminal(record)
            );
        }
    })?;
    anstream::print!("{}", table::terminal(&record));
    if let Some(path) = &options.markdown {
        record::write_text(path, &table::markdown(&record))?;
    }
    Ok(conclude(&record))
}

/// Says whether all went well.
fn conclude(record: &Record) -> bool {
    let success = summary::success(&record.rows, &record.launches);
    anstream::print!("{}", table::verdict(record, success));
    success
}

/// The same programs measured natively and under commloom, judged by the guidelines of the paper.
///
/// # Errors
/// As [`run`].
pub fn bench_mpi(options: &Options) -> Result<bool, Error> {
    let record = match &options.judge {
        Some(samples) => record::read(samples)?,
        None => record(options, &mpi::BENCHMARKS, BENCH, "bench-mpi.json", |_, _| ())?,
    };
    let text = guidelines::markdown(&record);
    anstream::print!("{text}");
    if let Some(path) = &options.markdown {
        record::write_text(path, &text)?;
    }
    Ok(conclude(&record))
}

/// Launches these programs in all modes and writes what they measured. `show` gets what is known
/// after each run but the last one, and the number of runs so far.
fn record(
    options: &Options,
    programs: &[&str],
    [once, again]: [&[Mode]; 2],
    file: &str,
    show: impl Fn(&Record, u32),
) -> Result<Record, Error> {
    let target = target_directory()?;
    let commloom = find_commloom(options, &target)?;
    let libraries = mpi::find(&options.mpi)?;
    let examples = mpi::compile(programs, &libraries, &target)?;
    let arguments = example_arguments(options);
    let launcher = Processes { commloom, timeout: Duration::from_secs(options.timeout) };
    let expected = list_cells(&launcher, &libraries, &examples, &arguments, options)?;
    let json = options.json.clone().unwrap_or_else(|| target.join(file));

    let [once, again] = if options.baseline { [&[], &[Mode::Native][..]] } else { [once, again] };
    let mut turns = schedule::turns(1, expected.len(), once);
    turns.extend(schedule::turns(options.runs, expected.len(), again));
    let modes = [once, again].concat();

    let mut record = Record::new(environment::describe(&libraries), options);
    let progress = progress_bar();
    measure(
        &launcher,
        &libraries,
        &expected,
        &turns,
        (&arguments, options),
        &progress,
        |launches, done| {
            record.launches = launches.to_vec();
            record.rows = summary::rows(&expected_cells(&expected), launches, &modes);
            record.complete = done;
            let runs = launches.iter().map(|launch| launch.run + 1).max().unwrap_or(0);
            if done {
                record.runs = runs;
            } else {
                progress.suspend(|| show(&record, runs));
            }
            record::write(&json, &record)
        },
    )?;

    anstream::println!("all samples: {}", json.display());
    Ok(record)
}

/// An example with the cells that each of its launches must report.
pub struct Expected {
    /// The compiled program.
    pub example: Example,
    /// Its cells.
    pub cells: Vec<protocol::Cell>,
}

fn example_arguments(options: &Options) -> Vec<String> {
    let mut arguments = Vec::new();
    if options.quick {
        arguments.push("--quick".to_owned());
    }
    if options.all {
        arguments.push("--all".to_owned());
    }
    if let Some(only) = &options.only {
        arguments.extend(["--only".to_owned(), only.clone()]);
    }
    arguments
}

/// The target directory that this very program was built into.
fn target_directory() -> Result<PathBuf, Error> {
    let program = std::env::current_exe()
        .map_err(|source| Error::File { path: PathBuf::from("xtask"), source })?;
    Ok(program.ancestors().nth(2).unwrap_or(Path::new("target")).to_owned())
}

fn find_commloom(options: &Options, target: &Path) -> Result<PathBuf, Error> {
    match find_commloom_at(options.commloom.as_deref(), target) {
        Err(Error::NoCommloom(path)) if options.baseline => Ok(path),
        found => found,
    }
}

/// The binary that was given, or that which is built beside this program.
fn find_commloom_at(given: Option<&Path>, target: &Path) -> Result<PathBuf, Error> {
    let path = given.map_or_else(|| target.join("release").join("commloom"), Path::to_owned);
    if path.is_file() { Ok(path) } else { Err(Error::NoCommloom(path)) }
}

/// Asks every example for its cells; examples without any are left out.
fn list_cells(
    launcher: &dyn Launcher,
    libraries: &[Library],
    examples: &[Example],
    arguments: &[String],
    options: &Options,
) -> Result<Vec<Expected>, Error> {
    let mut expected = Vec::new();
    for example in examples {
        let library = &libraries[example.library];
        let cells = launch::list(launcher, library, example, arguments)?;
        if !cells.is_empty() {
            expected.push(Expected { example: example.clone(), cells });
        }
    }
    if expected.is_empty() {
        return Err(Error::NoCells(options.only.clone().unwrap_or_default()));
    }
    Ok(expected)
}

fn expected_cells(expected: &[Expected]) -> Vec<(String, protocol::Cell)> {
    let cells = |e: &Expected| {
        let library = e.example.library_name.clone();
        e.cells.iter().map(|cell| (library.clone(), cell.clone())).collect::<Vec<_>>()
    };
    expected.iter().flat_map(cells).collect()
}

/// Launches everything in this order and hands all launches so far to `save` after each run, and
/// once more at the end. A combination of example, library and mode that failed once is reported
/// and not launched again.
fn measure(
    launcher: &dyn Launcher,
    libraries: &[Library],
    expected: &[Expected],
    turns: &[Turn],
    (arguments, options): (&[String], &Options),
    progress: &ProgressBar,
    mut save: impl FnMut(&[Launch], bool) -> Result<(), Error>,
) -> Result<(), Error> {
    progress.set_length(u64::try_from(turns.len()).unwrap_or(u64::MAX));
    let mut failed = BTreeSet::new();
    let mut launches = Vec::new();
    let begin = Instant::now();
    let is_late = |runs| {
        let late = |minutes| begin.elapsed() > Duration::from_secs(60 * u64::from(minutes));
        runs >= FEWEST_RUNS && options.minutes.is_some_and(late)
    };
    for (number, turn) in turns.iter().enumerate() {
        let Turn { run, subject, mode } = *turn;
        let Expected { example, cells } = &expected[subject];
        progress.set_message(format!(
            "run {} of {}: {} {} {mode}",
            run + 1,
            options.runs,
            example.name,
            example.library_name
        ));
        if !failed.contains(&(subject, mode)) {
            let library = &libraries[example.library];
            let launch = launch::measure(launcher, library, example, mode, arguments, run, cells);
            if let Some(reason) = &launch.failure {
                failed.insert((subject, mode));
                progress.suspend(|| anstream::eprintln!("{}", table::failure(&launch, reason)));
            }
            launches.push(launch);
        }
        progress.inc(1);
        if turns.get(number + 1).is_some_and(|next| next.run != run) {
            if is_late(run + 1) {
                break;
            }
            save(&launches, false)?;
        }
    }
    progress.finish_and_clear();
    save(&launches, true)
}

/// Drawn on a terminal only; indicatif stays silent elsewhere.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({eta} left)");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
