//! Trees for sequences too long for the exact programme: good, measured, never called exact.
//!
//! The sequence is a line of tokens. Rows, where a block of tokens follows itself, are folded into
//! single tokens, again and again: elements to lines, lines to faces, faces to boxes. When few enough tokens are left the [exact programme](crate::tree) arranges
//! them; otherwise neighbours of one kind are gathered in lists under one strc. Two other
//! candidates are the optimal extended path and, where there are few, the exact tree over the runs of
//! equal steps. The cheapest of all is taken.
//!
//! Time: near-linear for the paths and for every round of folding; a round is repeated only while
//! the line becomes shorter by a sixteenth. Known misses: the choice of rows is greedy, by an
//! estimate of what is saved; blocks begin at one place of the possible ones.

mod bound;
mod fold;
mod line;
mod refine;
mod rows;
mod stretches;

pub(crate) use bound::lower_bound;
pub(crate) use line::Line;

use crate::ReconstructError;
use crate::forms::Forms;
use crate::num::count;
use crate::path;
use crate::prices::Prices;
use crate::repeat::repeat;
use crate::sequence::Sequence;
use fold::Estimate;

/// How far the search for a good tree may go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Most tokens that are given to the exact programme, which takes O(n^3).
    pub exact: u64,
    /// Whether short periods are looked for only if they show in a sample.
    pub sampled: bool,
    /// Windows by which long periods are found, in letters.
    pub windows: &'static [usize],
}

impl Effort {
    /// For a reconstruction: milliseconds for the exact programme, periods up to 16,384 tokens.
    pub(crate) const THOROUGH: Effort =
        Effort { exact: 512, sampled: false, windows: &[4, 16, 64, 256, 1024, 4096] };
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
) -> Result<Forms, ReconstructError> {
    let path = path::solve(sequence, atom, prices)?;
    // A path of two or three nodes without lists leaves nothing to find.
    if path.plain.cost <= path_of_two(atom, prices) {
        return Ok(path);
    }
    let mut best = path;
    if let Some(runs) = runs(sequence, atom, prices, effort.exact)? {
        best = runs.tree(0, runs.len(), prices)?.min(best);
    }
    let Some(line) = folded(&Line::of(sequence, atom), prices, effort)? else { return Ok(best) };
    let mut folded = arranged(line, prices, effort)?;
    while let Some(refined) = refine::refined(&folded, prices, effort.exact)?
        && refined.plain.cost < folded.plain.cost
    {
        folded = refined;
    }
    Ok(folded.min(best))
}

/// A good tree for tokens, at least one.
///
/// # Errors
/// A type that cannot be built.
pub(crate) fn solve_line(
    line: Line,
    prices: &Prices,
    effort: Effort,
) -> Result<Forms, ReconstructError> {
    let shorter = folded(&line, prices, effort)?;
    arranged(shorter.unwrap_or(line), prices, effort)
}

/// The line after as many rounds of folding as are of use; `None` if none is.
fn folded(line: &Line, prices: &Prices, effort: Effort) -> Result<Option<Line>, ReconstructError> {
    let least = Estimate::least(prices);
    let mut shortest: Option<Line> = None;
    loop {
        let line = shortest.as_ref().unwrap_or(line);
        if count(line.len()) <= effort.exact {
            return Ok(shortest);
        }
        let Some(shorter) = round(line, least, prices, effort)? else { return Ok(shortest) };
        let last = shorter.len() + line.len() / 16 > line.len();
        shortest = Some(shorter);
        if last {
            return Ok(shortest);
        }
    }
}

/// The exact tree of few tokens, otherwise a strc with neighbours gathered in lists.
fn arranged(mut line: Line, prices: &Prices, effort: Effort) -> Result<Forms, ReconstructError> {
    if count(line.len()) > effort.exact {
        line = stretches::gathered(&line, prices)?;
    }
    if count(line.len()) > effort.exact {
        return Ok(stretches::strc(&line, prices)?);
    }
    line.tree(0, line.len(), prices)
}

