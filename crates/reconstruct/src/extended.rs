//! idxbuc for type paths (Kalany and Träff 2015, section 3.3), in near-linear time.
//!
//! Copies of P_p at m starting points need as many buckets as m minus the count of the most frequent
//! difference of neighbouring starts (ALGORITHMS.md corrects the paper's Algorithm 7). The paper
//! sorts the differences of every pair of prefixes, O(n^2 log^2 n) in all. Here:
//!
//! - A strided sequence of starts needs one bucket: nothing to count.
//! - Where an idxbuc node costs no less than an idx node, idxbuc can only win if 2 buckets < m, that
//!   is if one difference is a *majority*. A majority vote (Boyer and Moore 1981) names the only
//!   possible one for every longer prefix in one pass, and a second pass counts it.
//! - For other cost models one pass counts all differences in a hash table.
//!
//! Time per prefix P_p: O(n/p) for the vote, once more for each distinct winner (in practice one);
//! so at most the sum of the divisors of n in all. Space: O(1) for the vote, O(n/p) for the table.

use std::collections::HashMap;

use crate::prices::Prices;
use crate::sequence::Sequence;

/// For some prefixes P_q: the fewest buckets of copies of P_p, and their stride.
#[derive(Debug)]
pub(crate) struct Buckets(Vec<(usize, usize, i64)>);

impl Buckets {
    pub(crate) fn none() -> Buckets {
        Buckets(Vec::new())
    }

    /// Number of buckets and stride for the prefix of length `q`.
    pub(crate) fn at(&self, q: usize) -> Option<(usize, i64)> {
        let found = self.0.binary_search_by_key(&q, |&(q, ..)| q).ok()?;
        let (_, buckets, stride) = self.0[found];
        Some((buckets, stride))
    }
}

/// The fewest buckets of copies of P_p for the prefixes that end at `ends` (ascending multiples of
/// p). Ends at which idxbuc cannot be cheaper than idx may be missing.
pub(crate) fn fewest_buckets(
    sequence: &Sequence<'_>,
    p: usize,
    ends: &[usize],
    prices: &Prices,
) -> Buckets {
    if ends.is_empty() {
        return Buckets::none();
    }
    if prices.model.idxbuc >= prices.model.idx {
        by_majority(sequence, p, ends)
    } else {
        by_counting(sequence, p, ends)
    }
}

/// Differences of neighbouring starts of blocks of p, with the end of the block that follows.
fn differences<'a>(
    sequence: &'a Sequence<'_>,
    p: usize,
) -> impl Iterator<Item = (usize, i64)> + 'a {
    let starts = sequence.starts;
    let later = starts.iter().step_by(p).skip(1);
    let pairs = starts.iter().step_by(p).zip(later);
    pairs.enumerate().map(move |(k, (a, b))| ((k + 2) * p, b - a))
}

fn by_majority(sequence: &Sequence<'_>, p: usize, ends: &[usize]) -> Buckets {
    let mut winners = Vec::with_capacity(ends.len());
    let mut remaining = ends.iter().peekable();
    let (mut candidate, mut lead) = (0, 0usize);
    for (end, difference) in differences(sequence, p) {
        if lead == 0 {
            candidate = difference;
        }
        if difference == candidate {
            lead += 1;
        } else {
            lead -= 1;
        }
        if remaining.next_if_eq(&&end).is_some() {
            winners.push(candidate);
        }
        if remaining.peek().is_none() {
            break;
        }
    }
    let mut buckets: Vec<(usize, usize, i64)> = Vec::with_capacity(ends.len());
    let mut distinct = winners.clone();
    distinct.sort_unstable();
    distinct.dedup();
    for stride in distinct {
        let mut wanted =
            ends.iter().zip(&winners).filter(|&(_, &w)| w == stride).map(|(&q, _)| q).peekable();
        let mut breaks = 1;
        for (end, difference) in differences(sequence, p) {
            breaks += usize::from(difference != stride);
            if wanted.next_if_eq(&end).is_some() {
                buckets.push((end, breaks, stride));
            }
            if wanted.peek().is_none() {
                break;
            }
        }
    }
    buckets.sort_unstable();
    Buckets(buckets)
}

fn by_counting(sequence: &Sequence<'_>, p: usize, ends: &[usize]) -> Buckets {
    let mut buckets = Vec::with_capacity(ends.len());
    let mut remaining = ends.iter().peekable();
    let mut counts: HashMap<i64, usize> = HashMap::new();
    let (mut most, mut stride) = (0, 0);
    for (end, difference) in differences(sequence, p) {
        let count = counts.entry(difference).or_insert(0);
        *count += 1;
        if *count > most {
            (most, stride) = (*count, difference);
        }
        if remaining.next_if_eq(&&end).is_some() {
            buckets.push((end, end / p - most, stride));
        }
        if remaining.peek().is_none() {
            break;
        }
    }
    Buckets(buckets)
}

/// Indices and lengths of the buckets of `starts` with this stride.
pub(crate) fn split_into_buckets(
    starts: impl Iterator<Item = i64>,
    stride: i64,
) -> (Vec<i64>, Vec<u64>) {
    let mut indices: Vec<i64> = Vec::new();
    let mut blocks: Vec<u64> = Vec::new();
    let mut previous = None;
    for start in starts {
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

    /// All sequences of 9 starts with steps 1..3: the vote must give the same numbers as counting
    /// wherever a difference is a majority of the blocks.
    #[test]
    fn majority_vote_and_counting_agree_where_idxbuc_can_win() {
        for code in 0..3i64.pow(8) {
            let steps: Vec<i64> = (0..8).map(|i| 1 + code / 3i64.pow(i) % 3).collect();
            let starts: Vec<i64> = std::iter::once(0)
                .chain(steps.iter().scan(0, |sum, s| {
                    *sum += s;
                    Some(*sum)
                }))
                .collect();
            let sequence = Sequence::new(&starts).unwrap();
            let ends = [3, 9];
            let counted = by_counting(&sequence, 1, &ends);
            let voted = by_majority(&sequence, 1, &ends);
            for q in ends {
                let (fewest, _) = counted.at(q).unwrap();
                if 2 * fewest < q {
                    assert_eq!(counted.at(q), voted.at(q), "{starts:?}");
                } else {
                    assert!(voted.at(q).is_none_or(|(n, _)| n >= fewest), "{starts:?}");
                }
            }
        }
    }
}
