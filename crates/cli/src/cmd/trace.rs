//! `commloom trace`: records what an MPI program sends and receives, and shows what was recorded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use commloom_environment as environment;
use commloom_guard::Origin;

use crate::failure::Failure;
use crate::files::DATA;
use crate::launch::{Abi, preloaded, replaced_by, started};
use crate::terminal::{self, say};

/// Record what an MPI program sends and receives
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write one file for each rank to the folder DIR, which is made if need be
    #[arg(long, short, value_name = "DIR", required_unless_present = "print")]
    output: Option<PathBuf>,
    /// Record only between MPI_Pcontrol(1) and MPI_Pcontrol(0)
    #[arg(long)]
    regions: bool,
    /// Stop recording a process before its file gets longer than SIZE (bytes, or with k, M, G)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    limit: Option<u64>,
    /// Keep at most SIZE of the messages of each process, to recognize forwarded bytes and sums
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "32M")]
    memory: u64,
    /// Read the bytes of all messages, also of long ones that have been new so far
    #[arg(long)]
    all_content: bool,
    /// Remove the traces that are in DIR first
    #[arg(long)]
    force: bool,
    /// Kind of the program's MPI library, if commloom cannot tell (scripts, Python)
    #[arg(long, value_enum)]
    mpi: Option<Abi>,
    /// Print a file of a trace, event by event, instead of running a program
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["output", "program", "force", "regions", "limit"]
    )]
    print: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required_unless_present = "print", value_name = "PROGRAM [ARGS]")]
    program: Vec<OsString>,
}

const EXAMPLES: &str = "\
Put it between mpirun and the program. Its messages go to the MPI library
untouched. A program that is killed leaves all but the last half second.

Examples:
  mpirun -n 8 commloom trace -o halo.trace -- ./halo 100
  mpirun -n 8 commloom trace -o loop.trace --regions --limit 100M -- ./app
  commloom trace --print halo.trace/rank-000003.trace

Settings in the environment: commloom exec --help.";

/// Bytes, with a unit of 1024 or its powers.
fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.trim_end_matches(|c: char| c.is_ascii_alphabetic()) {
        "" => return Err("a size begins with a number, as 100M".into()),
        digits => (digits, &text[digits.len()..]),
    };
    let factor = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return Err(format!("`{unit}` is no unit of sizes: k, M or G")),
    };
    let number: u64 = digits.parse().map_err(|_| format!("`{digits}` is no number of bytes"))?;
    number.checked_mul(factor).ok_or_else(|| format!("{text} is more than 64 bits can count"))
}

/// Runs the command; after a program was to be recorded it returns only where that could not be
/// started.
pub fn run(args: &Args) -> Result<(), Failure> {
    match (&args.print, &args.output) {
        (Some(file), _) => print(file),
        (None, Some(folder)) => record(args, folder),
        (None, None) => Err(Failure::message("name the folder for the trace: -o DIR")),
    }
}

fn record(args: &Args, folder: &Path) -> Result<(), Failure> {
    let mut command = preloaded(&args.program, args.mpi)?;
    // The program may change its directory.
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    fs::create_dir_all(&folder).map_err(|error| cannot("make", &folder, error))?;
    clear(&folder, args.force)?;
    command
        .env(environment::TRACE.name, &folder)
        .env(environment::TRACE_REGIONS.name, if args.regions { "1" } else { "0" })
        .env(environment::TRACE_MEMORY.name, args.memory.to_string())
        .env(environment::TRACE_CONTENT.name, if args.all_content { "all" } else { "new" });
    set_or_not(
        &mut command,
        environment::TRACE_LIMIT.name,
        args.limit.map(|limit| limit.to_string()),
    );
    Err(replaced_by(command))
}

fn set_or_not(command: &mut Command, name: &str, value: Option<String>) {
    match value {
        Some(value) => command.env(name, value),
        None => command.env_remove(name),
    };
}

/// Sees to it that there are no other traces. Each of the processes that are started together
/// looks at its own file only, since the others may be at work already; the first also at those
/// that belong to nobody.
fn clear(folder: &Path, force: bool) -> Result<(), Failure> {
    let (mine, ranks) = started().map_or((0, 1), |me| (me.rank, me.size.unwrap_or(me.rank + 1)));
    let entries = fs::read_dir(folder).map_err(|error| cannot("read", folder, error))?;
    let there: BTreeMap<u32, PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((rank_of(&path)?, path)))
        .collect();
    // Where the files of some ranks alone are there, the others start, and would wait for this
    // one.
    let all_know = (0..ranks).all(|rank| there.contains_key(&rank));
    for (rank, path) in there {
        if rank != mine && (mine != 0 || rank < ranks) {
            continue;
        }
        if !force {
            let text = format!(
                "{} is there already, from another run; choose another folder, or write over it \
                 with --force",
                path.display()
            );
            return Err(if all_know { Failure::Message(text) } else { Failure::OfThisRank(text) });
        }
        fs::remove_file(&path).map_err(|error| cannot("remove", &path, error))?;
    }
    Ok(())
}

/// The rank that a file of a trace belongs to, by its name.
fn rank_of(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("rank-")?.strip_suffix(".trace")?.parse().ok()
}

fn cannot(doing: &'static str, path: &Path, error: io::Error) -> Failure {
    Failure::File { doing, name: path.display().to_string(), error }
}

/// Shows a file. What is damaged is left out, and said on standard error.
fn print(file: &Path) -> Result<(), Failure> {
    let bytes = commloom_guard::read(file, Origin::Named, DATA)
        .map_err(|error| cannot("read", file, error))?;
    let trace = commloom_trace::read(&bytes)
        .map_err(|error| Failure::message(format!("{}: {error}", file.display())))?;
    let mut out = io::BufWriter::new(terminal::text(false));
    let header = &trace.header;
    writeln!(
        out,
        "rank {} of {}: {}, {}",
        header.rank, header.ranks, header.program, header.library
    )?;
    for (number, event) in &trace.events {
        writeln!(out, "{number:>8} {event}")?;
    }
    out.flush()?;
    for problem in &trace.problems {
        say!("warning: {}: {problem}", file.display());
    }
    if trace.problems.is_empty() { Ok(()) } else { Err(Failure::No) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("3MB"), Ok(3 << 20));
        for wrong in ["", "M", "1x", "-5", "99999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_of_traces_have_ranks() {
        assert_eq!(rank_of(Path::new("/tmp/t/rank-000012.trace")), Some(12));
        assert_eq!(rank_of(Path::new("rank-x.trace")), None);
        assert_eq!(rank_of(Path::new("notes.txt")), None);
    }
}
