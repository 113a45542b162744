//! [`Offsets`]: a list of displacements, in 32 bits each where they fit.

use crate::number::sub;
use crate::{PlanError, Target};

/// Displacements in bytes from the first one of the list, which is 0. Narrow where every one fits:
/// 64-bit lists cost up to 20 % (book/src/explanation/kernels.md). Long sorted lists are kept in a
/// little more than 16 bits an entry: then half as much of the list goes through the caches. Every
/// form gives any entry in constant time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offsets {
    /// Every offset fits in 32 bits.
    Narrow(Box<[i32]>),
    /// At least one does not.
    Wide(Box<[i64]>),
    /// Stretches of [`Offsets::STRETCH`] entries lie within 64 kB each.
    Short {
        /// The first offset of each stretch.
        anchors: Box<[i64]>,
        /// Bytes from the anchor of its stretch, for each entry.
        list: Box<[u16]>,
    },
}

impl Offsets {
    /// Entries of a short list that have one anchor.
    pub const STRETCH: usize = 256;

    /// The list relative to its first entry, short where the target wants that and it fits.
    pub(crate) fn compressed(list: &[i64], target: &Target) -> Result<Offsets, PlanError> {
        if list.len() < target.short_lists_from {
            return Offsets::relative(list, target);
        }
        let first = list.first().copied().unwrap_or(0);
        let mut anchors = Vec::with_capacity(list.len().div_ceil(Self::STRETCH));
        let mut short = Vec::with_capacity(list.len());
        for stretch in list.chunks(Self::STRETCH) {
            anchors.push(sub(stretch[0], first)?);
            for &at in stretch {
                match at.checked_sub(stretch[0]).and_then(|d| u16::try_from(d).ok()) {
                    Some(distance) => short.push(distance),
                    None => return Offsets::relative(list, target),
                }
            }
        }
        Ok(Offsets::Short { anchors: anchors.into(), list: short.into() })
    }

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
            Offsets::Short { list, .. } => list.len(),
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
            Offsets::Short { anchors, list } => {
                anchors[index / Self::STRETCH] + i64::from(list[index])
            }
        }
    }

    /// All offsets in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.len()).map(|i| self.at(i))
    }
}
