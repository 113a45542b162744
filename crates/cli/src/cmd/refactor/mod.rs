//! `commloom refactor`: packing code in, MPI datatypes or reasons out.

mod apply;
mod bench;
pub mod compile;
pub mod config;
mod cost;
mod encoding;
mod explain;
pub mod files;
mod json;
mod notes;
mod sarif;
mod trial;
mod words;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use commloom_refactor::check::{self, Finding, Options, Project};
use commloom_refactor::project::{Setup, Wrappers};
use commloom_refactor::source::Source;

use crate::failure::Failure;
use crate::options::Costs;
use crate::terminal::{self, say};

use compile::CompileStep;
use cost::Prices;
use notes::Notes;

/// Turn loops that pack buffers by hand into MPI datatypes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "commloom refactor [OPTIONS] <PATH>...")]
#[expect(clippy::struct_excessive_bools, reason = "they are switches of a command line")]
pub struct Args {
    /// Files and folders of C, C++ and Fortran. Give the whole program: code that is not seen
    /// could use a buffer, too
    #[arg(value_name = "PATH", required_unless_present = "bench_here")]
    paths: Vec<PathBuf>,
    /// Print what would change, as a patch (the default)
    #[arg(long, conflicts_with_all = ["check", "apply", "explain", "json", "sarif"])]
    diff: bool,
    /// Print which calls could change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Change the files
    #[arg(long, conflicts_with_all = ["check", "explain"])]
    apply: bool,
    /// Also change files that git has no copy of
    #[arg(long, requires = "apply")]
    allow_dirty: bool,
    /// Explain step by step how the loops of one call become a datatype, or why not
    #[arg(long, value_name = "FILE:LINE", conflicts_with = "check")]
    explain: Option<String>,
    /// Also draw the explanation into this SVG file
    #[arg(long, value_name = "FILE", requires = "explain")]
    svg: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print SARIF 2.1.0, with the changes as fixes
    #[arg(long, conflicts_with = "explain")]
    sarif: bool,
    /// Vouch for a fact by the identifier that a refusal gives, or all (can be given several
    /// times)
    #[arg(long, value_name = "FACT")]
    assume: Vec<String>,
    /// Table of the program's own send and receive procedures [default: commloom.toml in the
    /// folder of the first path, above it, or here]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Commands that compile the files, for headers and macros [default: compile_commands.json in
    /// a given folder, or in its folder build]
    #[arg(long, value_name = "FILE")]
    compile_commands: Option<PathBuf>,
    /// Command that compiles a file, with {} for its path: changes that do not compile are refused
    /// [default: the file's own in compile_commands.json]
    #[arg(long, value_name = "CMD")]
    compile: Option<String>,
    /// Number of sizes, drawn by chance, at which loops and datatype are compared
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        default_missing_value = "200",
        num_args = 0..=1,
        require_equals = true
    )]
    verify: u32,
    /// Keep the changes only if this command succeeds
    #[arg(long, value_name = "CMD", requires = "apply")]
    run: Option<String>,
    /// Measure packing at each call: its loop, commloom, and MPI_Pack of these libraries (mpich,
    /// openmpi, abi, or a path to libmpi.so) [default: all that are found]
    #[arg(
        long,
        value_name = "LIBRARY",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ',',
        conflicts_with_all = ["diff", "check", "apply", "sarif"]
    )]
    bench: Option<Vec<String>>,
    #[command(flatten)]
    costs: Costs,
    /// Pack in this process: how commloom calls itself
    #[arg(long, value_name = "LIBRARY", hide = true)]
    bench_here: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
A call changes only if it is proven that the same bytes are sent. Otherwise the
reason and its code are on standard error, often with a fact that --assume
takes; the book explains them (Refusal codes). A comment `commloom: keep` on
the line of a call, or before it, leaves the call alone.

Examples:
  commloom refactor src/                        print a patch
  commloom refactor --check src/                for CI: status 1 if some can
  commloom refactor --explain halo.c:40 halo.c  how it was found, or why not
  commloom refactor --bench src/                measure packing at each call
  commloom refactor --apply --run 'make test' .
  commloom refactor --compile 'mpicc -c {} -o /dev/null' halo.c
  commloom refactor --compile-commands build/compile_commands.json src/

List the program's own procedures that send or receive in commloom.toml: each
argument by its number, or the text that always stands there.
  [wrappers.isend_cr]
  call = \"MPI_Isend\"
  buf = 1
  count = 2
  datatype = 3
  dest = 4
  request = 5

