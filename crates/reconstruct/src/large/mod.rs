//! Trees for sequences too long for the exact programme: good, measured, and called exact only
//! where a [lower bound](crate::bounds) proves it.
//!
//! ```text
//! line -> letters -> ranges -> chains and cuts -> shortest path over cuts
//!      -> blocks, recursively -> type
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `line` | tokens in order: copies of atoms |
//! | `letters` | runs of equal steps, fingerprints |
//! | `ranges` | where a block follows itself |
//! | `chains` | blocks that repeat, and where the line may be cut |
//! | `shortest` | the cheapest parts of one stretch |
//! | `solve` | stretches, blocks in stretches, each distinct one once |
//!
//! The result is compared with the optimal extended path, and the cheaper one is taken. Time is
//! near-linear in the letters, and bounded by a budget of work that grows with the tokens; what it
//! was too small for is reported. Known misses: a cut inside a letter that no block ends at;
//! rotations of a block beyond the few that are tried; with very many letters, cuts between single
//! steps.

mod chains;
mod cuts;
mod letters;
mod line;
mod ranges;
mod shortest;
mod solve;

pub(crate) use line::Line;

use crate::ReconstructError;
use crate::forms::Forms;
use crate::num::{count, place};
use crate::path;
use crate::prices::Prices;
use crate::sequence::Sequence;
use chains::Chains;
use letters::Letters;
use line::View;
use solve::Solver;

/// How far the search for a good tree may go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Most tokens that are given to the exact programme at once, which takes O(n^3).
    pub exact: u64,
    /// Most work per token, in comparisons of two runs: 10 to 30 ns each.
    pub work: u64,
    /// Work that is allowed in any case: a short line deserves a full search.
    pub least: u64,
}

impl Effort {
    /// For a reconstruction.
    pub(crate) const THOROUGH: Effort = Effort { exact: 64, work: 22, least: 1 << 23 };
}

/// A tree, and whether all that was to be tried was tried, or the work was spent before.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub forms: Forms,
    pub complete: bool,
}

/// A good tree for `sequence` (its shift taken out) over copies of `atom`.
///
/// # Errors
/// A type that cannot be built.
pub(crate) fn solve(
    sequence: Sequence<'_>,
    atom: &Forms,
    prices: &Prices,
    effort: Effort,
) -> Result<Found, ReconstructError> {
    let path = path::solve(sequence, atom, prices)?;
    // A path of two or three nodes without lists leaves nothing to find.
    if path.plain.cost <= path_of_two(atom, prices) || sequence.len() < 3 {
        return Ok(Found { forms: path, complete: true });
    }
    let line = View::of(sequence.starts, atom);
    if !line.is_within_reach(prices) {
        return Ok(Found { forms: path, complete: false });
    }
    // The list of a path may be as long as the sequence: made anew where it is needed after all.
    let cost = path.plain.cost;
    drop(path);
    let found = solve_view(line, prices, effort)?;
    if found.forms.plain.cost <= cost {
        return Ok(found);
    }
    let path = path::solve(sequence, atom, prices)?;
    Ok(Found { forms: found.forms.min(path), ..found })
}

/// A good tree for tokens, at least one.
///
/// # Errors
/// A type that cannot be built.
pub(crate) fn solve_line(
    line: &Line,
    prices: &Prices,
    effort: Effort,
) -> Result<Found, ReconstructError> {
    let line = line.view();
    if !line.is_within_reach(prices) {
        let tokens = (0..line.len()).map(|t| (t, line.atom(t).clone())).collect();
        let forms = solve::strc(line, tokens, prices)?;
        return Ok(Found { forms, complete: false });
    }
    solve_view(line, prices, effort)
}

fn solve_view(line: View<'_>, prices: &Prices, effort: Effort) -> Result<Found, ReconstructError> {
    if count(line.len()) <= effort.exact.max(2) {
        let forms = line.tree(0, line.len(), prices)?;
        return Ok(Found { forms, complete: true });
    }
    let work = effort.work.saturating_mul(count(line.len())).max(effort.least);
    let letters = Letters::new(line);
    let mut for_ranges = work / 2;
    let found = ranges::ranges(&letters, least(&letters, prices), &mut for_ranges);
    let chains = Chains::new(&letters, &found.ranges, line.starts);
    let left = work / 2 + for_ranges;
    let mut solver = Solver::new(line, &letters, &chains, prices, effort.exact, left);
    let forms = solver.solve(0, place(line.len()))?;
    let complete = found.complete && solver.finished();
    Ok(Found { forms, complete })
}

/// Fewest tokens that may be worth a chain: all, unless there are very many letters. Then those
/// that cost no more as entries of a list than the cheapest chain of more than one level.
fn least(letters: &Letters<'_>, prices: &Prices) -> u32 {
    if letters.len() <= chains::EVERY_LETTER {
        return 0;
    }
    let model = &prices.model;
    let node = prices.vec().min(prices.idx(2));
    let chain = model.leaf.saturating_add(node.saturating_mul(2)).saturating_add(2 * model.lookup);
    u32::try_from(chain / model.lookup).unwrap_or(u32::MAX)
}

/// Cost of a vec of vecs.
fn path_of_two(atom: &Forms, prices: &Prices) -> u64 {
    prices.vec().saturating_mul(2).saturating_add(atom.plain.cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constructors;
    use commloom_layout::{Basic, CostModel};

    fn cost(starts: &[i64]) -> u64 {
        let prices = Prices::new(&CostModel::default(), Constructors::Tree).unwrap();
        let leaf = Forms::leaf(Basic::CHAR, &prices).unwrap();
        let sequence = Sequence::new(starts).unwrap();
        let tree =
            solve(sequence, &leaf, &prices, Effort::THOROUGH).unwrap().forms.at(starts[0]).unwrap();
        assert!(tree.ty.type_map().map(|e| e.displacement).eq(starts.iter().copied()));
        assert_eq!(tree.cost, CostModel::default().cost(&tree.ty));
        tree.cost
    }

    /// Expectation test 11: a row and a column of a matrix, n = 10,240.
    #[test]
    fn a_row_and_a_column_become_contiguous_and_vector_under_one_strc() {
        let row = 0..5120;
        let column = (0..5120).map(|i| 100_000 + i * 512);
        assert_eq!(cost(&row.chain(column).collect::<Vec<i64>>()), 34);
    }

    /// strc of a vec of the period and the two elements left over.
    #[test]
    fn a_period_that_does_not_divide_the_length_is_found() {
        let inside = [0, 7, 9].into_iter().cycle();
        let starts: Vec<i64> =
            (0..30_002).zip(inside).map(|(i, inside)| i / 3 * 100 + inside).collect();
        assert!(cost(&starts) <= 60, "{}", cost(&starts));
    }

    /// 1000 boxes of 8 x 8 elements at irregular places: one list of a box.
    #[test]
    fn boxes_at_irregular_places_are_a_list_of_one_box() {
        let mut place = 0;
        let mut starts: Vec<i64> = Vec::new();
        for b in 0..1000i64 {
            place += 10_000 + b * b % 977;
            starts.extend((0..64).map(|i| place + i / 8 * 100 + i % 8));
        }
        assert!(cost(&starts) <= 1000 + 40);
        starts.pop();
        assert!(cost(&starts) <= 1000 + 100, "{}", cost(&starts));
    }
}
