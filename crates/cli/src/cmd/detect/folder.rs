//! The files of a folder that `commloom trace` has filled: those of one run, one for each process.

use std::path::{Path, PathBuf};

use commloom_guard::Origin;
use commloom_trace::{Action, Trace};

use crate::failure::Failure;
use crate::files::DATA;

/// Processes of one run begin within this, in nanoseconds.
const TOGETHER: u64 = 600_000_000_000;

/// All traces of a folder, by name; what is damaged in them, and what else is odd, is a note.
///
/// # Errors
/// No trace, a file that is none, files of several runs.
pub fn traces(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<Trace>, Failure> {
    let files = files(folder)?;
    let mut traces: Vec<Trace> = Vec::new();
    for file in &files {
        let bytes = commloom_guard::read(file, Origin::Found, DATA)
            .map_err(|error| reading(file, error))?;
        if bytes.is_empty() {
            return Err(Failure::message(format!(
                "{} is empty: the process ended before it wrote anything, or the disk was full",
                file.display()
            )));
        }
        let trace = commloom_trace::read(&bytes)
            .map_err(|error| Failure::message(format!("{}: {error}", file.display())))?;
        if trace.events.last().is_some_and(|(_, last)| matches!(last.action, Action::Limit)) {
            notes.push(format!(
                "{} ends at the limit that was set (`--limit`): what this process did then is not \
                 in what is said here, and may be something else in the same lines",
                file.display()
            ));
        }
        notes.extend(trace.problems.iter().map(|problem| format!("{}: {problem}", file.display())));
        traces.push(trace);
    }
    one_run(&files, &traces)?;
    let started = || traces.iter().map(|trace| trace.header.started);
    if let (Some(first), Some(last)) = (started().min(), started().max())
        && last - first > TOGETHER
    {
        notes.push(format!(
            "processes began up to {} s apart: are these the traces of several runs, or are their \
             clocks wrong?",
            (last - first) / 1_000_000_000
        ));
    }
    Ok(traces)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| reading(folder, error))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "trace"));
    files.sort();
    if files.is_empty() {
        return Err(Failure::message(format!(
            "{}: there is no trace in this folder (`commloom trace -o {0}` makes them: \
             rank-000000.trace, ...)",
            folder.display()
        )));
    }
    Ok(files)
}

fn reading(name: &Path, error: std::io::Error) -> Failure {
    Failure::File { doing: "read", name: name.display().to_string(), error }
}

/// That the files are of as many processes, and each of another one. Programs may differ (MPI 4.1,
/// section 11.5).
fn one_run(files: &[PathBuf], traces: &[Trace]) -> Result<(), Failure> {
    let mut all: Vec<(&PathBuf, &Trace)> = files.iter().zip(traces).collect();
    let ranks = |(_, trace): &(&PathBuf, &Trace)| trace.header.ranks;
    if let Some(other) = all.iter().find(|one| ranks(one) != ranks(&all[0])) {
        return Err(Failure::message(format!(
            "{} is of a run with {} processes, but {} of one with {}: only the traces of one run \
             go together",
            all[0].0.display(),
            ranks(&all[0]),
            other.0.display(),
            ranks(other)
        )));
    }
    all.sort_by_key(|(_, trace)| trace.header.rank);
    match all.windows(2).find(|two| two[0].1.header.rank == two[1].1.header.rank) {
        Some(two) => Err(Failure::message(format!(
            "{} and {} are both of process {}: only the traces of one run go together",
            two[0].0.display(),
            two[1].0.display(),
            two[0].1.header.rank
        ))),
        None => Ok(()),
    }
}
