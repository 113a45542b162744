//! Where the bytes of a message come from, as affine runs.
//!
//! A run is a nest of two loops over pieces of one length; each step adds a constant to the
//! process and the address that a piece comes from. In the message the pieces follow each other
//! without gaps. So the doubled buffer of an allgather is one run however long it is, and the
//! blocks of one step of Bruck's alltoall are a few.

use crate::number::at;

/// Where a byte had its value first. Bytes that follow each other in a piece do so there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Origin {
    /// In memory, before the graph ran.
    Memory { process: u32, address: u64 },
    /// In a reduction: a node of `Sums`, and the distance from its first byte.
    Sum { node: u32, offset: u64 },
}

impl Origin {
    /// The origin of the byte `distance` further on in the same piece.
    pub(crate) fn plus(self, distance: u64) -> Origin {
        match self {
            Origin::Memory { process, address } => {
                Origin::Memory { process, address: address.wrapping_add(distance) }
            }
            Origin::Sum { node, offset } => {
                Origin::Sum { node, offset: offset.wrapping_add(distance) }
            }
        }
    }

    fn step(self, n: u64, by: Step) -> Origin {
        match self {
            Origin::Memory { process, address } => {
                let n32 = u32::try_from(n & u64::from(u32::MAX)).expect("32 bits");
                // Modulo 2^32 and 2^64: exact, as the results are processes and addresses.
                Origin::Memory {
                    process: process.wrapping_add(n32.wrapping_mul(by.process)),
                    address: address.wrapping_add(n.wrapping_mul(by.address)),
                }
            }
            sum @ Origin::Sum { .. } => sum,
        }
    }

    /// The step from one origin in memory to another.
    fn step_to(self, next: Origin) -> Option<Step> {
        match (self, next) {
            (
                Origin::Memory { process: p, address: a },
                Origin::Memory { process: q, address: b },
            ) => Some(Step { process: q.wrapping_sub(p), address: b.wrapping_sub(a) }),
            _ => None,
        }
    }
}

/// Pieces from processes at a regular distance: one turn of the inner loop of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where the first piece comes from, and what each further one adds, modulo 2^32 and 2^64.
    pub process: u32,
    pub process_step: u32,
    pub address: u64,
    pub address_step: u64,
    pub count: u32,
}

/// The amounts that one step of a loop adds, modulo 2^32 and 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Step {
    process: u32,
    address: u64,
}

/// One loop of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loop {
    count: u32,
    step: Step,
}

const ONCE: Loop = Loop { count: 1, step: Step { process: 0, address: 0 } };

/// Pieces of one length, see the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where the run starts in its message.
    pub offset: u64,
    /// Length of a piece; not 0.
    pub length: u64,
    /// Where the first piece comes from.
    pub origin: Origin,
    inner: Loop,
    outer: Loop,
}

impl Run {
    /// One piece.
    pub(crate) fn piece(origin: Origin, length: u64) -> Run {
        Run { offset: 0, length, origin, inner: ONCE, outer: ONCE }
    }

