//! Counted loops, executed as a whole: the body once, for a turn that has a number.
//!
//! Scalars that the body changes get an unnamed value at the beginning of the turn. If the turn
//! adds the same to one each time (`p = p + n`), its value there is that of the loop's beginning
//! plus the turn's number times the increment. If what it adds differs from turn to turn, the
//! copies that it places are put in order by themselves, and become one box as long as the
//! increment: so that "dense" needs no formula.

use std::collections::BTreeSet;

use commloom_program::refusal::Code;
use commloom_source::Span;
use commloom_source::affine::{Atom, Counter, Place, Polynomial};
use commloom_source::tree::{
    Bound, Expression, ExpressionKind, Loop, Name, Statement, StatementKind, Unary,
};

use super::piece::{Dimension, Piece, solve};
use super::state::{Located, Value};
use super::value::{quotient, unnamed};
use super::walk::Walk;
use super::writes::{Writes, for_each_body};
use super::{Dense, Turns};

/// A scalar or pointer that a body changes.
pub(super) struct Running {
    pub place: Place,
    /// Its value before, as a number, or as a pointer's offset.
    pub before: Value,
    /// The atom that it has at the beginning of a turn.
    pub atom: u32,
}

impl Walk<'_> {
    /// A loop with copies in it.
    pub(super) fn counted(&mut self, counted: &Loop, span: Span) {
        self.is_unsure = false;
        let Some(count) = self.count_of(counted) else {
            self.trouble(
                Code::Address,
                span,
                "how often this loop turns has no form that can be seen",
            );
            let writes = Writes::of(&counted.body, self.symbols);
            return self.havoc(&writes);
        };
        if counted.body.iter().any(jumps) {
            self.trouble(Code::Unreadable, span, "this loop is left or continued in its middle");
        }
        let (Some(first), Some(step)) = (self.number(&counted.first), self.number(&counted.step))
        else {
            return;
        };
        let Ok(number) = u32::try_from(self.turns.len()) else { return };
        let counter = Counter(number);
        self.turns.push(Turns {
            variable: counted.variable.clone(),
            first: first.clone(),
            step: step.clone(),
            count: count.clone(),
            span,
        });

        let mut running = self.forget_changed(&counted.body);
        let turn = Polynomial::counter(counter);
        let variable = Place::variable(counted.variable.clone());
        running.retain(|scalar| scalar.place != variable);
        self.begin();
        let outside = std::mem::take(&mut self.state.pieces);
        self.state.set(variable.clone(), Some(Value::Number(first.plus(&step.times(&turn)))));
        let first_unnamed = self.unnamed.count;
        self.open.push(counted.variable.clone());
        for statement in &counted.body {
            self.statement(statement);
        }
        self.open.pop();
        self.consume();
        self.close_loop(&running, &Turn { counter, count: count.clone(), span, first_unnamed });
        let mut pieces = outside;
        pieces.append(&mut self.state.pieces);
        self.state.pieces = pieces;
        // After the loop: the value that ended it, where it took its turns.
        self.state.set(variable, Some(Value::Number(first.plus(&step.times(&count)))));
        self.forget_again(&counted.body, &running);
    }

    /// How many turns a loop takes if it takes any.
    fn count_of(&mut self, counted: &Loop) -> Option<Polynomial> {
        let first = self.number(&counted.first)?;
        let last = self.number(&counted.last)?;
        let step = self.number(&counted.step)?;
        if !self.begins_in_range(counted, &first) {
            return None;
        }
        let span = last.minus(&first);
        match (counted.bound, step.as_constant()) {
            (_, Some(0)) => None,
            (Bound::Inclusive, _) => quotient(&span.plus(&step), &step),
            (Bound::Exclusive, Some(step)) => quotient(
                &span.plus(&Polynomial::constant(step - step.signum())),
                &Polynomial::constant(step),
            ),
            // The front end has looked at the direction: with the other sign the loop would not
            // end.
            (Bound::Exclusive, None) => {
                let falls = matches!(counted.step.kind, ExpressionKind::Unary(Unary::Minus, _));
                let one = Polynomial::constant(if falls { -1 } else { 1 });
                quotient(&span.plus(&step).minus(&one), &step)
            }
        }
    }

    /// Whether a loop's first value is the number that it is compared as: an unsigned one that has
    /// wrapped, or a negative one beside an unsigned bound, ends the loop at once. (Bounds that
    /// have wrapped are larger than any message.)
    fn begins_in_range(&mut self, counted: &Loop, first: &Polynomial) -> bool {
        let variable = Expression {
            span: counted.first.span,
            kind: ExpressionKind::Name(counted.variable.clone()),
        };
        let (Some(own), Some(bound)) = (self.integer_of(&variable), self.integer_of(&counted.last))
        else {
            return true;
        };
        let of_first = self.integer_of(&counted.first);
        let common = own.common(bound);
        self.converted(first.clone(), of_first, own).is_some()
            && (self.is_exact(first, own) || first.as_constant().is_some_and(|n| n >= 0))
            && self.is_exact(first, common)
    }

    /// Gives every scalar that statements change an unnamed value, and forgets what else they
    /// change.
    pub(super) fn forget_changed(&mut self, body: &[Statement]) -> Vec<Running> {
        let writes = Writes::of(body, self.symbols);
        let known: Vec<(Place, Value)> = self
            .state
            .values
            .iter()
            .filter(|(place, _)| {
                if place.steps.is_empty() {
                    writes.own.contains(&place.variable)
                } else {
                    writes.inside.contains(&place.variable)
                }
            })
            .map(|(place, value)| (place.clone(), value.clone()))
            .collect();
        let fresh: Vec<Name> = writes
            .own
            .iter()
            .filter(|name| {
                !known.iter().any(|(place, _)| place.steps.is_empty() && &place.variable == *name)
            })
            .cloned()
            .collect();
        let mut before = known;
        for name in fresh {
            let place = Place::variable(name.clone());
            let expression = commloom_source::tree::Expression {
                span: self.request.call,
                kind: commloom_source::tree::ExpressionKind::Name(name),
            };
            if let Some(number) = self.number(&expression) {
                before.push((place, Value::Number(number)));
            } else if let Some(located) = self.pointer_value(&expression) {
                before.push((place, Value::pointer(located)));
            }
        }
        self.havoc(&writes);
        let mut running = Vec::new();
        for (place, value) in before {
            let atom = self.fresh();
            let at_turn = match &value {
                Value::Number(_) => Some(Value::Number(unnamed(atom))),
                Value::Pointer(located) => {
                    self.advance((**located).clone(), &unnamed(atom)).map(Value::pointer)
                }
            };
            let Some(at_turn) = at_turn else { continue };
            self.state.values.insert(place.clone(), at_turn);
            running.push(Running { place, before: value, atom });
        }
        running
    }

    /// A variable that is not followed is forgotten once more after a loop: its values inside are
    /// not those outside.
    fn forget_again(&mut self, body: &[Statement], running: &[Running]) {
        let writes = Writes::of(body, self.symbols);
        let followed: Vec<(Place, Value)> = running
            .iter()
            .filter_map(|scalar| {
                Some((scalar.place.clone(), self.state.values.get(&scalar.place)?.clone()))
            })
            .collect();
        let variable: BTreeSet<Name> =
            followed.iter().map(|(place, _)| place.variable.clone()).collect();
        self.havoc(&Writes {
            own: writes.own.difference(&variable).cloned().collect(),
            inside: writes.inside.clone(),
            anything: writes.anything,
        });
        self.state.values.extend(followed);
    }

    /// A pointer variable's value, where it has one.
    fn pointer_value(&mut self, expression: &commloom_source::tree::Expression) -> Option<Located> {
        let of = self.locate_type(expression)?;
        (matches!(of, commloom_source::tree::Type::Pointer(_))
            && !self.symbols.language().is_fortran())
        .then(|| self.pointee(expression))
        .flatten()
    }

    /// Turns what the body did in one turn into what the loop does.
    fn close_loop(&mut self, running: &[Running], turn: &Turn) {
        let mut pieces = std::mem::take(&mut self.state.pieces);
        let counter = Atom::Counter(turn.counter);
        let mut open: Vec<(&Running, Polynomial)> = Vec::new();
        for scalar in running {
            match self.increment(scalar) {
                Some(by) => open.push((scalar, by)),
                // It is set anew each turn: of its value after the loop nothing is known.
                None => self.state.set(scalar.place.clone(), None),
            }
        }
        // Scalars whose increment may have others in it are settled when these are.
        loop {
            let own: Vec<Atom> =
                open.iter().map(|(scalar, _)| Atom::Unnamed(scalar.atom)).collect();
            let varies = |p: &Polynomial| {
                p.any(&mut |atom| match atom {
                    Atom::Counter(c) => *c == turn.counter,
                    Atom::Unnamed(number) => *number > turn.first_unnamed || own.contains(atom),
                    _ => false,
                })
            };
            let Some(at) = open.iter().position(|(_, by)| !varies(by)) else { break };
            let (scalar, by) = open.remove(at);
            let atom = Atom::Unnamed(scalar.atom);
            let start = start_of(&scalar.before);
            let at_turn = start.plus(&Polynomial::counter(turn.counter).times(&by));
            pieces.iter_mut().for_each(|piece| piece.substitute(&atom, &at_turn));
            open.iter_mut().for_each(|(_, other)| *other = other.substitute(&atom, &at_turn));
            self.finish(scalar, &by.times(&turn.count));
        }
        for (scalar, by) in open {
            self.uneven(scalar, &by, &mut pieces, turn);
        }
        for mut piece in pieces {
            let Some((stride, start)) = piece.start.linear_in(&counter) else {
                self.trouble(
                    Code::Coverage,
                    turn.span,
                    "the buffer's positions have no form that can be seen",
                );
                return;
            };
            let grows = piece.length.mentions(&counter)
                || piece
                    .dimensions
                    .iter()
                    .any(|d| d.count.mentions(&counter) || d.stride.mentions(&counter));
            if stride.is_zero()
                && turn.count.as_constant() != Some(1)
                && !is_whole_loop(&piece, turn.counter)
            {
                self.trouble(
                    Code::Coverage,
                    turn.span,
                    "turns of this loop write to the same place of the buffer",
                );
                return;
            }
            if grows {
                let problem = "turns of this loop fill parts of different lengths, \
                               at positions that are no running index";
                self.trouble(Code::Coverage, turn.span, problem);
                return;
            }
            piece.start = start;
            if !is_whole_loop(&piece, turn.counter) {
                piece.dimensions.push(Dimension {
                    counter: turn.counter,
                    count: turn.count.clone(),
                    stride,
                });
            }
            self.state.pieces.push(piece);
        }
    }

    /// A running index whose increment differs from turn to turn: the copies that it places must
    /// fill just what it steps over.
    fn uneven(&mut self, scalar: &Running, by: &Polynomial, pieces: &mut Vec<Piece>, turn: &Turn) {
        let atom = Atom::Unnamed(scalar.atom);
        let (placed, others): (Vec<Piece>, Vec<Piece>) =
            std::mem::take(pieces).into_iter().partition(|piece| piece.start.mentions(&atom));
        *pieces = others;
        if placed.is_empty() {
            return self.state.set(scalar.place.clone(), None);
        }
        let total = self.total(&scalar.place);
        let counter = Atom::Counter(turn.counter);
        let gathered = gather(placed, &atom, by).filter(|(_, _, rest)| !rest.mentions(&counter));
        let Some((mut piece, scale, rest)) = gathered else {
            self.trouble(
                Code::Coverage,
                turn.span,
                "a turn of this loop does not fill just what its running index steps over",
            );
            return;
        };
        let inside = std::mem::replace(&mut piece.content, Dense::Sequence(Vec::new()));
        piece.content = Dense::Loop(turn.counter, turn.count.clone(), Box::new(inside));
        piece.start = scale.times(&start_of(&scalar.before)).plus(&rest);
        piece.length = scale.times(&unnamed(total));
        pieces.push(piece);
        self.finish(scalar, &unnamed(total));
    }

    /// A running index, or pointer, got so many (elements) further.
    pub(super) fn finish(&mut self, scalar: &Running, by: &Polynomial) {
        let value = match &scalar.before {
            Value::Number(number) => Some(Value::Number(number.plus(by))),
            Value::Pointer(located) => self.advance((**located).clone(), by).map(Value::pointer),
        };
        match value {
            Some(value) => {
                self.state.values.insert(scalar.place.clone(), value);
            }
            None => self.state.set(scalar.place.clone(), None),
        }
    }

    /// The number added since the scalar had its unnamed value; none where its value does not come
    /// from that one.
    pub(super) fn increment(&mut self, scalar: &Running) -> Option<Polynomial> {
        let after = self.state.values.get(&scalar.place)?.clone();
        let by = match (&scalar.before, &after) {
            (Value::Number(_), Value::Number(after)) => after.minus(&unnamed(scalar.atom)),
            (Value::Pointer(before), Value::Pointer(after))
                if before.address.base == after.address.base =>
            {
                let place = &before.address.place;
                let size = self.measure(&before.of, &place.variable, place)?;
                let bytes = after.address.measured.minus(&before.address.measured);
                bytes.exact_quotient(&size)?.minus(&unnamed(scalar.atom))
            }
            _ => return None,
        };
        (!by.mentions(&Atom::Unnamed(scalar.atom))).then_some(by)
    }
}

