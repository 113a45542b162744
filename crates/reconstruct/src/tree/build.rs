//! From the filled tables to types.

use std::collections::HashMap;

use commloom_layout::{LayoutError, Type};

use super::Programme;
use super::word::Word;
use crate::extended::{most_frequent, split_into_buckets};
use crate::forms::{Costed, Forms, shift_node, shift_price};
use crate::num::count;
use crate::shaped::{self, Shape};

/// A node over equal blocks.
#[derive(Clone, Copy)]
enum Node {
    Vec,
    Idx,
    IdxBuc { stride: i64 },
    Shaped(Shape),
}

/// The root of a carrying optimum of a prefix.
#[derive(Clone, Copy)]
enum Carrier {
    Atom,
    Strc,
    List { q: usize, node: Node },
    Vec { q: usize },
    Shift,
}

impl<W: Word> Programme<'_, W> {
    /// The forms of the whole.
    pub(super) fn forms(&self) -> Result<Forms, LayoutError> {
        let n = self.tokens.len();
        let carriers = self.carriers();
        let forms = self.prefix(n, &carriers)?;
        let blocks = (1..n).filter(|&q| n.is_multiple_of(q));
        let strided = blocks.filter(|&q| self.repetitions.strided(0, q) == n / q);
        match strided.min_by_key(|&q| self.best(0, q)) {
            Some(q) => {
                let stride = self.tokens.starts[q] - self.tokens.starts[0];
                Ok(forms.continued(count(n / q), stride, self.prefix(q, &carriers)?))
            }
            None => Ok(forms),
        }
    }

    /// Both forms of the first `q` tokens.
    fn prefix(
        &self,
        q: usize,
        carriers: &HashMap<usize, (u64, Carrier)>,
    ) -> Result<Forms, LayoutError> {
        if q == 1 {
            return Ok(self.tokens.atom(0).clone());
        }
        let plain = Costed { ty: self.segment(0, q)?, cost: self.best(0, q) };
        let carrying = self.carrying(q, carriers)?;
        Forms::new(plain, Some(carrying), self.prices)
    }

    /// Cheapest type of tokens i..j, the first one at 0.
    fn segment(&self, i: usize, j: usize) -> Result<Type, LayoutError> {
        if j == i + 1 {
            return Ok(self.tokens.atom(i).plain.ty.clone());
        }
        if self.strc(i, j) < self.path(i, j) {
            return self.parts(i, j);
        }
        let (q, node) = self.root(i, j);
        self.node(i, j, q, node)
    }

    /// The strc of an optimal cut of tokens i..j.
    fn parts(&self, i: usize, j: usize) -> Result<Type, LayoutError> {
        let entry = self.prices.model.lookup.saturating_mul(2);
        let (mut indices, mut children) = (Vec::new(), Vec::new());
        let mut from = i;
        while from < j {
            let left = self.split(from, j);
            let ends_part = |to: &usize| {
                let part = self.path(from, *to).saturating_add(entry);
                part.saturating_add(self.split(*to, j)) == left
            };
            // The longest first part: fewest parts among equals.
            let to = (from + 1..=j).rev().find(ends_part).expect("the split has a first part");
            indices.push(self.tokens.starts[from] - self.tokens.starts[i]);
            children.push(if to == from + 1 {
                self.tokens.atom(from).plain.ty.clone()
            } else {
                let (q, node) = self.root(from, to);
                self.node(from, to, q, node)?
            });
            from = to;
        }
        Type::strc(indices, children)
    }

    /// The path node that p(i,j) stands for, with the length of its block.
    fn root(&self, i: usize, j: usize) -> (usize, Node) {
        let wanted = self.path(i, j);
        let blocks = (1..j - i).filter(|q| (j - i).is_multiple_of(*q));
        let mut all = blocks.flat_map(|q| self.nodes(i, j, q).map(move |(price, n)| (q, price, n)));
        let found = all.find(|&(q, price, _)| price.saturating_add(self.best(i, i + q)) == wanted);
        let (q, _, node) = found.expect("the table was filled from these nodes");
        (q, node)
    }

    /// All nodes that make tokens i..j of copies of the first q, with their prices.
    fn nodes(&self, i: usize, j: usize, q: usize) -> impl Iterator<Item = (u64, Node)> {
        let m = (j - i) / q;
        let starts = self.tokens.starts;
        let fits = self.repetitions.equal(i, q) >= m;
        let strided = self.repetitions.strided(i, q) >= m;
        let vec = (fits && strided).then(|| (self.prices.vec(), Node::Vec));
        let idx = fits.then(|| (self.prices.idx(m), Node::Idx));
        let idxbuc = (fits && self.prices.idxbuc(1).is_some()).then(|| {
            let differences = (i..j - q).step_by(q).map(|t| starts[t + q] - starts[t]);
            let (most, stride) = most_frequent(differences);
            let price = self.prices.idxbuc(m - most).expect("idxbuc is allowed");
            (price, Node::IdxBuc { stride })
        });
        let copies = starts[i..j].iter().copied().step_by(q);
        let shaped = if fits { shaped::cheapest(copies, u64::MAX, self.prices) } else { None };
        let shaped = shaped.map(|(price, shape)| (price, Node::Shaped(shape)));
        [vec, idx, idxbuc, shaped].into_iter().flatten()
    }

    fn node(&self, i: usize, j: usize, q: usize, node: Node) -> Result<Type, LayoutError> {
        let child = self.segment(i, i + q)?;
        let starts = self.tokens.starts;
        let every: Vec<i64> = (i..j).step_by(q).map(|t| starts[t] - starts[i]).collect();
        match node {
            Node::Vec => Type::vec(count((j - i) / q), starts[i + q] - starts[i], child),
            Node::Idx => Type::idx(every, child),
            Node::IdxBuc { stride } => {
                let (indices, blocks) = split_into_buckets(&every, stride);
                Type::idxbuc(stride, indices, blocks, child)
            }
            Node::Shaped(shape) => {
                let (indices, blocks) = shape.lists(&every);
                Type::idxbuc(shape.stride, indices, blocks, child)
            }
        }
    }

    /// Carrying optima of all prefixes whose length divides n, with their costs.
    fn carriers(&self) -> HashMap<usize, (u64, Carrier)> {
        let n = self.tokens.len();
        let mut carriers = HashMap::from([(1, (self.tokens.atom(0).carrying.cost, Carrier::Atom))]);
        for length in (2..=n).filter(|q| n.is_multiple_of(*q)) {
            let shift = self.best(0, length).saturating_add(shift_price(self.prices));
            let mut options = vec![(self.strc(0, length), Carrier::Strc)];
            for q in (1..length).filter(|q| length.is_multiple_of(*q)) {
                let child = self.best(0, q);
                options.extend(self.nodes(0, length, q).map(|(price, node)| match node {
                    Node::Vec => (price.saturating_add(carriers[&q].0), Carrier::Vec { q }),
                    _ => (price.saturating_add(child), Carrier::List { q, node }),
                }));
            }
            options.push((shift, Carrier::Shift));
            let best = options.into_iter().min_by_key(|&(cost, _)| cost);
            carriers.insert(length, best.expect("a node for the shift is always possible"));
        }
        carriers
    }

    fn carrying(
        &self,
        length: usize,
        carriers: &HashMap<usize, (u64, Carrier)>,
    ) -> Result<Costed, LayoutError> {
        let (cost, carrier) = carriers[&length];
        let ty = match carrier {
            Carrier::Atom => self.tokens.atom(0).carrying.ty.clone(),
            Carrier::Strc => self.parts(0, length)?,
            Carrier::List { q, node } => self.node(0, length, q, node)?,
            Carrier::Vec { q } => {
                let stride = self.tokens.starts[q] - self.tokens.starts[0];
                Type::vec(count(length / q), stride, self.carrying(q, carriers)?.ty)?
            }
            Carrier::Shift => shift_node(&self.segment(0, length)?, 0, self.prices)?,
        };
        Ok(Costed { ty, cost })
    }
}
