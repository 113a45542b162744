//! Repeated prefixes of lists whose entries also have a kind: buckets, parts.

use crate::prefixes::repeated_prefixes;

/// A block of entries that the whole list repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    /// Entries per block: a proper divisor of the length of the list.
    pub length: usize,
    /// Whether the blocks start at equal distances.
    pub strided: bool,
}

/// All periods of a list of at least one entry, shortest first. `kinds` must agree in every entry of
/// the blocks, the differences of `starts` inside the blocks. No difference of starts overflows.
pub(crate) fn periods<K: PartialEq>(starts: &[i64], kinds: &[K]) -> Vec<Period> {
    let n = starts.len();
    let steps: Vec<i64> = starts.windows(2).map(|w| w[1].wrapping_sub(w[0])).collect();
    let same_kinds = |q: &usize| kinds[*q..] == kinds[..n - q];
    let strided = |q: usize| {
        let starts: Vec<i64> = starts.iter().step_by(q).copied().collect();
        starts.windows(2).all(|w| w[1].wrapping_sub(w[0]) == starts[1].wrapping_sub(starts[0]))
    };
    let repeated = repeated_prefixes(&steps).into_iter().filter(|q| *q < n && same_kinds(q));
    repeated.map(|length| Period { length, strided: strided(length) }).collect()
}
