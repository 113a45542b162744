//! A displacement sequence with its steps.

use crate::ReconstructError;

/// Displacements in order, and the differences of neighbours: `steps[t] = starts[t+1] - starts[t]`.
/// No difference of any two displacements overflows.
pub(crate) struct Sequence<'a> {
    pub starts: &'a [i64],
    pub steps: Vec<i64>,
}

impl<'a> Sequence<'a> {
    /// # Errors
    /// No displacements; a difference that does not fit in 64 bits.
    pub(crate) fn new(starts: &'a [i64]) -> Result<Self, ReconstructError> {
        let min = starts.iter().copied().min().ok_or(ReconstructError::NoDisplacements)?;
        let max = starts.iter().copied().max().ok_or(ReconstructError::NoDisplacements)?;
        if max.checked_sub(min).is_none() {
            return Err(ReconstructError::TooWide { min, max });
        }
        let steps = starts.windows(2).map(|w| w[1] - w[0]).collect();
        Ok(Sequence { starts, steps })
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Displacements of every `p`-th element of the first `q`, from the first one.
    pub(crate) fn every(&self, p: usize, q: usize) -> impl Iterator<Item = i64> {
        let origin = self.starts[0];
        self.starts[..q].iter().step_by(p).map(move |&d| d - origin)
    }
}
