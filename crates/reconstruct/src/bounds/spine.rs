//! The chain of path nodes at the root (book/src/explanation/lower-bounds.md, theorem 3).
//!
//! From the root down, an optimal tree is a chain of vec, idx and idxbuc nodes over repeated
//! prefixes, and below that a leaf or a strc. There are few repeated prefixes: their lengths
//! divide n. So the cheapest chain is found exactly, as for type paths, but for the parts of the
//! strc, which are bounded from below.

use super::fingerprint::Fingerprints;
use super::strides::Strides;
use super::tariff::Tariff;

/// Lengths of all prefixes whose copies, anywhere, make up the whole sequence: divisors of n,
/// ascending, from 1 to n. O(sum of the divisors of n) time in the worst case.
pub(super) fn repeated_lengths(prints: &Fingerprints) -> Vec<usize> {
    let n = prints.len() + 1;
    let is_repeated = |q: usize| {
        let blocks = prints.windows(q - 1);
        let first = blocks.at(0);
        q == 1 || (q..n).step_by(q).all(|block| blocks.at(block) == first)
    };
    let low: Vec<usize> = (1..=n.isqrt()).filter(|q| n.is_multiple_of(*q)).collect();
    let high = low.iter().rev().map(|q| n / q).filter(|q| q * q > n);
    low.iter().copied().chain(high).filter(|&q| is_repeated(q)).collect()
}

/// Least costs of a prefix.
#[derive(Debug, Clone, Copy)]
struct Costs {
    /// Moved to zero.
    plain: u64,
    /// Of trees that lie elsewhere than at zero.
    carrying: u64,
}

/// No tree for `starts` costs less, where the first `lengths[k]` elements (the repeated ones)
/// under a strc have parts that cost `parts[k]` or more. O(sum of `n / lengths[k]`) time.
pub(super) fn least_cost(starts: &[i64], lengths: &[usize], parts: &[u64], tariff: &Tariff) -> u64 {
    let below_strc = parts.iter().map(|parts| {
        let strc = tariff.strc.saturating_add(*parts);
        Costs { plain: strc, carrying: strc }
    });
    let mut costs: Vec<Costs> = below_strc.collect();
    costs[0] = Costs { plain: tariff.leaf, carrying: u64::MAX };
    for k in 0..lengths.len() {
        let moved = costs[k].plain.saturating_add(tariff.shift());
        costs[k].carrying = costs[k].carrying.min(moved);
        let child = costs[k];
        let mut longer = lengths[k + 1..].iter().copied().zip(&mut costs[k + 1..]).peekable();
        let mut chain = Chain::new(starts.len() / lengths[k], tariff);
        for copy in (lengths[k]..starts.len()).step_by(lengths[k]) {
            chain.copy(starts[copy] - starts[copy - lengths[k]]);
            let end = copy + lengths[k];
            while longer.next_if(|(length, _)| *length < end).is_some() {}
            if let Some((_, costs)) = longer.next_if(|(length, _)| *length == end) {
                let list = chain.list().saturating_add(child.plain);
                let vec = |child: u64| chain.vec().saturating_add(child);
                costs.plain = costs.plain.min(list).min(vec(child.plain));
                costs.carrying = costs.carrying.min(list).min(vec(child.carrying));
            }
        }
    }
    let whole = costs[costs.len() - 1];
    if starts[0] == 0 { whole.plain } else { whole.carrying }
}

/// The node over copies of a prefix, one after the other.
struct Chain<'a> {
    tariff: &'a Tariff,
    copies: usize,
    difference: i64,
    /// Whether all differences are equal.
    even: bool,
    buckets: Strides,
}

impl<'a> Chain<'a> {
    fn new(most: usize, tariff: &'a Tariff) -> Self {
        let buckets = Strides::new(most, tariff.bucket);
        Chain { tariff, copies: 1, difference: 0, even: true, buckets }
    }

    /// One copy more, so far from the one before.
    fn copy(&mut self, difference: i64) {
        let open = if self.copies == 1 { self.tariff.one_bucket() } else { u64::MAX };
        self.even &= self.copies == 1 || difference == self.difference;
        self.buckets.copy(difference, open);
        self.difference = difference;
        self.copies += 1;
    }

    fn list(&self) -> u64 {
        self.tariff.list(self.copies).min(self.buckets.least())
    }

    fn vec(&self) -> u64 {
        if self.even { self.tariff.vec } else { u64::MAX }
    }
}
