//! Laws 10 and 11: where the period of a vec begins, and how far it reaches.
//!
//! In a strc, what lies before vec(c, d, S) may equal the end of its copy at -d, and what lies
//! behind it the beginning of its copy at c d. Then the vec may begin earlier or later: it takes
//! in whole copies (absorption), or every copy begins at another place of the period (rotation).
//! Expectation test 10 as a struct, first unit + regular middle + last unit, so becomes one vec
//! again.
//!
//! S and what lies around the vec are compared piece by piece. A piece is a row of equal copies;
//! it is cut where a piece on the other side is shorter.

use std::collections::VecDeque;
use std::rc::Rc;

use commloom_layout::{Kind, LayoutError, Type};

use super::Normalizer;
use super::parts::Parts;
use crate::ReconstructError;
use crate::forms::{Forms, Strided};
use crate::num::{add, count, span, sub};
use crate::repeat::repeat;

/// Most pieces of a period, and of what is compared with it on either side.
const MOST: usize = 256;

/// Most nodes that are visited for the pieces of one part.
const VISITS: usize = 1024;

/// Up to so many elements are pieces of their own.
const FEW: u64 = 64;

/// Copies of a child, a `stride` apart.
#[derive(Clone)]
struct Piece {
    start: i64,
    count: u64,
    stride: i64,
    child: Rc<Forms>,
}

impl Piece {
    fn has_child(&self, other: &Piece) -> bool {
        self.child.plain.ty == other.child.plain.ty
            && (self.count == 1 || other.count == 1 || self.stride == other.stride)
    }

    /// Behind the first `k` copies.
    fn behind(&self, k: u64) -> Option<i64> {
        span(k, self.stride)?.checked_add(self.start)
    }

    /// The first `k` copies, and the others.
    fn cut(&self, k: u64) -> Option<(Piece, Piece)> {
        let first = Piece { count: k, ..self.clone() };
        let rest = Piece { start: self.behind(k)?, count: self.count - k, ..self.clone() };
        Some((first, rest))
    }
}

/// A vec with its period in pieces (the first one at 0), and what is equal to it around it.
struct Periodic {
    start: i64,
    count: u64,
    stride: i64,
    period: Vec<Piece>,
    /// Pieces of the period that continue the vec, in pieces.
    before: usize,
    behind: usize,
}

impl Normalizer {
    /// The parts with vec `k` beginning elsewhere in its period, if anything around it belongs to
    /// it.
    pub(super) fn turned(
        &mut self,
        parts: &Parts,
        k: usize,
    ) -> Result<Vec<Parts>, ReconstructError> {
        let Some(vec) = parts.forms[k].strided.clone() else { return Ok(Vec::new()) };
        let mut before = self.pieces_of(parts, (0..k).rev(), true)?;
        let mut behind = self.pieces_of(parts, k + 1..parts.starts.len(), false)?;
        let Some(mut periodic) = self.periodic(parts.starts[k], &vec)? else {
            return Ok(Vec::new());
        };
        let (taken_before, taken_behind) =
            (periodic.reach_back(&mut before), periodic.reach_on(&mut behind));
        if periodic.before + periodic.behind == 0 {
            return Ok(Vec::new());
        }
        // A cut of the period for the pieces behind may have changed the number of those before.
        let m = periodic.period.len();
        let all = periodic.before + periodic.behind;
        // Whole copies from the beginning, up to the end, and where they begin now.
        let mut places = vec![0, all % m, periodic.before % m];
        places.sort_unstable();
        places.dedup();
        let mut found = Vec::new();
        for skipped in places {
            if let Some(parts) =
                self.begin_at(&periodic, skipped, (&before, taken_before), (&behind, taken_behind))?
            {
                found.push(parts);
            }
        }
        Ok(found)
    }

    /// The parts in the order of `numbers`, as pieces; `back` if that order is backwards.
    fn pieces_of(
        &mut self,
        parts: &Parts,
        numbers: impl Iterator<Item = usize>,
        back: bool,
    ) -> Result<VecDeque<Piece>, ReconstructError> {
        let mut all = VecDeque::new();
        for k in numbers {
            let mut pieces = Vec::new();
            let ty = &parts.forms[k].plain.ty;
            self.pieces(ty, parts.starts[k], &mut { VISITS }, &mut pieces)?;
            match back {
                true => all.extend(pieces.into_iter().rev()),
                false => all.extend(pieces),
            }
        }
        Ok(all)
    }