/// The loop that is being closed.
struct Turn {
    counter: Counter,
    count: Polynomial,
    span: Span,
    /// Unnamed atoms after this one were made in the body.
    first_unnamed: u32,
}

/// Puts the copies that a running index places into one box; gives that, the bytes per unit of the
/// index, and the box's distance from it. None where they do not fill what it steps over.
pub(super) fn gather(
    placed: Vec<Piece>,
    atom: &Atom,
    by: &Polynomial,
) -> Option<(Piece, Polynomial, Polynomial)> {
    let mut solved = solve(placed, None);
    let piece = solved.pop().filter(|piece| solved.is_empty() && piece.dimensions.is_empty())?;
    let (scale, rest) = piece.start.linear_in(atom)?;
    (piece.length == scale.times(&by.on_lp64())).then_some((piece, scale, rest))
}

/// Whether a box has the loop inside already.
fn is_whole_loop(piece: &Piece, counter: Counter) -> bool {
    matches!(&piece.content, Dense::Loop(inside, _, _) if *inside == counter)
}

/// Where a running index begins; pointers count from where they were.
pub(super) fn start_of(value: &Value) -> Polynomial {
    match value {
        Value::Number(number) => number.clone(),
        Value::Pointer(_) => Polynomial::zero(),
    }
}

/// Whether a statement may leave the loop that it is in.
pub(super) fn jumps(statement: &Statement) -> bool {
    let mut found = matches!(
        statement.kind,
        StatementKind::Break(_)
            | StatementKind::Continue(_)
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::Return(_)
    );
    for_each_body(statement, &mut |inner| found = found || jumps(inner));
    found
}
