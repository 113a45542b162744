//! One group of persistent requests, and what is done when it is started the next time.
//!
//! ```text
//! Watched ─ twice as it is ─► vote Compile ─┬─ nothing in it ─► Left
//!                                           └─ a collective ──► Waiting ─► Trial
//! Trial: replaced and as it is in turns ─► vote Judge ─┬─ faster ─► Kept: vote Run
//!                                                      └─ not ────► Left
//! any ─ nobody came along, several times in a row ─► Left
//! ```
//!
//! All of it follows from how often this process has started the group, and from what all
//! processes agreed on. So processes that do the same are at the same place, and where they are
//! not, their votes differ and nothing is replaced.

use std::time::Duration;

use commloom_measure::statistics;

use super::ballot::{Action, MAX_ROUNDS, Motion};

/// Starts that are only looked at.
const SEEN: u32 = 2;
/// Votes without success in a row after which a process gives the group up.
pub(super) const MISSES: u32 = 4;
/// Starts of each kind in a trial.
const PAIRS: usize = 9;
/// So many of one kind follow each other, of which the first is not counted: memory is then in the
/// caches as the other kind leaves it.
const BLOCK: u32 = 4;

/// Where a group stands, as one process sees it.
#[derive(Debug)]
pub(super) struct Group {
    stage: Stage,
    /// Starts as the program has them.
    round: u32,
    misses: u32,
    /// Starts that were replaced.
    pub replaced: u32,
    /// The operations that replace it, once they are known.
    pub found: Vec<String>,
}

#[derive(Debug)]
enum Stage {
    Watched,
    Waiting,
    Trial(Trial),
    Kept,
    Left(Reason),
}

/// Why a group goes as the program has it, for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Reason {
    /// See [`super::channels`].
    #[error("other messages have the same peers and tags")]
    Shared,
    /// Votes got no answer in time.
    #[error("the processes did not start it together")]
    Alone,
    /// The schedule would be messages again.
    #[error("no collective operation in it")]
    Nothing,
    /// The messages make no graph.
    #[error("{0}")]
    NoGraph(String),
    /// It was tried.
    #[error("not faster: {native:?} as it is, {replaced:?} replaced")]
    Slower { native: Duration, replaced: Duration },
}

/// Times of a start until its completion, in this process: what the calls of both and of
/// completion took.
#[derive(Debug, Default)]
struct Trial {
    replaced: Vec<Duration>,
    native: Vec<Duration>,
    /// Kind of the start that is under way, and how many of it there were in a row.
    running: Option<(Kind, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Replaced,
    Native,
}

/// The way of the next start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    AsItIs,
    Vote(Motion),
}

impl Group {
    pub fn new() -> Group {
        Group { stage: Stage::Watched, round: 0, misses: 0, replaced: 0, found: Vec::new() }
    }

    /// The program starts it. `turn` is whether it may begin or go on with a trial; `spent` what
    /// calls of starting and completing took since it was started last.
    pub fn next(&mut self, turn: bool, spent: Duration) -> Step {
        if let (Stage::Waiting, true) = (&self.stage, turn) {
            self.stage = Stage::Trial(Trial::default());
        }
        let action = match &mut self.stage {
            Stage::Watched if self.round < SEEN => return Step::AsItIs,
            Stage::Watched => Action::Compile,
            Stage::Waiting | Stage::Left(_) => return Step::AsItIs,
            Stage::Trial(trial) => match trial.next(spent) {
                Some(action) => action,
                None => return Step::AsItIs,
            },
            Stage::Kept => Action::Run,
        };
        match self.round < MAX_ROUNDS {
            true => Step::Vote(Motion { round: self.round, action }),
            false => Step::AsItIs,
        }
    }

    /// It is started as the program has it.
    pub fn as_it_is(&mut self) {
        self.round = self.round.saturating_add(1).min(MAX_ROUNDS);
    }

    /// A vote had no success.
    pub fn missed(&mut self) {
        self.misses += 1;
        if self.misses == MISSES {
            self.leave(Reason::Alone);
        }
    }

    /// It was replaced.
    pub fn ran(&mut self) {
        self.misses = 0;
        self.replaced = self.replaced.saturating_add(1);
    }

    /// It has been compiled: from now on it is tried, or replaced without a trial.
    pub fn compiled(&mut self, found: Vec<String>, trial: bool) {
        self.found = found;
        self.stage = if trial { Stage::Waiting } else { Stage::Kept };
    }

    /// Its trial begins anew, when there is time.
    pub fn loses_turn(&mut self) {
        if self.is_in_trial() {
            self.stage = Stage::Waiting;
        }
    }

    /// The trial has gone well.
    pub fn keep(&mut self) {
        self.stage = Stage::Kept;
    }

    /// It is never replaced again; the first reason stays.
    pub fn leave(&mut self, reason: Reason) {
        if self.left().is_none() {
            self.stage = Stage::Left(reason);
        }
    }

    /// Why it is not replaced any more.
    pub fn left(&self) -> Option<&Reason> {
        match &self.stage {
            Stage::Left(reason) => Some(reason),
            _ => None,
        }
    }

