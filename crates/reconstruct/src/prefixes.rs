//! All repeated prefixes of a displacement sequence (Kalany and Träff 2015, section 3.1).
//!
//! P_q, the first q of n displacements, is *repeated* if q divides n and every block of q has the
//! same steps E[t] = D[t+1] - D[t]: E[t] = E[t mod q] unless t = -1 (mod q), a junction of two
//! blocks. It is *strided* up to some element if the steps have period q there, junctions
//! included.
//!
//! Deviations from the paper (book/src/explanation/reconstruction.md):
//! - From a repeated prefix of length q we look at q/f for *every* distinct prime f of q; the
//!   paper's Algorithm 5 takes the smallest prime only and misses repeated prefixes.
//! - At a mismatch at step t a candidate c shrinks to gcd(c, t+1): a repeated length that divides
//!   c must have a junction at t. The scan goes on from the same place, against the own prefix of
//!   the sequence; the paper's Algorithm 4 rebases and so skips a block. The blocks inside the
//!   first c elements were not compared with the shrunk candidate: that is done in a scan of their
//!   own.
//!
//! Why it is fast:
//! 1. *Rows* (see [`rows`](crate::rows)). A candidate that is a multiple of a row's block needs no
//!    comparison inside the row; one that divides the block, only inside the block, since a length
//!    that is repeated in the block of a row is repeated in the row.
//! 2. *Periods.* Let pi be the least divisor of q with P_pi strided in all of P_q. Every multiple
//!    of pi that divides q is repeated, without a scan, and every other repeated divisor r of q
//!    divides pi. (Let g = gcd(r, pi), u = pi/g, v = r/g > 1, and r not divide pi. The steps
//!    depend on t mod pi only, and off the junctions of r on t mod r only, hence, by the Chinese
//!    remainder theorem, as lcm(r, pi) divides q, on t mod g only, off the junctions of g. The
//!    steps at the junctions of g depend on k mod u, k their number, and unless k = -1 (mod v) on
//!    k mod v only; every residue mod u occurs with k = 0 (mod v), so they are all equal. So P_g
//!    is strided in P_q, and g < pi unless pi divides r.) Two strided q/f and q/f' make P_gcd
//!    strided (Fine and Wilf 1965: the length is at least their sum), so pi is found with one scan
//!    per reduction: of the largest candidate alone as long as it is strided, as each such scan is
//!    half as long, then of all together.
//! 3. *Joint scans.* All candidates of one length go through the sequence together, tile by tile;
//!    a block is compared by vector instructions, several short ones at a time.
//!
//! Time: each further length scanned is at most half of one scanned before; the sum of the
//! divisors of n, O(n log log n), in the worst case, times the number of candidates per scan (at
//! most 8 below 2^24; most die at once). On nests of vecs: about one pass. Space: the divisors of
//! n.
//!
//! *Rejected: fingerprints*, which check a candidate q/f by f block hashes in place of a scan,
//! O(n) expected. To calculate the prefix hashes alone takes 8, 7 and 4 times as long as a sum of
//! the sequence (n = 10^4, 10^6, 2^24), for one waits for the other; all of this takes 1 to 3
//! times on the sequences of benches/cases. They need as much memory as the sequence, too.

use std::collections::BTreeMap;

use crate::num::gcd;
use crate::rows::{Rows, first_other};

/// Elements scanned for all candidates before the next ones: 16 KiB, half the first-level cache.
const TILE: usize = 1 << 11;

/// Blocks shorter than this are compared several at a time.
const SHORT: usize = 1 << 6;

/// The repeats of a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// Lengths of all repeated prefixes, ascending: 1 and n among them.
    pub lengths: Vec<usize>,
    /// The shortest of them that is strided in the whole sequence; its multiples are, too.
    pub period: usize,
}

/// The repeated prefixes of `starts`, at least one displacement, no difference of which overflows.
pub(crate) fn repeated_prefixes(starts: &[i64]) -> Repeated {
    repeated_prefixes_in(starts, Rows::of(starts))
}

