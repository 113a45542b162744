//! Cheapest type path of a displacement sequence: leaf, vec, idx (Kalany and Träff 2015, section
//! 3.2) and, through [`extended`](crate::extended) and [`shaped`], idxbuc.
//!
//! Every node of a path repeats a repeated prefix, so the optimum for each repeated prefix P_q is
//! the cheapest of: a vec over P_p where P_p is strided in P_q; an idx or an idxbuc over P_p; for
//! every repeated prefix P_p with p | q, p < q. The leaf may be any *atom*, a part with its own
//! forms, so that an index list over a child is solved as a sequence of copies of that child.
//!
//! Deviations from the paper (book/src/explanation/reconstruction.md): two optima per prefix,
//! `plain` and `carrying` (ready to take the shift D[0] in a node reached through vecs), where
//! Lemma 5 touches the top node only; the strided part of P_p ends *behind* its last block.
//!
//! Time: that of the [`prefixes`](crate::prefixes), of the buckets, and the pairs of repeated
//! prefixes (below 504^2 / 2 for n < 2^24). Space: the repeated prefixes, and the lists of the
//! result.

use std::sync::Arc;

use commloom_layout::{LayoutError, Type};

use crate::extended::{fewest_buckets, split};
use crate::forms::{Costed, Forms, moved, shift_node, shift_price};
use crate::num::{count, length};
use crate::prefixes::{Repeated, repeated_prefixes_in};
use crate::prices::Prices;
use crate::rows::Rows;
use crate::sequence::Sequence;
use crate::shaped::{self, Shape};
use crate::{Constructors, ReconstructError};

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
    /// The same with buckets at equal distances, where that shape has a price of its own.
    Shaped { child: usize, shape: Shape },
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
    /// The starts as a list that a node can share, if the caller has one.
    list: Option<&'a Arc<[i64]>>,
    /// Lengths of the repeated prefixes, ascending.
    lengths: Vec<usize>,
    /// Where the strided part of each prefix ends, in elements.
    strided: Vec<usize>,
    plain: Vec<Choice>,
    carrying: Vec<Choice>,
}

impl<'a> Paths<'a> {
    /// Solves `sequence`, its shift taken out, over copies of `atom`.
    fn solve(
        sequence: Sequence<'a>,
        rows: Rows,
        list: Option<&'a Arc<[i64]>>,
        atom: &'a Forms,
        prices: &'a Prices,
    ) -> Self {
        let Repeated { lengths, period } = repeated_prefixes_in(sequence.starts, rows);
        let end = |&p: &usize| match p.is_multiple_of(period) {
            true => sequence.len(),
            false => strided_end(&sequence, p),
        };
        let strided = lengths.iter().map(end).collect();
        let (plain, carrying) = (vec![], vec![]);
        let mut paths = Paths { sequence, atom, prices, list, lengths, strided, plain, carrying };
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
        let parts = (0..whole).filter(|&p| q.is_multiple_of(self.lengths[p]));
        for child in parts.clone() {
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
        let extended = self.prices.set >= Constructors::Extended;
        let mut before = None;
        for child in parts.take_while(|_| extended) {
            let known = plain.cost.max(carrying.cost);
            let bucketed = self.bucketed(child, whole, known, before);
            before = bucketed.map(|(_, root)| root).or(before);
            let buckets = [bucketed, self.shaped(child, whole, known)];
            for (cost, root) in buckets.into_iter().flatten() {
                plain.offer(cost, root);
                carrying.offer(cost, root);
            }
        }
        carrying.offer(plain.cost.saturating_add(shift_price(self.prices)), Root::Shift);
        (plain, carrying)
    }

    /// Prefix `whole` as an idxbuc over prefix `child`, if that costs less than `known`. `before`
    /// is one over a shorter prefix.
    fn bucketed(
        &self,
        child: usize,
        whole: usize,
        known: u64,
        before: Option<Root>,
    ) -> Option<(u64, Root)> {
        let (p, q) = (self.lengths[child], self.lengths[whole]);
        let below = self.plain[child].cost;
        let (buckets, stride) = if q <= self.strided[child] {
            (1, self.sequence.offset(p))
        } else if let Some(same) = before.and_then(|b| self.same_buckets(b, child, whole)) {
            same
        } else {
            let node = self.prices.idxbuc(0)?;
            let room = known.checked_sub(below)?.checked_sub(node)?.checked_sub(1)?;
            let most = room / self.prices.model.lookup.saturating_mul(2);
            fewest_buckets(&self.sequence, p, q, length(most)?.min(q / p))?
        };
        let cost = self.prices.idxbuc(buckets)?.saturating_add(below);
        Some((cost, Root::IdxBuc { child, stride, buckets }))
    }

    /// The fewest buckets of P_p in P_q, and their stride, where they follow from `before`, those
    /// of a shorter prefix P_r at its own distance, and P_r is strided in P_p. Then inside a P_p
    /// there is no break, and at the border of two there is one for P_r where there is one for
    /// P_p. So there are as many, and no other stride of P_p has fewer if these are at most half
    /// of its differences.
    fn same_buckets(&self, before: Root, child: usize, whole: usize) -> Option<(usize, i64)> {
        let Root::IdxBuc { child: shorter, stride, buckets } = before else { return None };
        let [r, p, q] = [shorter, child, whole].map(|k| self.lengths[k]);
        let own = stride == self.sequence.offset(r);
        let strided = p.is_multiple_of(r) && p <= self.strided[shorter];
        let stride = stride.checked_mul(i64::try_from(p / r).ok()?)?;
        (own && strided && 2 * (buckets - 1) < q / p).then_some((buckets, stride))
    }

    /// The same with buckets at equal distances, where that shape has a price of its own.
    fn shaped(&self, child: usize, whole: usize, known: u64) -> Option<(u64, Root)> {
        let (p, q) = (self.lengths[child], self.lengths[whole]);
        let below = self.plain[child].cost;
        let starts = self.sequence.starts[..q].iter().copied().step_by(p);
        let (price, shape) = shaped::cheapest(starts, known.checked_sub(below)?, self.prices)?;
        Some((price.saturating_add(below), Root::Shaped { child, shape }))
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
        let list = !matches!(plain.root, Root::Atom | Root::Vec { .. } | Root::Shift);
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
            list => self.list(prefix, list, moved),
        }
    }

