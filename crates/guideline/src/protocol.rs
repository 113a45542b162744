//! Tasks of measuring processes, and their reports, through `mpirun`.

use serde::{Deserialize, Serialize};

use crate::results::{Mode, Options};

/// Begins every line that is meant for the campaign; whatever an MPI library prints does not.
const MARK: &str = "commloom-guidelines ";

/// The work of one launch. All its processes get the same text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Files or sonames; the first one that can be opened is used.
    pub libraries: Vec<String>,
    /// Of the campaign: the plan follows from it.
    pub options: Options,
    /// Of the random orders.
    pub seed: u64,
    /// Number of the launch.
    pub launch: u32,
    /// Under what the processes are started.
    pub mode: Mode,
    /// Places in the order before this one are left out.
    pub first: usize,
    /// A mistake that is made on purpose.
    pub injected: Option<Injected>,
}

/// A mistake, for tests: at a place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    /// One received byte is changed.
    WrongByte(usize),
    /// The last process ends.
    Death(usize),
    /// The last process waits for ever.
    Hang(usize),
}

/// Reports to the campaign, in this order: `Started`, then for each place `Began` and `Measured`
/// or `Failed`, then `Ended`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// MPI runs.
    Started {
        /// The text of `MPI_Get_library_version`.
        library: String,
    },
    /// A measurement is about to be made.
    Began {
        /// Its place in the order.
        place: usize,
    },
    /// It was made.
    Measured {
        /// Its place in the order.
        place: usize,
        /// As in the results.
        samples_us: Vec<f64>,
    },
    /// It has no times.
    Failed {
        /// Its place in the order.
        place: usize,
        /// Why.
        error: String,
    },
    /// Nothing was measured, and nothing will be.
    Refused {
        /// Why.
        error: String,
    },
    /// All was measured.
    Ended,
}

impl Event {
    /// A line of text, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        // The type has no map with odd keys, and numbers are finite: it cannot fail.
        format!("{MARK}{}", serde_json::to_string(self).unwrap_or_default())
    }

    /// The event of a line; `None` for whatever else stands there.
    #[must_use]
    pub fn parse(line: &str) -> Option<Event> {
        // A library may have begun a line of its own.
        let (_, event) = line.split_once(MARK)?;
        serde_json::from_str(event).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_and_noise_is_none() {
        let event = Event::Measured { place: 3, samples_us: vec![1.5, 2.0] };
        assert_eq!(Event::parse(&event.line()), Some(event.clone()));
        assert_eq!(Event::parse(&format!("warning: {}", event.line())), Some(event.clone()));
        assert_eq!(Event::parse("[node] WARNING: no network"), None);
        assert_eq!(Event::parse(&event.line()[..40]), None);
        assert!(!Event::Failed { place: 0, error: "a\nb".into() }.line().contains('\n'));
    }
}
