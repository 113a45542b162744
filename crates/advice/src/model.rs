//! Advice as data.

use serde::Serialize;

use commloom_emit::Language;

use crate::place::{Called, Frame};

/// Messages that stand in the program, and the call that should.
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
    /// Messages that it takes the place of, all times together; those that are counted nowhere
    /// else.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// All messages that the lines of these send in the whole run.
    pub sent_there: u64,
    /// Where they are sent, and how many.
    pub sent: Vec<Location>,
    /// Where they are received.
    pub received: Vec<Location>,
    /// C or Fortran.
    pub language: Language,
    /// The lines to write; none where they are withheld.
    pub code: Vec<String>,
    /// The meaning of the names in them that the program does not have.
    pub legend: Vec<String>,
    /// Of neighbours: the processes in each dimension, and whether the last is the neighbour of
    /// the first.
    pub grid: Option<ProcessGrid>,
    /// By the cost model, all times together; nothing where the lines are withheld.
    pub predicted: Option<Predicted>,
    /// With the MPI library, one time.
    pub measured: Option<Measured>,
    /// Where the call does the same, which a trace cannot tell: each the end of a sentence that
    /// begins with "only if".
    pub conditions: Vec<String>,
    /// Other changes that come with it.
    pub warnings: Vec<String>,
    /// Why there are no lines to write: the call is not shown to do what was recorded.
    pub withheld: Option<String>,
}

/// How many messages stand in the program that calls would stand for: those of advice with lines
/// to write.
#[must_use]
pub fn replaced(advice: &[Advice]) -> u64 {
    let printed = advice.iter().filter(|advice| advice.withheld.is_none());
    printed.fold(0, |sum, advice| sum.saturating_add(advice.messages))
}

/// A grid of processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProcessGrid {
    /// Processes in each dimension.
    pub dims: Vec<u32>,
    /// Whether the last is the neighbour of the first.
    pub periods: Vec<bool>,
}

/// Times by the cost model, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Predicted {
    /// As messages.
    pub messages: f64,
    /// With the call.
    pub call: f64,
}

impl Predicted {
    /// The same with so many `unseen` times besides those that were found.
    pub(crate) fn with_unseen(self, found: u64, unseen: u64) -> Predicted {
        #[expect(clippy::cast_precision_loss, reason = "repetitions of a program")]
        let more = 1.0 + unseen as f64 / found.max(1) as f64;
        Predicted { messages: self.messages * more, call: self.call * more }
    }
}

/// Medians of so many samples, in seconds, and the quartiles on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The MPI library.
    pub library: String,
    /// How many.
    pub samples: usize,
    /// As messages.
    pub messages: Spread,
    /// With the call.
    pub call: Spread,
}

impl Advice {
    /// The seconds that the call saves in the run: by the measured times, where there are some,
    /// else by those of the model. `None` where no call is given.
    #[must_use]
    pub fn saved(&self) -> Option<f64> {
        let predicted = self.predicted.as_ref().map(|p| p.messages - p.call);
        #[expect(clippy::cast_precision_loss, reason = "repetitions of a program")]
        let measured = |m: &Measured| (m.messages.median - m.call.median) * self.times as f64;
        self.measured.as_ref().map(measured).or(predicted)
    }

    /// Whether a call is given that was measured, and is no faster than its messages.
    #[must_use]
    pub fn is_no_gain(&self) -> bool {
        self.measured.is_some() && self.saved().is_some_and(|saved| saved <= 0.0)
    }
}

/// Puts what was measured in the order of what it saves: what saves most first, then what was not
/// measured, as it was, and what saves nothing last.
pub fn by_saving(advice: &mut [Advice]) {
    let place = |advice: &Advice| match &advice.measured {
        Some(_) if advice.is_no_gain() => 2,
        Some(_) => 0,
        None => 1,
    };
    advice.sort_by(|a, b| {
        let saved = |advice: &Advice| advice.measured.as_ref().and_then(|_| advice.saved());
        let more = || saved(b).unwrap_or(0.0).total_cmp(&saved(a).unwrap_or(0.0));
        place(a).cmp(&place(b)).then_with(more)
    });
}

/// Median and quartiles of times, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// A quarter is below it.
    pub lower_quartile: f64,
    /// Half are below it.
    pub median: f64,
    /// A quarter is above it.
    pub upper_quartile: f64,
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
    /// The line of the source, which whoever shows the advice may add.
    pub line: Option<String>,
}

impl Location {
    pub(crate) fn new(called: &Called, messages: u64) -> Location {
        Location { name: called.to_string(), frames: called.frames.clone(), messages, line: None }
    }
}

/// The sizes of a grid: `4 x 2`.
#[must_use]
pub fn dimensions(dims: &[u32]) -> String {
    dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}
