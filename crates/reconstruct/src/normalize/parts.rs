//! strc over normalized parts.

use std::rc::Rc;

use commloom_layout::{Kind, LayoutError, Type};

use super::levels::{Level, from_first};
use super::nest::Nest;
use super::{Normalizer, Placed};
use crate::forms::{Costed, Forms, Strided};
use crate::large::Line;
use crate::num::{add, count, span};
use crate::periods::periods;
use crate::repeat::repeat;
use crate::sequence::Sequence;
use crate::{Constructors, ReconstructError, large};

/// Parts in order. The first element of part k is at `starts[k]`.
#[derive(Default)]
pub(super) struct Parts {
    pub starts: Vec<i64>,
    pub forms: Vec<Rc<Forms>>,
}

impl Parts {
    pub(super) fn push(&mut self, start: i64, forms: impl Into<Rc<Forms>>) {
        self.starts.push(start);
        self.forms.push(forms.into());
    }
}

impl Normalizer {
    /// `children[k]` at `indices[k]`, at least one element in all; the first element counts as at
    /// zero.
    pub(super) fn parts(
        &mut self,
        indices: &[i64],
        children: &[Type],
    ) -> Result<Nest, ReconstructError> {
        let spliced = self.spliced(indices, children)?;
        let starts = from_first(&spliced.starts)?;
        Sequence::new(&starts)?;
        self.whole(Parts { starts, ..spliced })
    }

    /// The cheapest form that is found for these parts, the first one at zero.
    fn whole(&mut self, spliced: Parts) -> Result<Nest, ReconstructError> {
        if let [only] = &spliced.forms[..] {
            return Ok(Nest::of(only, &self.prices));
        }
        if let Some(list) = self.as_list(&spliced)?
            && (self.prices.set < Constructors::Tree || list.is_even())
        {
            return Ok(list);
        }
        if let Some(vec) = self.as_vec(&spliced)? {
            return Ok(vec);
        }
        // A copy that goes on a vec may do better as an entry of a list: both ways are tried.
        let copies = unrolled(&spliced)?;
        let segments = self.segments(&copies)?;
        let mut apart = self.strc_node(&segments)?;
        if let Some(buckets) = self.as_buckets_of_parts(&copies)? {
            apart = (*buckets.forms(&self.prices)?).clone().min(apart);
        }
        let mut parts = self.continued(spliced)?;
        let mut best = self.arranged(&parts)?;
        best.offer(apart, &self.prices);
        // Laws 10 and 11; every round must make it cheaper.
        while let Some((turned, nest)) = self.best_turn(&parts, best.cost())? {
            (parts, best) = (turned, nest);
        }
        Ok(best)
    }

    /// The parts with one vec beginning elsewhere, if that costs less than `known`.
    fn best_turn(
        &mut self,
        parts: &Parts,
        mut known: u64,
    ) -> Result<Option<(Parts, Nest)>, ReconstructError> {
        /// Every vec among more parts than this would take too long.
        const MOST: usize = 32;
        let mut best = None;
        if self.prices.set < Constructors::Tree || !(2..=MOST).contains(&parts.starts.len()) {
            return Ok(None);
        }
        for k in 0..parts.starts.len() {
            for turned in self.turned(parts, k)? {
                let turned = self.continued(turned)?;
                let nest = self.arranged(&turned)?;
                if nest.cost() < known {
                    known = nest.cost();
                    best = Some((turned, nest));
                }
            }
        }
        Ok(best)
    }

    /// The same with every vec beginning where it does.
    pub(super) fn arranged(&mut self, parts: &Parts) -> Result<Nest, ReconstructError> {
        if let [only] = &parts.forms[..] {
            return Ok(Nest::of(only, &self.prices));
        }
        let best = self.strc_of(parts)?;
        let path = match self.as_list(parts)? {
            None => self.as_buckets_of_parts(parts)?,
            path => path,
        };
        let Some(mut path) = path else { return Ok(Nest::of(&best, &self.prices)) };
        path.offer(best, &self.prices);
        Ok(path)
    }

