//! Repeats that windows do not show: of a run, inside which all windows are equal, and of one
//! letter.

use rustc_hash::FxHashMap;

use super::{Range, SAME_NAME, Search};

/// Rows of one symbol that are followed from a pair of rows.
const ROWS: usize = 64;

impl Search<'_> {
    /// Proposes what leads from one run to a later one of the same period and steps, by their
    /// starts and by their ends; then the same for the runs that this shows.
    pub(super) fn repeated_runs(&mut self) {
        let mut done = 0;
        while done < self.found.len() && *self.work > 0 {
            let mut runs: Vec<Range> = self.found[done..].to_vec();
            done = self.found.len();
            runs.retain(|r| r.to - r.from >= r.period);
            runs.sort_unstable_by_key(|r| (r.from, r.period));
            let mut last: FxHashMap<(bool, u64), [Option<u32>; SAME_NAME]> = FxHashMap::default();
            for run in runs {
                for (ends, first) in [(false, run.from), (true, run.to)] {
                    let name = self.letters.steps(first, first + run.period);
                    let earlier = last.entry((ends, name)).or_default();
                    for here in earlier.iter().flatten().copied().collect::<Vec<u32>>() {
                        if first > here {
                            // The last steps of both runs, or the first ones.
                            let back = u32::from(ends);
                            self.propose_steps(here - back, first - back);
                        }
                    }
                    earlier.rotate_right(1);
                    earlier[0] = Some(first);
                }
            }
        }
    }

    /// Rows v^a and v^b with one step between them.
    pub(super) fn rows(&mut self) {
        for gap in 1..self.letters.len().saturating_sub(1) {
            if *self.work == 0 {
                return;
            }
            if self.is_gap(gap) {
                self.pair_of_rows(gap);
            }
        }
    }

    /// Whether letter `k` is a single step between two rows of one symbol.
    fn is_gap(&self, k: usize) -> bool {
        let letters = self.letters;
        k >= 1
            && k + 1 < letters.len()
            && letters.length(k) == 1
            && letters.symbol(k - 1) == letters.symbol(k + 1)
    }

    fn pair_of_rows(&mut self, gap: usize) {
        let (before, after) = (self.letters.length(gap - 1), self.letters.length(gap + 1));
        let period = before.min(after) + 1;
        if before == after {
            self.propose(gap - 1, gap + 1);
            return;
        }
        let (shorter, longer) =
            if before < after { (gap - 1, gap + 1) } else { (gap + 1, gap - 1) };
        let outer = if shorter < gap { gap.checked_sub(2) } else { Some(gap + 2) };
        let neighbour = outer.filter(|&g| self.is_gap(g)).map(|g| {
            let row = if g < gap { g - 1 } else { g + 1 };
            self.letters.length(row)
        });
        let multiple = (self.letters.length(longer) + 1).is_multiple_of(period);
        if multiple || neighbour == Some(period - 1) {
            self.follow(shorter, gap, period);
        }
    }

    /// Blocks of one row of `period` tokens in the rows beyond `gap`, seen from row `from`, while
    /// their lengths are multiples.
    fn follow(&mut self, from: usize, mut gap: usize, period: u32) {
        let ahead = gap > from;
        for _ in 0..ROWS {
            if !self.is_gap(gap) {
                return;
            }
            // The last step of the row before the gap that belongs to its last block, against the
            // first block behind the gap.
            let Some(step) = (self.letters.start(gap) + 1).checked_sub(period) else { return };
            self.propose_steps(step, step + period);
            let row = if ahead { gap + 1 } else { gap - 1 };
            let length = self.letters.length(row);
            if length + 1 >= 2 * period {
                let start = self.letters.start(row);
                self.propose_steps(start, start + period);
            }
            if !(length + 1).is_multiple_of(period) {
                return;
            }
            let next = if ahead { Some(gap + 2) } else { gap.checked_sub(2) };
            let Some(next) = next else { return };
            gap = next;
        }
    }
}
