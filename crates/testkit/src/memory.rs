//! Memory to pack from and unpack into.

use commloom_layout::Type;

use crate::oracle;

/// Bytes on both sides of the data that no type may touch.
pub const MARGIN: usize = 64;

/// Memory that holds `count` elements of `ty` with a margin around, and the index in it of the
/// origin (displacement 0 of the first element). The bytes look random and are always the same.
#[must_use]
pub fn memory_for(ty: &Type, count: u64) -> (Vec<u8>, usize) {
    let bytes = oracle::byte_map(ty, count);
    let low = bytes.iter().copied().min().unwrap_or(0).min(0);
    let high = bytes.iter().copied().max().map_or(0, |b| b + 1).max(0);
    let below = usize::try_from(-low).expect("low is at most 0") + MARGIN;
    let above = usize::try_from(high).expect("high is at least 0") + MARGIN;
    ((0..below + above).map(noise).collect(), below)
}

/// The same memory without its margin, so that `AddressSanitizer` and valgrind see the first byte
/// that is touched beside the data.
#[must_use]
pub fn without_margin((memory, origin): (&[u8], usize)) -> (Vec<u8>, usize) {
    (memory[MARGIN..memory.len() - MARGIN].to_vec(), origin - MARGIN)
}

/// A byte that depends on every bit of its index (splitmix64).
fn noise(index: usize) -> u8 {
    let index = u64::try_from(index).expect("64-bit machine");
    let mut z = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 27)).to_le_bytes()[7]
}
