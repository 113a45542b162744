//! Cutting a copy at any packed byte.

use std::ops::Range;
use std::sync::Arc;

use crate::number::{count, index};
use crate::{CopyPlan, Pair, Pairing};

/// The unit of work of an executor. Displacements are from the origins of the two buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyPiece<'p> {
    /// Whole copies of the body of a loop, or whole steps of a sequence.
    Copies {
        /// The loop or sequence.
        pair: &'p Pair,
        /// Where its first byte lies in the source.
        a: i64,
        /// Where its first byte lies in the destination.
        b: i64,
        /// Which copies or steps, not empty.
        copies: Range<u64>,
    },
    /// Packed bytes of a pair that is neither.
    Bytes {
        /// The pair.
        pair: &'p Pair,
        /// Where its first byte lies in the source.
        a: i64,
        /// Where its first byte lies in the destination.
        b: i64,
        /// Which of its packed bytes, not empty.
        range: Range<u64>,
    },
}

impl CopyPlan {
    /// Visits the pieces of the packed bytes `range`, in order. Bytes past the end are ignored.
    ///
    /// Takes O(depth log n) steps to find both ends, and visits O(depth) pieces.
    pub fn cut<'p>(&'p self, range: Range<u64>, mut visit: impl FnMut(CopyPiece<'p>)) {
        let range = range.start..range.end.min(self.bytes());
        if range.start < range.end {
            cut(self.root(), self.starts(), range, &mut visit);
        }
    }
}

fn cut<'p>(
    pair: &'p Pair,
    (a, b): (i64, i64),
    range: Range<u64>,
    visit: &mut impl FnMut(CopyPiece<'p>),
) {
    let (Some((mut first, head)), Some((last, tail))) =
        (pair.locate(range.start), pair.locate(range.end))
    else {
        return visit(CopyPiece::Bytes { pair, a, b, range });
    };
    let inside = |i: u64, piece: Range<u64>, visit: &mut _| {
        let ((x, y), part) = pair.copy(i);
        cut(part, (a + x, b + y), piece, visit);
    };
    if head > 0 {
        let end = if first == last { tail } else { pair.copy(first).1.bytes() };
        inside(first, head..end, visit);
        first += 1;
    }
    if first < last {
        visit(CopyPiece::Copies { pair, a, b, copies: first..last });
    }
    if tail > 0 && first <= last {
        inside(last, 0..tail, visit);
    }
}

impl Pair {
    /// Copies of a loop, steps of a sequence; 1 for any other pair.
    #[must_use]
    pub fn copies(&self) -> u64 {
        match self.pairing() {
            Pairing::Loop { count, .. } => *count,
            Pairing::Seq(steps) => count(steps.len()),
            _ => 1,
        }
    }

    /// Which copy holds packed byte `at`, and at which byte of the copy; at the end the number of
    /// copies and 0. Nothing where there are no copies.
    fn locate(&self, at: u64) -> Option<(u64, u64)> {
        match self.pairing() {
            Pairing::Loop { body, .. } => Some((at / body.bytes(), at % body.bytes())),
            Pairing::Seq(steps) if at == self.bytes() => Some((count(steps.len()), 0)),
            Pairing::Seq(steps) => {
                let step = steps.partition_point(|step| step.at <= at) - 1;
                Some((count(step), at - steps[step].at))
            }
            _ => None,
        }
    }

    /// Copy or step `i`, and its displacements from the first byte of the pair on both sides.
    fn copy(&self, i: u64) -> ((i64, i64), &Pair) {
        match self.pairing() {
            Pairing::Loop { a, b, body, .. } => ((a.at(i), b.at(i)), body),
            Pairing::Seq(steps) => {
                let step = &steps[index(i)];
                ((step.a, step.b), Arc::as_ref(&step.pair))
            }
            _ => ((0, 0), self),
        }
    }
}