    pub fn is_in_trial(&self) -> bool {
        matches!(self.stage, Stage::Trial(_))
    }

    /// Medians of the trial, as it is and replaced.
    pub fn medians(&self) -> (Duration, Duration) {
        match &self.stage {
            Stage::Trial(trial) => (middle(&trial.native), middle(&trial.replaced)),
            _ => (Duration::ZERO, Duration::ZERO),
        }
    }

    /// Starts so far.
    pub fn starts(&self) -> u64 {
        u64::from(self.round) + u64::from(self.replaced)
    }
}

impl Trial {
    /// The action to vote for, if any.
    fn next(&mut self, spent: Duration) -> Option<Action> {
        match self.running {
            None | Some((_, 1)) => {}
            Some((Kind::Replaced, _)) => self.replaced.push(spent),
            Some((Kind::Native, _)) => self.native.push(spent),
        }
        if self.native.len() >= PAIRS {
            self.running = None;
            return Some(Action::Judge);
        }
        let (kind, count) = match self.running {
            None | Some((Kind::Native, BLOCK)) => (Kind::Replaced, 1),
            Some((Kind::Replaced, BLOCK)) => (Kind::Native, 1),
            Some((kind, count)) => (kind, count + 1),
        };
        self.running = Some((kind, count));
        (kind == Kind::Replaced).then_some(Action::Run)
    }
}

/// Whether a trial says that replacing pays, by the medians of all processes in all: by a
/// twentieth at least, because what is tried again would come out the other way half of the time.
pub(super) fn pays(native: Duration, replaced: Duration) -> bool {
    replaced.saturating_mul(20) <= native.saturating_mul(19)
}

fn middle(times: &[Duration]) -> Duration {
    let seconds = statistics::median(times.iter().map(Duration::as_secs_f64));
    seconds.map_or(Duration::ZERO, Duration::from_secs_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Duration = Duration::ZERO;

    fn vote(round: u32, action: Action) -> Step {
        Step::Vote(Motion { round, action })
    }

    fn compiled(trial: bool) -> Group {
        let mut group = Group::new();
        for _ in 0..SEEN {
            assert_eq!(group.next(true, NOTHING), Step::AsItIs);
            group.as_it_is();
        }
        assert_eq!(group.next(true, NOTHING), vote(2, Action::Compile));
        group.compiled(vec!["alltoall".to_owned()], trial);
        group.ran();
        group
    }

    #[test]
    fn a_group_is_seen_twice_before_anything_is_voted_on() {
        let mut group = compiled(false);
        assert_eq!(group.next(true, NOTHING), vote(2, Action::Run));
        assert_eq!((group.starts(), group.replaced), (3, 1));
    }

    #[test]
    fn a_trial_takes_turns_and_ends_with_a_judgement() {
        let mut group = compiled(true);
        assert_eq!(group.next(false, NOTHING), Step::AsItIs, "another group is tried");
        group.as_it_is();
        let (mut round, mut spent) = (3, NOTHING);
        // The first of each block takes longer, and does not count.
        let took =
            |count: u32, micros| Duration::from_micros(if count == 0 { 900 } else { micros });
        for _ in 0..3 {
            for count in 0..BLOCK {
                assert_eq!(group.next(true, spent), vote(round, Action::Run));
                group.ran();
                spent = took(count, 3);
            }
            for count in 0..BLOCK {
                assert_eq!(group.next(true, spent), Step::AsItIs);
                group.as_it_is();
                round += 1;
                spent = took(count, 5);
            }
        }
        assert_eq!(group.next(true, spent), vote(round, Action::Judge));
        let (native, replaced) = group.medians();
        assert_eq!((native.as_micros(), replaced.as_micros()), (5, 3));
        assert!(pays(native, replaced) && !pays(replaced, native) && !pays(native, native));
        group.keep();
        assert_eq!(group.next(true, NOTHING), vote(round, Action::Run));
    }

    #[test]
    fn a_trial_that_is_put_off_begins_anew() {
        let mut group = compiled(true);
        assert_eq!(group.next(true, NOTHING), vote(2, Action::Run));
        group.ran();
        group.loses_turn();
        assert_eq!(group.next(false, NOTHING), Step::AsItIs);
        group.as_it_is();
        assert_eq!(group.next(true, NOTHING), vote(3, Action::Run));
        assert_eq!(group.medians(), (NOTHING, NOTHING), "no times yet");
    }

    #[test]
    fn who_gets_no_answer_several_times_in_a_row_gives_up() {
        let mut group = compiled(false);
        for k in 0..3 * MISSES {
            match k % MISSES {
                0 => group.ran(),
                _ => group.missed(),
            }
        }
        assert_eq!(group.left(), None, "a success in between counts");
        group.missed();
        assert_eq!(group.left(), Some(&Reason::Alone));
        group.leave(Reason::Shared);
        assert_eq!(group.left(), Some(&Reason::Alone), "the first reason stays");
        assert_eq!(group.next(true, NOTHING), Step::AsItIs);
    }
}