    /// The type of a carrying optimum, with the shift of the sequence in it if `shifted`.
    fn carrying(&self, prefix: usize, shifted: bool) -> Result<Type, LayoutError> {
        let shift = if shifted { self.sequence.starts[0] } else { 0 };
        let choice = self.carrying[prefix];
        match choice.root {
            Root::Atom => moved(&self.atom.carrying.ty, shift),
            Root::Vec { child } => self.vec(prefix, child, self.carrying(child, shifted)?),
            Root::Shift => shift_node(&self.plain(prefix, false)?, shift, self.prices),
            list => self.list(prefix, list, shifted),
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
            Root::IdxBuc { child, stride, buckets } => {
                let starts = &self.sequence.starts[..q];
                let origin = if moved { 0 } else { starts[0] };
                let (mut indices, blocks) = split(starts, self.lengths[child], stride, buckets);
                indices.iter_mut().for_each(|i| *i -= origin);
                Type::idxbuc(stride, indices, blocks, self.plain(child, false)?)
            }
            Root::Shaped { child, shape } => {
                let starts = self.sequence.every(self.lengths[child], q, moved);
                let (indices, blocks) = shape.lists(&starts);
                Type::idxbuc(shape.stride, indices, blocks, self.plain(child, false)?)
            }
            Root::Idx { child } => {
                let p = self.lengths[child];
                let indices = match self.list {
                    Some(list) if (p, q) == (1, list.len()) && (moved || list[0] == 0) => {
                        Arc::clone(list)
                    }
                    _ => self.sequence.every(p, q, moved),
                };
                Type::idx(indices, self.plain(child, false)?)
            }
            Root::Atom | Root::Vec { .. } | Root::Shift => unreachable!("not a list"),
        }
    }
}

/// The cheapest path of `displacements`, where they lie. A node that lists all of them shares
/// `list`, which holds the same.
///
/// # Errors
/// As [`Sequence::new`]; a type that cannot be built (bounds or size past 64 bits).
pub(crate) fn cheapest(
    displacements: &[i64],
    list: Option<&Arc<[i64]>>,
    atom: &Forms,
    prices: &Prices,
) -> Result<Costed, ReconstructError> {
    let rows = Rows::of(displacements);
    let sequence = Sequence::of_rows(displacements, &rows)?;
    Ok(Paths::solve(sequence, rows, list, atom, prices).placed()?)
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
    Ok(Paths::solve(sequence, Rows::of(sequence.starts), None, atom, prices).forms()?)
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
