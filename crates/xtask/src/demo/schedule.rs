//! The order of launches: native, commloom, commloom, native, and again.
//!
//! A drift of the machine that is linear in time then adds the same to both modes over two runs.
//! It does not help where launches differ: on some virtual machines half of them exchange messages
//! three times as slowly as the others, whatever runs. Times of the demo are those of launches in
//! which both go by turns.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How an example is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// As it is.
    Native,
    /// Under `commloom exec`.
    Commloom,
    /// Under `commloom exec`, which leaves every other block of exchanges alone.
    ByTurns,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Native => "native",
            Mode::Commloom => "with commloom",
            Mode::ByTurns => "by turns",
        })
    }
}

/// One launch to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 0.
    pub run: u32,
    /// Index of the example and library.
    pub subject: usize,
    /// Native or not.
    pub mode: Mode,
}

/// All launches, in order: in each run every subject in every mode; the modes change their order
/// from run to run.
#[must_use]
pub fn turns(runs: u32, subjects: usize, modes: &[Mode]) -> Vec<Turn> {
    let mut turns = Vec::new();
    for run in 0..runs {
        for subject in 0..subjects {
            let turn = |&mode: &Mode| Turn { run, subject, mode };
            if run % 2 == 0 {
                turns.extend(modes.iter().map(turn));
            } else {
                turns.extend(modes.iter().rev().map(turn));
            }
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::{Mode::*, turns};

    #[test]
    fn modes_of_one_subject_alternate_as_native_commloom_commloom_native() {
        let modes: Vec<_> = turns(4, 1, &[Native, Commloom]).iter().map(|t| t.mode).collect();
        assert_eq!(modes, [Native, Commloom, Commloom, Native, Native, Commloom, Commloom, Native]);
    }

    #[test]
    fn linear_drift_cancels_over_an_even_number_of_runs() {
        let turns = turns(6, 3, &[Native, Commloom]);
        for subject in 0..3 {
            let sum = |mode| -> usize {
                let mine = |t: &super::Turn| t.subject == subject && t.mode == mode;
                turns.iter().enumerate().filter(|(_, t)| mine(t)).map(|(time, _)| time).sum()
            };
            assert_eq!(sum(Native), sum(Commloom), "subject {subject}");
        }
    }

    #[test]
    fn every_subject_has_every_mode_in_every_run() {
        let turns = turns(3, 4, &[Native, Commloom]);
        for run in 0..3 {
            for subject in 0..4 {
                for mode in [Native, Commloom] {
                    let same = |t: &&super::Turn| **t == super::Turn { run, subject, mode };
                    assert_eq!(turns.iter().filter(same).count(), 1);
                }
            }
        }
    }
}
