//! vec over a normalized child.

use commloom_layout::{LayoutError, Type};

use crate::ReconstructError;
use crate::forms::{Costed, Forms};
use crate::num::span;
use crate::path;
use crate::prices::Prices;
use crate::sequence::Sequence;

/// `count` copies (at least one) of `child`, `stride` apart.
///
/// # Errors
/// A type that cannot be built.
pub(crate) fn repeat(
    count: u64,
    stride: i64,
    child: &Forms,
    prices: &Prices,
) -> Result<Forms, ReconstructError> {
    if count == 1 {
        return Ok(child.clone());
    }
    let nested = nest(count, stride, child, prices)?;
    Ok(match continue_child(count, stride, child, prices)? {
        Some(merged) => merged.min(nested),
        None => nested,
    })
}

/// Law 2: vec(c1, d1, vec(c2, d2, C)) with d1 = c2 d2 is vec(c1 c2, d2, C).
fn continue_child(
    count: u64,
    stride: i64,
    child: &Forms,
    prices: &Prices,
) -> Result<Option<Forms>, ReconstructError> {
    let Some(inner) = &child.strided else { return Ok(None) };
    if span(inner.count, inner.stride) != Some(stride) {
        return Ok(None);
    }
    let Some(all) = count.checked_mul(inner.count) else { return Ok(None) };
    nest(all, inner.stride, &inner.child, prices).map(Some)
}

/// A vec node, or, to carry a shift, the list that stands for it.
fn nest(
    count: u64,
    stride: i64,
    child: &Forms,
    prices: &Prices,
) -> Result<Forms, ReconstructError> {
    // Few copies may be cheaper as a list, under some cost models, and lists can carry a shift.
    if let Some(starts) = few(count, stride) {
        return path::solve(Sequence::new(&starts)?, child, prices);
    }
    let vec = |inner: &Costed| -> Result<Costed, LayoutError> {
        let cost = prices.vec().saturating_add(inner.cost);
        Ok(Costed { ty: Type::vec(count, stride, inner.ty.clone())?, cost })
    };
    let plain = vec(&child.plain)?;
    let mut carrying = vec(&child.carrying)?;
    if let Some(node) = prices.idxbuc(1) {
        let ty = Type::idxbuc(stride, [0], [count], child.plain.ty.clone())?;
        carrying = carrying.min(Costed { ty, cost: node.saturating_add(child.plain.cost) });
    }
    Ok(Forms::new(plain, Some(carrying), prices)?.continued(count, stride, child.clone()))
}

/// Origins of few copies.
fn few(count: u64, stride: i64) -> Option<Vec<i64>> {
    const FEW: u64 = 16;
    let copies = i64::try_from(count).ok().filter(|_| count <= FEW)?;
    (0..copies).map(|k| k.checked_mul(stride)).collect()
}
