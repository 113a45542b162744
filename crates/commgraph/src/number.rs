//! Conversions between ids, lengths and indexes, gathered in one place.

/// A 32-bit id as an index.
#[inline]
pub(crate) fn at(index: u32) -> usize {
    usize::try_from(index).expect("32 bits fit")
}

/// The reverse of [`at`]. Graphs of 2^31 operations and more were turned away before.
#[inline]
pub(crate) fn id(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32")
}

/// A length as a count.
#[inline]
pub(crate) fn count(n: usize) -> u64 {
    u64::try_from(n).expect("a length fits in 64 bits")
}