    /// Law 7: the parts of a strc part become parts of this one, and so do the copies in short
    /// lists: they may belong to their neighbours here. Shifts move into the indices, empty parts
    /// go.
    fn spliced(&mut self, indices: &[i64], children: &[Type]) -> Result<Parts, ReconstructError> {
        let mut parts = Parts::default();
        for (&index, child) in indices.iter().zip(children) {
            let Some(Placed { shift, nest }) = self.visit(child)? else { continue };
            let forms = nest.forms(&self.prices)?;
            self.splice(add(index, shift)?, forms, &mut parts)?;
        }
        Ok(parts)
    }

    /// A part with its first element at `start`, taken apart if it is a list.
    fn splice(
        &mut self,
        start: i64,
        forms: Rc<Forms>,
        out: &mut Parts,
    ) -> Result<(), ReconstructError> {
        /// Longer lists stay as they are.
        const SHORT: usize = 256;
        match forms.plain.ty.kind() {
            Kind::Strc { indices, children } => {
                for (&inner, child) in indices.iter().zip(children.iter()) {
                    let at = add(start, add(inner, child.first_byte())?)?;
                    let forms = self.child(child)?.forms(&self.prices)?;
                    self.splice(at, forms, out)?;
                }
            }
            Kind::Idx { indices, child } if indices.len() <= SHORT => {
                let copy = self.child(child)?.forms(&self.prices)?;
                for &inner in indices.iter() {
                    out.push(add(start, add(inner, child.first_byte())?)?, copy.clone());
                }
            }
            Kind::IdxBuc { stride, indices, blocks, child } if indices.len() <= SHORT => {
                let copy = self.child(child)?.forms(&self.prices)?;
                let filled = indices.iter().zip(blocks.iter()).filter(|&(_, &b)| b > 0);
                for (&inner, &block) in filled {
                    let row = repeat(block, *stride, &copy, &self.prices)?;
                    out.push(add(start, add(inner, child.first_byte())?)?, row);
                }
            }
            _ => out.push(start, forms),
        }
        Ok(())
    }

    /// Law 9: a part that goes on where the one before stops becomes one vec with it.
    pub(super) fn continued(&mut self, parts: Parts) -> Result<Parts, ReconstructError> {
        let mut out = Parts::default();
        for (start, forms) in parts.starts.into_iter().zip(parts.forms) {
            if let (Some(&before), Some(last)) = (out.starts.last(), out.forms.last_mut())
                && let Some(distance) = start.checked_sub(before)
                && let Some(Strided { count, stride, child }) = join(last, &forms, distance)
            {
                *last = repeat(count, stride, &child, &self.prices)?.into();
            } else {
                out.push(start, forms);
            }
        }
        Ok(out)
    }

    /// The same as a strc, or what it becomes.
    pub(super) fn strc_of(&mut self, parts: &Parts) -> Result<Forms, ReconstructError> {
        let segments = self.segments(parts)?;
        let mut best = self.strc_node(&segments)?;
        let found =
            [self.as_repetition(parts)?, self.as_tree(parts)?, self.as_tree_of_smaller(parts)?];
        for other in found.into_iter().flatten() {
            let again = self.put_together(&other)?;
            best = again.min(other).min(best);
        }
        Ok(best)
    }

    /// The parts of a strc put together where that is cheaper.
    fn put_together(&mut self, forms: &Forms) -> Result<Forms, ReconstructError> {
        let Kind::Strc { indices, children } = forms.plain.ty.kind() else {
            return Ok(forms.clone());
        };
        let mut parts = Parts::default();
        for (&index, child) in indices.iter().zip(children.iter()) {
            let start = add(index, child.first_byte())?;
            parts.push(start, self.child(child)?.forms(&self.prices)?);
        }
        let parts = self.continued(parts)?;
        let segments = self.segments(&parts)?;
        Ok(self.strc_node(&segments)?)
    }

    /// The strc itself; of one part, that part.
    fn strc_node(&self, parts: &Parts) -> Result<Forms, LayoutError> {
        if let [only] = &parts.forms[..] {
            return Ok((**only).clone());
        }
        let cost = parts.forms.iter().fold(self.prices.model.strc, |sum, f| {
            sum.saturating_add(self.entry()).saturating_add(f.plain.cost)
        });
        let children: Vec<Type> = parts.forms.iter().map(|f| f.plain.ty.clone()).collect();
        let plain = Costed { ty: Type::strc(&*parts.starts, children)?, cost };
        Forms::new(plain.clone(), Some(plain), &self.prices)
    }

