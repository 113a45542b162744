//! The least cost of a block of a repeat (book/src/explanation/lower-bounds.md, theorem 4).
//!
//! A block of q elements is a path node over blocks of its own, or a strc of parts. The blocks of
//! such nodes have at most q/2 elements. So blocks are priced in the order of their lengths, each
//! by the parts that cover it, with the prices of the shorter ones.
//!
//! - The blocks of a long repeat begin anywhere in its first period. They are taken in few groups
//!   of neighbours: what all blocks of a group have in common costs no more than any of them.
//! - A block within a repeat of period p, 2p <= q, is priced by two of the periods
//!   ([`Search::long`]): a repeat of a thousand rows has five hundred such periods.
//! - Blocks with equal steps have equal prices and are priced once.
//! - The work is limited: blocks that are left over have the price of two elements.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::cover::{Parts, Priced, least_parts};
use super::fingerprint::Fingerprints;
use super::repeats::{Packed, Repeat};
use super::stabbing::Stabbing;
use super::tariff::Tariff;

/// Groups of blocks of one repeat: each leaves out one eighth of a block at most.
const GROUPS: usize = 8;

/// A repeat that the steps do not bear out: two different blocks have one fingerprint.
pub(super) struct Collision;

/// Raises the prices of the blocks of `repeats` (in the order of their starts), with so many
/// elements looked at, at most.
pub(super) fn price(
    starts: &[i64],
    prints: &Fingerprints,
    repeats: &mut [Priced],
    tariff: &Tariff,
    work: usize,
) -> Result<(), Collision> {
    let mut by_period: Vec<usize> = (0..repeats.len()).collect();
    by_period.sort_unstable_by_key(|&k| repeats[k].repeat().period);
    let mut shorter = by_period.iter().copied().peekable();
    let mut search = Search {
        starts,
        tariff,
        work,
        shorter: Stabbing::new(repeats.len()),
        runs: Stabbing::new(repeats.len()),
        long: FxHashMap::default(),
        known: FxHashMap::default(),
    };
    let mut within = vec![false; repeats.len()];
    for &k in &by_period {
        let repeat = repeats[k].repeat();
        while let Some(s) = shorter.next_if(|&s| 2 * repeats[s].repeat().period <= repeat.period) {
            let Repeat { start, end, period } = repeats[s].repeat();
            search.shorter.insert(s, repeats[s].repeat().elements_end());
            let all_equal = || prints.windows(end + period - start - 1).equal(start, start + 1);
            if end >= start + period && !within[s] && !all_equal() {
                search.runs.insert(s, repeats[s].repeat().elements_end());
            }
        }
        let price = match search.run_around(repeats, &repeat) {
            Some(run) => {
                within[k] = true;
                search.long(repeats, run)
            }
            None => {
                let steps = prints.windows(repeat.period).at(repeat.start);
                search.on_its_own(repeats, &repeat, steps)?
            }
        };
        let Some(price) = price else { return Ok(()) };
        repeats[k].block = repeats[k].block.max(price);
    }
    Ok(())
}

/// The first repeat that starts at or after `place`.
fn first_from(repeats: &[Priced], place: usize) -> usize {
    repeats.partition_point(|p| p.repeat().start < place)
}

struct Search<'a> {
    starts: &'a [i64],
    tariff: &'a Tariff,
    work: usize,
    /// Those of at most half the period at hand.
    shorter: Stabbing,
    /// Those among them that hold two periods and a step more, unequal steps, and are not within
    /// another one of half their period: their periods are primitive.
    runs: Stabbing,
    /// The cost of two and more periods of a run.
    long: FxHashMap<usize, u64>,
    /// Prices of blocks on their own, and where they are: by period, number of places where blocks
    /// begin, and fingerprint.
    known: FxHashMap<(usize, usize, u64), (u64, usize)>,
}