/// [`repeated_prefixes`] of `starts` whose rows are known.
pub(crate) fn repeated_prefixes_in(starts: &[i64], rows: Rows) -> Repeated {
    let n = starts.len();
    let mut search = Search::new(starts, rows);
    let mut lengths = vec![1, n];
    let mut period = n;
    let mut todo = vec![n];
    let mut seen = vec![1, n];
    while let Some(q) = todo.pop() {
        let (pi, others) = search.period(q);
        if q == n {
            period = pi;
        }
        lengths.extend(divisors(q / pi, &search.primes).into_iter().map(|k| k * pi));
        for r in others {
            if !seen.contains(&r) {
                seen.push(r);
                lengths.push(r);
                todo.push(r);
            }
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    Repeated { lengths, period }
}

struct Search<'a> {
    starts: &'a [i64],
    /// Distinct prime factors of the number of elements.
    primes: Vec<usize>,
    rows: Rows,
    /// For lengths looked at: the largest repeated length that divides it.
    largest: BTreeMap<usize, usize>,
}

impl<'a> Search<'a> {
    fn new(starts: &'a [i64], rows: Rows) -> Self {
        let primes = distinct_primes(starts.len());
        Search { starts, primes, rows, largest: BTreeMap::from([(1, 1)]) }
    }

    /// For a repeated length q: the least divisor strided in P_q, and for each prime f of it the
    /// largest repeated divisor of period/f.
    fn period(&mut self, q: usize) -> (usize, Vec<usize>) {
        let row = self.rows.list.iter().find(|r| r.end >= q && q.is_multiple_of(r.block));
        let mut period = row.map_or(q, |r| r.block);
        loop {
            let primes = self.primes.iter().filter(|f| period.is_multiple_of(**f));
            let candidates: Vec<usize> = primes.map(|f| period / f).collect();
            let Some(&half) = candidates.first() else { return (period, vec![]) };
            // The largest one alone: as long as it is strided the scans get shorter and shorter.
            if self.largest_repeated(period, &[half]) == [half] && self.is_strided(half, period, q)
            {
                period = half;
                continue;
            }
            let repeated = self.largest_repeated(period, &candidates);
            let strided = candidates
                .iter()
                .zip(&repeated)
                .filter(|&(c, r)| c == r && self.is_strided(*c, period, q))
                .fold(0, |g, (c, _)| gcd(g, *c));
            if strided == 0 {
                return (period, repeated);
            }
            period = strided;
        }
    }

    /// P_c is repeated in P_period, which is strided in P_q: whether P_c is strided in P_q.
    fn is_strided(&self, c: usize, period: usize, q: usize) -> bool {
        let distance = self.starts[c].wrapping_sub(self.starts[0]);
        let end = (period + c).min(q);
        let origins = self.starts[..end].iter().step_by(c);
        origins.clone().zip(origins.skip(1)).all(|(a, b)| b.wrapping_sub(*a) == distance)
    }

    /// For each of `lengths` (divisors of q, P_q repeated): the largest repeated length that
    /// divides it.
    fn largest_repeated(&mut self, q: usize, lengths: &[usize]) -> Vec<usize> {
        let mut scans: Vec<(usize, Scan)> = lengths
            .iter()
            .filter(|c| !self.largest.contains_key(c))
            .map(|&c| (c, Scan::new(c, q, &self.rows)))
            .collect();
        for tile in (0..q).step_by(TILE) {
            for (_, scan) in &mut scans {
                scan.advance(self, tile + TILE);
            }
        }
        for (c, scan) in scans {
            let settled = self.settled(scan.length, scan.from);
            self.largest.insert(c, settled);
        }
        lengths.iter().map(|c| self.largest[c]).collect()
    }

    /// `length` fits from element `scanned` on; the elements before are scanned in turn.
    fn settled(&self, mut length: usize, mut scanned: usize) -> usize {
        while length < scanned {
            if let Some(&largest) = self.largest.get(&length) {
                return largest;
            }
            let mut scan = Scan::new(length, scanned, &self.rows);
            scan.advance(self, scanned);
            (scanned, length) = (scan.from, scan.length);
        }
        length
    }
}

/// A candidate that shrinks while it is compared with the elements before `end`.
struct Scan {
    length: usize,
    /// The first elements, with which the candidate was not compared when it shrank.
    from: usize,
    /// Start of the block at hand.
    block: usize,
    /// Compared up to here.
    at: usize,
    end: usize,
}

impl Scan {
    fn new(length: usize, end: usize, rows: &Rows) -> Scan {
        let known =
            rows.list.iter().filter(|r| length.is_multiple_of(r.block)).map(|r| r.end).max();
        let at = known.unwrap_or(0).min(end).max(length);
        Scan { length, from: length, block: at / length * length, at, end }
    }

    /// Compares up to `limit`. Stops for good where what is left has been settled before.
    fn advance(&mut self, search: &Search<'_>, limit: usize) {
        let limit = limit.min(self.end);
        while self.at < limit {
            let found = match self.length < SHORT {
                true => self.other_in_short_blocks(search.starts, limit),
                false => self.other_in_block(search.starts, limit),
            };
            match found {
                Some(other) => self.shrink(other, search),
                None if self.length < SHORT => {
                    (self.block, self.at) = (limit / self.length * self.length, limit);
                }
                None => {
                    self.at = limit.min(self.block + self.length);
                    if self.at == self.block + self.length {
                        self.block = self.at;
                    }
                }
            }
        }
    }

    /// The first element of the block at hand that does not fit.
    fn other_in_block(&self, starts: &[i64], limit: usize) -> Option<usize> {
        let to = limit.min(self.block + self.length);
        let offset = self.at - self.block;
        let distance = starts[self.block].wrapping_sub(starts[0]);
        let (here, first) = (&starts[self.at..to], &starts[offset..offset + to - self.at]);
        first_other(here, first, distance).map(|t| self.at + t)
    }

    /// The first element up to `limit` that does not fit. Several blocks are compared at once, by
    /// the steps that lead to their elements; the step to the first element of a block is free.
    fn other_in_short_blocks(&self, starts: &[i64], limit: usize) -> Option<usize> {
        let mut steps = [0; 2 * SHORT];
        let mut fixed = [0; 2 * SHORT];
        let width = SHORT.next_multiple_of(self.length);
        for t in (0..width).filter(|t| !t.is_multiple_of(self.length)) {
            steps[t] = starts[t % self.length].wrapping_sub(starts[t % self.length - 1]);
            fixed[t] = -1;
        }
        let (steps, fixed) = (&steps[..width], &fixed[..width]);
        let (here, before) = (&starts[self.block..limit], &starts[self.block - 1..limit - 1]);
        let wrong = |(((x, y), step), fixed): (((&i64, &i64), &i64), &i64)| {
            (x.wrapping_sub(*y) ^ step) & fixed
        };
        let position = here.chunks(width).zip(before.chunks(width)).position(|(x, y)| {
            x.iter().zip(y).zip(steps).zip(fixed).fold(0, |acc, t| acc | wrong(t)) != 0
        })?;
        let (here, before) = (&here[position * width..], &before[position * width..]);
        let inside = here.iter().zip(before).zip(steps).zip(fixed).position(|t| wrong(t) != 0);
        inside.map(|t| self.block + position * width + t)
    }

    /// The candidate does not fit at element `other`: a shorter one may.
    fn shrink(&mut self, other: usize, search: &Search<'_>) {
        (self.at, self.block) = (other, other);
        self.length = gcd(self.length, other);
        if search.largest.contains_key(&self.length) {
            self.at = self.end;
            return;
        }
        // A length that is repeated in the block of a row is repeated in the row: looking at that
        // block is worth it if the row goes on for at least as long from here.
        let row = search.rows.list.iter().rev().find(|r| {
            r.block.is_multiple_of(self.length) && r.end.saturating_sub(other) >= r.block
        });
        if let Some(row) = row {
            self.length = search.settled(self.length, row.block);
            self.from = self.length;
            self.at = match search.largest.contains_key(&self.length) {
                true => self.end,
                false => row.end.min(self.end),
            };
            self.block = self.at / self.length * self.length;
        }
    }
}

/// Distinct prime factors, ascending.
fn distinct_primes(mut n: usize) -> Vec<usize> {
    let mut primes = Vec::new();
    let mut f = 2;
    while f * f <= n {
        if n.is_multiple_of(f) {
            primes.push(f);
            while n.is_multiple_of(f) {
                n /= f;
            }
        }
        f += 1;
    }
    if n > 1 {
        primes.push(n);
    }
    primes
}

/// All divisors of n, whose prime factors are among `primes`.
fn divisors(n: usize, primes: &[usize]) -> Vec<usize> {
    let mut all = vec![1];
    let mut rest = n;
    for &f in primes {
        let smaller = all.len();
        let mut power = 1;
        while rest.is_multiple_of(f) {
            rest /= f;
            power *= f;
            all.extend_from_within(..smaller);
            let from = all.len() - smaller;
            all[from..].iter_mut().for_each(|d| *d *= power);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_definition(starts: &[i64]) -> Repeated {
        let n = starts.len();
        let steps: Vec<i64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
        let repeated = |q: usize| (0..n - 1).all(|t| (t + 1) % q == 0 || steps[t] == steps[t % q]);
        let strided = |q: usize| (q..n - 1).all(|t| steps[t] == steps[t - q]);
        let lengths: Vec<usize> = (1..=n).filter(|&q| n.is_multiple_of(q) && repeated(q)).collect();
        let period = lengths.iter().copied().find(|&q| strided(q)).unwrap();
        Repeated { lengths, period }
    }

    fn starts(steps: impl Iterator<Item = i64>) -> Vec<i64> {
        let ends = steps.scan(0, |end, step| {
            *end += step;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    #[test]
    fn every_short_sequence_of_two_steps_gives_the_lengths_of_the_definition() {
        for n in 0..=15u32 {
            for bits in 0..1u32 << n {
                let starts = starts((0..n).map(|i| i64::from(bits >> i & 1)));
                assert_eq!(repeated_prefixes(&starts), by_definition(&starts), "{starts:?}");
            }
        }
    }

    /// Junctions of the divisors `marks` of 24, 30, 36 or 48 get steps of their own, so that
    /// exactly the prefixes that avoid them are repeated.
    #[test]
    fn every_set_of_marked_junctions_gives_the_lengths_of_the_definition() {
        for n in [24, 30, 36, 48] {
            let divisors: Vec<usize> = (2..n).filter(|q| n % q == 0).collect();
            for set in 0..1u32 << divisors.len() {
                let marks: Vec<usize> = (0..divisors.len())
                    .filter(|i| set >> i & 1 == 1)
                    .map(|i| divisors[i])
                    .collect();
                for grows in [0, 1] {
                    let step = |t: usize| {
                        let marked = marks.iter().filter(|q| t.is_multiple_of(**q)).count();
                        i64::try_from(marked * (7 + grows * t)).unwrap() + 1
                    };
                    let starts = starts((1..n).map(step));
                    assert_eq!(repeated_prefixes(&starts), by_definition(&starts), "{starts:?}");
                }
            }
        }
    }

    #[test]
    fn nests_longer_than_a_tile_give_the_lengths_of_the_definition() {
        for inner in [2, 6, 30, 1001] {
            let n = 6 * 2310;
            let far = |t: usize| if t.is_multiple_of(5) { 70 } else { 40 };
            let steps = (1..n).map(|t| if t % inner == 0 { far(t / inner) } else { 1 });
            let mut starts = starts(steps);
            assert_eq!(repeated_prefixes(&starts), by_definition(&starts), "inner {inner}");
            *starts.last_mut().unwrap() += 1;
            assert_eq!(repeated_prefixes(&starts), by_definition(&starts), "changed {inner}");
        }
    }

    /// Nests whose counts do not divide the length, with some elements moved: candidates shrink in
    /// the middle of rows, and often.
    #[test]
    fn random_nests_that_are_cut_off_and_changed_give_the_lengths_of_the_definition() {
        commloom_testkit::check(3000, |rng| {
            let n = [210, 360, 1024, 5040][rng.usize(0..4)];
            let mut steps = vec![0; n - 1];
            let mut block = 1;
            while block < n {
                let step = rng.i64(-50..50);
                steps.iter_mut().skip(block - 1).step_by(block).for_each(|s| *s = step);
                block *= rng.usize(2..9);
            }
            for _ in 0..rng.usize(0..3) {
                // A junction of blocks of a length that may be repeated.
                let block = rng.usize(1..n);
                let from = rng.usize(0..n);
                steps.iter_mut().skip(from).skip(block - 1).step_by(block).for_each(|s| *s += 1);
            }
            let starts = starts(steps.into_iter());
            assert_eq!(repeated_prefixes(&starts), by_definition(&starts), "{starts:?}");
        });
    }
}
