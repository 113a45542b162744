//! The safe border: one check of the buffers, then the kernels.

use std::fmt;
use std::ops::Range;

use commloom_plan::Plan;

use crate::{pack_raw, unpack_raw};

/// Why nothing was moved. All numbers in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// The range does not lie in the packed stream.
    Range {
        /// The range asked for.
        range: Range<u64>,
        /// Packed bytes of the plan.
        bytes: u64,
    },
    /// The layout reaches out of the memory buffer.
    Memory {
        /// Bounds of the plan, from the origin.
        bounds: Range<i64>,
        /// Index of the origin in the buffer.
        origin: usize,
        /// Length of the buffer.
        length: usize,
    },
    /// The layout that a copy writes reaches out of its buffer.
    Destination {
        /// Bounds of the layout, from the origin.
        bounds: Range<i64>,
        /// Index of the origin in the buffer.
        origin: usize,
        /// Length of the buffer.
        length: usize,
    },
    /// The packed buffer is shorter than the range.
    Packed {
        /// Length of the range.
        needed: u64,
        /// Length of the buffer.
        length: usize,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { range, bytes } => write!(
                f,
                "the packed range {}..{} is not inside the plan's {bytes} bytes",
                range.start, range.end
            ),
            Self::Memory { bounds, origin, length } => write!(
                f,
                "the layout takes the bytes {}..{} from its origin, which is byte {origin} of a \
                 buffer of {length} bytes",
                bounds.start, bounds.end
            ),
            Self::Destination { bounds, origin, length } => write!(
                f,
                "the destination takes the bytes {}..{} from its origin, which is byte {origin} \
                 of a buffer of {length} bytes",
                bounds.start, bounds.end
            ),
            Self::Packed { needed, length } => {
                write!(f, "the packed range takes {needed} bytes, the buffer has {length}")
            }
        }
    }
}

impl std::error::Error for PackError {}

/// Packs the packed bytes `range` of the layout in `memory` to the front of `out`.
/// `memory[origin]` is displacement 0; `origin` may be past the end where all displacements are
/// negative.
///
/// # Errors
/// Nothing is moved when the range, the memory or the output is too small.
pub fn pack(
    plan: &Plan,
    memory: &[u8],
    origin: usize,
    range: Range<u64>,
    out: &mut [u8],
) -> Result<(), PackError> {
    check(plan, &Buffers { memory: memory.len(), origin, packed: out.len() }, &range)?;
    // SAFETY: the bounds of the plan lie in `memory` and the range fits in `out`; one is borrowed
    // shared, the other exclusively, so they do not overlap.
    unsafe { pack_raw(plan, memory.as_ptr().wrapping_add(origin), out.as_mut_ptr(), range) };
    Ok(())
}

/// Unpacks the front of `packed`, which holds the packed bytes `range`, into the layout in
/// `memory`. Bytes between the blocks of the layout are neither read nor written. Where a layout
/// names a byte twice (illegal for receiving in MPI) it ends up with one of its values.
///
/// # Errors
/// As [`pack`].
pub fn unpack(
    plan: &Plan,
    memory: &mut [u8],
    origin: usize,
    range: Range<u64>,
    packed: &[u8],
) -> Result<(), PackError> {
    check(plan, &Buffers { memory: memory.len(), origin, packed: packed.len() }, &range)?;
    // SAFETY: the bounds of the plan lie in `memory` and the range fits in `packed`; one is
    // borrowed exclusively, the other shared, so they do not overlap.
    unsafe { unpack_raw(plan, memory.as_mut_ptr().wrapping_add(origin), packed.as_ptr(), range) };
    Ok(())
}

/// Sizes of the two buffers of a call.
pub(crate) struct Buffers {
    pub memory: usize,
    pub origin: usize,
    pub packed: usize,
}

/// The one check per call: the plan proved that its offsets lie in its bounds.
pub(crate) fn check(plan: &Plan, buffers: &Buffers, range: &Range<u64>) -> Result<(), PackError> {
    let &Buffers { memory: length, origin, packed } = buffers;
    if range.start > range.end || range.end > plan.bytes() {
        return Err(PackError::Range { range: range.clone(), bytes: plan.bytes() });
    }
    let needed = range.end - range.start;
    if usize::try_from(needed).map_or(true, |needed| needed > packed) {
        return Err(PackError::Packed { needed, length: packed });
    }
    let bounds = plan.bounds();
    if needed > 0 && !fits(&bounds, origin, length) {
        return Err(PackError::Memory { bounds, origin, length });
    }
    Ok(())
}

/// Whether displacements from `origin` lie in a buffer of so many bytes.
pub(crate) fn fits(bounds: &Range<i64>, origin: usize, length: usize) -> bool {
    let inside = |at: i64| i64::try_from(origin).ok()?.checked_add(at);
    let low = inside(bounds.start).is_some_and(|low| low >= 0);
    let high = inside(bounds.end)
        .is_some_and(|high| usize::try_from(high).is_ok_and(|high| high <= length));
    low && high
}