    fn periodic(
        &mut self,
        start: i64,
        vec: &Strided,
    ) -> Result<Option<Periodic>, ReconstructError> {
        let mut period = Vec::new();
        self.pieces(&vec.child.plain.ty, 0, &mut { VISITS }, &mut period)?;
        let (count, stride) = (vec.count, vec.stride);
        Ok(Some(Periodic { start, count, stride, period, before: 0, behind: 0 }))
    }

    /// The pieces of `ty`, with its origin at `at`: one if there would be more than [`MOST`], or
    /// where so many nodes were visited (a tree of lists in lists has exponentially many paths).
    fn pieces(
        &mut self,
        ty: &Type,
        at: i64,
        visits: &mut usize,
        out: &mut Vec<Piece>,
    ) -> Result<(), ReconstructError> {
        let from = out.len();
        let most = if *visits == 0 { 0 } else { MOST };
        *visits = visits.saturating_sub(1);
        if ty.elements() <= FEW {
            for entry in ty.type_map() {
                let child = Rc::new(Forms::leaf(entry.basic, &self.prices)?);
                out.push(Piece { start: add(at, entry.displacement)?, count: 1, stride: 0, child });
            }
            return Ok(());
        }
        let mut below: Vec<(i64, Type)> = Vec::new();
        match ty.kind() {
            Kind::Leaf(_) | Kind::Resized { .. } => {}
            Kind::Vec { count, stride, child } => {
                let forms = self.child(child)?.forms(&self.prices)?;
                let start = add(at, child.first_byte())?;
                out.push(Piece { start, count: *count, stride: *stride, child: forms });
                return Ok(());
            }
            Kind::Idx { indices, child } if indices.len() <= most => {
                below.extend(indices.iter().map(|i| (*i, child.clone())));
            }
            Kind::IdxBuc { stride, indices, blocks, child } if indices.len() <= most => {
                let forms = self.child(child)?.forms(&self.prices)?;
                for (&index, &count) in indices.iter().zip(blocks.iter()).filter(|(_, b)| **b > 0) {
                    let start = add(add(at, index)?, child.first_byte())?;
                    out.push(Piece { start, count, stride: *stride, child: forms.clone() });
                }
                return Ok(());
            }
            Kind::Strc { indices, children } if indices.len() <= most => {
                below.extend(indices.iter().copied().zip(children.iter().cloned()));
            }
            _ => {}
        }
        for (index, child) in below {
            self.pieces(&child, add(at, index)?, visits, out)?;
            if out.len() - from > most {
                out.truncate(from);
                break;
            }
        }
        if out.len() == from {
            let child = self.child(ty)?.forms(&self.prices)?;
            out.push(Piece { start: add(at, ty.first_byte())?, count: 1, stride: 0, child });
        }
        Ok(())
    }

    /// The parts with every copy beginning `skipped` pieces behind the farthest place before.
    fn begin_at(
        &mut self,
        periodic: &Periodic,
        skipped: usize,
        (before, taken_before): (&VecDeque<Piece>, usize),
        (behind, taken_behind): (&VecDeque<Piece>, usize),
    ) -> Result<Option<Parts>, ReconstructError> {
        let m = periodic.period.len();
        let total = periodic.before + periodic.behind;
        let Some(rest) = total.checked_sub(skipped) else { return Ok(None) };
        let (more, left_over) = (rest / m, rest % m);
        let Some(copies) = periodic.count.checked_add(count(more)) else { return Ok(None) };
        let mut parts = Parts::default();
        for piece in before.iter().skip(taken_before).rev() {
            self.push_piece(&mut parts, piece)?;
        }
        let first = -i64::try_from(periodic.before).expect("few pieces");
        let place = |k: i64| periodic.place(k);
        let offset = |n: usize| i64::try_from(n).expect("few pieces");
        for k in 0..offset(skipped) {
            self.push_piece(&mut parts, &place(first + k)?)?;
        }
        let begin = first + offset(skipped);
        let mut period = Parts::default();
        for k in begin..begin + offset(m) {
            self.push_piece(&mut period, &place(k)?)?;
        }
        let start = period.starts[0];
        period.starts.iter_mut().try_for_each(|s| sub(*s, start).map(|d| *s = d))?;
        let period = self.continued(period)?;
        let copy = self.arranged(&period)?.forms(&self.prices)?;
        parts.push(start, repeat(copies, periodic.stride, &copy, &self.prices)?);
        // Behind the last copy, counted back from the end of what belongs to the vec.
        let end = offset(periodic.behind);
        for k in end - offset(left_over)..end {
            self.push_piece(&mut parts, &periodic.place_behind(k)?)?;
        }
        for piece in behind.iter().skip(taken_behind) {
            self.push_piece(&mut parts, piece)?;
        }
        Ok(Some(parts))
    }

