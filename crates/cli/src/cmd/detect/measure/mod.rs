//! Times of the messages and of the calls that stand for them with an MPI library on this machine:
//! both are replayed, with their sizes and their order, by processes that `mpirun` starts and that
//! are this command again.
//!
//! ```text
//! schedules, in scratch memory ─► a file for each rank ─► mpirun ─► worker
//!                            samples, as lines of standard output ──┘
//! worker: commloom detect --replay-here
//! ```

mod worker;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use commloom_advice::{Measured, Spread};
use commloom_commgraph::schedule::{Program, Schedule};
use commloom_measure::statistics::Quartiles;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files::private_folder;
use crate::guidelines::{Mpirun, end};
use crate::signals::Group;
use crate::streams::{lines_of, rest_of};

pub use worker::run as work;

/// Begins every line that is meant for the parent.
const MARK: &str = "commloom-measure ";
/// Processes that tell nothing for so long hang.
const PATIENCE: Duration = Duration::from_secs(120);
/// The file with what all ranks do.
const TASK: &str = "task.json";

/// The task of all ranks.
#[derive(Serialize, Deserialize)]
struct Task {
    /// Files or sonames: one of them is the library.
    libraries: Vec<String>,
    processes: u32,
}

/// A message and a call, to be measured in turn.
pub struct Pair {
    pub messages: Schedule,
    pub call: Schedule,
}

/// The programs of one process for a pair.
#[derive(Serialize, Deserialize)]
struct Programs([Program; 2]);

/// Seconds of one run each, in the order in which they were measured.
#[derive(Debug, Serialize, Deserialize)]
struct Samples {
    pair: usize,
    library: String,
    messages: Vec<f64>,
    call: Vec<f64>,
}

/// A report of a worker.
#[derive(Debug, Serialize, Deserialize)]
enum Told {
    Samples(Samples),
    Refused(String),
    Done,
}

/// Measures each pair with the library that the user names: `mpich`, `openmpi`, or its `mpirun`.
///
/// # Errors
/// There is no such library, or its processes fail; with what they said.
pub fn measure(pairs: Vec<Pair>, mpi: &str, processes: u32) -> Result<Vec<Measured>, Failure> {
    let mpirun = Mpirun::find(mpi, processes)?;
    let folder = private_folder()?;
    let count = pairs.len();
    write(folder.path(), pairs, &Task { libraries: mpirun.libraries.clone(), processes })?;
    let this = std::env::current_exe().map_err(|error| Failure::File {
        doing: "find",
        name: "the executable of commloom".to_owned(),
        error,
    })?;
    let mut command = mpirun.start(processes);
    command.arg(&this).args(["detect", "--replay-here"]).arg(folder.path());
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Failure::File {
        doing: "start",
        name: mpirun.command.display().to_string(),
        error,
    })?;
    // Not in the group of the terminal: it has to be ended with this process.
    let _group = Group::new(child.id());
    let samples = listen(&mut child);
    let mut samples = samples.map_err(|reason| {
        Failure::message(format!("cannot measure with {}: {reason}", mpirun.command.display()))
    })?;
    samples.sort_by_key(|samples| samples.pair);
    if samples.len() != count {
        let text = format!("only {} of {count} operations were measured", samples.len());
        return Err(Failure::message(text));
    }
    Ok(samples.iter().map(measured).collect())
}

/// One file for each rank: its programs of all pairs.
fn write(folder: &Path, pairs: Vec<Pair>, task: &Task) -> Result<(), Failure> {
    let mut of_rank: Vec<Vec<Programs>> = Vec::new();
    for Pair { messages, call } in pairs {
        let both = messages.contained().programs.into_iter().zip(call.contained().programs);
        for (rank, (messages, call)) in both.enumerate() {
            if of_rank.len() <= rank {
                of_rank.push(Vec::new());
            }
            of_rank[rank].push(Programs([messages, call]));
        }
    }
    for (rank, programs) in of_rank.iter().enumerate() {
        put(&folder.join(format!("rank-{rank}.json")), programs)?;
    }
    put(&folder.join(TASK), task)
}

fn put(file: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_vec(value)
        .map_err(|error| Failure::message(format!("{}: {error}", file.display())))?;
    std::fs::write(file, text).map_err(|error| cannot("write", file, error))
}

/// All samples; or why there are none.
fn listen(child: &mut Child) -> Result<Vec<Samples>, String> {
    let (lines, said) = (lines_of(child.stdout.take()), rest_of(child.stderr.take()));
    let mut samples = Vec::new();
    let told = loop {
        let line = match lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                break Err(format!("the processes did nothing for {} s", PATIENCE.as_secs()));
            }
            Err(RecvTimeoutError::Disconnected) => break Err("the processes ended".to_owned()),
        };
        let told = line.strip_prefix(MARK).and_then(|json| serde_json::from_str(json).ok());
        match told {
            Some(Told::Samples(of)) => samples.push(of),
            Some(Told::Refused(reason)) => break Err(reason),
            Some(Told::Done) => break Ok(()),
            None => {}
        }
    };
    if told.is_err() {
        end(child);
    }
    // What matters was told before.
    let _ = child.wait();
    told.map(|()| samples).map_err(|reason| {
        let said = said.recv_timeout(Duration::from_secs(3)).unwrap_or_default();
        match said.trim() {
            "" => reason,
            said => format!(
                "{reason}; they said:\n{}",
                said.lines().take(10).collect::<Vec<_>>().join("\n")
            ),
        }
    })
}

fn measured(samples: &Samples) -> Measured {
    Measured {
        library: samples.library.clone(),
        samples: samples.messages.len().min(samples.call.len()),
        messages: spread(&samples.messages),
        call: spread(&samples.call),
    }
}

fn spread(values: &[f64]) -> Spread {
    let of = Quartiles::of(values);
    let [lower_quartile, median, upper_quartile] =
        of.map_or([0.0; 3], |of| [of.low, of.median, of.high]);
    Spread { lower_quartile, median, upper_quartile }
}

fn cannot(doing: &'static str, path: &Path, error: std::io::Error) -> Failure {
    Failure::File { doing, name: path.display().to_string(), error }
}
