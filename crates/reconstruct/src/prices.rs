//! What a node costs, and which nodes may be introduced.

use commloom_layout::{CostModel, LayoutError};

use crate::num::count;

/// Which constructors a result may use. Each set contains the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constructors {
    /// leaf, vec, idx.
    Basic,
    /// And idxbuc.
    Extended,
    /// And strc.
    Tree,
}

/// A cost model together with the constructors that are allowed. Sums saturate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prices {
    pub model: CostModel,
    pub set: Constructors,
}

impl Prices {
    pub(crate) fn new(model: &CostModel, set: Constructors) -> Result<Prices, LayoutError> {
        model.check()?;
        Ok(Prices { model: *model, set })
    }

    /// A vec node alone.
    pub(crate) fn vec(&self) -> u64 {
        self.model.vec
    }

    /// An idx node with `n` indices.
    pub(crate) fn idx(&self, n: usize) -> u64 {
        self.model.idx.saturating_add(self.list(n))
    }

    /// An idxbuc node with `n` buckets, where it is allowed.
    pub(crate) fn idxbuc(&self, n: usize) -> Option<u64> {
        (self.set >= Constructors::Extended)
            .then(|| self.model.idxbuc.saturating_add(self.list(n)).saturating_add(self.list(n)))
    }

    /// A strc node with `n` parts, without the parts, where it is allowed.
    pub(crate) fn strc(&self, n: usize) -> Option<u64> {
        (self.set >= Constructors::Tree)
            .then(|| self.model.strc.saturating_add(self.list(n)).saturating_add(self.list(n)))
    }

    fn list(&self, n: usize) -> u64 {
        count(n).saturating_mul(self.model.lookup)
    }
}