    fn push_piece(&mut self, parts: &mut Parts, piece: &Piece) -> Result<(), ReconstructError> {
        let forms = repeat(piece.count, piece.stride, &piece.child, &self.prices)?;
        parts.push(piece.start, forms);
        Ok(())
    }
}

impl Periodic {
    /// Piece `k` of the vec, from the first one; below zero before it.
    fn place(&self, k: i64) -> Result<Piece, LayoutError> {
        let m = i64::try_from(self.period.len()).expect("few pieces");
        let (copy, place) = (k.div_euclid(m), k.rem_euclid(m));
        let piece = &self.period[usize::try_from(place).expect("not negative")];
        let moved =
            copy.checked_mul(self.stride).ok_or(LayoutError::Overflow { what: "a stride" })?;
        Ok(Piece { start: add(add(self.start, moved)?, piece.start)?, ..piece.clone() })
    }

    /// Piece `k` behind the vec; below zero in its last copies.
    fn place_behind(&self, k: i64) -> Result<Piece, LayoutError> {
        let piece = self.place(k)?;
        let end = span(self.count, self.stride).ok_or(LayoutError::Overflow { what: "a span" })?;
        Ok(Piece { start: add(piece.start, end)?, ..piece })
    }

    /// Cuts piece `at` of the period in two.
    fn cut(&mut self, at: usize, k: u64) -> bool {
        let Some((first, rest)) = self.period[at].cut(k) else { return false };
        self.period.splice(at..=at, [first, rest]);
        true
    }

    /// Compares the pieces before the vec, nearest first; the number that belong to it.
    fn reach_back(&mut self, around: &mut VecDeque<Piece>) -> usize {
        let mut taken = 0;
        while taken < around.len() && self.before < MOST {
            let wanted = -1 - i64::try_from(self.before).expect("few pieces");
            let Ok(wanted) = self.place(wanted) else { break };
            let given = around[taken].clone();
            if !given.has_child(&wanted) {
                break;
            }
            let n = given.count.min(wanted.count);
            let start = |p: &Piece| p.behind(p.count - n);
            if start(&given) != start(&wanted) {
                break;
            }
            if wanted.count > n {
                if self.period.len() >= MOST {
                    break;
                }
                let m = self.period.len();
                let at = m - 1 - self.before % m;
                // Whole periods that were passed have a piece more each.
                let passed = self.before / m;
                if !self.cut(at, wanted.count - n) {
                    break;
                }
                self.before += passed;
                continue;
            }
            if given.count > n {
                let Some((rest, last)) = given.cut(given.count - n) else { break };
                around[taken] = last;
                around.insert(taken + 1, rest);
            }
            self.before += 1;
            taken += 1;
        }
        taken
    }

    /// The same behind the vec.
    fn reach_on(&mut self, around: &mut VecDeque<Piece>) -> usize {
        let mut taken = 0;
        while taken < around.len() && self.behind < MOST {
            let wanted = i64::try_from(self.behind).expect("few pieces");
            let Ok(wanted) = self.place_behind(wanted) else { break };
            let given = around[taken].clone();
            if !given.has_child(&wanted) || given.start != wanted.start {
                break;
            }
            let n = given.count.min(wanted.count);
            if wanted.count > n {
                if self.period.len() >= MOST {
                    break;
                }
                let m = self.period.len();
                let at = self.behind % m;
                let (passed, before) = (self.behind / m, self.before_after_cut(at));
                if !self.cut(at, n) {
                    break;
                }
                (self.behind, self.before) = (self.behind + passed, before);
                continue;
            }
            if given.count > n {
                let Some((first, rest)) = given.cut(n) else { break };
                around[taken] = first;
                around.insert(taken + 1, rest);
            }
            self.behind += 1;
            taken += 1;
        }
        taken
    }

    /// How many pieces `before` are once piece `at` of the period is cut in two.
    fn before_after_cut(&self, at: usize) -> usize {
        let m = self.period.len();
        let partial = self.before % m;
        self.before + self.before / m + usize::from(at >= m - partial)
    }
}
