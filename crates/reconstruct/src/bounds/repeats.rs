//! All repeats with one free difference that a bound needs.
//!
//! E[t] are the steps of a sequence. A *repeat* of period q >= 2 is a maximal stretch s..e of
//! steps with E[t] = E[t+q] in it, e - s >= q - 1. Its elements s..e+q+1 hold two neighbouring
//! blocks of q elements that are equal up to a shift: u x u, where u has q-1 steps and x is free.
//!
//! | u | found by |
//! |---|---|
//! | all steps equal, q >= 8 | [`constant`](Search::constant): neighbouring runs of equal steps |
//! | q < 8 | [`near`](Search::near): comparison |
//! | other, 2w <= q < 4w | [`level`](Search::level): windows of w steps |
//!
//! With 2w <= q < 4w, u has at least 2w - 1 steps, so it contains a window of w that begins at a
//! multiple of w; its copy is between 2w and 4w steps on. All places there are compared with it.
//!
//! A window of equal steps has many copies. It is left out: u contains an end of that run of
//! equal steps, w or more of them, and the copy of u the same end of another such run
//! ([`level`](Search::level)).
//!
//! Blocks of equal steps repeat in too many ways. Of two runs v^a x v^b only the longest
//! blocks matter, q = min(a,b) + 1, and what is next to a repeat that was found so
//! (book/src/explanation/lower-bounds.md, lemma 5, for why no bound needs more).
//!
//! Time: O(n log n), mostly one multiplication per step and level; O(log n) for every repeat, of
//! which there are O(n).

use rustc_hash::FxHashSet;

use super::fingerprint::Fingerprints;
use crate::num::{at, place};

/// A maximal stretch `start..end` of steps, each equal to the one `period` steps on, at least
/// `period - 1` of them: the elements `start..end + period + 1` contain two equal blocks of
/// `period` elements, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Repeat {
    pub start: usize,
    pub end: usize,
    pub period: usize,
}

impl Repeat {
    /// Where its elements end.
    pub(super) fn elements_end(&self) -> usize {
        self.end + self.period + 1
    }
}

/// A repeat in 12 bytes: there may be half as many as elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Packed {
    start: u32,
    end: u32,
    period: u32,
}

impl Packed {
    /// Sequences of 2^32 elements and more have no repeats here.
    pub(super) fn new(repeat: &Repeat) -> Packed {
        let Repeat { start, end, period } = *repeat;
        Packed { start: place(start), end: place(end), period: place(period) }
    }

    pub(super) fn get(self) -> Repeat {
        Repeat { start: at(self.start), end: at(self.end), period: at(self.period) }
    }
}

/// Shorter periods are found by comparison.
const SHORT: usize = 8;

/// The repeats of `starts`, in the order of their starts; `None` if there are more than `most`.
pub(super) fn repeats(starts: &[i64], prints: &Fingerprints, most: usize) -> Option<Vec<Packed>> {
    let room = most.min(spare(starts));
    let mut search = Search { starts, prints, most, room, found: Vec::new() };
    search.constant()?;
    (2..SHORT).try_for_each(|period| search.near(period))?;
    let mut runs = search.runs(4);
    let mut exponent = 2;
    while 4 << exponent <= starts.len() {
        search.level(exponent, &runs)?;
        exponent += 1;
        runs.retain(|r| r.end - r.start >= 1 << exponent);
    }
    let mut found = search.found;
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// How many are kept twice before equal ones are removed: 12 bytes each, little beside the
/// sequence.
fn spare(starts: &[i64]) -> usize {
    starts.len() / 8 + (1 << 10)
}

/// Equal steps.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
}

struct Search<'a> {
    starts: &'a [i64],
    prints: &'a Fingerprints,
    most: usize,
    /// So many are kept before equal ones are removed.
    room: usize,
    found: Vec<Packed>,
}

