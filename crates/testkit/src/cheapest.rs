//! The least cost of any description of a type map, by the definitions alone.
//!
//! Every description is tried: each kind of root, each way to cut the elements into its parts. Two
//! facts keep the search finite, both immediate from the definitions: what a shift of all
//! elements costs does not depend on how far it goes (it is added to the same indices), so a part
//! is either *at zero* or *moved*; and a node with one part and index 0 describes its child again,
//! so it is never needed. (A test does without them, on tiny sequences.)
//!
//! All segments of the elements are solved, the short ones first: O(n^4) time for trees, a
//! millisecond at n = 64.

use std::collections::HashSet;

use commloom_layout::{Basic, CostModel, Entry};

use crate::cheapest_shaped;

/// Which constructors may be used: vec and idx always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// idxbuc.
    pub idxbuc: bool,
    /// strc.
    pub strc: bool,
}

/// Least cost of a description of `entries`; `None` where there is none (mixed types without
/// strc).
#[must_use]
pub fn least_cost(entries: &[Entry], model: &CostModel, allowed: Allowed) -> Option<u64> {
    assert!(!entries.is_empty(), "there is no description of nothing");
    let n = entries.len();
    let table = || vec![vec![NONE; n + 1]; n];
    let mut search =
        Search { entries, model, allowed, at_zero: table(), moved: table(), placed: table() };
    for length in 1..=n {
        (0..=n - length).for_each(|from| search.solve(from, from + length));
    }
    let least = if entries[0].displacement == 0 { &search.at_zero } else { &search.moved };
    Some(least[0][n]).filter(|&cost| cost != NONE)
}

/// The same for elements of one basic type.
#[must_use]
pub fn least_cost_of_sequence(starts: &[i64], model: &CostModel, allowed: Allowed) -> u64 {
    let entry = |&displacement: &i64| Entry { basic: Basic::CHAR, displacement };
    let entries: Vec<Entry> = starts.iter().map(entry).collect();
    least_cost(&entries, model, allowed).expect("an idx always fits")
}

/// Cost of what cannot be described. Sums saturate there.
const NONE: u64 = u64::MAX;

/// Least costs of elements `from..to` at `[from][to]`.
struct Search<'a> {
    entries: &'a [Entry],
    model: &'a CostModel,
    allowed: Allowed,
    /// With the first element at zero.
    at_zero: Vec<Vec<u64>>,
    /// With the first element moved away from zero.
    moved: Vec<Vec<u64>>,
    /// Of a child that its parent may place anywhere: the lesser of both.
    placed: Vec<Vec<u64>>,
}

