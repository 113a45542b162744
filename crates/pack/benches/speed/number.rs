//! The one conversion that the standard library has no checked form of.

/// The whole part of a number; below zero it is zero, past the largest it is the largest.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
pub fn whole(number: f64) -> u64 {
    number as u64
}
