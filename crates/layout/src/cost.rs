//! The additive cost model of Kalany and Träff (section 2), with strc as in Ganian et al.

use crate::{Kind, LayoutError, Type};

/// What a node costs: a constant per kind, and `lookup` per list entry (two lists for idxbuc and
/// strc). A tree costs the sum of its nodes, shared ones as often as they occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CostModel {
    /// A leaf.
    pub leaf: u64,
    /// A vec.
    pub vec: u64,
    /// An idx, without its list.
    pub idx: u64,
    /// An idxbuc, without its lists.
    pub idxbuc: u64,
    /// A strc, without its lists.
    pub strc: u64,
    /// One entry of a list.
    pub lookup: u64,
}

impl Default for CostModel {
    /// The constants of the papers: words of the C structure that holds the node.
    fn default() -> Self {
        CostModel { leaf: 6, vec: 6, idx: 6, idxbuc: 6, strc: 6, lookup: 1 }
    }
}

impl CostModel {
    /// Fails when a constant is zero: then an optimum need not exist or be finite.
    ///
    /// # Errors
    /// [`LayoutError::BadCost`] names the constant.
    pub fn check(&self) -> Result<(), LayoutError> {
        let constants = [
            ("leaf", self.leaf),
            ("vec", self.vec),
            ("idx", self.idx),
            ("idxbuc", self.idxbuc),
            ("strc", self.strc),
            ("lookup", self.lookup),
        ];
        match constants.into_iter().find(|&(_, value)| value == 0) {
            Some((constant, _)) => Err(LayoutError::BadCost { constant }),
            None => Ok(()),
        }
    }

    /// Cost of the whole tree; explicit bounds cost nothing. Saturates. Time is linear in the nodes,
    /// shared ones counted as often as they occur.
    #[must_use]
    pub fn cost(&self, ty: &Type) -> u64 {
        ty.children().iter().fold(self.node(ty), |sum, c| sum.saturating_add(self.cost(c)))
    }

    /// Cost of the root node alone.
    #[must_use]
    pub fn node(&self, ty: &Type) -> u64 {
        let list = |n: usize, lists: u64| {
            u64::try_from(n).unwrap_or(u64::MAX).saturating_mul(lists).saturating_mul(self.lookup)
        };
        match ty.kind() {
            Kind::Leaf(_) => self.leaf,
            Kind::Vec { .. } => self.vec,
            Kind::Idx { indices, .. } => self.idx.saturating_add(list(indices.len(), 1)),
            Kind::IdxBuc { indices, .. } => self.idxbuc.saturating_add(list(indices.len(), 2)),
            Kind::Strc { indices, .. } => self.strc.saturating_add(list(indices.len(), 2)),
            Kind::Resized { .. } => 0,
        }
    }
}
