//! strc over normalized parts.

use commloom_layout::{Kind, LayoutError, Type};

use super::{Normalizer, Placed, from_first};
use crate::forms::{Costed, Forms, Strided};
use crate::large::Line;
use crate::num::{add, count, span};
use crate::peel::peeled;
use crate::periods::periods;
use crate::repeat::repeat;
use crate::sequence::Sequence;
use crate::{Constructors, ReconstructError, large};

/// Parts in order. The first element of part k is at `starts[k]`.
#[derive(Default)]
struct Parts {
    starts: Vec<i64>,
    forms: Vec<Forms>,
}

impl Parts {
    fn push(&mut self, start: i64, forms: Forms) {
        self.starts.push(start);
        self.forms.push(forms);
    }
}

impl Normalizer {
    /// `children[k]` at `indices[k]`, at least one element in all; the first element counts as at
    /// zero.
    pub(super) fn parts(
        &mut self,
        indices: &[i64],
        children: &[Type],
    ) -> Result<Forms, ReconstructError> {
        let parts = self.spliced(indices, children)?;
        let parts = self.continued(parts)?;
        let starts = from_first(&parts.starts)?;
        let parts = self.grouped(Parts { starts, forms: parts.forms })?;
        if let [only] = &parts.forms[..] {
            return Ok(only.clone());
        }
        let mut best = self.strc_node(&parts)?;
        for other in [
            self.as_list(&parts)?,
            self.as_buckets_of_parts(&parts)?,
            self.as_repetition(&parts)?,
            self.as_tree(&parts)?,
            self.as_tree_of_smaller(&parts)?,
        ] {
            best = match other {
                Some(other) => other.min(best),
                None => best,
            };
        }
        Ok(best)
    }

    /// Law 7: the parts of a strc part become parts of this one; shifts move into the indices,
    /// empty parts go.
    fn spliced(&mut self, indices: &[i64], children: &[Type]) -> Result<Parts, ReconstructError> {
        let mut parts = Parts::default();
        for (&index, child) in indices.iter().zip(children) {
            let Some(Placed { shift, forms }) = self.visit(child)? else { continue };
            let start = add(index, shift)?;
            match forms.plain.ty.kind() {
                Kind::Strc { indices, children } => {
                    for (&inner, child) in indices.iter().zip(children.iter()) {
                        let forms = self.child(child)?;
                        parts.push(add(start, add(inner, child.first_byte())?)?, forms);
                    }
                }
                _ => parts.push(start, forms),
            }
        }
        Ok(parts)
    }

    /// Law 9: a part that goes on where the one before stops becomes one vec with it.
    fn continued(&mut self, parts: Parts) -> Result<Parts, ReconstructError> {
        let mut out = Parts::default();
        for (start, forms) in parts.starts.into_iter().zip(parts.forms) {
            if let (Some(&before), Some(last)) = (out.starts.last(), out.forms.last_mut())
                && let Some(distance) = start.checked_sub(before)
                && let Some(Strided { count, stride, child }) = join(last, &forms, distance)
            {
                *last = repeat(count, stride, &child, &self.prices)?;
            } else {
                out.push(start, forms);
            }
        }
        Ok(out)
    }

    /// Several equal parts in a row become one list where that is cheaper.
    fn grouped(&mut self, parts: Parts) -> Result<Parts, ReconstructError> {
        let mut out = Parts::default();
        let mut from = 0;
        while from < parts.starts.len() {
            let first = &parts.forms[from];
            let same = parts.forms[from..].iter();
            let n = same.take_while(|f| f.plain.ty == first.plain.ty).count();
            let starts = &parts.starts[from..from + n];
            let apart = self.entry().saturating_add(first.plain.cost).saturating_mul(count(n));
            let list = if n > 1 { Some(self.list(starts, first)?) } else { None };
            match list {
                Some(list) if list.plain.cost.saturating_add(self.entry()) < apart => {
                    out.push(starts[0], list);
                }
                _ => {
                    for &start in starts {
                        out.push(start, first.clone());
                    }
                }
            }
            from += n;
        }
        Ok(out)
    }

    /// The strc itself.
    fn strc_node(&self, parts: &Parts) -> Result<Forms, LayoutError> {
        let cost = parts.forms.iter().fold(self.prices.model.strc, |sum, f| {
            sum.saturating_add(self.entry()).saturating_add(f.plain.cost)
        });
        let children: Vec<Type> = parts.forms.iter().map(|f| f.plain.ty.clone()).collect();
        let plain = Costed { ty: Type::strc(&*parts.starts, children)?, cost };
        Forms::new(plain.clone(), Some(plain), &self.prices)
    }

    /// Two entries of lists: what a part costs beside its child.
    fn entry(&self) -> u64 {
        self.prices.model.lookup.saturating_mul(2)
    }

    /// Law 8: equal parts are an idx.
    fn as_list(&mut self, parts: &Parts) -> Result<Option<Forms>, ReconstructError> {
        let first = &parts.forms[0];
        if parts.forms.iter().any(|f| f.plain.ty != first.plain.ty) {
            return Ok(None);
        }
        self.list(&parts.starts, first).map(Some)
    }

    /// Law 8: vecs of one stride over one child, and single copies of it, are an idxbuc.
    fn as_buckets_of_parts(&mut self, parts: &Parts) -> Result<Option<Forms>, ReconstructError> {
        let strided = parts.forms.iter().find_map(|f| f.strided.clone());
        let Some(unit) = strided.filter(|_| self.prices.set >= Constructors::Extended) else {
            return Ok(None);
        };
        let block = |f: &Forms| match &f.strided {
            _ if f.plain.ty == unit.child.plain.ty => Some(1),
            Some(s) if s.stride == unit.stride && same(&s.child, &unit.child) => Some(s.count),
            _ => None,
        };
        match parts.forms.iter().map(block).collect::<Option<Vec<u64>>>() {
            Some(blocks) => {
                self.buckets(unit.stride, &parts.starts, &blocks, &unit.child).map(Some)
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
            let block = match &first.forms[..] {
                [only] => only.clone(),
                _ => self.strc_node(&first)?,
            };
            let starts: Vec<i64> = parts.starts.iter().step_by(q).copied().collect();
            let found = self.list(&starts, &block)?;
            best = Some(match best {
                Some(best) => best.min(found),
                None => found,
            });
        }
        Ok(best)
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
        large::solve_line(line, &self.prices, self.effort()).map(Some)
    }

    /// The exact programme with parts that are short paths taken apart by one level, so that a
    /// regularity may cut across parts.
    fn as_tree_of_smaller(&mut self, parts: &Parts) -> Result<Option<Forms>, ReconstructError> {
        if self.prices.set < Constructors::Tree {
            return Ok(None);
        }
        let mut smaller = Parts::default();
        for (&start, forms) in parts.starts.iter().zip(&parts.forms) {
            let room = self.limits.exact_tree.saturating_sub(count(smaller.starts.len()));
            match peeled(&forms.plain.ty, room)? {
                Some((inner, child)) => {
                    let child = self.child(&child)?;
                    for index in inner {
                        smaller.push(add(start, index)?, child.clone());
                    }
                }
                None => smaller.push(start, forms.clone()),
            }
        }
        if smaller.starts.len() == parts.starts.len() {
            return Ok(None);
        }
        self.as_tree(&smaller)
    }
}

fn same(a: &Forms, b: &Forms) -> bool {
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
