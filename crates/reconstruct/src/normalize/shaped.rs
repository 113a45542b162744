//! idxbuc whose buckets start at equal distances, where the cost model has a price for that.

use commloom_layout::Type;

use super::Normalizer;
use super::levels::{from_first, merged};
use super::nest::Nest;
use crate::ReconstructError;
use crate::forms::{Costed, Forms};
use crate::num::span;
use crate::shaped::cheapest_of_runs;

impl Normalizer {
    /// Buckets of copies of `child` (at least one copy; the first one counts as at zero) as one
    /// node of the cheapest shape; `None` where they have no shape with a price. Linear in the
    /// lists that come in and that go out.
    pub(super) fn shaped(
        &self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Nest,
    ) -> Result<Option<Forms>, ReconstructError> {
        if self.prices.cheapest_shape().is_none() {
            return Ok(None);
        }
        let child = child.forms(&self.prices)?;
        let filled = indices.iter().zip(blocks).filter(|&(_, &b)| b > 0);
        let (indices, blocks): (Vec<i64>, Vec<u64>) = filled.map(|(&i, &b)| (i, b)).unzip();
        let (indices, blocks) = merged(stride, &from_first(&indices)?, &blocks);
        let node = self.shape_over(stride, &indices, &blocks, &child)?;
        // Buckets of vecs that go on in each other are buckets of what the vecs repeat.
        if let Some(inner) = &child.strided
            && span(inner.count, inner.stride) == Some(stride)
            && let Some(blocks) = blocks.iter().map(|b| b.checked_mul(inner.count)).collect()
        {
            let blocks: Vec<u64> = blocks;
            let over = self.shape_over(inner.stride, &indices, &blocks, &inner.child)?;
            return Ok(match (node, over) {
                (Some(node), Some(over)) => Some(node.min(over)),
                (node, over) => node.or(over),
            });
        }
        Ok(node)
    }

    fn shape_over(
        &self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Forms,
    ) -> Result<Option<Forms>, ReconstructError> {
        let found = cheapest_of_runs(stride, indices, blocks, &self.prices);
        let any = self.prices.idxbuc(indices.len());
        let Some((price, shape)) = found.filter(|(price, _)| any.is_some_and(|any| *price <= any))
        else {
            return Ok(None);
        };
        let (indices, blocks) = shape.cut(indices, blocks);
        let ty = Type::idxbuc(stride, indices, blocks, child.plain.ty.clone())?;
        // A list carries a shift as it is.
        let plain = Costed { ty, cost: price.saturating_add(child.plain.cost) };
        Ok(Some(Forms::new(plain.clone(), Some(plain), &self.prices)?))
    }
}
