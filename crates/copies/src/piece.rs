//! Copies as boxes in the buffer, and how they are put in its order.
//!
//! Every copy is a box: loops (dimensions), each with a stride in the buffer, a start and a
//! length. Two rules are applied until neither fits:
//!
//! 1. *absorb*: a dimension whose stride is the length becomes a loop around the content, and the
//!    length grows by its count;
//! 2. *fuse*: of two boxes with the same dimensions, where one starts where the other ends, the
//!    contents become a sequence.
//!
//! If one box without dimensions remains, the copies cover its range densely, once, in the order
//! of its content (a mixed radix system: every stride is the length of all that is inside). Only
//! equality of polynomials is asked, so that no assumption on signs creeps in. Loops that were
//! interchanged and streams that interleave need no rules of their own.

use std::collections::HashMap;

use commloom_source::Span;
use commloom_source::affine::{Atom, Counter, Polynomial};

use super::Dense;

/// A box of copies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// First byte in the buffer, of the first turns.
    pub start: Polynomial,
    /// Bytes of the content.
    pub length: Polynomial,
    /// Loops around it that are not in the content yet.
    pub dimensions: Vec<Dimension>,
    /// The copies there.
    pub content: Dense,
    /// The statements that copy.
    pub spans: Vec<Span>,
}

/// A loop around a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dimension {
    pub counter: Counter,
    /// Turns.
    pub count: Polynomial,
    /// Bytes in the buffer from turn to turn.
    pub stride: Polynomial,
}

impl Piece {
    /// With an atom replaced everywhere.
    pub fn substitute(&mut self, atom: &Atom, value: &Polynomial) {
        self.start = self.start.substitute(atom, value);
        self.length = self.length.substitute(atom, value);
        for dimension in &mut self.dimensions {
            dimension.count = dimension.count.substitute(atom, value);
            dimension.stride = dimension.stride.substitute(atom, value);
        }
        self.content = self.content.substitute(atom, value);
    }

    /// Loops that count down in the buffer count up, loops of one turn go, and strides that fit
    /// the length are absorbed.
    fn absorb(&mut self) -> bool {
        let mut changed = false;
        'again: loop {
            for (at, dimension) in self.dimensions.iter().enumerate() {
                let once = dimension.count.as_constant() == Some(1);
                let fits = dimension.stride == self.length;
                let down = dimension.stride.looks_negative() && !self.content.has_guards();
                if !(once || fits || down) {
                    continue;
                }
                let Dimension { counter, count, stride } = self.dimensions.remove(at);
                let atom = Atom::Counter(counter);
                if once {
                    self.content = self.content.substitute(&atom, &Polynomial::zero());
                } else if fits {
                    self.length = self.length.times(&count);
                    let inside = std::mem::replace(&mut self.content, Dense::Sequence(Vec::new()));
                    self.content = Dense::Loop(counter, count, Box::new(inside));
                } else {
                    let last = count.minus(&Polynomial::constant(1));
                    self.start = self.start.plus(&stride.times(&last));
                    let reversed = last.minus(&Polynomial::atom(atom.clone()));
                    self.content = self.content.substitute(&atom, &reversed);
                    let stride = stride.times_constant(-1);
                    self.dimensions.push(Dimension { counter, count, stride });
                }
                changed = true;
                continue 'again;
            }
            return changed;
        }
    }

    /// The other's counters by which it gets the same dimensions as this one; none where it has
    /// not the same.
    fn matching(&self, other: &Piece) -> Option<Vec<(Counter, Counter)>> {
        if self.dimensions.len() != other.dimensions.len() {
            return None;
        }
        let mut free: Vec<&Dimension> = other.dimensions.iter().collect();
        self.dimensions
            .iter()
            .map(|mine| {
                let at =
                    free.iter().position(|d| d.stride == mine.stride && d.count == mine.count)?;
                Some((free.remove(at).counter, mine.counter))
            })
            .collect()
    }

    fn end(&self) -> Polynomial {
        self.start.plus(&self.length)
    }

    /// Appends another that begins where this one ends.
    fn append(&mut self, mut other: Piece, renamed: &[(Counter, Counter)]) {
        for (from, to) in renamed {
            other.content =
                other.content.substitute(&Atom::Counter(*from), &Polynomial::counter(*to));
        }
        self.length = self.length.plus(&other.length);
        self.spans.append(&mut other.spans);
        let mine = std::mem::replace(&mut self.content, Dense::Sequence(Vec::new()));
        let mut parts = mine.into_parts();
        parts.extend(other.content.into_parts());
        self.content = Dense::Sequence(parts);
    }
}

/// Applies the rules until neither fits. A box that covers exactly `wanted` (start and length) is
/// left as it is, so that neighbouring messages in one buffer stay apart.
///
/// Time: at most as many rounds as there are boxes and dimensions together; each is linear in the
/// boxes, up to the size of polynomials.
pub(super) fn solve(pieces: Vec<Piece>, wanted: Option<(&Polynomial, &Polynomial)>) -> Vec<Piece> {
    let mut pieces = pieces;
    let done = |piece: &Piece| {
        piece.dimensions.is_empty()
            && wanted
                .is_some_and(|(start, length)| &piece.start == start && &piece.length == length)
    };
    loop {
        let mut changed = false;
        for piece in &mut pieces {
            changed |= piece.absorb();
        }
        let mut starts: HashMap<Polynomial, Vec<usize>> = HashMap::new();
        for (number, piece) in pieces.iter().enumerate() {
            starts.entry(piece.start.clone()).or_default().push(number);
        }
        let mut slots: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
        for number in 0..slots.len() {
            let Some(mut piece) = slots[number].take() else { continue };
            while !done(&piece) {
                let next = starts.get(&piece.end()).into_iter().flatten().find_map(|&candidate| {
                    let other = slots[candidate].as_ref().filter(|other| !done(other))?;
                    Some((candidate, piece.matching(other)?))
                });
                let Some((candidate, renamed)) = next else { break };
                let Some(other) = slots[candidate].take() else { break };
                piece.append(other, &renamed);
                changed = true;
            }
            slots[number] = Some(piece);
        }
        pieces = slots.into_iter().flatten().collect();
        if !changed {
            return pieces;
        }
    }
}
