//! A displacement sequence whose differences all fit in 64 bits.

use std::sync::Arc;

use multiversion::multiversion;

use crate::ReconstructError;
use crate::rows::Rows;

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
        if !in_the_middle(starts) {
            let min = starts.iter().copied().fold(i64::MAX, i64::min);
            let max = starts.iter().copied().fold(i64::MIN, i64::max);
            if max.checked_sub(min).is_none() {
                return Err(ReconstructError::TooWide { min, max });
            }
        }
        Ok(Sequence { starts })
    }

    /// [`Sequence::new`] where the rows are known: only what is behind them has to be looked at.
    ///
    /// # Errors
    /// As [`Sequence::new`].
    pub(crate) fn of_rows(starts: &'a [i64], rows: &Rows) -> Result<Self, ReconstructError> {
        match starts.first().and_then(|_| rows.bounds(starts)) {
            Some((end, bounds)) if in_the_middle(&bounds) && in_the_middle(&starts[end..]) => {
                Ok(Sequence { starts })
            }
            _ => Sequence::new(starts),
        }
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
            return self.starts[..q].iter().map(|d| d - origin).collect();
        }
        // The length of this iterator, unlike that of `step_by`, is known to the collection: one
        // allocation, no copy.
        self.starts[..q].chunks_exact(p).map(|block| block[0] - origin).collect()
    }

    /// Differences of neighbours.
    pub(crate) fn steps(&self) -> impl Iterator<Item = i64> {
        self.starts.windows(2).map(|w| w[1] - w[0])
    }
}

/// Whether all lie in the middle half of the range, so that no difference overflows: then adding a
/// quarter of it leaves no sign. This is one pass at the speed of memory; minimum and maximum take
/// longer.
#[multiversion(targets("x86_64+avx2"))]
fn in_the_middle(displacements: &[i64]) -> bool {
    const QUARTER: i64 = 1 << 62;
    displacements.iter().fold(0, |acc, d| acc | d.wrapping_add(QUARTER)) >= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two that reach the ends of 64 bits, with and without a rest.
    #[test]
    fn with_rows_the_same_sequences_are_too_wide() {
        let far = [0, 1, -1, 1 << 61, i64::MAX / 3, i64::MAX / 2, i64::MAX, i64::MIN];
        for first in far {
            for inner in far {
                for outer in far {
                    for rest in far {
                        let element = |t: i64| {
                            let (row, column) = (t / 2, t % 2);
                            let moved = first.wrapping_add(outer.wrapping_mul(row));
                            moved.wrapping_add(inner.wrapping_mul(column))
                        };
                        let mut starts: Vec<i64> = (0..6).map(element).collect();
                        starts.push(rest);
                        for n in [1, 2, 4, 6, 7] {
                            let (starts, rows) = (&starts[..n], Rows::of(&starts[..n]));
                            let plain = Sequence::new(starts).map(|_| ());
                            assert_eq!(Sequence::of_rows(starts, &rows).map(|_| ()), plain);
                        }
                    }
                }
            }
        }
    }
}
