//! The additive cost model of Kalany and Träff (section 2), with strc as in Ganian et al., and two
//! rules that may be plugged in: the bucket type and the triangular type of Kalany and Träff,
//! section 3.3.

use std::collections::HashMap;

use crate::error::CONSTANTS;
use crate::{Kind, LayoutError, Type, shaped};

/// The cost of a node: a constant per kind, and `lookup` per list entry (two lists for idxbuc and
/// strc). A tree costs the sum of its nodes, shared ones as often as they occur.
///
/// `bucket` and `triangular` price an idxbuc of a particular [shape](shaped), which has less to
/// store. They are off (`None`) unless set; an idxbuc costs the least of the prices that apply to
/// it.
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
    /// An idxbuc whose buckets are equally far apart, without the one list that remains.
    pub bucket: Option<u64>,
    /// An idxbuc whose buckets are equally far apart and change by equal numbers of copies: no
    /// list.
    pub triangular: Option<u64>,
}

impl Default for CostModel {
    /// The constants of the papers: words of the C structure that holds the node.
    fn default() -> Self {
        CostModel {
            leaf: 6,
            vec: 6,
            idx: 6,
            idxbuc: 6,
            strc: 6,
            lookup: 1,
            bucket: None,
            triangular: None,
        }
    }
}

impl CostModel {
    /// The names of all constants, as `set` and files of constants know them.
    pub const NAMES: [&'static str; 8] = CONSTANTS;

    /// The constants that are in force, by name: all but the rules that are off.
    pub fn constants(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let values = [
            Some(self.leaf),
            Some(self.vec),
            Some(self.idx),
            Some(self.idxbuc),
            Some(self.strc),
            Some(self.lookup),
            self.bucket,
            self.triangular,
        ];
        Self::NAMES.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?)))
    }

    /// Sets the constant of this name; setting `bucket` or `triangular` turns the rule on.
    ///
    /// # Errors
    /// [`LayoutError::UnknownConstant`] where there is none of [this name](Self::NAMES);
    /// [`LayoutError::BadCost`] for a value of zero. Nothing is changed then.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), LayoutError> {
        let mut model = *self;
        match name {
            "leaf" => model.leaf = value,
            "vec" => model.vec = value,
            "idx" => model.idx = value,
            "idxbuc" => model.idxbuc = value,
            "strc" => model.strc = value,
            "lookup" => model.lookup = value,
            "bucket" => model.bucket = Some(value),
            "triangular" => model.triangular = Some(value),
            _ => return Err(LayoutError::UnknownConstant { name: name.to_owned() }),
        }
        model.check()?;
        *self = model;
        Ok(())
    }

    /// Fails when a constant is zero: then an optimum need not exist or be finite.
    ///
    /// # Errors
    /// [`LayoutError::BadCost`] names the constant.
    pub fn check(&self) -> Result<(), LayoutError> {
        match self.constants().find(|&(_, value)| value == 0) {
            Some((constant, _)) => Err(LayoutError::BadCost { constant }),
            None => Ok(()),
        }
    }

    /// Cost of the whole tree; explicit bounds cost nothing. Saturates. Time is linear in the
    /// distinct nodes, and in the lists of idxbuc nodes where a rule is on.
    #[must_use]
    pub fn cost(&self, ty: &Type) -> u64 {
        self.cost_with(ty, &mut HashMap::new())
    }

    /// The same, with the costs of larger parts seen so far: sixty nodes with two parts each make
    /// a tree of 2^60 nodes if the parts are shared.
    fn cost_with(&self, ty: &Type, known: &mut HashMap<Type, u64>) -> u64 {
        const LARGE: u64 = 16;
        let mut sum = self.node(ty);
        for child in ty.children() {
            let cost = match known.get(child) {
                Some(&cost) => cost,
                None => self.cost_with(child, known),
            };
            if child.nodes() >= LARGE {
                known.insert(child.clone(), cost);
            }
            sum = sum.saturating_add(cost);
        }
        sum
    }

    /// Cost of the root node alone.
    #[must_use]
    pub fn node(&self, ty: &Type) -> u64 {
        match ty.kind() {
            Kind::Leaf(_) => self.leaf,
            Kind::Vec { .. } => self.vec,
            Kind::Idx { indices, .. } => self.idx.saturating_add(self.lists(1, indices.len())),
            Kind::IdxBuc { indices, blocks, .. } => self.buckets(indices, blocks),
            Kind::Strc { indices, .. } => self.strc.saturating_add(self.lists(2, indices.len())),
            Kind::Resized { .. } => 0,
        }
    }

    /// Cost of an idxbuc node with these lists.
    fn buckets(&self, indices: &[i64], blocks: &[u64]) -> u64 {
        let any = self.idxbuc.saturating_add(self.lists(2, indices.len()));
        let bucket = self
            .bucket
            .filter(|_| shaped::is_bucket(indices, blocks))
            .map(|node| node.saturating_add(self.lists(1, indices.len())));
        let triangular = self.triangular.filter(|_| shaped::is_triangular(indices, blocks));
        any.min(bucket.unwrap_or(any)).min(triangular.unwrap_or(any))
    }

    /// `lists` lists of `n` entries.
    fn lists(&self, lists: u64, n: usize) -> u64 {
        u64::try_from(n).unwrap_or(u64::MAX).saturating_mul(lists).saturating_mul(self.lookup)
    }
}
