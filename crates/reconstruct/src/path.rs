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
//! Time: that of the [`prefixes`](crate::prefixes), of the buckets, and the pairs of repeated
//! prefixes (below 504^2 / 2 for n < 2^24). Space: the repeated prefixes, and the lists of the result.

use commloom_layout::{LayoutError, Type};

use crate::ReconstructError;
use crate::extended::{fewest_buckets, split_into_buckets};
use crate::forms::{Costed, Forms, moved, shift_node, shift_price};
use crate::num::{count, length};
use crate::prefixes::{Repeated, repeated_prefixes};
use crate::prices::Prices;
use crate::sequence::Sequence;

/// The root of an optimum for one repeated prefix.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// The atom itself.
    Atom,
    /// vec over the optimum `child` of the same sort, plain or carrying.
    Vec { child: usize },
    /// idx over the plain optimum `child`.
    Idx { child: usize },
    /// idxbuc over the plain optimum `child`.
    IdxBuc { child: usize, stride: i64, buckets: usize },
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

/// The optima of all repeated prefixes of a sequence; all lists run along `lengths`.
pub(crate) struct Paths<'a> {
    sequence: Sequence<'a>,
    atom: &'a Forms,
    prices: &'a Prices,
    /// Lengths of the repeated prefixes, ascending.
    lengths: Vec<usize>,
    /// Where the strided part of each prefix ends, in elements.
    strided: Vec<usize>,
    plain: Vec<Choice>,
    carrying: Vec<Choice>,
}

impl<'a> Paths<'a> {
    /// Solves `sequence`, its shift taken out, over copies of `atom`.
    pub(crate) fn solve(sequence: Sequence<'a>, atom: &'a Forms, prices: &'a Prices) -> Self {
        let Repeated { lengths, period } = repeated_prefixes(sequence.starts);
        let end = |&p: &usize| match p.is_multiple_of(period) {
            true => sequence.len(),
            false => strided_end(&sequence, p),
        };
        let strided = lengths.iter().map(end).collect();
        let mut paths =
            Paths { sequence, atom, prices, lengths, strided, plain: vec![], carrying: vec![] };
        paths.plain.push(Choice { cost: atom.plain.cost, root: Root::Atom });
        paths.carrying.push(Choice { cost: atom.carrying.cost, root: Root::Atom });
        for whole in 1..paths.lengths.len() {
            let (plain, carrying) = paths.best(whole);
            paths.plain.push(plain);
            paths.carrying.push(carrying);
        }
        paths
    }

    /// Both optima for prefix `whole`, from those of the shorter ones.
    fn best(&self, whole: usize) -> (Choice, Choice) {
        let q = self.lengths[whole];
        let mut plain = Choice { cost: u64::MAX, root: Root::Shift };
        let mut carrying = plain;
        let parts: Vec<usize> = (0..whole).filter(|&p| q.is_multiple_of(self.lengths[p])).collect();
        for &child in &parts {
            let p = self.lengths[child];
            let below = self.plain[child].cost;
            if q <= self.strided[child] {
                let vec = |inner: u64| self.prices.vec().saturating_add(inner);
                plain.offer(vec(below), Root::Vec { child });
                carrying.offer(vec(self.carrying[child].cost), Root::Vec { child });
            }
            let idx = self.prices.idx(q / p).saturating_add(below);
            plain.offer(idx, Root::Idx { child });
            carrying.offer(idx, Root::Idx { child });
        }
        for &child in &parts {
            let known = plain.cost.max(carrying.cost);
            if let Some((cost, root)) = self.bucketed(child, whole, known) {
                plain.offer(cost, root);
                carrying.offer(cost, root);
            }
        }
        carrying.offer(plain.cost.saturating_add(shift_price(self.prices)), Root::Shift);
        (plain, carrying)
    }

    /// Prefix `whole` as an idxbuc over prefix `child`, if that costs less than `known`.
    fn bucketed(&self, child: usize, whole: usize, known: u64) -> Option<(u64, Root)> {
        let (p, q) = (self.lengths[child], self.lengths[whole]);
        let below = self.plain[child].cost;
        let (buckets, stride) = if q <= self.strided[child] {
            (1, self.sequence.offset(p))
        } else {
            let node = self.prices.idxbuc(0)?;
            let room = known.checked_sub(below)?.checked_sub(node)?.checked_sub(1)?;
            let most = room / self.prices.model.lookup.saturating_mul(2);
            fewest_buckets(&self.sequence, p, q, length(most)?.min(q / p))?
        };
        let cost = self.prices.idxbuc(buckets)?.saturating_add(below);
        Some((cost, Root::IdxBuc { child, stride, buckets }))
    }

    /// The cheapest path of the whole sequence where it lies.
    pub(crate) fn placed(&self) -> Result<Costed, LayoutError> {
        let whole = self.lengths.len() - 1;
        if self.sequence.starts[0] == 0 {
            let cost = self.plain[whole].cost;
            return Ok(Costed { ty: self.plain(whole, false)?, cost });
        }
        Ok(Costed { ty: self.carrying(whole, true)?, cost: self.carrying[whole].cost })
    }

