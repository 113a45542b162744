//! Cheapest type path of a displacement sequence: leaf, vec, idx (Kalany and Träff 2015, section
//! 3.2) and, through [`extended`](crate::extended), idxbuc.
//!
//! Every node of a path repeats a repeated prefix, so the optimum for each repeated prefix P_q is
//! the cheapest of: a vec over P_p where P_p is strided in P_q; an idx or an idxbuc over P_p; for
//! every repeated prefix P_p with p | q, p < q. The leaf may be any *atom*, a part with its own
//! forms, so that an index list over a child is solved as a sequence of copies of that child.
//!
//! Deviations from the paper (ALGORITHMS.md, section 1): two optima per prefix, `plain` and
//! `carrying` (ready to take the shift D[0] in a node reached through vecs), where Lemma 5 touches
//! the top node only; the strided part of P_p ends *behind* its last block.
//!
//! Time: the repeated prefixes, O(n log log n), the strided ends, at most the same, and the pairs
//! of repeated prefixes (below 504^2 / 2 for n < 2^24). Space: n steps and the prefixes.

use commloom_layout::{LayoutError, Type};

use crate::ReconstructError;
use crate::extended::{Buckets, fewest_buckets, split_into_buckets};
use crate::forms::{Costed, Forms, shift_node, shift_price};
use crate::num::count;
use crate::prefixes::repeated_prefixes;
use crate::prices::Prices;
use crate::sequence::Sequence;

/// The root of an optimum for one repeated prefix.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// The atom itself.
    Atom,
    /// vec over the optimum `child`.
    Vec { child: usize },
    /// vec over the carrying optimum `child`.
    VecCarrying { child: usize },
    /// idx over the plain optimum `child`.
    Idx { child: usize },
    /// idxbuc over the plain optimum `child`.
    IdxBuc { child: usize, stride: i64 },
    /// The plain optimum of the same prefix under a node for the shift.
    Shift,
}

#[derive(Debug, Clone, Copy)]
struct Choice {
    cost: u64,
    root: Root,
}

impl Choice {
    fn offer(&mut self, cost: u64, root: Root) {
        if cost < self.cost {
            *self = Choice { cost, root };
        }
    }
}

/// The programme over repeated prefixes; all lists run along `lengths`.
struct Paths<'a> {
    sequence: &'a Sequence<'a>,
    atom: &'a Forms,
    prices: &'a Prices,
    /// Lengths of the repeated prefixes, ascending.
    lengths: Vec<usize>,
    /// Where the strided part of each prefix ends, in elements.
    strided: Vec<usize>,
    plain: Vec<Choice>,
    carrying: Vec<Choice>,
}

/// The cheapest paths for `sequence` (its shift taken out) over copies of `atom`.
///
/// # Errors
/// A type that cannot be built (bounds or size past 64 bits).
pub(crate) fn solve(
    sequence: &Sequence<'_>,
    atom: &Forms,
    prices: &Prices,
) -> Result<Forms, ReconstructError> {
    if sequence.len() == 1 {
        return Ok(atom.clone());
    }
    let lengths = repeated_prefixes(&sequence.steps);
    let strided = lengths.iter().map(|&p| strided_end(sequence.starts, p)).collect();
    let paths = Paths { sequence, atom, prices, lengths, strided, plain: vec![], carrying: vec![] };
    Ok(paths.solved().forms()?)
}

/// Where the strided part of P_p ends: the largest multiple of p such that the blocks before it
/// start at equal distances.
fn strided_end(starts: &[i64], p: usize) -> usize {
    let n = starts.len();
    if p == n {
        return n;
    }
    let stride = starts[p] - starts[0];
    let mut last = p;
    while last + p < n && starts[last + p] - starts[last] == stride {
        last += p;
    }
    last + p
}

impl<'a> Paths<'a> {
    fn solved(mut self) -> Self {
        let buckets: Vec<Buckets> = (0..self.lengths.len()).map(|i| self.buckets(i)).collect();
        self.plain.push(Choice { cost: self.atom.plain.cost, root: Root::Atom });
        self.carrying.push(Choice { cost: self.atom.carrying.cost, root: Root::Atom });
        for whole in 1..self.lengths.len() {
            let mut plain = Choice { cost: u64::MAX, root: Root::Shift };
            let mut carrying = plain;
            for part in (0..whole).filter(|&p| self.divides(p, whole)) {
                self.offer(part, whole, &buckets[part], &mut plain, &mut carrying);
            }
            carrying.offer(plain.cost.saturating_add(shift_price(self.prices)), Root::Shift);
            self.plain.push(plain);
            self.carrying.push(carrying);
        }
        self
    }

