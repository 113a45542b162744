//! Conversions between lengths, counts and displacements, gathered in one place.

use commloom_layout::LayoutError;

/// A length as a count.
pub(crate) fn count(n: usize) -> u64 {
    u64::try_from(n).expect("a length fits in 64 bits")
}

/// A count as a length, if memory could hold that many.
pub(crate) fn length(n: u64) -> Option<usize> {
    usize::try_from(n).ok()
}

/// An index that is kept in 32 bits to save memory.
pub(crate) fn at(index: u32) -> usize {
    usize::try_from(index).expect("32 bits fit")
}

/// The reverse of [`at`], where sequences of 2^32 elements and more were turned away before.
pub(crate) fn place(index: usize) -> u32 {
    u32::try_from(index).expect("the sequence is shorter than 2^32")
}

/// The sum of two displacements.
pub(crate) fn add(a: i64, b: i64) -> Result<i64, LayoutError> {
    a.checked_add(b).ok_or(LayoutError::Overflow { what: "a displacement" })
}

/// The difference of two displacements.
pub(crate) fn sub(a: i64, b: i64) -> Result<i64, LayoutError> {
    a.checked_sub(b).ok_or(LayoutError::Overflow { what: "a difference of displacements" })
}

/// `count` strides, where that fits.
pub(crate) fn span(count: u64, stride: i64) -> Option<i64> {
    i64::try_from(count).ok()?.checked_mul(stride)
}

/// Greatest common divisor; gcd(a, 0) = a.
pub(crate) fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