    /// The cheapest paths of the whole sequence with the shift taken out.
    pub(crate) fn forms(&self) -> Result<Forms, LayoutError> {
        let whole = self.lengths.len() - 1;
        let forms = self.both(whole)?;
        // Where several prefixes are strided to the end, the distance per element is the same.
        let part = (0..whole)
            .filter(|&p| self.strided[p] == self.sequence.len())
            .min_by_key(|&p| self.plain[p].cost);
        let Some(part) = part else { return Ok(forms) };
        let p = self.lengths[part];
        let stride = self.sequence.offset(p);
        Ok(forms.continued(count(self.sequence.len() / p), stride, self.both(part)?))
    }

    fn both(&self, prefix: usize) -> Result<Forms, LayoutError> {
        if prefix == 0 {
            return Ok(self.atom.clone());
        }
        let (plain, carrying) = (self.plain[prefix], self.carrying[prefix]);
        let built = Costed { ty: self.plain(prefix, false)?, cost: plain.cost };
        // A list carries a shift as it is: the same type serves for both.
        let list = matches!(plain.root, Root::Idx { .. } | Root::IdxBuc { .. });
        let carrying = match carrying.root {
            _ if list && carrying.cost == plain.cost => built.clone(),
            _ => Costed { ty: self.carrying(prefix, false)?, cost: carrying.cost },
        };
        Ok(Forms { plain: built, carrying, strided: None })
    }

    /// The type of a plain optimum. Recursion is as deep as the path, O(log n).
    fn plain(&self, prefix: usize, moved: bool) -> Result<Type, LayoutError> {
        let choice = self.plain[prefix];
        match choice.root {
            Root::Atom | Root::Shift => Ok(self.atom.plain.ty.clone()),
            Root::Vec { child } => self.vec(prefix, child, self.plain(child, false)?),
            Root::Idx { .. } | Root::IdxBuc { .. } => self.list(prefix, choice.root, moved),
        }
    }

    /// The type of a carrying optimum, with the shift of the sequence in it if `shifted`.
    fn carrying(&self, prefix: usize, shifted: bool) -> Result<Type, LayoutError> {
        let shift = if shifted { self.sequence.starts[0] } else { 0 };
        let choice = self.carrying[prefix];
        match choice.root {
            Root::Atom => moved(&self.atom.carrying.ty, shift),
            Root::Vec { child } => self.vec(prefix, child, self.carrying(child, shifted)?),
            Root::Idx { .. } | Root::IdxBuc { .. } => self.list(prefix, choice.root, shifted),
            Root::Shift => shift_node(&self.plain(prefix, false)?, shift, self.prices),
        }
    }

    fn vec(&self, whole: usize, child: usize, ty: Type) -> Result<Type, LayoutError> {
        let (p, q) = (self.lengths[child], self.lengths[whole]);
        Type::vec(count(q / p), self.sequence.offset(p), ty)
    }

    fn list(&self, whole: usize, root: Root, moved: bool) -> Result<Type, LayoutError> {
        let q = self.lengths[whole];
        match root {
            Root::IdxBuc { child, stride, buckets: 1 } => {
                let p = self.lengths[child];
                let first = self.sequence.every(q, q, moved);
                Type::idxbuc(stride, first, [count(q / p)], self.plain(child, false)?)
            }
            Root::IdxBuc { child, stride, .. } => {
                let starts = self.sequence.every(self.lengths[child], q, moved);
                let (indices, blocks) = split_into_buckets(&starts, stride);
                Type::idxbuc(stride, indices, blocks, self.plain(child, false)?)
            }
            Root::Idx { child } => {
                let indices = self.sequence.every(self.lengths[child], q, moved);
                Type::idx(indices, self.plain(child, false)?)
            }
            Root::Atom | Root::Vec { .. } | Root::Shift => unreachable!("not a list"),
        }
    }
}

/// The forms of the cheapest paths of a sequence, its shift taken out.
///
/// # Errors
/// A type that cannot be built (bounds or size past 64 bits).
pub(crate) fn solve(
    sequence: Sequence<'_>,
    atom: &Forms,
    prices: &Prices,
) -> Result<Forms, ReconstructError> {
    Ok(Paths::solve(sequence, atom, prices).forms()?)
}

/// Where the strided part of P_p ends: the largest multiple of p such that the blocks before it
/// start at equal distances.
fn strided_end(sequence: &Sequence<'_>, p: usize) -> usize {
    let n = sequence.len();
    let distance = sequence.offset(p);
    let origins = sequence.starts.iter().step_by(p);
    let pairs = origins.clone().zip(origins.skip(1));
    let equal = pairs.take_while(|(a, b)| *b - *a == distance).count();
    ((equal + 1) * p).min(n)
}