    fn divides(&self, part: usize, whole: usize) -> bool {
        self.lengths[whole].is_multiple_of(self.lengths[part])
    }

    fn buckets(&self, part: usize) -> Buckets {
        let p = self.lengths[part];
        if self.prices.idxbuc(1).is_none() {
            return Buckets::none();
        }
        let ends: Vec<usize> = (part + 1..self.lengths.len())
            .filter(|&w| self.divides(part, w) && self.lengths[w] > self.strided[part])
            .map(|w| self.lengths[w])
            .collect();
        fewest_buckets(self.sequence, p, &ends, self.prices)
    }

    /// All nodes that make prefix `whole` of copies of prefix `part`.
    fn offer(
        &self,
        part: usize,
        whole: usize,
        buckets: &Buckets,
        plain: &mut Choice,
        carrying: &mut Choice,
    ) {
        let (p, q) = (self.lengths[part], self.lengths[whole]);
        let child = self.plain[part].cost;
        let strided = q <= self.strided[part];
        let stride = self.sequence.starts[p] - self.sequence.starts[0];
        if strided {
            plain.offer(self.prices.vec().saturating_add(child), Root::Vec { child: part });
            let inner = self.carrying[part].cost;
            let root = Root::VecCarrying { child: part };
            carrying.offer(self.prices.vec().saturating_add(inner), root);
        }
        let idx = self.prices.idx(q / p).saturating_add(child);
        plain.offer(idx, Root::Idx { child: part });
        carrying.offer(idx, Root::Idx { child: part });
        let found = if strided { Some((1, stride)) } else { buckets.at(q) };
        if let Some((n, stride)) = found
            && let Some(node) = self.prices.idxbuc(n)
        {
            let cost = node.saturating_add(child);
            plain.offer(cost, Root::IdxBuc { child: part, stride });
            carrying.offer(cost, Root::IdxBuc { child: part, stride });
        }
    }

    fn forms(&self) -> Result<Forms, LayoutError> {
        let whole = self.lengths.len() - 1;
        let forms = self.both(whole)?;
        // Where several prefixes are strided to the end, the distance per element is the same.
        let part = (0..whole)
            .filter(|&p| self.strided[p] == self.sequence.len())
            .min_by_key(|&p| self.plain[p].cost);
        let Some(part) = part else { return Ok(forms) };
        let p = self.lengths[part];
        let stride = self.sequence.starts[p] - self.sequence.starts[0];
        Ok(forms.continued(count(self.sequence.len() / p), stride, self.both(part)?))
    }

    fn both(&self, prefix: usize) -> Result<Forms, LayoutError> {
        if prefix == 0 {
            return Ok(self.atom.clone());
        }
        let plain = Costed { ty: self.build(prefix, false)?, cost: self.plain[prefix].cost };
        let same = matches!(self.plain[prefix].root, Root::Idx { .. } | Root::IdxBuc { .. });
        let carrying = match self.carrying[prefix] {
            Choice { cost, .. } if same && cost == plain.cost => plain.clone(),
            Choice { root: Root::Shift, .. } => shift_node(&plain, self.prices)?,
            Choice { cost, .. } => Costed { ty: self.build(prefix, true)?, cost },
        };
        Forms::new(plain, Some(carrying), self.prices)
    }

    /// The type of an optimum. Recursion is as deep as the path, O(log n).
    fn build(&self, prefix: usize, carrying: bool) -> Result<Type, LayoutError> {
        let q = self.lengths[prefix];
        let choice = if carrying { self.carrying[prefix] } else { self.plain[prefix] };
        let strided = |child: usize, ty| {
            let p = self.lengths[child];
            Type::vec(count(q / p), self.sequence.starts[p] - self.sequence.starts[0], ty)
        };
        match choice.root {
            Root::Atom if carrying => Ok(self.atom.carrying.ty.clone()),
            Root::Atom => Ok(self.atom.plain.ty.clone()),
            Root::Vec { child } => strided(child, self.build(child, false)?),
            Root::VecCarrying { child } => strided(child, self.build(child, true)?),
            Root::Idx { child } => {
                let indices: Vec<i64> = self.sequence.every(self.lengths[child], q).collect();
                Type::idx(indices, self.build(child, false)?)
            }
            Root::IdxBuc { child, stride } => {
                let starts = self.sequence.every(self.lengths[child], q);
                let (indices, blocks) = split_into_buckets(starts, stride);
                Type::idxbuc(stride, indices, blocks, self.build(child, false)?)
            }
            Root::Shift => {
                let plain =
                    Costed { ty: self.build(prefix, false)?, cost: self.plain[prefix].cost };
                Ok(shift_node(&plain, self.prices)?.ty)
            }
        }
    }
}
