//! The integer conversions and checked sums of this crate, in one place.

use crate::PlanError;

/// A length as a count. Lossless on every machine that Rust supports.
pub(crate) fn count(n: usize) -> u64 {
    u64::try_from(n).expect("a length fits in 64 bits")
}

/// A count that indexes something that is in memory, so that it fits.
pub(crate) fn index(n: u64) -> usize {
    usize::try_from(n).expect("bounded by the length of a list")
}

pub(crate) fn overflow(what: &'static str) -> PlanError {
    PlanError::Overflow { what }
}

pub(crate) fn signed(n: u64, what: &'static str) -> Result<i64, PlanError> {
    i64::try_from(n).map_err(|_| overflow(what))
}

pub(crate) fn add(a: i64, b: i64) -> Result<i64, PlanError> {
    a.checked_add(b).ok_or(overflow("a displacement"))
}

pub(crate) fn sub(a: i64, b: i64) -> Result<i64, PlanError> {
    a.checked_sub(b).ok_or(overflow("a distance"))
}

pub(crate) fn times(n: u64, step: i64) -> Result<i64, PlanError> {
    signed(n, "a count")?.checked_mul(step).ok_or(overflow("a span"))
}

/// `n` steps inside a node whose span was checked when it was built.
pub(crate) fn within(n: u64, step: i64) -> i64 {
    i64::try_from(n).expect("counts of a node fit in 63 bits").wrapping_mul(step)
}