    /// Where the run ends in its message.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.row() * u64::from(self.outer.count)
    }

    /// The number of pieces.
    #[inline]
    pub(crate) fn pieces(&self) -> u64 {
        u64::from(self.inner.count) * u64::from(self.outer.count)
    }

    /// The origin of piece `n`.
    pub(crate) fn origin_of(&self, n: u64) -> Origin {
        let inner = u64::from(self.inner.count);
        self.origin.step(n / inner, self.outer.step).step(n % inner, self.inner.step)
    }

    /// Whether the pieces come from memory, and not from reductions.
    pub(crate) fn in_memory(&self) -> bool {
        matches!(self.origin, Origin::Memory { .. })
    }

    /// Its lines, in order; none for results of reductions.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        (0..u64::from(self.outer.count)).filter_map(|row| {
            let Origin::Memory { process, address } = self.origin.step(row, self.outer.step) else {
                return None;
            };
            let Loop { count, step } = self.inner;
            Some(Line {
                process,
                process_step: step.process,
                address,
                address_step: step.address,
                count,
            })
        })
    }

    fn row(&self) -> u64 {
        self.length * u64::from(self.inner.count)
    }

    /// Adds `next`, which follows, to this run if the result is a run.
    fn absorb(&mut self, next: &Run) -> bool {
        if self.pieces() == 1 && next.pieces() == 1 && self.origin.plus(self.length) == next.origin
        {
            self.length += next.length;
            return true;
        }
        if self.length != next.length {
            return false;
        }
        if self.outer.count == 1
            && next.outer.count == 1
            && let Some(loop_) = joined(self.origin, self.inner, next.origin, next.inner)
        {
            self.inner = loop_;
            return true;
        }
        self.absorb_rows(next)
    }

    /// Adds a piece that does not follow in memory, if the result is one loop over pieces.
    pub(crate) fn repeat(&mut self, piece: &Run) -> bool {
        if self.length != piece.length || self.outer.count > 1 || piece.pieces() > 1 {
            return false;
        }
        let inner = joined(self.origin, self.inner, piece.origin, piece.inner);
        if let Some(inner) = inner {
            self.inner = inner;
        }
        inner.is_some()
    }

    fn absorb_rows(&mut self, next: &Run) -> bool {
        if self.length != next.length || self.inner != next.inner || self.inner.count == 1 {
            return false;
        }
        let outer = joined(self.origin, self.outer, next.origin, next.outer);
        if let Some(outer) = outer {
            self.outer = outer;
        }
        outer.is_some()
    }
}

/// The loop that runs through `a` and then `b`, if there is one.
fn joined(a_origin: Origin, a: Loop, b_origin: Origin, b: Loop) -> Option<Loop> {
    let whole = a_origin.step_to(b_origin)?;
    let step = match (a.count, b.count) {
        (1, 1) => whole,
        (1, _) => b.step,
        _ => a.step,
    };
    let fits =
        (b.count == 1 || b.step == step) && a_origin.step(u64::from(a.count), step) == b_origin;
    let count = a.count.checked_add(b.count)?;
    fits.then_some(Loop { count, step })
}

/// Adds a run at the end of the message `runs[base..]`, as part of the last run where that is one.
pub(crate) fn push(runs: &mut Vec<Run>, base: usize, mut run: Run) {
    if let Some(last) = runs[base..].last_mut() {
        if last.absorb(&run) {
            return;
        }
        run.offset = last.end();
        fold(runs, base);
    } else {
        run.offset = 0;
    }
    runs.push(run);
}

/// Ends the message `runs[base..]`.
pub(crate) fn finish(runs: &mut Vec<Run>, base: usize) {
    fold(runs, base);
}

/// The last run is complete: it may be one more row of the run before it.
fn fold(runs: &mut Vec<Run>, base: usize) {
    if let [.., before, last] = &mut runs[base..]
        && last.outer.count == 1
        && before.absorb_rows(last)
    {
        runs.pop();
    }
}

/// The runs of bytes `from..to` of the message `runs`, at most five for each run. Logarithmic in
/// the runs, linear in those found.
pub(crate) fn slice(runs: &[Run], from: u64, to: u64, mut found: impl FnMut(Run)) {
    let first = runs.partition_point(|run| run.end() <= from);
    for run in runs[first..].iter().take_while(|run| run.offset < to) {
        let mut here = from.max(run.offset) - run.offset;
        let to = to.min(run.end()) - run.offset;
        let row = run.row();
        while here < to {
            let (r, within) = (here / row, here % row);
            let (n, skipped) = (within / run.length, within % run.length);
            let origin = run.origin.step(r, run.outer.step).step(n, run.inner.step);
            let rows = (to - here) / row;
            let pieces = (to - here).min(row - within) / run.length;
            let part = if within == 0 && rows > 0 {
                Run { origin, outer: shortened(run.outer, rows), ..*run }
            } else if skipped == 0 && pieces > 0 {
                Run { origin, inner: shortened(run.inner, pieces), outer: ONCE, ..*run }
            } else {
                let length = (to - here).min(run.length - skipped);
                Run::piece(origin.plus(skipped), length)
            };
            found(part);
            here += part.row() * u64::from(part.outer.count);
        }
    }
}

