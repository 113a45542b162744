//! idxbuc for type paths (Kalany and Träff 2015, section 3.3), in near-linear time.
//!
//! Copies of P_p at m starting points need as many buckets as m minus the count of the most frequent
//! difference of neighbouring starts (ALGORITHMS.md corrects the paper's Algorithm 7). The paper
//! sorts the differences of every pair of prefixes, O(n^2 log^2 n) in all. Here the cheapest other
//! node is known first, so only up to a number of buckets, `most`, idxbuc is of interest:
//!
//! - If 2 `most` <= m, as always where an idxbuc node costs no less than an idx node, then one
//!   difference must be a *majority* even of the first 2 `most` - 1 differences. A majority vote
//!   (Boyer and Moore 1981) names the only possible one, and counting stops at the `most`-th break.
//! - For other cost models one pass counts all differences in a hash table.
//!
//! Time: O(q/p) for each pair of repeated prefixes p | q, mostly far less: at most the sum over the
//! repeated q of the sum of their divisors, O(n (log log n)^2). Space: O(1) for the vote.

use std::collections::HashMap;

use crate::sequence::Sequence;

/// The fewest buckets that hold the q/p copies of P_p in P_q, and their stride, if they are at most
/// `most`.
pub(crate) fn fewest_buckets(
    sequence: &Sequence<'_>,
    p: usize,
    q: usize,
    most: usize,
) -> Option<(usize, i64)> {
    if most == 0 || q / p < 2 {
        return None;
    }
    let starts = &sequence.starts[..q];
    let found = if 2 * most <= q / p {
        let window = differences(starts, p).take(2 * most - 1);
        let stride = majority(window);
        let breaks = differences(starts, p).filter(|d| *d != stride).take(most).count();
        (1 + breaks, stride)
    } else {
        let (count, stride) = most_frequent(differences(starts, p));
        (q / p - count, stride)
    };
    (found.0 <= most).then_some(found)
}

/// Differences of neighbouring starts of blocks of p.
fn differences(starts: &[i64], p: usize) -> impl Iterator<Item = i64> {
    let origins = starts.iter().step_by(p);
    origins.clone().zip(origins.skip(1)).map(|(a, b)| b - a)
}

/// The value that makes up more than half, if there is one; otherwise any.
fn majority(values: impl Iterator<Item = i64>) -> i64 {
    let (mut candidate, mut lead) = (0, 0u64);
    for value in values {
        if lead == 0 {
            candidate = value;
        }
        lead = if value == candidate { lead + 1 } else { lead - 1 };
    }
    candidate
}

/// The most frequent of at least one value, and its count; the first among equals.
pub(crate) fn most_frequent(values: impl Iterator<Item = i64>) -> (usize, i64) {
    let mut counts: HashMap<i64, usize> = HashMap::new();
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
    let mut indices: Vec<i64> = Vec::new();
    let mut blocks: Vec<u64> = Vec::new();
    let mut previous = None;
    for &start in starts {
        let continues = previous.is_some_and(|p: i64| start.checked_sub(p) == Some(stride));
        match blocks.last_mut() {
            Some(block) if continues => *block += 1,
            _ => {
                indices.push(start);
                blocks.push(1);
            }
        }
        previous = Some(start);
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
}
