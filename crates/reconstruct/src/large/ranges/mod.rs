//! Where a line repeats itself: a block of tokens followed by an equal one.
//!
//! A [`Range`] of period q is a maximal stretch of steps with E\[t\] = E\[t+q\]. The blocks of q
//! tokens at x and x+q are equal iff the q-1 steps from x on lie in a range: the step between the
//! two blocks is free. So a range is either a *run*, of two blocks at equal distances and more, or
//! a repeat u g u of at least q-1 steps with one free step g.
//!
//! Two equal windows of w letters, the outer letters by symbol only, propose a period. Windows of
//! w = 2, 3, 5, 9, .. letters are looked up by fingerprint, with the last four of the same name
//! and at most about 4 w letters away, and the proposal is extended run by run in both directions.
//! A letter whose window has no equal one nearby takes no part in longer windows; one inside a
//! known run of a short period sleeps. A repeat of a single letter (v^a g v^b) shows in no window
//! and is looked for separately. O(K log K) expected for K letters, if extensions stay within
//! their budget.

mod rows;
mod windows;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::letters::Letters;
use crate::num::{at, place};

/// The steps `from..to` equal those `period` later; maximal, and at least `period` - 1 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    /// Tokens per block, at least 2.
    pub period: u32,
    pub from: u32,
    pub to: u32,
}

impl Range {
    /// The last place where a block begins that an equal one follows.
    pub(super) fn last(&self) -> u32 {
        self.to + 1 - self.period
    }
}

/// Earlier windows of the same name that are looked at.
const SAME_NAME: usize = 4;

/// The ranges that were found, by period and place.
pub(super) struct Found {
    pub ranges: Vec<Range>,
    /// Whether no proposal was left out to save work.
    pub complete: bool,
}

/// Ranges over at least `least` tokens. `work` falls by the runs that were compared; none is found
/// after it is spent.
pub(super) fn ranges(letters: &Letters<'_>, least: u32, work: &mut u64) -> Found {
    let mut search = Search {
        letters,
        least,
        work,
        complete: true,
        found: Vec::new(),
        known: BTreeMap::new(),
        latest: FxHashMap::default(),
        last_of_name: FxHashMap::default(),
        run_of: Vec::new(),
        runs: Vec::new(),
    };
    search.rows();
    search.windows();
    search.repeated_runs();
    let complete = search.complete && *search.work > 0;
    let mut ranges = search.found;
    ranges.sort_unstable();
    ranges.dedup();
    Found { ranges, complete }
}

/// A step and its letter.
#[derive(Clone, Copy)]
struct Spot {
    step: u32,
    letter: usize,
}

/// Letters `first..=last` repeat after `period` letters.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    last: u32,
    period: u32,
}

/// Work for a range that was not known.
const NEW_RANGE: u64 = 8;

/// How far apart two windows of `w` letters may be that propose a period.
fn reach(w: usize) -> usize {
    4 * w + 4
}

/// From so many letters inside a run no window that leaves the run is reached.
fn sleepless(w: usize) -> usize {
    reach(w) + w
}

struct Search<'a> {
    letters: &'a Letters<'a>,
    least: u32,
    work: &'a mut u64,
    complete: bool,
    found: Vec<Range>,
    /// The ranges that were found: from period and first step to the end.
    known: BTreeMap<(u32, u32), u32>,
    /// The one of each period that was met last.
    latest: FxHashMap<u32, Range>,
    /// The last window of each name, as an index into the active letters; kept for its room.
    last_of_name: FxHashMap<u64, u32>,
    /// Longest known run over each letter, as an index into `runs`; none: `u32::MAX`. Empty before
    /// the first run in which a letter can sleep.
    run_of: Vec<u32>,
    runs: Vec<Run>,
}

