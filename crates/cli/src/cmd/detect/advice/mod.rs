//! What to do about the operations that were found in a program that ran: one advice for each place in the program, kind
//! and number of processes, however many parts of the program it is in.

mod blocks;
mod code;
mod communicator;
mod elements;
mod gather;
mod halo;
mod measured;
mod printed;
mod proof;
mod replacement;
mod text;
mod waits;
mod warnings;

use std::path::Path;

use commloom_guard::Origin;
use serde::Serialize;

pub use gather::{advice, findings};
pub use measured::measure;
pub use replacement::mpi;
pub use text::{headline, measured_words, predicted_words, text, withheld_words};

use crate::files::TEXT;
use crate::sites::{Called, Frame};

/// What stands in the program, and what should.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// MPI's name in lower case, without `MPI_`.
    pub kind: &'static str,
    /// How many processes take part in each.
    pub processes: u32,
    /// Which: empty where all do.
    pub groups: Vec<Vec<u32>>,
    /// The ranks in the world that were root.
    pub roots: Vec<u32>,
    /// How often, in all groups and parts of the program together.
    pub times: u64,
    /// In which parts of the program, from 1.
    pub phases: Vec<usize>,
    /// The least and the most bytes of a block.
    pub bytes_each: (u64, u64),
    /// Messages that it takes the place of, all times together; those that are counted nowhere else.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Where they are sent, and how many.
    pub sent: Vec<Location>,
    /// Where they are received.
    pub received: Vec<Location>,
    /// C or Fortran.
    pub language: Language,
    /// The lines to write; none where they are withheld.
    pub code: Vec<String>,
    /// What the names in them are that the program does not have.
    pub legend: Vec<String>,
    /// Of neighbours: the processes in each dimension, and whether the last is the neighbour of the first.
    pub grid: Option<Grid>,
    /// By the cost model, all times together; nothing where the lines are withheld.
    pub predicted: Option<Predicted>,
    /// With the MPI library, one time.
    pub measured: Option<Measured>,
    /// What changes besides.
    pub warnings: Vec<String>,
    /// Why there are no lines to write: the call is not shown to do what was recorded.
    pub withheld: Option<String>,
}

/// How many messages stand in the program that calls would stand for: those of advice with lines to write.
pub fn replaced(advice: &[Advice]) -> u64 {
    let printed = advice.iter().filter(|advice| advice.withheld.is_none());
    printed.fold(0, |sum, advice| sum.saturating_add(advice.messages))
}

/// A grid of processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grid {
    pub dims: Vec<u32>,
    pub periods: Vec<bool>,
}

/// In seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Predicted {
    pub messages: f64,
    pub call: f64,
}

/// Medians of so many samples, in seconds, and the quartiles on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    pub library: String,
    pub samples: usize,
    pub messages: Spread,
    pub call: Spread,
}

/// In seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
}

/// In which language the program is written at that place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Language {
    C,
    Fortran,
}

/// A call in the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// As people say it.
    pub name: String,
    /// The function with the call, then those that it was inlined into.
    pub frames: Vec<Frame>,
    /// Messages.
    pub messages: u64,
    /// The line of the source, where the file is there.
    pub line: Option<String>,
}

impl Location {
    fn new(called: &Called, messages: u64) -> Location {
        let line = called.place().and_then(|(file, line)| {
            // A trace names programs, and those name files: no others than sources are shown.
            commloom_refactor::source::Language::of_name(file)?;
            let text = commloom_guard::text(Path::new(file), Origin::Named, TEXT).ok()?;
            statement(&text, usize::try_from(line).ok()?)
        });
        Location { name: called.to_string(), frames: called.frames.clone(), messages, line }
    }
}

/// A line of a file, from 1; of a statement of Fortran that is continued there its first one.
fn statement(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).map(str::trim).collect();
    let mut first = line.checked_sub(1).filter(|first| *first < lines.len())?;
    while first > 0 && lines[first - 1].ends_with('&') {
        first -= 1;
    }
    Some(lines[first].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_continued_statement_is_shown_by_its_first_line() {
        let text = "x = 1\n  call MPI_Send(a, &\n    b, &\n    c)\n";
        assert_eq!(statement(text, 4).as_deref(), Some("call MPI_Send(a, &"));
        assert_eq!(statement(text, 1).as_deref(), Some("x = 1"));
        assert_eq!(statement(text, 9), None);
        assert_eq!(statement(text, 0), None);
    }
}
