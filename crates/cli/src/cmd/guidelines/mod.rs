//! `commloom guidelines`: what an MPI library does with datatypes, and what commloom changes.

mod options;
mod output;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use commloom_guideline::campaign::{self, CampaignError, End, Watcher};
use commloom_guideline::plan::Plan;
use commloom_guideline::protocol::Injected;
use commloom_guideline::results::{FORMAT, Mode, Results, VERSION};
use commloom_layout::Basic;
use commloom_measure::date;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

use crate::failure::Failure;
use crate::guidelines::{Mpirun, Processes, describe, work};
use crate::launch::find_preload;
use crate::terminal::say;
use crate::{options as shared, signals};
use options::{Commloom, Op};

/// Measure an MPI library against performance guidelines
///
/// All expectation tests of Carpen-Amarie, Hunold and Träff, "MPI Derived Datatypes: Performance
/// Expectations and Status Quo", natively and under commloom.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Libraries: mpich, openmpi, the command that starts the processes of one, or MPIRUN=LIBRARY
    /// [default: mpich and openmpi, where they are installed]
    #[arg(long, value_name = "mpich|openmpi|MPIRUN[=LIBRARY]", value_delimiter = ',')]
    mpi: Vec<String>,
    /// Expectation tests of the paper [default: 1-11]
    #[arg(long, value_name = "1,3-11", value_delimiter = ',', value_parser = options::range)]
    tests: Vec<RangeInclusive<u32>>,
    /// Operations of all tests [default: those of each test in the paper]
    #[arg(long, value_enum, value_delimiter = ',')]
    op: Vec<Op>,
    /// Processes of the collective operations [default: 2]
    #[arg(
        short = 'n',
        long,
        value_name = "PROCS",
        value_parser = clap::value_parser!(u32).range(2..=4096)
    )]
    processes: Option<u32>,
    /// Launches of each library in each mode [default: 5]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: Option<u32>,
    /// Basic types of the layouts [default: MPI_INT]
    #[arg(long, value_name = "MPI_INT,...", value_delimiter = ',', value_parser = shared::basic)]
    base: Vec<Basic>,
    /// Data sizes in bytes (64k, 2.56M) [default: those of each test in the paper]
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',', value_parser = options::size)]
    sizes: Vec<u64>,
    /// Block sizes A in elements, at least 2 [default: those of each test in the paper]
    #[arg(
        long,
        value_name = "A,...",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(2..=1 << 28)
    )]
    blocks: Vec<u64>,
    /// Whether to measure under commloom [default: both]
    #[arg(long, value_enum)]
    commloom: Option<Commloom>,
    /// Keep all samples in FILE, while measuring; compressed if its name ends in .zst
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as one web page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the charts as SVG files
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
    /// Write the charts as PNG files
    #[arg(long, value_name = "FOLDER")]
    png: Option<PathBuf>,
    /// Two block sizes, messages of at most 64 kB, no allgather: under a minute
    #[arg(long)]
    quick: bool,
    /// Continue the campaign in the file of --json
    #[arg(long, requires = "json")]
    resume: bool,
    /// Seed of the random orders [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Factor from which on a guideline counts as violated [default: 1.1]
    #[arg(long, value_name = "FACTOR", value_parser = options::factor)]
    threshold: Option<f64>,
    /// Exit with status 1 if the library is slower than in BASELINE, a file of --json
    #[arg(long, value_name = "BASELINE")]
    check: Option<PathBuf>,
    /// Measure nothing: report on these files of --json (with --check, the first one)
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["mpi", "json", "resume"]
    )]
    compare: Vec<PathBuf>,
    /// Seconds after which silent processes count as hanging
    #[arg(long, hide = true, default_value_t = 120)]
    patience: u64,
    /// Mistake to make on purpose, for tests
    #[arg(long, hide = true, value_parser = injected)]
    inject: Option<Injected>,
    /// One of the processes that measure: how commloom calls itself
    #[arg(long, hide = true)]
    worker: Option<String>,
}

const EXAMPLES: &str = "\
Start it without mpirun: it starts the processes itself, natively and under
commloom by turns. Run it on a machine that does nothing else. All tests take
some 3 minutes with one library, --quick some 15 seconds. Every byte that
arrives is checked. Ctrl-C keeps what was measured; --resume continues.

