//! Law 10 in a second sense: fewest runs instead of least cost.
//!
//! Where the last block of a copy touches the first block of the next, vec(c, d, <B1 .. Bm>) moves
//! c m blocks of which c - 1 pairs are one run of memory. Beginning the period one block later,
//! B1, vec(c - 1, d, <B2 .., Bm u B1>), B2 .. Bm, moves c - 1 blocks less, and with m = 2 about
//! half as many: expectation test 10 of Carpen-Amarie, Hunold and Träff, "first unit + regular
//! middle + last unit". It costs two more parts of a strc, so it is no normal form; it is what an
//! engine that moves blocks one by one wants.

use commloom_layout::{Base, Basic, CostModel, Kind, LayoutError, Type};

use super::{Limits, normalize_within, with_bounds, without_bounds};
use crate::num::{add, count};
use crate::prices::Prices;
use crate::{Constructors, ReconstructError, certify};

/// Longer periods are left as they are: less than one block in so many could be saved.
const MOST_BLOCKS: u64 = 16;

/// Lists may grow by this factor, where neighbouring copies in a list touch.
const GROWTH: u64 = 4;

/// The same ordered type map, signature and bounds as `ty` (best a normal form), described with
/// fewer innermost blocks where neighbouring copies of a vec, an idx or an idxbuc touch; `ty`
/// without its inner bounds where they do not. The cost may rise.
///
/// Only periods of elements of one basic type, with at most 16 blocks, are changed.
///
/// # Errors
/// Bounds of a part past 64 bits.
///
/// # Complexity
/// Linear in the description, times 16.
pub fn fewest_runs(ty: &Type) -> Result<Type, ReconstructError> {
    let prices = Prices::new(&CostModel::default(), Constructors::Tree)?;
    let core = without_bounds(ty, &prices)?.ty;
    let joined = with_bounds(joined(&core)?, ty)?;
    if cfg!(debug_assertions) {
        certify::same_layout(ty, &joined).map_err(ReconstructError::Uncertified)?;
    }
    Ok(joined)
}

/// Blocks that are moved one by one when the tree is walked: the runs of a node over a child
/// without gaps are joined, other copies are not.
fn blocks(ty: &Type) -> u64 {
    let copies = |n: u64, child: &Type| match blocks(child) {
        1 => ty.runs(),
        b => n.saturating_mul(b),
    };
    match ty.kind() {
        Kind::Leaf(_) => 1,
        Kind::Resized { child, .. } => blocks(child),
        Kind::Vec { count, child, .. } => copies(*count, child),
        Kind::Idx { indices, child } => copies(count(indices.len()), child),
        Kind::IdxBuc { blocks: all, child, .. } => {
            copies(all.iter().fold(0, |sum: u64, b| sum.saturating_add(*b)), child)
        }
        Kind::Strc { children, .. } => {
            children.iter().fold(0, |sum: u64, c| sum.saturating_add(blocks(c)))
        }
    }
}

/// Bottom-up.
fn joined(ty: &Type) -> Result<Type, ReconstructError> {
    // The fewest are reached, as by every type without touching copies.
    if blocks(ty) == ty.runs() {
        return Ok(ty.clone());
    }
    let basic = match ty.base() {
        Base::One(basic) => Some(basic),
        Base::Empty | Base::Mixed => None,
    };
    let found = match (ty.kind(), basic) {
        (Kind::Leaf(_) | Kind::Resized { .. }, _) => None,
        (Kind::Vec { count, stride, child }, Some(basic)) if child.runs() <= MOST_BLOCKS => {
            rotated(*count, *stride, child, basic)?
        }
        (Kind::Idx { indices, .. } | Kind::IdxBuc { indices, .. }, Some(basic))
            if ty.runs() <= count(indices.len()).saturating_mul(GROWTH) =>
        {
            Some(listed(&runs(ty, basic), basic)?)
        }
        _ => None,
    };
    let children: Vec<Type> = ty.children().iter().map(joined).collect::<Result<_, _>>()?;
    let inside = with_children(ty, children)?;
    Ok(found.into_iter().chain([inside]).min_by_key(blocks).unwrap_or_else(|| ty.clone()))
}

/// The same node over other descriptions of its children.
fn with_children(ty: &Type, mut children: Vec<Type>) -> Result<Type, LayoutError> {
    let mut child = || children.pop().expect("a node has as many children as before");
    match ty.kind() {
        Kind::Leaf(_) => Ok(ty.clone()),
        Kind::Resized { lb, extent, .. } => Type::resized(*lb, *extent, child()),
        Kind::Vec { count, stride, .. } => Type::vec(*count, *stride, child()),
        Kind::Idx { indices, .. } => Type::idx(indices.clone(), child()),
        Kind::IdxBuc { stride, indices, blocks, .. } => {
            Type::idxbuc(*stride, indices.clone(), blocks.clone(), child())
        }
        Kind::Strc { indices, .. } => Type::strc(indices.clone(), children),
    }
}

/// Adjacent elements: the first byte, and how many.
#[derive(Clone, Copy)]
struct Run {
    start: i64,
    elements: u64,
}

fn runs(ty: &Type, basic: Basic) -> Vec<Run> {
    let run =
        |r: commloom_layout::Run| Run { start: r.displacement, elements: r.length / basic.size() };
    ty.byte_runs().map(run).collect()
}

/// vec(count, stride, child) with every copy beginning one block later, if that joins blocks.
fn rotated(
    count: u64,
    stride: i64,
    child: &Type,
    basic: Basic,
) -> Result<Option<Type>, ReconstructError> {
    let mut period = runs(child, basic);
    if period.len() < 2 || count < 2 {
        return Ok(None);
    }
    let first = period[0];
    let last = period.last_mut().expect("two blocks, at least");
    let end = i64::try_from(last.elements * basic.size()).map(|n| add(last.start, n));
    if !matches!(end, Ok(Ok(end)) if first.start.checked_add(stride) == Some(end)) {
        return Ok(None);
    }
    let rest = listed(&period[1..], basic)?;
    let last = period.last_mut().expect("two blocks, at least");
    last.elements += first.elements;
    let middle = listed(&period[1..], basic)?;
    let copies = count - 1;
    let middle = if copies == 1 { middle } else { Type::vec(copies, stride, middle)? };
    let steps = i64::try_from(copies).ok().and_then(|n| n.checked_mul(stride));
    let steps = steps.ok_or(LayoutError::Overflow { what: "the span of vec" })?;
    let parts = [listed(&[first], basic)?, middle, rest];
    Ok(Some(Type::strc([0, 0, steps], parts)?))
}

/// The cheapest path of these runs.
fn listed(runs: &[Run], basic: Basic) -> Result<Type, ReconstructError> {
    const NOTHING: Limits = Limits { flatten: 0, exact_tree: 0 };
    let size = i64::try_from(basic.size()).expect("basic types are small");
    let starts: Vec<i64> = runs.iter().map(|r| r.start).collect();
    let elements: Vec<u64> = runs.iter().map(|r| r.elements).collect();
    let buckets = Type::idxbuc(size, starts, elements, Type::leaf(basic))?;
    let model = CostModel::default();
    let normal = normalize_within(&NOTHING, &buckets, Constructors::Extended, &model)?.ty;
    Ok(if blocks(&normal) > blocks(&buckets) { buckets } else { normal })
}
