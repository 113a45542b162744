//! idxbuc for type paths (Kalany and Träff 2015, section 3.3), in near-linear time.
//!
//! Copies of P_p at m starting points need as many buckets as m minus the count of the most
//! frequent difference of neighbouring starts (the paper's Algorithm 7, corrected:
//! book/src/explanation/reconstruction.md). The paper sorts the differences of every pair of
//! prefixes, O(n^2 log^2 n) in all. Here the cheapest other node is known first, so only up to a
//! number of buckets, `most`, idxbuc is of interest:
//!
//! - If 2 `most` <= m, as always where an idxbuc node costs no less than an idx node, then one
//!   difference must be a *majority* even of the first 2 `most` - 1 differences. A majority vote
//!   (Boyer and Moore 1981) names the only possible one, and counting stops at the `most`-th
//!   break.
//! - For other cost models one pass counts all differences in a hash table.
//!
//! The vote goes tile by tile. Where the winner of a small sample has the majority of a tile, its
//! breaks are counted by vector instructions and the votes of the tile follow; only elsewhere
//! single votes cancel, in pairs and without branches. On random steps, n = 10^4, all of it takes
//! 3 times as long as a sum of the sequence; vote by vote, with a branch at each, it took 27
//! times.
//!
//! Time: O(q/p) for each pair of repeated prefixes p | q, mostly far less: at most the sum over
//! the repeated q of the sum of their divisors, O(n (log log n)^2). Space: O(1) for the vote.

use multiversion::multiversion;
use rustc_hash::FxHashMap;

use crate::num::count;
use crate::rows::first_other;
use crate::sequence::Sequence;

/// Differences that are looked at together: those of 4 KiB.
const TILE: usize = 1 << 9;

/// The fewest buckets that hold the q/p copies of P_p in P_q, and their stride, if they are at
/// most `most`.
pub(crate) fn fewest_buckets(
    sequence: &Sequence<'_>,
    p: usize,
    q: usize,
    most: usize,
) -> Option<(usize, i64)> {
    if most == 0 || q / p < 2 {
        return None;
    }
    let steps = Steps { starts: &sequence.starts[..q], block: p };
    let (breaks, stride) = if 2 * most <= q / p {
        steps.few_breaks(most)
    } else {
        let (count, stride) = most_frequent(steps.iter());
        (q / p - 1 - count, stride)
    };
    (breaks < most).then_some((1 + breaks, stride))
}

/// Differences of neighbouring starts of blocks of this length, in order.
#[derive(Clone, Copy)]
struct Steps<'a> {
    starts: &'a [i64],
    block: usize,
}

impl<'a> Steps<'a> {
    fn len(&self) -> usize {
        self.starts.len() / self.block - 1
    }

    fn iter(self) -> impl Iterator<Item = i64> {
        let origins = self.starts.iter().step_by(self.block);
        origins.clone().zip(origins.skip(1)).map(|(a, b)| b - a)
    }

    /// The differences from number `from` up to `to`.
    fn part(self, from: usize, to: usize) -> Steps<'a> {
        let end = self.starts.len().min((to + 1) * self.block);
        Steps { starts: &self.starts[from * self.block..end], ..self }
    }

    /// In tiles.
    fn tiles(self, from: usize, to: usize) -> impl Iterator<Item = Steps<'a>> {
        (from..to).step_by(TILE).map(move |k| self.part(k, to.min(k + TILE)))
    }

    /// The only difference that the others can break less than `most` times, and how often they
    /// do, or at least `most`. There are at least 2 `most` - 1 differences.
    ///
    /// Such a difference has the majority in the first 2 `most` - 1: they vote. As long as the
    /// winner of a small sample has the majority of a tile, all others of that tile cancel that
    /// many of its votes, and what was counted are its breaks at the same time.
    fn few_breaks(self, most: usize) -> (usize, i64) {
        let window = 2 * most - 1;
        let mut sample = Vote::default();
        sample.count(self.part(0, window.min(SAMPLE)));
        let guess = sample.candidate;
        let mut vote = Vote::default();
        let mut breaks = Some(0);
        for tile in self.tiles(0, window) {
            if let Some(before) = breaks {
                let others = tile.breaks(guess);
                if let Some(lead) = tile.len().checked_sub(2 * others) {
                    vote.add(guess, lead);
                    breaks = Some(before + others);
                    continue;
                }
                breaks = None;
            }
            vote.count(tile);
        }
        let (mut breaks, counted) = match breaks {
            Some(breaks) if vote.candidate == guess => (breaks, window),
            _ => (0, 0),
        };
        for tile in self.tiles(counted, self.len()) {
            breaks += tile.breaks(vote.candidate);
            if breaks >= most {
                break;
            }
        }
        (breaks, vote.candidate)
    }

    /// How many differences are not `stride`.
    fn breaks(self, stride: i64) -> usize {
        let (left, right) = (self.starts, &self.starts[self.block..]);
        if self.block == 1 {
            return others(right, left, stride);
        }
        let pairs = left.chunks_exact(self.block).zip(right.chunks_exact(self.block));
        pairs.filter(|(l, r)| r[0].wrapping_sub(l[0]) != stride).count()
    }
}