impl Search<'_> {
    fn run(&self, letter: usize) -> Option<Run> {
        self.runs.get(at(*self.run_of.get(letter)?)).copied()
    }

    /// Whether a letter lies deep inside a run: no window that leaves the run reaches it.
    fn sleeps(&self, letter: usize, w: usize) -> bool {
        let Some(run) = self.run(letter) else { return false };
        let edge = sleepless(w);
        at(run.period) <= w && at(run.first) + edge <= letter && letter + edge <= at(run.last)
    }

    /// Whether both letters lie in one run, so many of its periods apart: that says nothing new.
    fn is_multiple(&self, here: usize, there: usize) -> bool {
        self.run(here).is_some_and(|run| {
            there <= at(run.last) && (there - here).is_multiple_of(at(run.period))
        })
    }

    /// The ends of letters `here` and `there` as equal places.
    fn propose(&mut self, here: usize, there: usize) {
        if self.is_multiple(here, there) {
            return;
        }
        let (end, later) = (self.letters.start(here + 1), self.letters.start(there + 1));
        let here = Spot { step: end - 1, letter: here };
        self.extend(here, Spot { step: later - 1, letter: there });
    }

    /// The steps `here` and `there` as equal places.
    fn propose_steps(&mut self, here: u32, there: u32) {
        let spot = |step| Spot { step, letter: self.letters.of_step(step) };
        self.extend(spot(here), spot(there));
    }

    /// The range around two places, if their steps are equal and it is not known.
    fn extend(&mut self, here: Spot, there: Spot) {
        let (step, period) = (here.step, there.step - here.step);
        *self.work = self.work.saturating_sub(1);
        if self.letters.symbol(here.letter) != self.letters.symbol(there.letter) {
            return;
        }
        if self.latest.get(&period).is_some_and(|r| (r.from..r.to).contains(&step)) {
            return;
        }
        let before = self.known.range((period, 0)..=(period, step)).next_back();
        if let Some((&(_, from), &to)) = before
            && step < to
        {
            self.latest.insert(period, Range { period, from, to });
            return;
        }
        let (end, later_end, forward) = self.forward(here, there);
        let (first, later_first, backward) = self.backward(here, there);
        *self.work = self.work.saturating_sub((forward + backward) / 2);
        let range = Range { period, from: first.step, to: end.step };
        self.latest.insert(period, range);
        let tokens = range.to - range.from + period + 1;
        if range.to - range.from + 1 < period || tokens < self.least {
            return;
        }
        *self.work = self.work.saturating_sub(NEW_RANGE);
        self.known.insert((period, range.from), range.to);
        self.found.push(range);
        let run = Run {
            first: place(first.letter),
            last: place(later_end.letter),
            period: place(later_first.letter - first.letter),
        };
        if range.to - range.from >= period && at(run.last - run.first) > 2 * sleepless(2) {
            self.remember(run);
        }
    }

    fn remember(&mut self, run: Run) {
        if self.run_of.is_empty() {
            self.run_of = vec![u32::MAX; self.letters.len()];
        }
        let number = place(self.runs.len());
        self.runs.push(run);
        for letter in at(run.first)..=at(run.last) {
            let shorter = |k: Run| k.last - k.first < run.last - run.first;
            if self.run(letter).is_none_or(|known| run.period < known.period || shorter(known)) {
                self.run_of[letter] = number;
            }
        }
    }

    /// Up to where the steps from `here` on equal those from `there` on; the letters are those of
    /// the last equal steps. And the work done.
    fn forward(&self, mut here: Spot, mut there: Spot) -> (Spot, Spot, u64) {
        let letters = self.letters;
        let mut work = 0;
        loop {
            work += 1;
            let ends = (letters.start(here.letter + 1), letters.start(there.letter + 1));
            let equal = (ends.0 - here.step).min(ends.1 - there.step);
            (here.step, there.step) = (here.step + equal, there.step + equal);
            let next = (
                here.letter + usize::from(here.step == ends.0),
                there.letter + usize::from(there.step == ends.1),
            );
            if next.1 == letters.len() || letters.symbol(next.0) != letters.symbol(next.1) {
                return (here, there, work);
            }
            (here.letter, there.letter) = next;
        }
    }

    /// From where the steps up to `here` equal those up to `there`, and the work done.
    fn backward(&self, mut here: Spot, mut there: Spot) -> (Spot, Spot, u64) {
        let letters = self.letters;
        let mut work = 0;
        loop {
            work += 1;
            let starts = (letters.start(here.letter), letters.start(there.letter));
            let equal = (here.step - starts.0).min(there.step - starts.1);
            (here.step, there.step) = (here.step - equal, there.step - equal);
            if here.step == 0 {
                return (here, there, work);
            }
            let before = (
                here.letter - usize::from(here.step == starts.0),
                there.letter - usize::from(there.step == starts.1),
            );
            if letters.symbol(before.0) != letters.symbol(before.1) {
                return (here, there, work);
            }
            here = Spot { step: here.step - 1, letter: before.0 };
            there = Spot { step: there.step - 1, letter: before.1 };
        }
    }
}
