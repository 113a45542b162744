//! The least cost of any description of a type map, by the definitions alone.
//!
//! Every description is tried: each kind of root, each way to cut the elements into its parts. Two
//! facts keep the search finite, both immediate from the definitions: what a shift of all
//! elements costs does not depend on how far it goes (it is added to the same indices), so a part
//! is either *at zero* or *moved*; and a node with one part and index 0 describes its child again,
//! so it is never needed.

use std::collections::{HashMap, HashSet};

use commloom_layout::{Basic, CostModel, Entry};

/// Which constructors may be used: vec and idx always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// idxbuc.
    pub idxbuc: bool,
    /// strc.
    pub strc: bool,
}

/// Least cost of a description of `entries`; `None` where there is none (mixed types without strc).
#[must_use]
pub fn least_cost(entries: &[Entry], model: &CostModel, allowed: Allowed) -> Option<u64> {
    assert!(!entries.is_empty(), "there is no description of nothing");
    let mut search = Search { entries, model, allowed, known: HashMap::new() };
    search.least(0, entries.len(), entries[0].displacement != 0)
}

/// The same for elements of one basic type.
#[must_use]
pub fn least_cost_of_sequence(starts: &[i64], model: &CostModel, allowed: Allowed) -> u64 {
    let entry = |&displacement: &i64| Entry { basic: Basic::CHAR, displacement };
    let entries: Vec<Entry> = starts.iter().map(entry).collect();
    least_cost(&entries, model, allowed).expect("an idx always fits")
}

struct Search<'a> {
    entries: &'a [Entry],
    model: &'a CostModel,
    allowed: Allowed,
    known: HashMap<(usize, usize, bool), Option<u64>>,
}

impl Search<'_> {
    /// Elements `from..to`, with the first one at zero or moved away from it.
    fn least(&mut self, from: usize, to: usize, moved: bool) -> Option<u64> {
        if let Some(&known) = self.known.get(&(from, to, moved)) {
            return known;
        }
        let mut costs = Vec::new();
        if to == from + 1 && !moved {
            costs.push(Some(self.model.leaf));
        }
        for copies in (2..=to - from).filter(|copies| (to - from).is_multiple_of(*copies)) {
            if self.equal_blocks(from, to, copies) {
                costs.extend(self.repeated(from, to, moved, copies));
            }
        }
        if moved {
            costs.extend(self.single(from, to));
        }
        if self.allowed.strc {
            let parts = self.at_least_two_parts(from, to);
            costs.push(parts.map(|parts| self.model.strc + parts));
        }
        let least = costs.into_iter().flatten().min();
        self.known.insert((from, to, moved), least);
        least
    }

    /// Least cost of a child that its parent may place anywhere.
    fn placed(&mut self, from: usize, to: usize) -> Option<u64> {
        [self.least(from, to, false), self.least(from, to, true)].into_iter().flatten().min()
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
    fn repeated(&mut self, from: usize, to: usize, moved: bool, copies: usize) -> Vec<Option<u64>> {
        let q = (to - from) / copies;
        let starts: Vec<i64> =
            (0..copies).map(|k| self.entries[from + k * q].displacement).collect();
        let strides: HashSet<i64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
        let mut costs = Vec::new();
        if strides.len() == 1 {
            let child = self.least(from, from + q, moved);
            costs.push(child.map(|child| self.model.vec + child));
        }
        let child = self.placed(from, from + q);
        let list = |n: usize| u64::try_from(n).expect("small") * self.model.lookup;
        costs.push(child.map(|child| self.model.idx + list(copies) + child));
        if self.allowed.idxbuc {
            for stride in strides {
                let breaks = starts.windows(2).filter(|w| w[1] - w[0] != stride).count();
                costs.push(child.map(|child| self.model.idxbuc + list(2 * (1 + breaks)) + child));
            }
        }
        costs
    }

    /// A node with one copy of elements that lie at zero: it moves them.
    fn single(&mut self, from: usize, to: usize) -> Vec<Option<u64>> {
        let child = self.least(from, to, false);
        let model = self.model;
        let mut nodes = vec![model.idx + model.lookup];
        if self.allowed.idxbuc {
            nodes.push(model.idxbuc + 2 * model.lookup);
        }
        if self.allowed.strc {
            nodes.push(model.strc + 2 * model.lookup);
        }
        nodes.into_iter().map(|node| child.map(|child| node + child)).collect()
    }

    /// Entries and children of a strc, over all ways to cut into two or more parts.
    fn at_least_two_parts(&mut self, from: usize, to: usize) -> Option<u64> {
        // least[k]: elements k..to in one or more parts, each of them smaller than the whole.
        let mut least: Vec<Option<u64>> = vec![None; to - from + 1];
        least[to - from] = Some(0);
        for k in (from..to).rev() {
            let mut costs = Vec::new();
            for end in k + 1..=to {
                if (k, end) != (from, to)
                    && let (Some(part), Some(rest)) = (self.placed(k, end), least[end - from])
                {
                    costs.push(2 * self.model.lookup + part + rest);
                }
            }
            least[k - from] = costs.into_iter().min();
        }
        least[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASIC: Allowed = Allowed { idxbuc: false, strc: false };
    const EXTENDED: Allowed = Allowed { idxbuc: true, strc: false };
    const TREE: Allowed = Allowed { idxbuc: true, strc: true };

    fn costs(starts: &[i64]) -> [u64; 3] {
        [BASIC, EXTENDED, TREE].map(|a| least_cost_of_sequence(starts, &CostModel::default(), a))
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
