//! [`Trials`]: whether the way that the model expects to be fastest is so, found out while
//! messages are sent.
//!
//! Of the messages of one kind the 16th, 64th, 256th, ... goes the other way. These and the three
//! before each are timed, and after every second trial the way changes if the other one was
//! clearly faster: the shortest of two times against the shortest of six, so that a message that
//! was held up does not decide. Only what is expected to take at most [`WORTH`] as long is tried.
//! Of the first 50 messages thus one takes at most 0.3 messages longer, and four are timed (50 ns
//! each): for messages of 300 ns together less than 2 %, for longer ones less.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// How much longer the other way may be expected to take to be tried.
pub const WORTH: f64 = 1.3;
/// How much faster it must have been.
const MARGIN: f64 = 0.9;
/// The message of the first trial; each next one is four times later.
const FIRST: u32 = 16;
/// Messages timed before a trial.
const BEFORE: u32 = 3;

/// One kind of message.
#[derive(Debug, Default)]
pub struct Trials {
    sent: AtomicU32,
    /// The other way is the faster one.
    other: AtomicBool,
    /// Shortest times of two trials in nanoseconds plus 1, of the model's way and of the other; 0:
    /// none.
    shortest: [AtomicU64; 2],
}

/// How one message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Not the model's way but the other one.
    pub other: bool,
    /// Its time is wanted: [`Trials::took`].
    pub timed: bool,
    /// The second of two trials: the way may change after it.
    decides: bool,
}

impl Trials {
    /// The next message. Any number of threads may send.
    pub fn next(&self) -> Step {
        let number = self.sent.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let current = self.other.load(Ordering::Relaxed);
        let Some((trial, ahead)) = next_trial(number) else {
            return Step { other: current, timed: false, decides: false };
        };
        let now = ahead == 0;
        Step { other: current != now, timed: ahead <= BEFORE, decides: now && trial % 2 == 1 }
    }

    /// The time of a message in nanoseconds.
    pub fn took(&self, step: Step, nanoseconds: u64) {
        let time = nanoseconds.saturating_add(1);
        let shortest = &self.shortest[usize::from(step.other)];
        let shorter = |old| (old == 0 || time < old).then_some(time);
        // An error says that the old one stays.
        let _ = shortest.fetch_update(Ordering::Relaxed, Ordering::Relaxed, shorter);
        if step.decides {
            let [own, other] = self.shortest.each_ref().map(|t| t.swap(0, Ordering::Relaxed));
            let current = self.other.load(Ordering::Relaxed);
            let (now, tried) = if current { (other, own) } else { (own, other) };
            if clearly_shorter(tried, now) {
                self.other.store(!current, Ordering::Relaxed);
            }
        }
    }

    /// Whether the model's way has been given up.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.other.load(Ordering::Relaxed)
    }
}

/// The number of the trial, from 0 on, that is this message's or one of the next three, and how
/// many messages it is ahead.
fn next_trial(number: u32) -> Option<(u32, u32)> {
    let mut at = FIRST;
    let mut trial = 0;
    while at < number {
        at = at.checked_mul(4)?;
        trial += 1;
    }
    (at - number <= BEFORE).then_some((trial, at - number))
}

#[expect(clippy::cast_precision_loss, reason = "a comparison of times")]
fn clearly_shorter(a: u64, b: u64) -> bool {
    a != 0 && b != 0 && (a as f64) < MARGIN * b as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends messages that take these times in the two ways; the time that all of them took.
    fn send(trials: &Trials, messages: u32, times: [u64; 2]) -> u64 {
        (0..messages)
            .map(|_| {
                let step = trials.next();
                let time = times[usize::from(step.other)];
                if step.timed {
                    trials.took(step, time);
                }
                time
            })
            .sum()
    }

    #[test]
    fn a_model_that_is_wrong_is_corrected_by_the_64th_message() {
        let trials = Trials::default();
        send(&trials, 63, [1000, 500]);
        assert!(!trials.changed());
        send(&trials, 1, [1000, 500]);
        assert!(trials.changed());
        // And back, when the other way becomes slow.
        send(&trials, 1024 - 64, [1000, 500]);
        assert!(trials.changed());
        send(&trials, 20_000, [1000, 5000]);
        assert!(!trials.changed());
    }

    #[test]
    fn a_model_that_is_right_stays_and_trials_cost_less_than_one_percent() {
        let trials = Trials::default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1300")]
        let times = [1000, (1000.0 * WORTH) as u64];
        let took = send(&trials, 50, times);
        assert!(took <= 50_000 + 50_000 / 100, "{took}");
        send(&trials, 100_000, times);
        assert!(!trials.changed());
    }

    #[test]
    fn equal_ways_and_single_slow_messages_change_nothing() {
        let trials = Trials::default();
        for message in 0..5000u64 {
            let step = trials.next();
            if step.timed {
                // Every second one is held up.
                trials.took(step, 1000 + 9000 * (message % 2));
            }
        }
        assert!(!trials.changed());
    }

    #[test]
    fn four_of_the_first_fifty_messages_are_timed() {
        let trials = Trials::default();
        let steps: Vec<Step> = (0..50).map(|_| trials.next()).collect();
        assert_eq!(steps.iter().filter(|s| s.timed).count(), 4);
        let others: Vec<usize> =
            steps.iter().enumerate().filter(|(_, s)| s.other).map(|(at, _)| at + 1).collect();
        assert_eq!(others, [16]);
    }

    #[test]
    fn the_count_of_messages_may_wrap() {
        let trials = Trials { sent: AtomicU32::new(u32::MAX - 2), ..Trials::default() };
        for _ in 0..40 {
            trials.next();
        }
    }
}