Environment:
  CC, CFLAGS
      the compiler of --bench and its options; default: cc -O3";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !args.bench_here.is_empty() {
        return bench::work(&args.bench_here);
    }
    let mut sources = files::sources(&args.paths)?;
    let given = sources.len();
    let (setup, works) = setup(args, &mut sources)?;
    let options = Options { assume: args.assume.clone(), rounds: args.verify };
    let project = Project::with(sources, setup);
    if let Some(site) = &args.explain {
        let manner = explain::Manner { json: args.json, svg: args.svg.as_deref() };
        let prices = Prices::new(&args.costs)?;
        let costs = explain::Costs { prices: &prices, bench: args.bench.as_deref() };
        return explain::show(&project, &options, site, &manner, &costs);
    }
    let mut findings = check::check(&project, &options);
    terminal::tell(format_args!("{}", words::sentences(&args.assume, findings.iter())));
    // Headers that nobody has asked about were read for what they declare.
    findings.retain(|finding| usize::try_from(finding.site.file.0).is_ok_and(|file| file < given));
    trial::compiled(&project, &mut findings, args.compile.as_deref(), &works)?;
    let costs = if args.sarif || (args.check && !args.json) {
        Notes::default()
    } else {
        Notes::new(&findings, &Prices::new(&args.costs)?, args.bench.as_deref())?
    };
    let listed = args.check || args.bench.is_some();
    if args.json {
        writeln!(terminal::json(), "{}", json::findings(&project, &findings, &costs))?;
    } else if args.sarif {
        writeln!(terminal::json(), "{}", sarif::log(&project, &findings))?;
    } else if listed {
        let mut out = terminal::text(false);
        for (number, finding) in findings.iter().enumerate().filter(|(_, f)| f.outcome.is_ok()) {
            writeln!(out, "{}", words::line(&project, finding))?;
            write!(out, "{}", costs.lines(number))?;
        }
    } else if !args.apply {
        let coloured = super::takes_colours(&std::io::stdout());
        let mut out = if coloured { terminal::text(true) } else { terminal::exact() };
        for (name, before, after) in changed(&project, &findings) {
            let patch =
                commloom_refactor::edit::diff(name.trim_start_matches(['.', '/']), before, &after);
            if coloured {
                write!(out, "{}", words::coloured(&patch))?;
            } else {
                out.write_all(&encoding::patched(&patch, Path::new(name)))?;
            }
        }
    }
    if !args.json && !args.sarif {
        let costs = (!listed).then_some(&costs);
        terminal::tell(format_args!("{}", words::summary(&project, &findings, costs)));
    }
    if args.apply {
        apply::apply(
            changed(&project, &findings).collect(),
            args.allow_dirty,
            args.run.as_deref(),
        )?;
    }
    if args.check && findings.iter().any(|finding| finding.outcome.is_ok()) {
        return Err(Failure::No);
    }
    Ok(())
}

/// The setup of the program besides its texts; what was found without being asked for is said.
fn setup(
    args: &Args,
    sources: &mut Vec<Source>,
) -> Result<(Setup, HashMap<String, CompileStep>), Failure> {
    let first = args.paths.first().map(PathBuf::as_path);
    let config = match &args.config {
        Some(path) => Some(path.clone()),
        None => config::find(first)
            .filter(|path| is_used(path, first, "--config"))
            .inspect(|path| say!("{}: procedures that stand for those of MPI", path.display())),
    };
    let wrappers =
        config.map_or_else(|| Ok(Wrappers::default()), |path| config::wrappers(&path))?;
    let commands = match &args.compile_commands {
        Some(path) => Some(path.clone()),
        None => compile::find(&args.paths)
            .filter(|path| is_used(path, first, "--compile-commands"))
            .inspect(|path| say!("{}: how files are compiled", path.display())),
    };
    let is_named = args.compile_commands.is_some();
    let works =
        commands.as_ref().map(|path| compile::works(path, sources, is_named)).transpose()?;
    let compiled = commands.map(|path| compile::compiled(&path, sources)).transpose()?;
    let setup = Setup { wrappers, compiled: compiled.unwrap_or_default() };
    Ok((setup, works.unwrap_or_default()))
}

/// Whether a file that was found is used: not one that somebody else has put there.
fn is_used(path: &Path, first: Option<&Path>, option: &str) -> bool {
    let owner = crate::files::foreign(path, first);
    if let Some(owner) = owner {
        say!(
            "{} belongs to user {owner} and is not used; {option} uses it all the same",
            path.display()
        );
    }
    owner.is_none()
}

/// Files that change: name, text before and after.
fn changed<'p>(
    project: &'p Project,
    findings: &[Finding],
) -> impl Iterator<Item = (&'p str, &'p str, String)> {
    let files = 0_u32..;
    files.zip(project.sources()).filter_map(|(number, source)| {
        let after = check::changed(project, commloom_refactor::source::FileId(number), findings)?;
        Some((source.name.as_str(), source.text.as_str(), after))
    })
}
