//! One of the processes that `mpirun` starts: replays its programs, the messages and the call in
//! turn.

use std::io::{self, Write};
use std::path::Path;

use commloom_mpi::first_that_opens;
use commloom_mpi::graphs::{GraphsError, Replay, replay};
use serde::de::DeserializeOwned;

use super::{MARK, Programs, Samples, TASK, Task, Told, cannot};
use crate::failure::Failure;

/// How long a sample should take, in seconds: many times the resolution of the clock.
const SAMPLE: f64 = 1e-3;
/// Most runs of a sample.
const MOST: f64 = 1000.0;
/// Time for all samples of a pair, in seconds, and how many there are.
const BUDGET: f64 = 2.0;
const SAMPLES: (f64, f64) = (5.0, 51.0);

/// Does what the folder says.
///
/// # Errors
/// Files that cannot be read; nobody listens.
pub fn run(folder: &Path) -> Result<(), Failure> {
    let task: Task = get(&folder.join(TASK))?;
    let done = first_that_opens(&task.libraries, |library| {
        replay(library, |replay| Ok(all(replay, folder, &task)))
    });
    done.unwrap_or_else(|error| say(&Told::Refused(error.to_string())))
}

fn all(replay: &mut dyn Replay, folder: &Path, task: &Task) -> Result<(), Failure> {
    let (rank, size) = (replay.rank(), replay.size());
    if u32::try_from(size) != Ok(task.processes) {
        return say(&Told::Refused(format!(
            "{} processes were started, and MPI sees {size}: the library {} is not that of mpirun; \
             name both, as --measure=MPIRUN=LIBRARY",
            task.processes,
            task.libraries.join(" or ")
        )));
    }
    let programs: Vec<Programs> = get(&folder.join(format!("rank-{rank}.json")))?;
    let version = replay.version().map_err(|e| Failure::message(e.to_string()))?;
    // Open MPI goes on with who has built it.
    let version =
        version.lines().next().and_then(|line| line.split(',').next()).unwrap_or_default();
    let library = version.split_whitespace().collect::<Vec<_>>().join(" ");
    for (pair, Programs(programs)) in programs.iter().enumerate() {
        match samples(replay, programs) {
            Ok([messages, call]) if rank == 0 => {
                let library = library.clone();
                say(&Told::Samples(Samples { pair, library, messages, call }))?;
            }
            Ok(_) => {}
            Err(error) => {
                // The others may wait for this process for ever: mpirun ends them with it.
                let _ = say(&Told::Refused(error.to_string()));
                std::process::exit(2);
            }
        }
    }
    if rank == 0 { say(&Told::Done) } else { Ok(()) }
}

/// Samples of both programs, taken in turn. Times are those of the slowest rank, the same at all:
/// so all decide the same.
fn samples(
    replay: &mut dyn Replay,
    programs: &[commloom_commgraph::schedule::Program],
) -> Result<[Vec<f64>; 2], GraphsError> {
    replay.prepare(programs)?;
    let mut once = 0.0_f64;
    for program in 0..programs.len() {
        // The first one is not counted: memory and connections are cold.
        replay.time(program, 1)?;
        once = once.max(replay.time(program, 1)?);
    }
    let runs = (SAMPLE / once.max(1e-9)).clamp(1.0, MOST).floor();
    let rounds = (BUDGET / (2.0 * runs * once).max(1e-9)).clamp(SAMPLES.0, SAMPLES.1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most a thousand"
    )]
    let (times, rounds) = (runs as u32, rounds as u32);
    let mut taken = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (program, taken) in taken.iter_mut().enumerate() {
            taken.push(replay.time(program, times)? / runs);
        }
    }
    Ok(taken)
}

fn get<T: DeserializeOwned>(file: &Path) -> Result<T, Failure> {
    let bytes = std::fs::read(file).map_err(|error| cannot("read", file, error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::message(format!("{}: {error}", file.display())))
}

fn say(told: &Told) -> Result<(), Failure> {
    let json = serde_json::to_string(told).map_err(|e| Failure::message(e.to_string()))?;
    let mut out = io::stdout().lock();
    // One write: lines of other processes stay outside.
    out.write_all(format!("{MARK}{json}\n").as_bytes())?;
    Ok(out.flush()?)
}