impl<'a> Search<'a> {
    fn step(&self, t: usize) -> i64 {
        self.starts[t + 1] - self.starts[t]
    }

    fn steps(&self) -> usize {
        self.starts.len() - 1
    }

    /// All maximal runs of equal steps, at least `least` of them.
    fn runs(&self, least: usize) -> Vec<Run> {
        self.all_runs().filter(|r| r.end - r.start >= least).collect()
    }

    fn all_runs(&self) -> impl Iterator<Item = Run> + use<'a> {
        let starts = self.starts;
        let step = |t: usize| starts[t + 1] - starts[t];
        let mut end = 0;
        std::iter::from_fn(move || {
            let start = end;
            let value = (start + 1 < starts.len()).then(|| step(start))?;
            end += 1;
            while end + 1 < starts.len() && step(end) == value {
                end += 1;
            }
            Some(Run { start, end })
        })
    }

    /// The maximal stretch around step t that equals the one `period` later.
    fn around(&self, t: usize, period: usize) -> Repeat {
        around(self.starts, self.prints, t, period)
    }

    /// Keeps a stretch that is long enough. `None` if there are too many.
    fn keep(&mut self, stretch: Repeat) -> Option<()> {
        if stretch.end + 1 >= stretch.start + stretch.period {
            self.found.push(Packed::new(&stretch));
        }
        self.checked()
    }

    /// `None` if there are too many different repeats.
    fn checked(&mut self) -> Option<()> {
        if self.found.len() <= self.room {
            return Some(());
        }
        self.found.sort_unstable();
        self.found.dedup();
        self.room = self.found.len() + spare(self.starts).min(self.most / 2);
        (self.found.len() <= self.most).then_some(())
    }

    /// Blocks of equal steps: the longest ones of v^a x v^b, and all their neighbours.
    fn constant(&mut self) -> Option<()> {
        let mut found = FxHashSet::default();
        // Where the last repeat of each period ends.
        let mut last_end: Vec<usize> = Vec::new();
        let mut window = [Run { start: 0, end: 0 }; 2];
        for run in self.all_runs() {
            let [first, gap] = window;
            window = [gap, run];
            if gap.end - gap.start != 1 || first.end == first.start {
                continue;
            }
            if self.step(first.start) != self.step(run.start) {
                continue;
            }
            let block = (first.end - first.start).min(run.end - run.start);
            let period = block + 1;
            if period < SHORT {
                continue;
            }
            let at = first.end - block;
            if last_end.len() <= period {
                last_end.resize(period + 1, 0);
            }
            if at < last_end[period] {
                continue;
            }
            let stretch = self.around(at, period);
            last_end[period] = stretch.end;
            let long = stretch.end + 1 >= stretch.start + period;
            if long && found.insert(Packed::new(&stretch)) {
                self.keep(stretch)?;
            }
        }
        let mut todo: Vec<Packed> = found.iter().copied().collect();
        while let Some(repeat) = todo.pop() {
            for neighbour in self.neighbours(&repeat.get()) {
                let packed = Packed::new(&neighbour);
                if found.insert(packed) {
                    self.keep(neighbour)?;
                    todo.push(packed);
                }
            }
        }
        Some(())
    }

    /// The repeats of the same period that one step separates from this one.
    fn neighbours(&self, repeat: &Repeat) -> impl Iterator<Item = Repeat> + use<'a> {
        let (starts, prints) = (self.starts, self.prints);
        let q = repeat.period;
        let blocks = prints.windows(q - 1);
        let before = (repeat.start >= q).then(|| repeat.start - q);
        let after = (repeat.end + 2 * q <= self.steps()).then_some(repeat.end + 1);
        let both = [before, after].into_iter().flatten();
        both.filter(move |&t| blocks.equal(t, t + q)).map(move |t| around(starts, prints, t, q))
    }

    /// Short periods, by comparison. Repeats that are linked, one step between them, are kept
    /// together: if one has a block of unequal steps, or blocks v^q-1 with two steps other than v
    /// around one of them.
    fn near(&mut self, period: usize) -> Option<()> {
        let Some(last) = self.steps().checked_sub(period) else { return Some(()) };
        // The linked repeats so far, whether they are kept, and where the last one ends.
        let (mut linked, mut wanted, mut linked_end) = (Vec::new(), false, usize::MAX);
        let (mut start, mut change) = (0, 0);
        for t in 0..=last {
            if t == last || self.step(t) != self.step(t + period) {
                if t + 1 >= start + period {
                    if start != linked_end.wrapping_add(1) {
                        self.keep_if(wanted, &linked)?;
                        linked.clear();
                        wanted = false;
                    }
                    linked.push(Packed::new(&Repeat { start, end: t, period }));
                    linked_end = t;
                    let value = self.step(t - 1);
                    let apart = t < last && self.step(t) != value && self.step(t + period) != value;
                    wanted |= change > start || apart;
                }
                start = t + 1;
            }
            if t > 0 && self.step(t) != self.step(t - 1) {
                change = t;
            }
        }
        self.keep_if(wanted, &linked)
    }

    fn keep_if(&mut self, wanted: bool, linked: &[Packed]) -> Option<()> {
        if wanted {
            self.found.extend(linked);
        }
        self.checked()
    }

    /// Blocks that are not all equal steps, with periods from 2w to 4w, w = 2^`exponent`; `runs`
    /// are those of w or more equal steps.
    fn level(&mut self, exponent: usize, runs: &[Run]) -> Option<()> {
        let w = 1 << exponent;
        self.ends_of_runs(w, runs)?;
        let windows = self.prints.windows(w);
        let mut stretches = Stretches::new(w);
        let mut runs = runs.iter().peekable();
        // The fingerprints of the windows at 3w, 2w and w before the stretch of w places at hand.
        let mut earlier: [Option<u64>; 3] = [None; 3];
        let mut hits = Vec::new();
        for from in (0..self.steps()).step_by(w) {
            let to = (from + w).min((self.steps() + 1).saturating_sub(w));
            let [at_three, at_two, at_one] = earlier;
            let wanted = [at_two, at_three];
            hits.clear();
            if from < to && wanted != [None; 2] {
                windows.search(from, to, wanted, |p, which| hits.push((p, which)));
            }
            for &(p, which) in &hits {
                let at = from - (2 + which) * w;
                self.stretch(at, p - at, &mut stretches)?;
            }
            while runs.next_if(|r| r.end < from + w).is_some() {}
            let equal = runs.peek().is_some_and(|r| r.start <= from);
            let here = (from < to && !equal).then(|| windows.at(from));
            earlier = [at_two, at_one, here];
        }
        Some(())
    }

    /// The same for blocks that contain an end of one of the runs, and w of its steps.
    fn ends_of_runs(&mut self, w: usize, runs: &[Run]) -> Option<()> {
        let (mut at_starts, mut at_ends) = (Stretches::new(w), Stretches::new(w));
        for (k, run) in runs.iter().enumerate() {
            let value = self.step(run.start);
            for other in runs[k + 1..].iter().take_while(|o| o.start < run.end + 4 * w) {
                if self.step(other.start) == value {
                    self.stretch(run.start, other.start - run.start, &mut at_starts)?;
                    self.stretch(run.end - 1, other.end - run.end, &mut at_ends)?;
                }
            }
        }
        Some(())
    }

    /// The stretch around step `at`, unless it is known or the period not one of the level.
    fn stretch(&mut self, at: usize, period: usize, known: &mut Stretches) -> Option<()> {
        if !known.is_new(at, period) || at + period >= self.steps() {
            return Some(());
        }
        let stretch = self.around(at, period);
        known.keep(&stretch);
        self.keep(stretch)
    }
}

