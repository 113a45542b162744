//! Natively and under commloom by turns *in one run* (`examples/paired.h`): blocks of a few
//! milliseconds are compared with the block beside them. Launches by turns, as the demo has them,
//! compare times that are seconds apart, and some virtual machines change their speed by three
//! from second to second.
//!
//! Native is the program under commloom in a region in which it is left alone: each call goes
//! through the preload, which costs a few nanoseconds.

use super::launch::{BY_TURNS, finish};
use super::mpi::{self, Example, Library};
use super::protocol::{self, BlockTimes, Cell};
use super::summary::{BlockPairs, NOTABLE};
use super::{Error, environment, find_commloom_at, record, target_directory};
use commloom_measure::statistics::{Ratio, geometric_mean, median};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of the comparison.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// How often every program is launched with every library.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// MPI libraries, as for the demo.
    #[arg(long, value_delimiter = ',', default_value = "mpich,openmpi", value_name = "NAMES")]
    pub mpi: Vec<String>,
    /// Programs of examples/ that compare by turns.
    #[arg(long, value_delimiter = ',', default_value = "pingpong,bcast,transpose,halo3d,stencil")]
    pub programs: Vec<String>,
    /// Only cells whose line "example layout description bytes" contains this text.
    #[arg(long, value_name = "SUBSTRING")]
    pub only: Option<String>,
    /// Ranks.
    #[arg(long, default_value_t = 2)]
    pub ranks: u32,
    /// Untimed exchanges of each cell before: what happens later in a run [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub settle: Option<u32>,
    /// Bind no rank to a core.
    #[arg(long)]
    pub unbound: bool,
    /// Write the table as Markdown, too.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// The commloom binary [default: release/commloom in the target directory].
    #[arg(long, value_name = "FILE")]
    pub commloom: Option<PathBuf>,
    /// Seconds after which a launch counts as hanging and is ended.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    pub timeout: u64,
}

/// A cell with its result: the ratio is native / commloom.
struct Row {
    library: String,
    cell: Cell,
    native_us: f64,
    ratio: Ratio,
}

impl Row {
    fn is_faster(&self) -> bool {
        self.ratio.is_above(1.0 + NOTABLE)
    }

    fn is_slower(&self) -> bool {
        self.ratio.is_below(1.0 - NOTABLE)
    }
}

/// Runs the comparison and prints its table. The answer is whether every launch succeeded, with
/// all bytes right; no time decides over that.
///
/// # Errors
/// When something that it needs is missing, or a file cannot be written.
pub fn run(options: &Options) -> Result<bool, Error> {
    let target = target_directory()?;
    let commloom = find_commloom_at(options.commloom.as_deref(), &target)?;
    let libraries = mpi::find(&options.mpi)?;
    let names: Vec<&str> = options.programs.iter().map(String::as_str).collect();
    let programs = mpi::compile(&names, &libraries, &target)?;
    let machine = environment::describe(&libraries);

    let mut all: BTreeMap<(usize, Cell), BlockPairs> = BTreeMap::new();
    let mut failures = 0;
    for run in 0..options.runs {
        for program in &programs {
            let library = &libraries[program.library];
            anstream::eprintln!(
                "launch {} of {}: {} with {}",
                run + 1,
                options.runs,
                program.name,
                library.name
            );
            match launch(options, &commloom, library, program) {
                Ok(cells) => {
                    for blocks in cells {
                        all.entry((program.library, blocks.cell.clone())).or_default().add(&blocks);
                    }
                }
                Err(failure) => {
                    failures += 1;
                    anstream::eprintln!("{} with {}: {failure}", program.name, library.name);
                }
            }
        }
    }

    let row = |((library, cell), pairs): (&(usize, Cell), &BlockPairs)| {
        Some(Row {
            library: libraries[*library].version.clone(),
            cell: cell.clone(),
            native_us: median(pairs.native.values().copied())?,
            ratio: pairs.ratio()?,
        })
    };
    let rows: Vec<Row> = all.iter().filter_map(row).collect();
    let text = table(&rows, &machine, options);
    anstream::print!("{text}");
    if let Some(path) = &options.markdown {
        record::write_text(path, &text)?;
    }
    if failures > 0 {
        anstream::eprintln!("{failures} launches failed");
    }
    Ok(failures == 0 && !rows.is_empty())
}

/// One launch: its cells, each with the medians of its blocks.
fn launch(
    options: &Options,
    commloom: &Path,
    library: &Library,
    program: &Example,
) -> Result<Vec<BlockTimes>, String> {
    let mut command = if options.unbound {
        library.launch_unbound(options.ranks)
    } else {
        library.launch(options.ranks)
    };
    command.arg(commloom).args(BY_TURNS);
    command.arg(&program.program).arg("--paired");
    if let Some(only) = &options.only {
        command.args(["--only", only]);
    }
    if let Some(settle) = options.settle {
        command.args(["--settle", &settle.to_string()]);
    }
    let outcome = finish(&mut command, Duration::from_secs(options.timeout));
    match outcome.failure {
        None => protocol::parse_pairs(&outcome.output).map_err(|error| error.to_string()),
        // A program without such a cell says so.
        Some(_) if outcome.errors.contains("no cell contains") => Ok(Vec::new()),
        Some(failure) => Err(format!("{failure}\n{}", outcome.errors.trim())),
    }
}

/// The table: counts for each library and program, then every cell below 1.
fn table(rows: &[Row], machine: &environment::Environment, options: &Options) -> String {
    let mut text = String::from(
        "| library | program | cells | geometric mean | faster | slower | least |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut groups: BTreeMap<(&str, String), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row.library, row.cell.subject())).or_default().push(row);
    }
    for ((library, subject), rows) in groups {
        let ratios = || rows.iter().map(|row| row.ratio.estimate);
        let least = ratios().fold(f64::INFINITY, f64::min);
        let faster = rows.iter().filter(|row| row.is_faster()).count();
        let slower = rows.iter().filter(|row| row.is_slower()).count();
        let mean = geometric_mean(ratios()).unwrap_or(f64::NAN);
        let cells = rows.len();
        let _ = writeln!(
            text,
            "| {library} | {subject} | {cells} | {mean:.2} | {faster} | {slower} | {least:.2} |"
        );
    }
    let coverage = rows.first().map_or(0.0, |row| row.ratio.coverage());
    let _ = write!(
        text,
        "\nNative / commloom, by turns in one run, {} launches on {} ranks; *faster* and *slower*: \
         by more than 3 %, the whole interval ({:.0} %).\n{}, {} cpus, {}, {}, load {}.\n",
        options.runs,
        options.ranks,
        coverage * 100.0,
        machine.cpu,
        machine.cpus,
        machine.kernel,
        machine.date,
        machine.load,
    );
    let mut below: Vec<&Row> = rows.iter().filter(|row| row.ratio.estimate < 1.0).collect();
    below.sort_by(|a, b| a.ratio.estimate.total_cmp(&b.ratio.estimate));
    if !below.is_empty() {
        text.push_str(
            "\n## Cells below 1\n\n| library | cell | native us | ratio | interval | slower |\n\
             |---|---|---|---|---|---|\n",
        );
    }
    for row in below {
        let Row { library, cell, native_us, ratio } = row;
        let slower = if row.is_slower() { "yes" } else { "" };
        let _ = writeln!(
            text,
            "| {library} | {cell} | {native_us:.2} | {:.3} | {:.3} to {:.3} | {slower} |",
            ratio.estimate, ratio.low, ratio.high
        );
    }
    text
}