impl Search<'_> {
    /// Elements `from..to`, where all shorter segments are solved.
    fn solve(&mut self, from: usize, to: usize) {
        let model = self.model;
        // [at zero, moved]
        let mut least = [NONE; 2];
        if to == from + 1 {
            least[0] = model.leaf;
        }
        for copies in (2..=to - from).filter(|copies| (to - from).is_multiple_of(*copies)) {
            if self.equal_blocks(from, to, copies) {
                self.offer_copies(from, to, copies, &mut least);
            }
        }
        if self.allowed.strc {
            let strc = model.strc.saturating_add(self.at_least_two_parts(from, to));
            least = least.map(|cost| cost.min(strc));
        }
        // A node with one copy of what lies at zero moves it.
        least[1] = least[1].min(self.single().saturating_add(least[0]));
        self.at_zero[from][to] = least[0];
        self.moved[from][to] = least[1];
        self.placed[from][to] = least[0].min(least[1]);
    }

    /// Definition 2 of Kalany and Traeff, word by word.
    fn equal_blocks(&self, from: usize, to: usize, copies: usize) -> bool {
        let q = (to - from) / copies;
        (0..copies).all(|k| {
            (0..q).all(|t| {
                let (here, first) = (self.entries[from + k * q + t], self.entries[from + t]);
                let moved_by = self.entries[from + k * q].displacement;
                let first_at = self.entries[from].displacement;
                here.basic == first.basic
                    && here.displacement - moved_by == first.displacement - first_at
            })
        })
    }

    /// vec, idx and idxbuc with two or more copies of the first block.
    fn offer_copies(&self, from: usize, to: usize, copies: usize, least: &mut [u64; 2]) {
        let (q, model) = ((to - from) / copies, self.model);
        let start = |k: usize| self.entries[from + k * q].displacement;
        let strides: HashSet<i64> = (1..copies).map(|k| start(k) - start(k - 1)).collect();
        if strides.len() == 1 {
            // The child of a vec lies where the vec lies.
            let children = [self.at_zero[from][from + q], self.moved[from][from + q]];
            for (cost, child) in least.iter_mut().zip(children) {
                *cost = (*cost).min(model.vec.saturating_add(child));
            }
        }
        let list = |n: usize| u64::try_from(n).expect("small") * model.lookup;
        let mut node = model.idx + list(copies);
        if self.allowed.idxbuc {
            for stride in strides {
                let breaks = (1..copies).filter(|&k| start(k) - start(k - 1) != stride).count();
                node = node.min(model.idxbuc + list(2 * (1 + breaks)));
            }
        }
        if self.allowed.idxbuc {
            let starts: Vec<i64> = (0..copies).map(start).collect();
            node = node.min(cheapest_shaped::least_node(&starts, model).unwrap_or(NONE));
        }
        let cost = node.saturating_add(self.placed[from][from + q]);
        *least = least.map(|known| known.min(cost));
    }

    /// The cheapest node with one entry.
    fn single(&self) -> u64 {
        let model = self.model;
        let mut node = model.idx + model.lookup;
        if self.allowed.idxbuc {
            node = node.min(model.idxbuc + 2 * model.lookup);
            node = node.min(cheapest_shaped::least_node(&[0], model).unwrap_or(NONE));
        }
        if self.allowed.strc {
            node = node.min(model.strc + 2 * model.lookup);
        }
        node
    }

    /// Entries and children of a strc, over all ways to cut into two or more parts.
    fn at_least_two_parts(&self, from: usize, to: usize) -> u64 {
        // least[k - from]: elements k..to in one or more parts, each smaller than the whole.
        let mut least = vec![NONE; to - from + 1];
        least[to - from] = 0;
        for k in (from..to).rev() {
            // The first part k..end; the whole has no cost yet, so it is none of them.
            let parts = &self.placed[k][k + 1..=to];
            let rests = &least[k + 1 - from..];
            let sums = parts.iter().zip(rests).map(|(part, rest)| part.saturating_add(*rest));
            let cost = sums.min().expect("at least one end");
            least[k - from] = cost.saturating_add(2 * self.model.lookup);
        }
        least[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::Type;
    use std::collections::HashMap;

    const BASIC: Allowed = Allowed { idxbuc: false, strc: false };
    const EXTENDED: Allowed = Allowed { idxbuc: true, strc: false };
    const TREE: Allowed = Allowed { idxbuc: true, strc: true };

    fn costs(starts: &[i64]) -> [u64; 3] {
        [BASIC, EXTENDED, TREE].map(|a| least_cost_of_sequence(starts, &CostModel::default(), a))
    }

    /// Costs of all sequences of up to `most` displacements in -WINDOW..=WINDOW, with all shifts
    /// spelled out: start from leaf, and lower costs by any node over any child until none falls.
    fn costs_by_definition(most: usize, model: &CostModel, allowed: Allowed) -> Known {
        let layouts: Vec<Vec<i64>> = (1..=most).flat_map(all_sequences).collect();
        let mut known = Known::from([(vec![0], model.leaf)]);
        loop {
            let before = known.clone();
            for layout in &layouts {
                let mut best = known.get(layout).copied().unwrap_or(NONE);
                for q in (1..=layout.len()).filter(|q| layout.len().is_multiple_of(*q)) {
                    best = best.min(cheapest_copies(layout, q, &known, model, allowed));
                }
                if allowed.strc {
                    let parts = cheapest_parts(layout, &known, model);
                    best = best.min(model.strc.saturating_add(parts));
                }
                if best != NONE {
                    known.insert(layout.clone(), best);
                }
            }
            if known == before {
                return known;
            }
        }
    }

    type Known = HashMap<Vec<i64>, u64>;
    const WINDOW: i64 = 2;

    fn all_sequences(n: usize) -> Vec<Vec<i64>> {
        (0..n).fold(vec![Vec::new()], |shorter, _| {
            let longer = |s: &Vec<i64>| {
                let s = s.clone();
                (-WINDOW..=WINDOW).map(move |d| [s.as_slice(), &[d]].concat())
            };
            shorter.iter().flat_map(longer).collect()
        })
    }

    fn moved(layout: &[i64], by: i64) -> Vec<i64> {
        layout.iter().map(|d| d + by).collect()
    }

    /// The least cost of vec, idx or idxbuc nodes over a child of `q` elements, of any shift.
    fn cheapest_copies(
        layout: &[i64],
        q: usize,
        known: &Known,
        model: &CostModel,
        allowed: Allowed,
    ) -> u64 {
        let (mut best, lookup) = (NONE, model.lookup);
        for shift in -2 * WINDOW..=2 * WINDOW {
            let child = moved(&layout[..q], -shift);
            let Some(child_cost) = known.get(&child) else { continue };
            // Where each copy of the child would have to lie.
            let indices: Vec<i64> = layout.chunks(q).map(|copy| copy[0] - child[0]).collect();
            if !layout.chunks(q).zip(&indices).all(|(copy, &i)| copy == moved(&child, i)) {
                continue;
            }
            let n = u64::try_from(indices.len()).unwrap();
            best = best.min(model.idx + lookup * n + child_cost);
            for stride in -4 * WINDOW..=4 * WINDOW {
                let even = |list: &[i64]| list.windows(2).all(|w| w[1] - w[0] == stride);
                if shift == 0 && even(&indices) {
                    best = best.min(model.vec + child_cost);
                }
                // Bit k of `cuts`: a new bucket begins at copy k + 1.
                for cuts in 0..1u64 << (n - 1) {
                    let buckets = 1 + u64::from(cuts.count_ones());
                    let continues = |k: usize| indices[k + 1] - indices[k] == stride;
                    let fits = (0..indices.len() - 1).all(|k| cuts >> k & 1 == 1 || continues(k));
                    if allowed.idxbuc && fits {
                        best = best.min(model.idxbuc + 2 * lookup * buckets + child_cost);
                        best = best.min(shaped_node(&indices, cuts, model) + child_cost);
                    }
                }
            }
        }
        best
    }

    /// The price of the idxbuc with these cuts, of which the model knows the shape.
    fn shaped_node(indices: &[i64], cuts: u64, model: &CostModel) -> u64 {
        let begins = |t: &usize| *t == 0 || cuts >> (t - 1) & 1 == 1;
        let at: Vec<usize> = (0..indices.len()).filter(begins).chain([indices.len()]).collect();
        let firsts: Vec<i64> = at[..at.len() - 1].iter().map(|&t| indices[t]).collect();
        let blocks: Vec<u64> = at.windows(2).map(|w| u64::try_from(w[1] - w[0]).unwrap()).collect();
        model.node(&Type::idxbuc(0, firsts, blocks, Type::leaf(Basic::CHAR)).unwrap())
    }

    /// The least cost of one or more parts of a strc, each of any shift.
    fn cheapest_parts(layout: &[i64], known: &Known, model: &CostModel) -> u64 {
        let ends = (1..=layout.len()).map(|end| {
            let shifts = -2 * WINDOW..=2 * WINDOW;
            let part = shifts.filter_map(|s| known.get(&moved(&layout[..end], s))).min();
            let rest = match &layout[end..] {
                [] => 0,
                rest => cheapest_parts(rest, known, model),
            };
            part.copied().unwrap_or(NONE).saturating_add(rest).saturating_add(2 * model.lookup)
        });
        ends.min().unwrap_or(NONE)
    }

    #[test]
    fn the_costs_of_tiny_sequences_are_those_of_the_cheapest_node_over_any_child() {
        let default = CostModel::default();
        let dear_lists = CostModel { lookup: 5, vec: 2, ..default };
        let cheap_buckets = CostModel { idxbuc: 2, idx: 9, strc: 3, ..default };
        let cheap_structs = CostModel { strc: 1, leaf: 1, ..default };
        let shaped = CostModel { bucket: Some(5), triangular: Some(9), ..dear_lists };
        let cheap_triangles = CostModel { bucket: Some(2), triangular: Some(4), ..default };
        for model in [default, dear_lists, cheap_buckets, cheap_structs, shaped, cheap_triangles] {
            for allowed in [BASIC, EXTENDED, TREE] {
                let known = costs_by_definition(5, &model, allowed);
                assert_eq!(known.len(), 5 + 25 + 125 + 625 + 3125);
                for (layout, cost) in known {
                    let least = least_cost_of_sequence(&layout, &model, allowed);
                    assert_eq!(least, cost, "{layout:?} {allowed:?} {model:?}");
                }
            }
        }
    }

    #[test]
    fn the_figures_of_the_paper_have_the_costs_of_the_paper() {
        let figure1 = [0, 2, 3, 5, 10, 12, 13, 15, 20, 22, 23, 25, 30, 32, 33, 35];
        assert_eq!(costs(&figure1), [22, 22, 22]);
        let figure2: Vec<i64> = (0..18).chain((100..=122).step_by(2)).collect();
        assert_eq!(costs(&figure2), [42, 38, 34]);
    }

    #[test]
    fn one_element_is_a_leaf_and_moving_it_takes_an_idx() {
        assert_eq!(costs(&[0]), [6, 6, 6]);
        assert_eq!(costs(&[3]), [13, 13, 13]);
    }

    #[test]
    fn mixed_types_need_a_strc() {
        let entry = |basic, displacement| Entry { basic, displacement };
        let mixed = [entry(Basic::INT, 0), entry(Basic::DOUBLE, 8)];
        let model = CostModel::default();
        assert_eq!(least_cost(&mixed, &model, EXTENDED), None);
        assert_eq!(least_cost(&mixed, &model, TREE), Some(6 + 2 * (2 + 6)));
    }
}
