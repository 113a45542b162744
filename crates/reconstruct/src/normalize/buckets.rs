//! idxbuc over a normalized child.

use commloom_layout::Type;

use super::{Normalizer, from_first};
use crate::ReconstructError;
use crate::forms::{Costed, Forms};
use crate::num::{add, count, span};
use crate::peel::{bucket_starts, total};
use crate::periods::periods;
use crate::repeat::repeat;

impl Normalizer {
    /// Buckets of copies of `child` (at least one copy); the first copy counts as at zero.
    pub(super) fn buckets(
        &mut self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Forms,
    ) -> Result<Forms, ReconstructError> {
        let filled = indices.iter().zip(blocks).filter(|&(_, &b)| b > 0);
        let (indices, blocks): (Vec<i64>, Vec<u64>) = filled.map(|(&i, &b)| (i, b)).unzip();
        let limit = self.limits.flatten.max(count(indices.len()).saturating_mul(4));
        if total(&blocks).is_some_and(|n| n <= limit) {
            return self.list(&bucket_starts(stride, &indices, &blocks)?, child);
        }
        self.bucket_node(stride, from_first(&indices)?, blocks, child)
    }

    /// The same for buckets that are not empty and too large to be listed; the first one is at zero.
    pub(super) fn bucket_node(
        &mut self,
        stride: i64,
        indices: Vec<i64>,
        blocks: Vec<u64>,
        child: &Forms,
    ) -> Result<Forms, ReconstructError> {
        let (stride, blocks, child) = absorb_child(stride, blocks, child);
        let (indices, blocks) = merge_neighbours(stride, &indices, &blocks);
        if let [block] = blocks[..] {
            return repeat(block, stride, &child, &self.prices);
        }
        let node = self.prices.model.idxbuc;
        let list = self.prices.model.lookup.saturating_mul(2).saturating_mul(count(blocks.len()));
        let cost = child.plain.cost.saturating_add(node).saturating_add(list);
        let ty = Type::idxbuc(stride, &*indices, &*blocks, child.plain.ty.clone())?;
        let plain = Costed { ty, cost };
        let node = Forms::new(plain.clone(), Some(plain), &self.prices)?;
        let best = match self.equal_blocks(stride, &indices, &blocks, &child)? {
            Some(listed) => listed.min(node),
            None => node,
        };
        match self.periodic(stride, &indices, &blocks, &child)? {
            Some(repeated) => Ok(repeated.min(best)),
            None => Ok(best),
        }
    }

    /// Law 6, backwards: equal blocks are an idx over a vec.
    fn equal_blocks(
        &mut self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Forms,
    ) -> Result<Option<Forms>, ReconstructError> {
        let block = blocks[0];
        if blocks.iter().any(|b| *b != block) {
            return Ok(None);
        }
        let vec = repeat(block, stride, child, &self.prices)?;
        self.best_over(indices, &vec).map(Some)
    }

    /// Blocks and distances that repeat: a vec over the buckets of one period.
    fn periodic(
        &mut self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Forms,
    ) -> Result<Option<Forms>, ReconstructError> {
        let Some(period) = periods(indices, blocks).into_iter().find(|p| p.strided) else {
            return Ok(None);
        };
        let q = period.length;
        let first = self.bucket_node(stride, indices[..q].to_vec(), blocks[..q].to_vec(), child)?;
        let distance = indices[q] - indices[0];
        repeat(count(indices.len() / q), distance, &first, &self.prices).map(Some)
    }
}

/// idxbuc(c2 d2, I, B, vec(c2, d2, C)) is idxbuc(d2, I, c2 B, C).
fn absorb_child(stride: i64, blocks: Vec<u64>, child: &Forms) -> (i64, Vec<u64>, Forms) {
    if let Some(inner) = &child.strided
        && span(inner.count, inner.stride) == Some(stride)
        && let Some(blocks) = blocks.iter().map(|b| b.checked_mul(inner.count)).collect()
    {
        return (inner.stride, blocks, inner.child.clone());
    }
    (stride, blocks, child.clone())
}

/// Law 3: a bucket that begins where the one before would go on is a part of it.
fn merge_neighbours(stride: i64, indices: &[i64], blocks: &[u64]) -> (Vec<i64>, Vec<u64>) {
    let mut merged: (Vec<i64>, Vec<u64>) = (Vec::new(), Vec::new());
    for (&index, &block) in indices.iter().zip(blocks) {
        if let (Some(&last), Some(length)) = (merged.0.last(), merged.1.last_mut())
            && let Some(end) = span(*length, stride).and_then(|s| add(last, s).ok())
            && end == index
            && let Some(sum) = length.checked_add(block)
        {
            *length = sum;
        } else {
            merged.0.push(index);
            merged.1.push(block);
        }
    }
    merged
}
