//! All repeated prefixes of a displacement sequence (Kalany and Träff 2015, section 3.1).
//!
//! P_q, the first q of n displacements, is *repeated* if q divides n and every block of q has the
//! same steps: E[t] = E[t mod q] unless t = -1 (mod q), a junction between two blocks.
//!
//! Deviations from the paper (ALGORITHMS.md, section 1):
//! - From a repeated prefix of length q we look at q/f for *every* distinct prime f of q; the
//!   paper's Algorithm 5 takes the smallest prime only and misses repeated prefixes.
//! - At a mismatch at t a candidate c shrinks to gcd(c, t+1): a repeated length that divides c
//!   must have a junction at t. The scan goes on from the same place, against the own prefix of the
//!   sequence; the paper's Algorithm 4 rebases and so skips a block.
//!
//! A scan that has shrunk says nothing of the blocks inside the first `c` elements, so the shrunk
//! candidate is scanned again there, in a prefix of at most half the length. All candidates q/f of
//! one q are scanned together, tile by tile, so that the sequence goes through the cache once.
//!
//! Time: a scan of P_q per repeated q, so the sum of the divisors of n, O(n log log n), times the
//! number of candidates (at most 8 below 2^24; most die at once). Space: the divisors of n.

use std::collections::{BTreeSet, HashMap};

use crate::num::gcd;

/// Steps scanned for all candidates before the next ones: 8 KiB, a part of the first-level cache.
const TILE: usize = 1 << 10;

/// A length that may be repeated in the first `end` elements: shrinks while the scan proceeds.
struct Candidate {
    length: usize,
    /// Scanned up to here; always the start of a block.
    at: usize,
    end: usize,
}

/// Lengths of all repeated prefixes, ascending: 1 and n among them. `steps` has n-1 entries.
pub(crate) fn repeated_prefixes(steps: &[i64]) -> Vec<usize> {
    let n = steps.len() + 1;
    let mut found = BTreeSet::from([1, n]);
    let mut todo = vec![n];
    // Largest repeated length that divides the key.
    let mut known = HashMap::new();
    while let Some(q) = todo.pop() {
        let asked: Vec<usize> = distinct_primes(q).iter().map(|f| q / f).collect();
        let mut open: Vec<usize> = asked
            .iter()
            .copied()
            .filter(|c| !found.contains(c) && !known.contains_key(c))
            .collect();
        open.sort_unstable();
        for (c, repeated) in open.iter().zip(largest_repeated(steps, q, &open)) {
            known.insert(*c, repeated);
            if found.insert(repeated) {
                todo.push(repeated);
            }
        }
    }
    found.into_iter().collect()
}

/// For each of `lengths` (divisors of q, P_q repeated): the largest repeated length that divides it.
fn largest_repeated(steps: &[i64], q: usize, lengths: &[usize]) -> Vec<usize> {
    let mut candidates: Vec<Candidate> =
        lengths.iter().map(|&c| Candidate { length: c, at: c, end: q }).collect();
    for tile in (0..q).step_by(TILE) {
        for candidate in &mut candidates {
            candidate.advance(steps, tile + TILE);
        }
    }
    let scanned = candidates.into_iter().zip(lengths);
    scanned.map(|(candidate, &length)| settle(steps, candidate.length, length)).collect()
}

/// `length` fits from element `scanned` on; the elements before are scanned in turn.
fn settle(steps: &[i64], mut length: usize, mut scanned: usize) -> usize {
    while length < scanned && length > 1 {
        let mut candidate = Candidate { length, at: length, end: scanned };
        candidate.advance(steps, scanned);
        (scanned, length) = (length, candidate.length);
    }
    length
}

impl Candidate {
    /// Scans whole blocks until `limit` is reached or passed.
    fn advance(&mut self, steps: &[i64], limit: usize) {
        let limit = limit.min(self.end);
        while self.at < limit && self.length > 1 {
            let inner = self.length - 1;
            let block = &steps[self.at..self.at + inner];
            match first_difference(block, &steps[..inner]) {
                None => self.at += self.length,
                Some(offset) => {
                    self.at += offset + 1;
                    self.length = gcd(self.length, self.at);
                }
            }
        }
    }
}

/// Offset of the first difference of two slices of one length.
fn first_difference(a: &[i64], b: &[i64]) -> Option<usize> {
    /// Compared without branches, so that the compiler can use vector instructions.
    const LANES: usize = 16;
    let whole = a.chunks_exact(LANES).zip(b.chunks_exact(LANES));
    let equal = whole
        .take_while(|(x, y)| x.iter().zip(*y).fold(0, |acc, (p, q)| acc | (p ^ q)) == 0)
        .count()
        * LANES;
    a[equal..].iter().zip(&b[equal..]).position(|(x, y)| x != y).map(|offset| equal + offset)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn by_definition(steps: &[i64]) -> Vec<usize> {
        let n = steps.len() + 1;
        let repeated = |q: usize| (0..n - 1).all(|t| (t + 1) % q == 0 || steps[t] == steps[t % q]);
        (1..=n).filter(|&q| n.is_multiple_of(q) && repeated(q)).collect()
    }

    /// Every sequence of up to 12 steps over two letters, so 3 blocks of 4 and their like.
    #[test]
    fn every_short_sequence_of_two_letters_gives_the_lengths_of_the_definition() {
        for n in 1..=12u32 {
            for bits in 0..1u32 << n {
                let steps: Vec<i64> = (0..n).map(|i| i64::from(bits >> i & 1)).collect();
                assert_eq!(repeated_prefixes(&steps), by_definition(&steps), "{steps:?}");
            }
        }
    }

    #[test]
    fn nests_longer_than_a_tile_give_the_lengths_of_the_definition() {
        for inner in [2, 6, 30, 1001] {
            let n = 6 * 2310;
            let far = |t: usize| if t.is_multiple_of(5) { 70 } else { 40 };
            let steps: Vec<i64> =
                (1..n).map(|t| if t % inner == 0 { far(t / inner) } else { 1 }).collect();
            assert_eq!(repeated_prefixes(&steps), by_definition(&steps), "inner {inner}");
        }
    }
}