/// How often `a[t] - b[t]` is not `distance`.
#[multiversion(targets("x86_64+avx2"))]
fn others(a: &[i64], b: &[i64], distance: i64) -> usize {
    a.iter().zip(b).filter(|(x, y)| x.wrapping_sub(**y) != distance).count()
}

/// Buckets are expected to be about as long.
const SHORT: usize = 1 << 4;

/// Differences whose majority is tried first.
const SAMPLE: usize = 1 << 6;

/// A majority vote (Boyer and Moore 1981): votes for different candidates cancel each other. If
/// one has more than half of all votes, it is left; otherwise any may be.
#[derive(Default)]
struct Vote {
    candidate: i64,
    lead: usize,
}

impl Vote {
    /// Counts the votes of at most a tile. Neighbours cancel or merge until one is left, without a
    /// branch that depends on them.
    fn count(&mut self, steps: Steps<'_>) {
        let mut votes = [0; TILE / 2];
        let (pairs, starts) = (steps.len() / 2, steps.starts);
        let mut len = 0;
        if steps.block == 1 {
            let (left, right) = (starts.as_chunks::<2>().0, starts[1..].as_chunks::<2>().0);
            for (l, r) in left.iter().zip(right) {
                let (a, b) = (r[0].wrapping_sub(l[0]), r[1].wrapping_sub(l[1]));
                votes[len % (TILE / 2)] = a;
                len += usize::from(a == b);
            }
        } else {
            for k in 0..pairs {
                let [x, y, z] = [2 * k, 2 * k + 1, 2 * k + 2].map(|k| starts[k * steps.block]);
                let (a, b) = (y.wrapping_sub(x), z.wrapping_sub(y));
                votes[len % (TILE / 2)] = a;
                len += usize::from(a == b);
            }
        }
        if steps.len() % 2 == 1 {
            let last = 2 * pairs * steps.block;
            self.add(starts[last + steps.block].wrapping_sub(starts[last]), 1);
        }
        let mut weight = 2;
        while len > 0 {
            if len % 2 == 1 {
                len -= 1;
                self.add(votes[len], weight);
            }
            let mut kept = 0;
            for k in 0..len / 2 {
                let (a, b) = (votes[2 * k], votes[2 * k + 1]);
                votes[kept] = a;
                kept += usize::from(a == b);
            }
            (len, weight) = (kept, 2 * weight);
        }
    }

    fn add(&mut self, candidate: i64, weight: usize) {
        if candidate == self.candidate {
            self.lead += weight;
        } else if weight > self.lead {
            (self.candidate, self.lead) = (candidate, weight - self.lead);
        } else {
            self.lead -= weight;
        }
    }
}

/// The most frequent of at least one value, and its count; the first among equals.
pub(crate) fn most_frequent(values: impl Iterator<Item = i64>) -> (usize, i64) {
    let mut counts: FxHashMap<i64, usize> = FxHashMap::default();
    let mut most = (0, 0);
    for value in values {
        let count = counts.entry(value).or_insert(0);
        *count += 1;
        if *count > most.0 {
            most = (*count, value);
        }
    }
    most
}

