//! [`Split`]: where a packed range is cut for several threads.

use std::num::NonZeroUsize;
use std::ops::Range;

use commloom_plan::{Plan, Shape};

use crate::number::length;

/// Bytes of a cache line.
const LINE: u64 = 64;
/// Pieces are at least so long: what taking one costs does not show then.
const LEAST: u64 = 64 << 10;
/// Pieces for each thread: a thread that is slow or comes late moves fewer of them.
const PER_THREAD: u64 = 4;

/// A packed range in pieces of equal length; the first and the last may be shorter.
///
/// Cuts lie at whole copies of the outermost body where that is cheap, so that kernels meet no
/// split copies, and otherwise at line borders of the packed side, so that no two threads write
/// one line.
#[derive(Debug)]
pub(crate) struct Split {
    range: Range<u64>,
    /// Where the second piece begins.
    second: u64,
    step: u64,
}

impl Split {
    /// Splits a range that is packed at the address `packed`.
    pub(crate) fn new(
        plan: &Plan,
        packed: usize,
        range: Range<u64>,
        threads: NonZeroUsize,
    ) -> Split {
        let threads = u64::try_from(threads.get()).unwrap_or(u64::MAX);
        let least = (range.end - range.start).div_ceil(threads.saturating_mul(PER_THREAD));
        let least = least.max(LEAST);
        let body = match plan.root().shape() {
            Shape::Loop { body, .. } | Shape::List { body, .. } | Shape::Buckets { body, .. } => {
                body.bytes()
            }
            _ => 1,
        };
        // Both whole copies and whole lines, if that does not take too many copies.
        let both = body << (LINE.trailing_zeros().saturating_sub(body.trailing_zeros()));
        let (unit, phase) = if body <= least / 8 && both <= least / 2 {
            (both, 0)
        } else {
            // The packed byte 0 of the stream would lie so far behind a line border.
            let address = u64::try_from(packed).unwrap_or(0);
            (LINE, address.wrapping_sub(range.start) % LINE)
        };
        let step = least.next_multiple_of(unit);
        let second = (range.start + phase + step).next_multiple_of(unit).saturating_sub(phase);
        Split { second: second.min(range.end), range, step }
    }

    /// Number of pieces, at least 1.
    pub(crate) fn pieces(&self) -> usize {
        1 + length((self.range.end - self.second).div_ceil(self.step))
    }

    /// The pieces of part `part` of so many, as equal as may be.
    pub(crate) fn part(&self, part: usize, parts: usize) -> Range<usize> {
        let pieces = self.pieces();
        // At most some pieces per part, so that the products are small.
        part * pieces / parts..(part + 1) * pieces / parts
    }

    /// The packed bytes of piece `i`.
    pub(crate) fn piece(&self, i: usize) -> Range<u64> {
        let end = |i: u64| self.range.end.min(self.second + i * self.step);
        match u64::try_from(i).unwrap_or(u64::MAX) {
            0 => self.range.start..self.second,
            i => end(i - 1)..end(i),
        }
    }

    /// How far from the start of the range a piece of it is packed.
    pub(crate) fn offset(&self, piece: &Range<u64>) -> usize {
        length(piece.start - self.range.start)
    }
}
