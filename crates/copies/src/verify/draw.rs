//! The values of what a program never wrote: they depend on its place and the seed only.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use commloom_source::tree::Name;

/// How large what is drawn is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sizes {
    /// From 0 to 6: empty loops too, but not often.
    Any,
    /// From 3 to 8: loops turn, and a picture can show it.
    Lively,
    /// From 12 to 31: a list of all that a loop does costs more than the loop.
    Wide,
    /// All the same, so that arrays are as long as loops; what begins a range is 1. Nothing is
    /// drawn.
    Same {
        /// The size.
        size: i64,
        /// Variables that begin a range.
        firsts: BTreeSet<Name>,
    },
}

/// How values are drawn.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    /// Another seed, other values.
    pub seed: u64,
    pub sizes: Sizes,
}

impl Draw {
    /// A small number that belongs to a key.
    fn number(&self, key: impl Hash) -> i64 {
        let drawn = match self.sizes {
            Sizes::Any => self.hash(key) % 27 / 4,
            Sizes::Lively => 3 + self.hash(key) % 6,
            Sizes::Wide => 12 + self.hash(key) % 20,
            Sizes::Same { size, .. } => return size,
        };
        i64::try_from(drawn).unwrap_or(0)
    }

    fn hash(&self, key: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, key).hash(&mut hasher);
        hasher.finish()
    }

    /// Where all sizes are the same: another one.
    pub fn set_size(&mut self, new: i64) {
        if let Sizes::Same { size, .. } = &mut self.sizes {
            *size = new;
        }
    }

    /// The value that a byte of an object holds.
    pub fn value(&self, object: &str, offset: i64) -> i64 {
        match &self.sizes {
            Sizes::Same { firsts, .. } if firsts.contains(object) => 1,
            _ => self.number((object, offset)),
        }
    }

    /// The entry of a list of blocks, where all sizes are the same: about every third block is
    /// named, at distances that follow no rule.
    pub fn entry(&self, turn: i64, block: i64, scale: i64) -> Option<i64> {
        match self.sizes {
            Sizes::Same { .. } if scale != 0 => {
                let later = i64::from(self.hash((turn, "entry")) % 2 == 1);
                let blocks = turn.checked_mul(3)?.checked_add(later)?;
                blocks.checked_mul((block / scale.abs()).max(1))
            }
            _ => None,
        }
    }

    /// How many elements from one to the next in an array of assumed shape, whose memory may have
    /// gaps.
    pub fn gap(&self, array: &str, dimension: usize) -> i64 {
        let key = (array, dimension, "gap");
        match self.sizes {
            Sizes::Any => 1 + self.number(key),
            Sizes::Lively | Sizes::Wide => 1 + i64::from(self.hash(key) % 27 / 4 > 2),
            Sizes::Same { .. } => 1,
        }
    }

    /// Its first subscript, where it got its bounds elsewhere.
    pub fn lower(&self, array: &str, dimension: usize) -> i64 {
        match self.sizes {
            Sizes::Same { .. } => 1,
            _ => self.number((array, dimension, "lower")),
        }
    }

    /// Its extent.
    pub fn extent(&self, array: &str, dimension: usize) -> i64 {
        self.number((array, dimension, "extent"))
    }

    /// Whether a condition holds that cannot be evaluated.
    pub fn condition(&self, place: usize) -> bool {
        match self.sizes {
            Sizes::Same { .. } => true,
            _ => self.hash((place, "condition")) % 27 / 4 > 2,
        }
    }
}