/// Indices and lengths of the buckets of `starts` with this stride.
pub(crate) fn split_into_buckets(starts: &[i64], stride: i64) -> (Vec<i64>, Vec<u64>) {
    split(starts, 1, stride, 0)
}

/// [`split_into_buckets`] of every `block`-th of `starts`, of which there are `buckets`, if known.
pub(crate) fn split(
    starts: &[i64],
    block: usize,
    stride: i64,
    buckets: usize,
) -> (Vec<i64>, Vec<u64>) {
    let mut indices = Vec::with_capacity(buckets);
    let mut blocks = Vec::with_capacity(buckets);
    let mut first = 0;
    let mut close = |end: usize| {
        indices.push(starts[first * block]);
        blocks.push(count(end - first));
        first = end;
    };
    let origins = starts.len() / block;
    let mut at = 1;
    while at < origins {
        let end = if block == 1 {
            // A short bucket is over before a search by vector instructions has begun.
            let near = origins.min(at + SHORT);
            let pairs = starts[at - 1..near].windows(2);
            let end = pairs.map(|w| w[1].wrapping_sub(w[0])).position(|d| d != stride);
            let (here, before) = (&starts[near..origins], &starts[near - 1..origins - 1]);
            let far = || first_other(here, before, stride).map(|t| near + t);
            end.map(|t| at + t).or_else(far)
        } else {
            let start = |k: usize| starts[k * block];
            (at..origins).find(|&k| start(k).wrapping_sub(start(k - 1)) != stride)
        };
        let Some(end) = end else { break };
        close(end);
        at = end + 1;
    }
    if origins > 0 {
        close(origins);
    }
    (indices, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sequences of 9 starts with steps 1..3.
    #[test]
    fn the_vote_finds_the_buckets_that_counting_finds() {
        for code in 0..3i64.pow(8) {
            let mut starts = vec![0];
            for i in 0..8 {
                starts.push(starts[i] + 1 + code / 3i64.pow(u32::try_from(i).unwrap()) % 3);
            }
            let sequence = Sequence::new(&starts).unwrap();
            for q in [3, 9] {
                let counted = fewest_buckets(&sequence, 1, q, q).unwrap();
                for most in 1..=q / 2 {
                    let voted = fewest_buckets(&sequence, 1, q, most);
                    assert_eq!(voted, (counted.0 <= most).then_some(counted), "{starts:?}");
                }
            }
        }
    }

    /// Stretches of one step, of two that take turns and of random ones, longer than a tile: the
    /// winner of the sample may win, or lose its majority on the way.
    #[test]
    fn over_many_tiles_the_vote_finds_the_buckets_that_counting_finds() {
        commloom_testkit::check(300, |rng| {
            let block = rng.usize(1..4);
            let mut starts = vec![0; block];
            for _ in 0..rng.usize(1..5) {
                let (kind, step) = (rng.u8(0..3), rng.i64(-2..2));
                for k in 0..rng.usize(1..3 * TILE) {
                    let step = match kind {
                        0 => step,
                        1 => step + i64::from(k % 2 == 0),
                        _ => rng.i64(-4..4),
                    };
                    let next = starts[starts.len() - block] + step;
                    starts.extend(std::iter::repeat_n(next, block));
                }
            }
            let sequence = Sequence { starts: &starts };
            let copies = starts.len() / block;
            let counted = fewest_buckets(&sequence, block, starts.len(), copies).unwrap();
            for most in [1, 2, counted.0, counted.0 + 1, copies / 4, copies / 2] {
                if 2 * most > copies {
                    continue;
                }
                let voted = fewest_buckets(&sequence, block, starts.len(), most);
                assert_eq!(voted, (counted.0 <= most).then_some(counted), "at most {most}");
            }
            let (indices, blocks) = split(&starts, block, counted.1, counted.0);
            let runs = indices.iter().zip(&blocks);
            let every: Vec<i64> = runs
                .flat_map(|(i, b)| (0..*b).map(move |k| i + counted.1 * i64::try_from(k).unwrap()))
                .collect();
            let origins: Vec<i64> = starts.iter().copied().step_by(block).collect();
            assert_eq!((every, indices.len()), (origins, counted.0));
        });
    }
}
