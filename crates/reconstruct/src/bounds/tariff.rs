//! The prices of the bounds, taken from a cost model: never more than the model charges.

use crate::num::count;
use crate::prices::Prices;

/// Prices of nodes and entries. Sums saturate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tariff {
    /// A leaf.
    pub leaf: u64,
    /// A vec.
    pub vec: u64,
    /// An idx without its list.
    pub idx: u64,
    /// An idxbuc without its lists.
    pub idxbuc: u64,
    /// A strc without its lists.
    pub strc: u64,
    /// An entry of an idx.
    pub entry: u64,
    /// A bucket of an idxbuc.
    pub bucket: u64,
    /// A part of a strc, without the part.
    pub part: u64,
}

impl Tariff {
    pub(super) fn new(prices: &Prices) -> Tariff {
        let model = &prices.model;
        let two = model.lookup.saturating_mul(2);
        // Where they have a price, a bucket type has one list and a triangular type none.
        let (idxbuc, bucket) = match (model.bucket, model.triangular) {
            (None, None) => (model.idxbuc, two),
            (Some(shaped), None) => (model.idxbuc.min(shaped), model.lookup),
            (None, Some(triangular)) => (model.idxbuc.min(triangular), 0),
            (Some(shaped), Some(triangular)) => (model.idxbuc.min(shaped).min(triangular), 0),
        };
        Tariff {
            leaf: model.leaf,
            vec: model.vec,
            idx: model.idx,
            idxbuc,
            strc: model.strc,
            entry: model.lookup,
            bucket,
            part: two,
        }
    }

    /// An idx with `n` entries, without its child.
    pub(super) fn list(&self, n: usize) -> u64 {
        self.idx.saturating_add(self.entry.saturating_mul(count(n)))
    }

    /// The least that a node over two or more copies costs, without its child.
    pub(super) fn node(&self) -> u64 {
        self.vec.min(self.list(2)).min(self.one_bucket())
    }

    /// An idxbuc with one bucket, without its child.
    pub(super) fn one_bucket(&self) -> u64 {
        self.idxbuc.saturating_add(self.bucket)
    }

    /// The least that a node costs which does nothing but move its child.
    pub(super) fn shift(&self) -> u64 {
        self.list(1).min(self.one_bucket()).min(self.strc.saturating_add(self.part))
    }

    /// The least that two or more elements cost.
    pub(super) fn pair(&self) -> u64 {
        let part = self.part.saturating_add(self.leaf);
        let strc = self.strc.saturating_add(part.saturating_mul(2));
        self.node().saturating_add(self.leaf).min(strc)
    }

    /// Prices of an idxbuc over leaves with one bucket, without its child, and of each further
    /// bucket: low enough to stand for the nodes over blocks of equal steps that are not looked
    /// for (book/src/explanation/lower-bounds.md, lemma 5).
    pub(super) fn buckets_of_leaves(&self) -> (u64, u64) {
        let child = self.pair() - self.leaf;
        let one = self.one_bucket();
        let dearer = one
            .saturating_add(self.bucket)
            .saturating_sub(self.vec)
            .max(one.saturating_sub(self.idx))
            .max(self.bucket);
        let one = one.saturating_sub(dearer.saturating_sub(child));
        (one, self.bucket.min(self.vec.saturating_add(child)))
    }
}
