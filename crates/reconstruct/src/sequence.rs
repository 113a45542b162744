//! A displacement sequence whose differences all fit in 64 bits.

use std::sync::Arc;

use crate::ReconstructError;

/// Displacements in order, at least one. No difference of any two of them overflows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sequence<'a> {
    pub starts: &'a [i64],
}

impl<'a> Sequence<'a> {
    /// # Errors
    /// No displacements; a difference that does not fit in 64 bits.
    pub(crate) fn new(starts: &'a [i64]) -> Result<Self, ReconstructError> {
        if starts.is_empty() {
            return Err(ReconstructError::NoDisplacements);
        }
        // Where the two highest bits of all are equal, all lie in the middle half of the range. This
        // is one pass at the speed of memory; minimum and maximum take longer.
        let outside = starts.iter().fold(0, |acc, d| acc | (d ^ (d << 1)));
        if outside < 0 {
            let min = starts.iter().copied().fold(i64::MAX, i64::min);
            let max = starts.iter().copied().fold(i64::MIN, i64::max);
            if max.checked_sub(min).is_none() {
                return Err(ReconstructError::TooWide { min, max });
            }
        }
        Ok(Sequence { starts })
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Displacement of element `t` from the first one.
    pub(crate) fn offset(&self, t: usize) -> i64 {
        self.starts[t] - self.starts[0]
    }

    /// Displacements of every `p`-th of the first `q` elements; from the first one unless `moved`.
    pub(crate) fn every(&self, p: usize, q: usize, moved: bool) -> Arc<[i64]> {
        let origin = if moved { 0 } else { self.starts[0] };
        if p == 1 {
            // The length of this iterator is known to the collection: one allocation.
            return self.starts[..q].iter().map(|d| d - origin).collect();
        }
        self.starts[..q].iter().step_by(p).map(|d| d - origin).collect()
    }

    /// Differences of neighbours.
    pub(crate) fn steps(&self) -> impl Iterator<Item = i64> {
        self.starts.windows(2).map(|w| w[1] - w[0])
    }
}