/// The first iterations of a loop. One iteration has no step.
fn shortened(of: Loop, n: u64) -> Loop {
    match u32::try_from(n) {
        Ok(1) | Err(_) => ONCE,
        Ok(count) => Loop { count, step: of.step },
    }
}

/// All messages, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    runs: Vec<Run>,
    /// Where each message ends.
    ends: Vec<u32>,
    base: usize,
}

impl Contents {
    /// Adds a run to the message that is being made.
    pub(crate) fn push(&mut self, run: Run) {
        push(&mut self.runs, self.base, run);
    }

    /// Ends the message that is being made: its number.
    pub(crate) fn finish(&mut self) -> Option<u32> {
        finish(&mut self.runs, self.base);
        self.base = self.runs.len();
        self.ends.push(u32::try_from(self.runs.len()).ok()?);
        u32::try_from(self.ends.len() - 1).ok()
    }

    /// Adds a slice of a finished message to the one that is being made.
    pub(crate) fn push_slice(&mut self, message: u32, from: u64, to: u64, scratch: &mut Vec<Run>) {
        scratch.clear();
        slice(self.runs(message), from, to, |run| scratch.push(run));
        scratch.iter().for_each(|run| self.push(*run));
    }

    /// The runs of a finished message.
    #[inline]
    pub(crate) fn runs(&self, message: u32) -> &[Run] {
        let start = message.checked_sub(1).map_or(0, |before| self.ends[at(before)]);
        &self.runs[at(start)..at(self.ends[at(message)])]
    }

    /// The length of a finished message.
    pub(crate) fn length(&self, message: u32) -> u64 {
        self.runs(message).last().map_or(0, Run::end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::count;

    fn bytes(runs: &[Run]) -> Vec<Origin> {
        let pieces = runs.iter().flat_map(|run| (0..run.pieces()).map(move |n| (run, n)));
        pieces.flat_map(|(run, n)| (0..run.length).map(move |i| run.origin_of(n).plus(i))).collect()
    }

    #[test]
    fn a_message_of_runs_is_the_same_bytes_and_so_are_its_slices() {
        for seed in 0..500 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut runs = Vec::new();
            let mut oracle = Vec::new();
            for _ in 0..random.u32(1..4) {
                let (length, inner, outer) = (random.u64(1..4), random.u32(1..5), random.u32(1..5));
                let steps = [random.u32(0..2), random.u32(0..3)];
                for o in 0..outer {
                    for i in 0..inner {
                        let process = i * steps[0] + o;
                        let address = u64::from(10 + i * steps[1]);
                        let origin = Origin::Memory { process, address };
                        push(&mut runs, 0, Run::piece(origin, length));
                        oracle.extend((0..length).map(|k| origin.plus(k)));
                    }
                }
            }
            finish(&mut runs, 0);
            assert_eq!(bytes(&runs), oracle, "seed {seed}");
            let n = oracle.len();
            let (a, b) = (random.usize(0..=n), random.usize(0..=n));
            let (from, to) = (a.min(b), a.max(b));
            let mut part = Vec::new();
            slice(&runs, count(from), count(to), |run| push(&mut part, 0, run));
            finish(&mut part, 0);
            assert_eq!(bytes(&part), oracle[from..to], "seed {seed}, {from}..{to}");
        }
    }

    #[test]
    fn a_nest_of_two_loops_is_one_run() {
        let mut runs = Vec::new();
        for (o, i) in (0..50_u32).flat_map(|o| (0..7).map(move |i| (o, i))) {
            let origin = Origin::Memory { process: i, address: 100 + 16 * u64::from(o) };
            push(&mut runs, 0, Run::piece(origin, 4));
        }
        finish(&mut runs, 0);
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].pieces(), 350);
    }
}