impl Search<'_> {
    /// The run of at most half the period that contains all blocks of `repeat`. There is at most
    /// one.
    fn run_around(&self, repeats: &[Priced], repeat: &Repeat) -> Option<usize> {
        let limit = first_from(repeats, repeat.start + 1);
        self.runs.reaching(limit, repeat.end).first().copied()
    }

    /// The least cost of the blocks of a repeat; `steps` is the fingerprint of its first steps.
    /// `None` if that is too much work.
    fn on_its_own(
        &mut self,
        repeats: &[Priced],
        repeat: &Repeat,
        steps: u64,
    ) -> Result<Option<u64>, Collision> {
        let Repeat { start, end, period } = *repeat;
        // Prices rest on what the steps are, not on their fingerprints. Comparing is fast.
        let comparing = (end - start + period) / 16;
        let Some(work) = self.work.checked_sub(comparing) else { return Ok(None) };
        self.work = work;
        if !self.equal(start, start + period, end - start) {
            return Err(Collision);
        }
        let places = (end + 2 - start - period).min(period);
        let key = (period, places, steps);
        if let Some(&(price, other)) = self.known.get(&key) {
            return if self.equal(start, other, period) { Ok(Some(price)) } else { Err(Collision) };
        }
        let price = self.least(repeats, start, places, period, period / 2, false);
        if let Some(price) = price {
            self.known.insert(key, (price, start));
        }
        Ok(price)
    }

    /// Whether `length` steps from `x` and from `y` are equal.
    fn equal(&self, x: usize, y: usize, length: usize) -> bool {
        let distance = self.starts[y] - self.starts[x];
        let (a, b) = (&self.starts[x..=x + length], &self.starts[y..=y + length]);
        a.iter().zip(b).fold(0, |acc, (a, b)| acc | ((b - a) ^ distance)) == 0
    }

    /// The least cost of two or more periods of a run, wherever they begin and end. `None` if that
    /// is too much work.
    fn long(&mut self, repeats: &[Priced], run: usize) -> Option<u64> {
        if let Some(&price) = self.long.get(&run) {
            return Some(price);
        }
        let Repeat { start, period, .. } = repeats[run].repeat();
        let elements = repeats[run].repeat().elements_end() - start;
        let places = (elements + 1 - 2 * period).min(period);
        let by_shorter = self.least(repeats, start, places, 2 * period, period - 1, true)?;
        let by_periods = self.tariff.node().saturating_add(repeats[run].block);
        let price = by_shorter.min(by_periods);
        self.long.insert(run, price);
        Some(price)
    }

    /// The least cost of `length` elements that begin at one of the `places` from `from` on, or of
    /// `more` that begin there, by parts over leaves and over blocks of at most `longest`
    /// elements. `None` if that is too much work.
    fn least(
        &mut self,
        repeats: &[Priced],
        from: usize,
        places: usize,
        length: usize,
        longest: usize,
        more: bool,
    ) -> Option<u64> {
        let size = places.div_ceil(GROUPS);
        let mut least = u64::MAX;
        for first in (from..from + places).step_by(size) {
            let last = (first + size).min(from + places) - 1;
            let more = more || last > first;
            least = least.min(self.common(repeats, last..first + length, longest, more)?);
        }
        Some(least)
    }

    /// The least cost of the `elements`, or of `more` around them.
    fn common(
        &mut self,
        repeats: &[Priced],
        elements: Range<usize>,
        longest: usize,
        more: bool,
    ) -> Option<u64> {
        let tariff = self.tariff;
        let from = elements.start;
        let reaching = self.shorter.reaching(first_from(repeats, elements.end), from);
        self.work = self.work.checked_sub(elements.len() + 4 * reaching.len())?;
        let inside = |&k: &usize| {
            let Priced { block, before, after, .. } = repeats[k];
            let repeat = repeats[k].repeat();
            let (start, end) = (repeat.start.saturating_sub(from), repeat.end.saturating_sub(from));
            let before = before && repeat.start >= from;
            let packed = Packed::new(&Repeat { start, end, ..repeat });
            Priced { packed, block, before, after }
        };
        let around: Vec<Priced> =
            reaching.iter().map(inside).filter(|p| p.repeat().period <= longest).collect();
        let length = elements.len();
        let parts = least_parts(&self.starts[elements], &around, tariff, &[length]);
        let Parts { one, more: mut several } = parts[0];
        if more {
            let another = tariff.part.saturating_add(tariff.leaf);
            several = several.min(one.saturating_add(another));
        }
        Some(one.saturating_sub(tariff.part).min(tariff.strc.saturating_add(several)))
    }
}
