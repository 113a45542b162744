//! The process that opens the library: times every layout, and tells on standard output.
//!
//! Every line begins with [`MARK`]; whatever the MPI library itself prints does not.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use commloom_measure::statistics::median;
use commloom_mpi::{LibraryError, SessionError, SingleSession, Work, first_that_opens, single};

use super::family::family;
use crate::failure::Failure;

/// Begins every line that is meant for the parent.
pub const MARK: &str = "commloom-calibrate ";

/// How long one sample should take: many times the resolution of the clock, short against what
/// else runs on the machine.
const SAMPLE: Duration = Duration::from_micros(20);

/// Opens the first of `libraries` that is there and times the family, `rounds` times in turn.
///
/// # Errors
/// Those of the library; already told on standard output.
pub fn run(libraries: &[PathBuf], rounds: u32) -> Result<(), Failure> {
    let mut tried = PathBuf::new();
    let told = first_that_opens(libraries, |library| {
        tried = library.to_owned();
        single(library, |packer| tell(packer, rounds))
    });
    match told {
        Ok(told) => Ok(told?),
        Err(SessionError::Library(LibraryError::MissingSymbol { name })) => {
            failed(&format!("{} is no MPI library: it has no {name}", tried.display()))
        }
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(reason: &str) -> Result<(), Failure> {
    let reason = reason.replace('\n', " ");
    Ok(say(&format!("error {reason}"))?)
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{MARK}{line}")?;
    out.flush()
}

/// Times in nanoseconds: first line what, then value.
fn tell(packer: &mut dyn SingleSession, rounds: u32) -> Result<io::Result<()>, SessionError> {
    let version = packer.version()?;
    let path = packer.path().to_owned();
    let mut numbers = Vec::new();
    for case in family() {
        numbers.push(packer.add(&case.ty)?);
    }
    let mut repeats = Vec::new();
    for &number in &numbers {
        repeats.push(repeats_for(packer, number)?);
    }
    let mut samples: Vec<Vec<f64>> = Vec::new();
    for round in 0..rounds {
        let mut row = Vec::new();
        for (&number, &times) in numbers.iter().zip(&repeats) {
            let time = packer.time(number, Work::Pack, times)?;
            row.push(time.as_secs_f64() * 1e9 / f64::from(times));
        }
        samples.push(row);
        if let Err(error) = say(&format!("round {}", round + 1)) {
            return Ok(Err(error));
        }
    }
    let words: Vec<&str> = version.lines().next().unwrap_or_default().split_whitespace().collect();
    let first_line = words.join(" ");
    let mut lines = vec![format!("library {path}"), format!("version {first_line}")];
    lines.extend(medians(&samples).iter().map(|time| format!("time {time}")));
    lines.push("done".to_owned());
    Ok(lines.iter().try_for_each(|line| say(line)))
}

/// How often a layout is packed for one sample; it is warm afterwards.
fn repeats_for(packer: &mut dyn SingleSession, number: usize) -> Result<u32, SessionError> {
    const MOST: u32 = 1 << 16;
    let mut times = 16;
    while times < MOST && packer.time(number, Work::Pack, times)? < SAMPLE {
        times *= 2;
    }
    Ok(times)
}

/// The median of each layout over the rounds. A machine may run at half its speed in some rounds,
/// so each round is first brought to the same total.
fn medians(samples: &[Vec<f64>]) -> Vec<f64> {
    let totals: Vec<f64> = samples.iter().map(|row| row.iter().sum()).collect();
    let usual = middle(&totals);
    let layouts = samples.first().map_or(0, Vec::len);
    (0..layouts)
        .map(|k| {
            let scaled: Vec<f64> =
                samples.iter().zip(&totals).map(|(row, total)| row[k] * usual / total).collect();
            middle(&scaled)
        })
        .collect()
}

fn middle(values: &[f64]) -> f64 {
    median(values.iter().copied()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_at_half_the_speed_changes_nothing() {
        let round = vec![10.0, 30.0, 60.0];
        let slow = round.iter().map(|t| 2.0 * t).collect();
        let outlier = vec![10.0, 330.0, 60.0];
        let medians = medians(&[round.clone(), slow, round.clone(), outlier, round.clone()]);
        assert_eq!(medians, round);
    }
}