Examples:
  commloom guidelines --quick
  commloom guidelines --mpi openmpi --json openmpi.json --html openmpi.html
  commloom guidelines --mpi /opt/mpich/bin/mpiexec --tests 6 \\
          --op pingpong,bcast --sizes 3200,2.56M
  commloom guidelines --json openmpi.json --resume
  commloom guidelines --compare mpich.json openmpi.json --html both.html
  commloom guidelines --mpi mpich --commloom off --check baseline.json";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(task) = &args.worker {
        return work(task);
    }
    let baseline = args.check.as_deref().map(read).transpose()?;
    if !args.compare.is_empty() {
        output::check(args)?;
        let files = args.compare.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
        return output::report(args, &files.iter().collect::<Vec<_>>(), baseline.as_ref());
    }
    output::check(args)?;
    let mut results = begun(args)?;
    let plan = Plan::new(&results.options).map_err(|e| Failure::message(e.to_string()))?;
    let launcher = launcher(args, &mut results)?;
    let end = measure(args, &plan, &mut results, launcher);
    let kept = args.json.as_deref().map(Path::display);
    match end {
        Ok(End::Complete) => output::report(args, &[&results], baseline.as_ref()),
        Ok(End::Interrupted) => {
            match kept {
                Some(file) => say!(
                    "interrupted; what was measured is in {file}, go on with\n  \
                     commloom guidelines --json {file} --resume"
                ),
                None => say!("interrupted; nothing is kept without --json FILE"),
            }
            Err(Failure::Interrupted)
        }
        Err(CampaignError::Save(error)) => {
            let name = kept.map_or_else(String::new, |file| file.to_string());
            Err(Failure::File { doing: "write", name, error })
        }
        Err(error) => {
            let begun = results.runs.iter().any(|run| !run.series.is_empty());
            let kept = kept.filter(|_| begun).map_or_else(String::new, |file| {
                format!("\nwhat was measured so far is in {file}; --resume goes on")
            });
            Err(Failure::message(format!("{error}{kept}")))
        }
    }
}

fn read(file: &Path) -> Result<Results, Failure> {
    Results::read(file).map_err(|error| Failure::message(error.to_string()))
}

/// A new campaign, or the one that is resumed.
fn begun(args: &Args) -> Result<Results, Failure> {
    if let (true, Some(file)) = (args.resume, &args.json) {
        let mut results = read(file)?;
        options::resumed(args, file, &mut results)?;
        return Ok(results);
    }
    let now = SystemTime::now();
    let clock = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(Results {
        format: FORMAT.to_owned(),
        version: VERSION,
        complete: false,
        date: date::utc(now),
        seed: args.seed.unwrap_or_else(|| u64::from(clock.subsec_nanos()) ^ clock.as_secs()),
        options: options::of(args)?,
        environment: describe(""),
        runs: Vec::new(),
    })
}

fn measure(
    args: &Args,
    plan: &Plan,
    results: &mut Results,
    mut launcher: Processes,
) -> Result<End, CampaignError> {
    let bar = bar();
    let mut progress = Progress { bar: bar.clone(), file: args.json.as_deref() };
    let end = campaign::run(plan, results, &mut launcher, &mut progress);
    bar.finish_and_clear();
    end
}

/// Finds the libraries and what is preloaded before them.
fn launcher(args: &Args, results: &mut Results) -> Result<Processes, Failure> {
    let options = results.options.clone();
    let find = |name: &String| Mpirun::find(name, options.processes);
    let mpiruns = options.mpi.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let commloom = std::env::current_exe().map_err(|error| Failure::File {
        doing: "find",
        name: "the executable of commloom".to_owned(),
        error,
    })?;
    if options.modes.contains(&Mode::Commloom) {
        let folder = std::env::var_os("COMMLOOM_LIBDIR");
        for mpirun in &mpiruns {
            find_preload(mpirun.abi, &commloom, folder.as_deref())?;
        }
    }
    let bound = mpiruns.iter().filter(|mpirun| mpirun.binds()).count();
    results.environment.pinning = match bound {
        0 => "none".to_owned(),
        n if n == mpiruns.len() => "each process to a core".to_owned(),
        _ => {
            let bound = mpiruns.iter().filter(|m| m.binds()).map(|m| m.name.as_str());
            format!(
                "each process to a core with {}, else none",
                bound.collect::<Vec<_>>().join(", ")
            )
        }
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    signals::tell(&interrupted)
        .map_err(|error| Failure::message(format!("cannot catch Ctrl-C: {error}")))?;
    Ok(Processes {
        commloom,
        mpiruns,
        seed: results.seed,
        options,
        patience: Duration::from_secs(args.patience),
        interrupted,
        injected: args.inject,
    })
}

/// The bar of the whole campaign, and its file.
struct Progress<'p> {
    bar: ProgressBar,
    file: Option<&'p Path>,
}

impl Watcher for Progress<'_> {
    fn advanced(&mut self, done: usize, all: usize) {
        let number = |n| u64::try_from(n).unwrap_or(u64::MAX);
        if self.bar.length() == Some(0) {
            self.bar.set_length(number(all));
            self.bar.set_position(number(done));
            // What a resumed campaign has done before says nothing of the time that is left.
            self.bar.reset_eta();
        }
        self.bar.set_position(number(done));
    }

    fn save(&mut self, results: &Results) -> std::io::Result<()> {
        self.file.map_or(Ok(()), |file| results.write(file))
    }
}

/// On a terminal only, and never on standard output.
fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("measuring {bar:40} {percent} %, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// `wrong-byte@7`: at that place in the order.
fn injected(text: &str) -> Result<Injected, String> {
    let wrong = || "expected wrong-byte@N, death@N or hang@N".to_owned();
    let (what, place) = text.split_once('@').ok_or_else(wrong)?;
    let place = place.parse().map_err(|_| wrong())?;
    match what {
        "wrong-byte" => Ok(Injected::WrongByte(place)),
        "death" => Ok(Injected::Death(place)),
        "hang" => Ok(Injected::Hang(place)),
        _ => Err(wrong()),
    }
}
