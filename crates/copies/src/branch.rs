//! Copies under a condition.

use commloom_program::refusal::Code;
use commloom_source::Span;
use commloom_source::affine::{Atom, Polynomial};
use commloom_source::tree::{Expression, ExpressionKind, Name, Statement};

use super::Dense;
use super::loops::{Running, gather, start_of};
use super::piece::{Piece, solve};
use super::value::unnamed;
use super::walk::Walk;
use super::writes::{Writes, has_effects, names_in};

impl Walk<'_> {
    /// `if` with copies in it. Each running index gets one box, which is either branch's copies.
    pub(super) fn branch(
        &mut self,
        statement: &Statement,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
    ) {
        if matches!(condition.kind, ExpressionKind::Unknown(_))
            || has_effects(condition, self.symbols)
        {
            self.trouble(
                Code::Unreadable,
                statement.span,
                "the condition of these copies is not understood",
            );
        }
        let read = self.read_by(condition);
        let writes = Writes::of(std::slice::from_ref(statement), self.symbols);
        self.begin();
        let outside = std::mem::take(&mut self.state.pieces);
        let running = self.forget_changed(std::slice::from_ref(statement));
        let before = self.state.clone();
        let (by_then, mut yes) = self.one_branch(then, &running);
        let (problem, used) = (self.state.problem.take(), self.state.used);
        self.state = before.clone();
        let (by_otherwise, mut no) = self.one_branch(otherwise, &running);
        let (problem, used) = (problem.or(self.state.problem.take()), used || self.state.used);
        self.state = before;
        self.state.used |= used;
        self.state.problem = self.state.problem.take().or(problem);
        self.state.pieces = outside;
        self.havoc(&writes);
        let mut has_copies = !yes.is_empty() || !no.is_empty();
        let guarded = |yes: Dense, no: Dense| Dense::Guard {
            condition: condition.clone(),
            then: Box::new(yes),
            otherwise: Box::new(no),
        };
        for (scalar, (a, b)) in running.iter().zip(by_then.into_iter().zip(by_otherwise)) {
            let (Some(a), Some(b)) = (a, b) else {
                self.state.set(scalar.place.clone(), None);
                continue;
            };
            let atom = Atom::Unnamed(scalar.atom);
            let placed = (take_placed(&mut yes, &atom), take_placed(&mut no, &atom));
            has_copies |= a != b;
            let by = if a == b { a.clone() } else { unnamed(self.total(&scalar.place)) };
            if !placed.0.is_empty() || !placed.1.is_empty() {
                let Some(piece) = stepped(scalar, placed, [&a, &b, &by], &guarded) else {
                    self.trouble(
                        Code::Coverage,
                        statement.span,
                        "a branch does not fill just what its running index steps over",
                    );
                    continue;
                };
                self.state.pieces.push(piece);
            }
            self.finish(scalar, &by);
        }
        if !yes.is_empty() || !no.is_empty() {
            match one_box(yes, no, &guarded) {
                Some(piece) => self.state.pieces.push(piece),
                None => self.trouble(
                    Code::Coverage,
                    statement.span,
                    "this part of the buffer is filled under a condition only",
                ),
            }
        }
        // A condition that no copy depends on says nothing of the type.
        if has_copies {
            self.conditions.read.extend(read);
        }
        // Before the branch, the unnamed values were those before it.
        for scalar in &running {
            let (atom, value) = (Atom::Unnamed(scalar.atom), start_of(&scalar.before));
            self.state.pieces.iter_mut().for_each(|piece| piece.substitute(&atom, &value));
        }
    }

    /// Executes a branch; gives what it adds to each running index, and its copies.
    fn one_branch(
        &mut self,
        body: &[Statement],
        running: &[Running],
    ) -> (Vec<Option<Polynomial>>, Vec<Piece>) {
        for statement in body {
            self.statement(statement);
        }
        let by = running.iter().map(|scalar| self.increment(scalar)).collect();
        self.consume();
        (by, std::mem::take(&mut self.state.pieces))
    }

    /// The variables that a condition reads, which must be the same where the call stands.
    fn read_by(&self, condition: &Expression) -> Vec<(Name, u32, Span)> {
        let mut names: Vec<Name> = Vec::new();
        names_in(condition, &mut names);
        names.retain(|name| !self.open.contains(name) && self.symbols.variable(name).is_some());
        let version = |name: Name| {
            let version = self.version_inside(&name);
            (name, version, condition.span)
        };
        names.into_iter().map(version).collect()
    }
}

/// Takes the boxes that an index places.
fn take_placed(pieces: &mut Vec<Piece>, atom: &Atom) -> Vec<Piece> {
    let (placed, others) =
        std::mem::take(pieces).into_iter().partition(|piece| piece.start.mentions(atom));
    *pieces = others;
    placed
}

/// The content of two branches as one.
type Guarded<'g> = dyn Fn(Dense, Dense) -> Dense + 'g;

/// The box that both branches fill where a running index steps over it: by so many units in one,
/// in the other, and in whichever runs.
fn stepped(
    scalar: &Running,
    (yes, no): (Vec<Piece>, Vec<Piece>),
    [a, b, by]: [&Polynomial; 3],
    guarded: &Guarded<'_>,
) -> Option<Piece> {
    let spans = yes.iter().chain(&no).flat_map(|piece| piece.spans.clone()).collect();
    let (start, scale, yes, no) = both(yes, a, no, b, &Atom::Unnamed(scalar.atom))?;
    Some(Piece {
        start: scale.times(&start_of(&scalar.before)).plus(&start),
        length: scale.times(by),
        dimensions: Vec::new(),
        content: guarded(yes, no),
        spans,
    })
}

/// The one box that both branches fill.
fn one_box(yes: Vec<Piece>, no: Vec<Piece>, guarded: &Guarded<'_>) -> Option<Piece> {
    let spans = yes.iter().chain(&no).flat_map(|piece| piece.spans.clone()).collect();
    let (a, b) = (single(yes)?, single(no)?);
    let is_same = a.start == b.start && a.length == b.length;
    is_same.then(|| Piece {
        start: a.start,
        length: a.length,
        dimensions: Vec::new(),
        content: guarded(a.content, b.content),
        spans,
    })
}

/// Start (without the index's own), bytes per unit, and the contents of both branches; a branch
/// without copies adds nothing.
fn both(
    yes: Vec<Piece>,
    a: &Polynomial,
    no: Vec<Piece>,
    b: &Polynomial,
    atom: &Atom,
) -> Option<(Polynomial, Polynomial, Dense, Dense)> {
    let one = |pieces: Vec<Piece>, by: &Polynomial| {
        if pieces.is_empty() {
            by.is_zero().then_some(None)
        } else {
            gather(pieces, atom, by).map(Some)
        }
    };
    let nothing = || Dense::Sequence(Vec::new());
    match (one(yes, a)?, one(no, b)?) {
        (Some((yes, scale, start)), None) => Some((start, scale, yes.content, nothing())),
        (None, Some((no, scale, start))) => Some((start, scale, nothing(), no.content)),
        (Some((yes, scale, start)), Some((no, other_scale, other_start))) => (scale == other_scale
            && start == other_start)
            .then_some((start, scale, yes.content, no.content)),
        (None, None) => None,
    }
}

/// The one box that copies make, if they make one.
fn single(pieces: Vec<Piece>) -> Option<Piece> {
    let mut solved = solve(pieces, None);
    solved.pop().filter(|piece| solved.is_empty() && piece.dimensions.is_empty())
}
