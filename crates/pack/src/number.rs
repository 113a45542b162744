//! The conversions between plan numbers (64 bits) and machine words, in one place. On a machine of
//! fewer than 64 bits no buffer holds a plan whose numbers do not fit, so that the duty "valid for
//! all bytes of the range" excludes what would be cut off here.

/// A number of bytes or copies of something that lies in memory.
#[allow(clippy::cast_possible_truncation)]
#[inline(always)]
pub(crate) fn length(n: u64) -> usize {
    n as usize
}

/// A distance between two bytes of one buffer, or from its origin.
#[allow(clippy::cast_possible_truncation)]
#[inline(always)]
pub(crate) fn distance(n: i64) -> isize {
    n as isize
}