    /// Two entries of lists: what a part costs beside its child.
    pub(super) fn entry(&self) -> u64 {
        self.prices.model.lookup.saturating_mul(2)
    }

    /// Law 8: equal parts are an idx.
    fn as_list(&mut self, parts: &Parts) -> Result<Option<Nest>, ReconstructError> {
        let first = &parts.forms[0];
        if parts.forms.iter().any(|f| f.plain.ty != first.plain.ty) {
            return Ok(None);
        }
        self.list(&parts.starts, &Nest::of(first, &self.prices)).map(Some)
    }

    fn list_of(&mut self, starts: &[i64], child: &Forms) -> Result<Forms, ReconstructError> {
        Ok((*self.list(starts, &Nest::of(child, &self.prices))?.forms(&self.prices)?).clone())
    }

    /// Law 8: vecs of one stride over one child, and single copies of it, are an idxbuc.
    fn as_buckets_of_parts(&mut self, parts: &Parts) -> Result<Option<Nest>, ReconstructError> {
        let strided = parts.forms.iter().find_map(|f| f.strided.clone());
        let Some(unit) = strided.filter(|_| self.prices.set >= Constructors::Extended) else {
            return Ok(None);
        };
        let block = |f: &Rc<Forms>| match &f.strided {
            _ if f.plain.ty == unit.child.plain.ty => Some(1),
            Some(s) if s.stride == unit.stride && same(&s.child, &unit.child) => Some(s.count),
            _ => None,
        };
        match parts.forms.iter().map(block).collect::<Option<Vec<u64>>>() {
            Some(blocks) => {
                let child = Nest::of(&unit.child, &self.prices);
                self.buckets(unit.stride, &parts.starts, &blocks, &child).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Law 12, for a period that divides the number of parts: a vec or a list over one period.
    fn as_repetition(&mut self, parts: &Parts) -> Result<Option<Forms>, ReconstructError> {
        let kinds: Vec<&Type> = parts.forms.iter().map(|f| &f.plain.ty).collect();
        let periods = periods(&parts.starts, &kinds);
        let strided = periods.iter().find(|p| p.strided);
        let mut best: Option<Forms> = None;
        for period in periods.first().into_iter().chain(strided) {
            let q = period.length;
            let first =
                Parts { starts: parts.starts[..q].to_vec(), forms: parts.forms[..q].to_vec() };
            let block = self.arranged(&first)?.forms(&self.prices)?;
            let starts: Vec<i64> = parts.starts.iter().step_by(q).copied().collect();
            let found = self.list_of(&starts, &block)?;
            best = Some(match best {
                Some(best) => best.min(found),
                None => found,
            });
        }
        Ok(best)
    }

    /// Law 12, for the shortest period at equal distances. Few copies may do better otherwise.
    fn as_vec(&mut self, parts: &Parts) -> Result<Option<Nest>, ReconstructError> {
        const FEW: usize = 4;
        let kinds: Vec<&Type> = parts.forms.iter().map(|f| &f.plain.ty).collect();
        let Some(period) = periods(&parts.starts, &kinds).into_iter().find(|p| p.strided) else {
            return Ok(None);
        };
        let q = period.length;
        if parts.starts.len() / q < FEW {
            return Ok(None);
        }
        let first = Parts { starts: parts.starts[..q].to_vec(), forms: parts.forms[..q].to_vec() };
        let block = self.whole(first)?;
        let level = Level::Even {
            count: count(parts.starts.len() / q),
            stride: parts.starts[q] - parts.starts[0],
        };
        Ok(Some(block.under(vec![level], &self.prices)))
    }

    /// The best tree with the parts as atoms (law 12); exact where they are few.
    fn as_tree(&mut self, parts: &Parts) -> Result<Option<Forms>, ReconstructError> {
        if self.prices.set < Constructors::Tree {
            return Ok(None);
        }
        Sequence::new(&parts.starts)?;
        let mut line = Line::new();
        for (&start, forms) in parts.starts.iter().zip(&parts.forms) {
            line.push(start, forms);
        }
        let found = large::solve_line(&line, &self.prices, self.effort())?;
        Ok(Some(self.taken(found)))
    }

    /// The best tree with small parts written out, so that a regularity may cut across parts. They
    /// may have as many elements as the description has entries, a few times over.
    fn as_tree_of_smaller(&mut self, parts: &Parts) -> Result<Option<Forms>, ReconstructError> {
        if self.prices.set < Constructors::Tree {
            return Ok(None);
        }
        let entries: u64 = parts.forms.iter().map(|f| 1 + entries(&f.plain.ty)).sum();
        let mut room =
            self.limits.flatten.max(self.limits.exact_tree).max(entries.saturating_mul(4));
        let mut by_size: Vec<usize> = (0..parts.forms.len()).collect();
        by_size.sort_by_key(|&k| parts.forms[k].plain.ty.elements());
        let mut written = vec![false; parts.forms.len()];
        for k in by_size {
            let n = parts.forms[k].plain.ty.elements();
            written[k] = n > 1 && n <= room;
            room = room.saturating_sub(n);
        }
        if !written.contains(&true) {
            return Ok(None);
        }
        let mut smaller = Parts::default();
        for (k, (&start, forms)) in parts.starts.iter().zip(&parts.forms).enumerate() {
            if written[k] {
                for entry in forms.plain.ty.type_map() {
                    let leaf = Forms::leaf(entry.basic, &self.prices)?;
                    smaller.push(add(start, entry.displacement)?, leaf);
                }
            } else {
                smaller.push(start, forms.clone());
            }
        }
        self.as_tree(&smaller)
    }
}

/// Entries of all lists of a type, and counts of vecs as one. Shared subtrees count once per use;
/// the sum saturates.
fn entries(ty: &Type) -> u64 {
    let own = match ty.kind() {
        Kind::Idx { indices, .. } | Kind::IdxBuc { indices, .. } | Kind::Strc { indices, .. } => {
            count(indices.len())
        }
        _ => 1,
    };
    ty.children().iter().fold(own, |sum, c| sum.saturating_add(entries(c)))
}

/// Law 14: short vecs as their copies, where a neighbour has to do with such copies.
fn unrolled(parts: &Parts) -> Result<Parts, LayoutError> {
    /// Longer vecs stay as they are.
    const SHORT: u64 = 32;
    let mut out = Parts::default();
    let row = |a: &Strided, b: &Strided| a.stride == b.stride && same(&a.child, &b.child);
    // A neighbour that is such a copy, a row of them at another distance, or, if they are rows
    // themselves, another row.
    let of_copies = |k: Option<usize>, s: &Strided| {
        k.and_then(|k| parts.forms.get(k)).is_some_and(|f| {
            let other = f.strided.as_deref();
            same(f, &s.child)
                || other.is_some_and(|o| same(&o.child, &s.child) && o.stride != s.stride)
                || other.zip(s.child.strided.as_deref()).is_some_and(|(a, b)| row(a, b))
        })
    };
    for (k, (&start, forms)) in parts.starts.iter().zip(&parts.forms).enumerate() {
        match &forms.strided {
            Some(s)
                if s.count <= SHORT
                    && (of_copies(k.checked_sub(1), s) || of_copies(Some(k + 1), s)) =>
            {
                let (child, mut at) = (Rc::new(s.child.clone()), start);
                for copy in 0..s.count {
                    if copy > 0 {
                        at = add(at, s.stride)?;
                    }
                    out.push(at, Rc::clone(&child));
                }
            }
            _ => out.push(start, forms.clone()),
        }
    }
    Ok(out)
}

pub(super) fn same(a: &Forms, b: &Forms) -> bool {
    a.plain.ty == b.plain.ty
}

/// One vec for two parts `distance` apart, where the second continues the first.
fn join(first: &Forms, second: &Forms, distance: i64) -> Option<Strided> {
    let reaches = |s: &Strided| span(s.count, s.stride) == Some(distance);
    let (count, stride, child) = match (&first.strided, &second.strided) {
        (Some(a), Some(b)) if a.stride == b.stride && same(&a.child, &b.child) && reaches(a) => {
            (a.count.checked_add(b.count)?, a.stride, &a.child)
        }
        (Some(a), _) if same(&a.child, second) && reaches(a) => {
            (a.count.checked_add(1)?, a.stride, &a.child)
        }
        (_, Some(b)) if same(first, &b.child) && b.stride == distance => {
            (b.count.checked_add(1)?, b.stride, &b.child)
        }
        _ => return None,
    };
    Some(Strided { count, stride, child: child.clone() })
}
