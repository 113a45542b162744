//! What a node costs, and which nodes may be introduced.

use commloom_layout::CostModel;

use crate::ReconstructError;
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

/// Largest cost constant: even 2^30 entries and nodes then cost less than 2^62.
const LARGEST_COST: u64 = 1 << 31;

/// A cost model together with the constructors that are allowed. Sums saturate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prices {
    pub model: CostModel,
    pub set: Constructors,
}

impl Prices {
    /// # Errors
    /// A constant that is zero, or so large that the costs of long lists would not fit in 64 bits.
    pub(crate) fn new(model: &CostModel, set: Constructors) -> Result<Prices, ReconstructError> {
        model.check()?;
        let CostModel { leaf, vec, idx, idxbuc, strc, lookup } = *model;
        let constants = [
            ("leaf", leaf),
            ("vec", vec),
            ("idx", idx),
            ("idxbuc", idxbuc),
            ("strc", strc),
            ("lookup", lookup),
        ];
        match constants.into_iter().find(|&(_, given)| given > LARGEST_COST) {
            Some((constant, given)) => {
                Err(ReconstructError::CostTooLarge { constant, given, limit: LARGEST_COST })
            }
            None => Ok(Prices { model: *model, set }),
        }
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
