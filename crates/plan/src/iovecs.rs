//! [`Iovecs`]: a plan for those who move bytes without packing them (`writev`, `process_vm_readv`,
//! network cards with gather lists).

use std::iter::FusedIterator;
use std::ops::Range;

use crate::{Plan, Run, Runs};

/// One piece of memory, laid out as POSIX `struct iovec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Iovec {
    /// First byte.
    pub base: *mut u8,
    /// Bytes, at least 1.
    pub length: usize,
}

impl Iovec {
    /// Nothing, to fill a buffer with.
    pub const EMPTY: Iovec = Iovec { base: std::ptr::null_mut(), length: 0 };
}

/// The pieces of memory that a packed range is made of, in packed order, as few as there can be:
/// displacements and lengths as an iterator, or pointers by [`Iovecs::fill`]. Its length is known.
pub struct Iovecs<'p> {
    runs: Runs<'p>,
    left: u64,
}

impl Plan {
    /// The pieces of memory of the packed bytes `range`, touching ones joined. Bytes past the end
    /// are ignored.
    ///
    /// Starting takes the time of [`Plan::run_count`], each piece O(1) amortized. Many small
    /// pieces are slow wherever they are handed to: see [`Plan::cost_estimate`] for the average
    /// length.
    #[must_use]
    pub fn iovecs(&self, range: Range<u64>) -> Iovecs<'_> {
        Iovecs { left: self.run_count(range.clone()), runs: self.runs(range) }
    }
}

impl Iovecs<'_> {
    /// Pieces that are still to come.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.left
    }

    /// Writes the next pieces to the front of `out`, relative to `origin` (displacement 0 of the
    /// buffer); returns how many. Called again it goes on where it stopped; 0 means that there are
    /// none left (or no room).
    ///
    /// The pointers are computed, not followed. They can be used as far as the caller's buffer
    /// holds [`Plan::bounds`], and for writing only if it may be written.
    pub fn fill(&mut self, origin: *mut u8, out: &mut [Iovec]) -> usize {
        let mut filled = 0;
        for (slot, run) in out.iter_mut().zip(&mut *self) {
            *slot = Iovec { base: origin.wrapping_offset(near(run.a)), length: size(run.length) };
            filled += 1;
        }
        filled
    }
}

impl Iterator for Iovecs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let run = self.runs.next();
        self.left -= u64::from(run.is_some());
        run
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl FusedIterator for Iovecs<'_> {}

/// A displacement as a distance of pointers. What does not fit belongs to no buffer of this
/// process.
fn near(a: i64) -> isize {
    isize::try_from(a).unwrap_or(isize::MAX)
}

fn size(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
