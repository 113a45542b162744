//! Contents of memory before, and those that it must have afterwards: block by block, from the
//! type itself.

use std::ops::Range;

use commloom_layout::Type;
use commloom_refactor::copies::Direction;
use commloom_refactor::verify::Sample;

/// Value of byte `at` of the memory that is read. The program of the loops says the same.
pub fn byte(at: usize) -> u8 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let at = u64::try_from(at).unwrap_or(u64::MAX);
    u8::try_from(at.wrapping_mul(FACTOR) >> 56).unwrap_or(0)
}

/// Value of every byte of the memory that is written, before.
pub const BEFORE: u8 = 0xa5;

/// Bytes of memory from the first to the last, and of the packed stream.
pub fn lengths(ty: &Type) -> Option<[usize; 2]> {
    Some([usize::try_from(ty.true_extent()).ok()?, usize::try_from(ty.size()).ok()?])
}

/// Fills both sides.
pub fn fill(direction: Direction, memory: &mut [u8], packed: &mut [u8]) {
    let (from, to) = match direction {
        Direction::Pack => (memory, packed),
        Direction::Unpack => (packed, memory),
    };
    for (at, byte) in from.iter_mut().enumerate() {
        *byte = self::byte(at);
    }
    to.fill(BEFORE);
}

/// The first byte that is not as it must be on the side that was written.
pub fn wrong(sample: &Sample, written: &[u8]) -> Option<String> {
    let expected = expected(sample)?;
    if written.len() < expected.len() {
        return Some(format!("{} bytes instead of {}", written.len(), expected.len()));
    }
    let at = expected.iter().zip(written).position(|(expected, found)| expected != found)?;
    Some(format!("byte {at} is {:#04x} instead of {:#04x}", written[at], expected[at]))
}

/// All bytes of the side that is written.
fn expected(sample: &Sample) -> Option<Vec<u8>> {
    let [memory, packed] = lengths(&sample.ty)?;
    let length = match sample.direction {
        Direction::Pack => packed,
        Direction::Unpack => memory,
    };
    let mut bytes = vec![BEFORE; length];
    let mut next = 0;
    for run in sample.ty.byte_runs() {
        let start = usize::try_from(run.displacement.checked_sub(sample.ty.true_lb())?).ok()?;
        for at in start..start.checked_add(usize::try_from(run.length).ok()?)? {
            match sample.direction {
                Direction::Pack => *bytes.get_mut(next)? = byte(at),
                Direction::Unpack => *bytes.get_mut(at)? = byte(next),
            }
            next += 1;
        }
    }
    Some(bytes)
}

/// Whether a byte is in the type twice: nobody may receive that.
pub fn overlaps(ty: &Type) -> bool {
    let mut runs: Vec<Range<i64>> = ty
        .byte_runs()
        .map(|run| run.displacement..run.displacement.saturating_add_unsigned(run.length))
        .collect();
    runs.sort_unstable_by_key(|run| run.start);
    runs.windows(2).any(|pair| pair[1].start < pair[0].end)
}