/// The last stretch of each period of a level.
struct Stretches {
    w: usize,
    ends: Vec<u32>,
}

impl Stretches {
    fn new(w: usize) -> Stretches {
        Stretches { w, ends: vec![0; 2 * w] }
    }

    /// Whether the period is from 2w to 4w, and step `at`, which never falls, is past the last
    /// stretch.
    fn is_new(&self, at: usize, period: usize) -> bool {
        let end = period.checked_sub(2 * self.w).and_then(|k| self.ends.get(k));
        end.is_some_and(|&end| crate::num::at(end) <= at)
    }

    fn keep(&mut self, stretch: &Repeat) {
        self.ends[stretch.period - 2 * self.w] = place(stretch.end);
    }
}

/// The stretch around step t that equals the one `period` later, as far as the fingerprints say;
/// its ends are true ends.
fn around(starts: &[i64], prints: &Fingerprints, t: usize, period: usize) -> Repeat {
    let steps = starts.len() - 1;
    let equal = |t: usize| starts[t + 1] - starts[t] == starts[t + period + 1] - starts[t + period];
    let mut start = t - prints.common_before(t, t + period);
    while start > 0 && equal(start - 1) {
        start -= 1 + prints.common_before(start - 1, start - 1 + period);
    }
    let mut end = t + prints.common_after(t, t + period);
    while end + period < steps && equal(end) {
        end += 1 + prints.common_after(end + 1, end + 1 + period);
    }
    Repeat { start, end, period }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use commloom_testkit::check;
    use commloom_testkit::random::{Blemish, Shape, random_layout};

    /// By the definition: O(n^2).
    pub(crate) fn by_definition(starts: &[i64]) -> Vec<Repeat> {
        let steps: Vec<i64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
        let mut found = Vec::new();
        for period in 2..=starts.len() / 2 {
            let mut start = 0;
            for t in 0..=steps.len() - period {
                if t == steps.len() - period || steps[t] != steps[t + period] {
                    if t + 1 >= start + period {
                        found.push(Repeat { start, end: t, period });
                    }
                    start = t + 1;
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether some block of the repeat is not all equal steps.
    fn has_other_block(starts: &[i64], r: &Repeat) -> bool {
        (r.start + 1..r.end).any(|t| starts[t + 1] - starts[t] != starts[t] - starts[t - 1])
    }

    fn assert_found(starts: &[i64]) {
        let prints = Fingerprints::new(starts);
        let found = repeats(starts, &prints, usize::MAX).unwrap();
        let found: Vec<Repeat> = found.into_iter().map(Packed::get).collect();
        let all = by_definition(starts);
        for r in &found {
            assert!(all.binary_search(r).is_ok(), "{r:?} of {starts:?}");
        }
        for r in all.iter().filter(|r| has_other_block(starts, r)) {
            assert!(found.binary_search(r).is_ok(), "{r:?} of {starts:?}");
        }
    }

    #[test]
    fn all_repeats_of_unequal_steps_are_found_and_nothing_else() {
        check(2000, |rng| {
            let shape = Shape::ALL[rng.usize(0..Shape::ALL.len())];
            let blemish = Blemish::ALL[rng.usize(0..Blemish::ALL.len())];
            assert_found(&random_layout(rng, shape, blemish, 300));
        });
    }

    /// Long runs of equal steps, whose windows are not compared.
    #[test]
    fn repeats_of_runs_of_equal_steps_are_found() {
        check(2000, |rng| {
            let lengths: Vec<usize> = (0..3).map(|_| rng.usize(1..40)).collect();
            let (mut starts, mut end) = (vec![0], 0);
            while starts.len() < 250 {
                let step = rng.i64(1..3);
                for _ in 0..lengths[rng.usize(0..3)] {
                    end += step;
                    starts.push(end);
                }
                if rng.bool() {
                    end += rng.i64(3..5);
                    starts.push(end);
                }
            }
            assert_found(&starts);
        });
    }
}
