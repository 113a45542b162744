//! Trees for sequences too long for the exact programme: good, measured, never called exact.
//!
//! The runs of equal steps are taken as tokens, `vec(length, step, leaf)`; where they are few, the
//! exact programme finds the best tree over them. The best extended path is the other candidate.
//!
//! **Lower bound** (B0 of TREES.md, for any cost model). Every step E[t] is made at one *slot*: the
//! node, and the junction of two neighbouring parts of it, where the paths to elements t and t+1
//! part. All steps made at one slot are equal, so a tree has at least as many slots as there are
//! distinct steps. A vec has one slot. An idx with c entries has c-1, an idxbuc with c buckets c, a
//! strc with c parts c-1: each a fixed price and at least `lookup` per slot. So with delta distinct
//! steps a tree without lists costs at least `leaf + delta vec`, and one with a list at least
//! `leaf + fixed + delta min(lookup, vec)`. A shift needs a list.

use std::collections::HashSet;

use crate::ReconstructError;
use crate::forms::Forms;
use crate::num::count;
use crate::path;
use crate::prices::Prices;
use crate::sequence::Sequence;
use crate::tree::{self, Tokens};

/// Most runs that the exact programme is asked to arrange: some tens of milliseconds.
const MAX_RUNS: usize = 512;

/// A good tree for `sequence` (its shift taken out) over copies of `atom`.
///
/// # Errors
/// A type that cannot be built.
pub(crate) fn solve(
    sequence: &Sequence<'_>,
    atom: &Forms,
    prices: &Prices,
) -> Result<Forms, ReconstructError> {
    let path = path::solve(sequence, atom, prices)?;
    match over_runs(sequence, atom, prices)? {
        Some(tree) => Ok(path.min(tree)),
        None => Ok(path),
    }
}

/// The best tree over the runs of equal steps, if there are few enough.
fn over_runs(
    sequence: &Sequence<'_>,
    atom: &Forms,
    prices: &Prices,
) -> Result<Option<Forms>, ReconstructError> {
    let Some(runs) = runs(sequence) else { return Ok(None) };
    let (mut starts, mut atoms, mut table) = (Vec::new(), Vec::new(), Vec::<Forms>::new());
    let mut seen = std::collections::HashMap::new();
    for (from, length) in runs {
        let step = if length > 1 { sequence.steps[from] } else { 0 };
        let token = match seen.get(&(length, step)) {
            Some(&token) => token,
            None => {
                let token = u32::try_from(table.len()).expect("there are few runs");
                seen.insert((length, step), token);
                table.push(run(length, step, atom, prices)?);
                token
            }
        };
        starts.push(sequence.starts[from]);
        atoms.push(token);
    }
    Ok(Some(tree::solve(&Tokens { starts: &starts, atoms: &atoms, table: &table }, prices)?))
}

/// First element and length of each run of equal steps, cut greedily; `None` if there are too many.
fn runs(sequence: &Sequence<'_>) -> Option<Vec<(usize, usize)>> {
    let mut runs = Vec::new();
    let mut from = 0;
    while from < sequence.len() {
        let steps = &sequence.steps[from.min(sequence.steps.len())..];
        let same = steps.first().map_or(0, |s| steps.iter().take_while(|t| *t == s).count());
        // Two elements are a run of any two: not worth a part of their own.
        let length = if same >= 2 { same + 1 } else { 1 };
        runs.push((from, length));
        if runs.len() > MAX_RUNS {
            return None;
        }
        from += length;
    }
    Some(runs)
}

fn run(length: usize, step: i64, atom: &Forms, prices: &Prices) -> Result<Forms, ReconstructError> {
    let starts: Vec<i64> = (0..i64::try_from(length).unwrap_or(0)).map(|k| k * step).collect();
    if length > 1 { path::solve(&Sequence::new(&starts)?, atom, prices) } else { Ok(atom.clone()) }
}

/// No tree for `sequence` costs less: see the module.
pub(crate) fn lower_bound(sequence: &Sequence<'_>, prices: &Prices) -> u64 {
    let model = &prices.model;
    let distinct: HashSet<i64> = sequence.steps.iter().copied().collect();
    let slots = count(distinct.len());
    let without_list = model.vec.saturating_mul(slots);
    let fixed = [model.idx.saturating_add(model.lookup), model.idxbuc, model.strc];
    let fixed = fixed.into_iter().min().unwrap_or(0);
    let with_list = model.lookup.min(model.vec).saturating_mul(slots).saturating_add(fixed);
    let inner = if sequence.starts[0] == 0 { without_list.min(with_list) } else { with_list };
    model.leaf.saturating_add(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constructors;
    use crate::forms::Costed;
    use commloom_layout::{Basic, CostModel};

    fn costed(starts: &[i64]) -> (Costed, u64) {
        let prices = Prices::new(&CostModel::default(), Constructors::Tree).unwrap();
        let leaf = Forms::leaf(Basic::CHAR, &prices).unwrap();
        let sequence = Sequence::new(starts).unwrap();
        let tree = solve(&sequence, &leaf, &prices).unwrap().at(starts[0]).unwrap();
        let bound = lower_bound(&sequence, &prices);
        assert!(tree.ty.type_map().map(|e| e.displacement).eq(starts.iter().copied()));
        (tree, bound)
    }

    /// Expectation test 11: a row and a column of a matrix, n = 10,240.
    #[test]
    fn a_row_and_a_column_become_contiguous_and_vector_under_one_strc() {
        let row = 0..5120;
        let column = (0..5120).map(|i| 100_000 + i * 512);
        let (tree, bound) = costed(&row.chain(column).collect::<Vec<i64>>());
        assert_eq!(tree.cost, 34);
        assert!(bound <= tree.cost);
    }
}
