//! [`Offsets`]: a list of displacements, in 32 bits each where they fit.

use crate::number::sub;
use crate::{PlanError, Target};

/// Displacements in bytes from the first one of the list, which is 0. Narrow where every one fits:
/// 64-bit lists cost up to 20 % (KERNELS.md, rule 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offsets {
    /// Every offset fits in 32 bits.
    Narrow(Box<[i32]>),
    /// At least one does not.
    Wide(Box<[i64]>),
}

impl Offsets {
    /// The list relative to its first entry.
    pub(crate) fn relative(list: &[i64], target: &Target) -> Result<Offsets, PlanError> {
        let first = list.first().copied().unwrap_or(0);
        if target.narrow_lists {
            let narrow = |&at: &i64| at.checked_sub(first).and_then(|d| i32::try_from(d).ok());
            if let Some(list) = list.iter().map(narrow).collect() {
                return Ok(Offsets::Narrow(list));
            }
        }
        Ok(Offsets::Wide(list.iter().map(|&at| sub(at, first)).collect::<Result<_, _>>()?))
    }

    /// Number of offsets.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Offsets::Narrow(list) => list.len(),
            Offsets::Wide(list) => list.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The offset at `index`; panics past the end.
    #[must_use]
    #[inline]
    pub fn at(&self, index: usize) -> i64 {
        match self {
            Offsets::Narrow(list) => i64::from(list[index]),
            Offsets::Wide(list) => list[index],
        }
    }

    /// All offsets in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.len()).map(|i| self.at(i))
    }
}