/// One round of folding: of all rows that are found, those that save most.
fn round(
    line: &Line,
    least: usize,
    prices: &Prices,
    effort: Effort,
) -> Result<Option<Line>, ReconstructError> {
    let mut found = rows::short_rows(line, least, effort.sampled);
    for &window in effort.windows {
        found.extend(rows::long_rows(line, window, least));
    }
    let chosen = fold::choose(line, found, prices);
    if chosen.is_empty() {
        return Ok(None);
    }
    let block = |part| solve_line(part, prices, effort);
    fold::fold(line, &chosen, prices, block).map(Some)
}

/// Cost of a vec of vecs.
fn path_of_two(atom: &Forms, prices: &Prices) -> u64 {
    prices.vec().saturating_mul(2).saturating_add(atom.plain.cost)
}

/// The runs of equal steps, cut greedily, as tokens; `None` if there are more than `most`.
fn runs(
    sequence: Sequence<'_>,
    atom: &Forms,
    prices: &Prices,
    most: u64,
) -> Result<Option<Line>, ReconstructError> {
    let mut line = Line::new();
    let mut from = 0;
    while from < sequence.len() {
        let rest = Sequence { starts: &sequence.starts[from..] };
        let step = rest.steps().next().unwrap_or(0);
        let same = rest.steps().take_while(|s| *s == step).count();
        // Two elements are a run of any two: not worth a token of their own.
        let length = if same >= 2 { same + 1 } else { 1 };
        line.push(rest.starts[0], &repeat(count(length), step, atom, prices)?);
        if count(line.len()) > most {
            return Ok(None);
        }
        from += length;
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constructors;
    use commloom_layout::{Basic, CostModel};
    use commloom_testkit::check;
    use commloom_testkit::random::{Family, random_sequence};
    use std::cell::Cell;

    fn cost(starts: &[i64]) -> u64 {
        let prices = Prices::new(&CostModel::default(), Constructors::Tree).unwrap();
        let leaf = Forms::leaf(Basic::CHAR, &prices).unwrap();
        let sequence = Sequence::new(starts).unwrap();
        let tree =
            solve(sequence, &leaf, &prices, Effort::THOROUGH).unwrap().at(starts[0]).unwrap();
        assert!(tree.ty.type_map().map(|e| e.displacement).eq(starts.iter().copied()));
        assert_eq!(tree.cost, CostModel::default().cost(&tree.ty));
        assert!(lower_bound(sequence, &prices) <= tree.cost);
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

    /// With at most 48 tokens for the exact programme the method is on its own at n <= 256.
    #[test]
    fn on_random_layouts_of_up_to_256_elements_the_cost_is_close_to_the_optimum() {
        let prices = Prices::new(&CostModel::default(), Constructors::Tree).unwrap();
        let leaf = Forms::leaf(Basic::CHAR, &prices).unwrap();
        let effort = Effort { exact: 48, ..Effort::THOROUGH };
        for family in Family::ALL {
            let totals = Cell::new((0u64, 0u64, 0u64, 0u64, 0u64));
            check(400, |rng| {
                let starts = random_sequence(rng, family, 256);
                let sequence = Sequence::new(&starts).unwrap();
                let line = Line::of(sequence, &leaf);
                let exact = line.tree(0, line.len(), &prices).unwrap().plain.cost;
                let good = solve(sequence, &leaf, &prices, effort).unwrap().plain.cost;
                let path = path::solve(sequence, &leaf, &prices).unwrap().plain.cost;
                let bound = lower_bound(Sequence::new(&moved(&starts)).unwrap(), &prices);
                assert!(bound <= exact && exact <= good);
                let (cases, optimal, hard, sum, least) = totals.get();
                totals.set((
                    cases + 1,
                    optimal + u64::from(good == exact),
                    hard + u64::from(10 * exact < 9 * path),
                    sum + good,
                    least + exact,
                ));
            });
            let (cases, optimal, hard, sum, least) = totals.get();
            println!(
                "{family:?}: {optimal} of {cases} optimal, {hard} hard, cost {sum} against {least}"
            );
            assert!(sum * 100 <= least * 105, "{family:?}");
        }
    }

    fn moved(starts: &[i64]) -> Vec<i64> {
        starts.iter().map(|s| s - starts[0]).collect()
    }
}
