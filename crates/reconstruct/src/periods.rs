//! Repeated prefixes of lists whose entries also have a kind: buckets, parts.

use crate::prefixes::{Repeated, repeated_prefixes};

/// A block of entries that the whole list repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    /// Entries per block: a proper divisor of the length of the list.
    pub length: usize,
    /// Whether the blocks start at equal distances.
    pub strided: bool,
}

/// All periods of a list of at least one entry, shortest first. `kinds` must agree in every entry
/// of the blocks, the differences of `starts` inside the blocks. No difference of starts
/// overflows.
pub(crate) fn periods<K: PartialEq>(starts: &[i64], kinds: &[K]) -> Vec<Period> {
    let n = starts.len();
    let Repeated { lengths, period } = repeated_prefixes(starts);
    let same_kinds = |q: &usize| kinds[*q..] == kinds[..n - q];
    let proper = lengths.into_iter().filter(|q| *q < n && same_kinds(q));
    proper.map(|length| Period { length, strided: length.is_multiple_of(period) }).collect()
}
