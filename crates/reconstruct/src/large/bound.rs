//! A lower bound on the cost of any tree (B0 of TREES.md, for any cost model).
//!
//! Every step D[t+1] - D[t] is made at one *slot*: the node, and the junction of two neighbouring
//! parts of it, where the paths from the root to elements t and t+1 part. All steps made at one slot
//! are equal, so a tree has at least as many slots as there are distinct steps. A vec has one slot.
//! An idx with c entries has c-1, an idxbuc with c buckets c, a strc with c parts c-1: a fixed
//! price, and at least `lookup` for each. So with delta distinct steps a tree without lists costs at
//! least `leaf + delta vec`, and one with a list at least `leaf + fixed + delta min(lookup, vec)`. To
//! lie elsewhere than at zero takes a list.

use std::collections::HashSet;

use crate::num::count;
use crate::prices::Prices;
use crate::sequence::Sequence;

/// No tree for `sequence` costs less. O(n) time and space.
pub(crate) fn lower_bound(sequence: Sequence<'_>, prices: &Prices) -> u64 {
    let model = &prices.model;
    let distinct: HashSet<i64> = sequence.steps().collect();
    let slots = count(distinct.len());
    let without_list = model.vec.saturating_mul(slots);
    let fixed = [model.idx.saturating_add(model.lookup), model.idxbuc, model.strc];
    let fixed = fixed.into_iter().min().unwrap_or(0);
    let with_list = model.lookup.min(model.vec).saturating_mul(slots).saturating_add(fixed);
    let inner = if sequence.starts[0] == 0 { without_list.min(with_list) } else { with_list };
    model.leaf.saturating_add(inner)
}
