//! The places and quotients that are surely evaluated on the way to a call. A text that stands for
//! loops evaluates what their turns did, also where they take none: memory that a pointer leads to
//! may not be there then, and a divisor may be zero.

use commloom_source::affine::{Atom, Counter, Operator, Place, Polynomial, Step};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind, Statement, StatementKind, Subscript, Type, Unary,
};

use super::Dense;
use super::loops::jumps;
use super::model::{Circumstances, Doubt, Doubts, Turns};
use super::place_type::type_at;
use super::walk::{Arrival, Certain, Walk};
use super::writes::{for_each_body, for_each_expression};
use super::{Copy, Direction};

impl Certain {
    /// How much is noted so far.
    pub fn mark(&self) -> (usize, usize) {
        (self.reads.len(), self.quotients.len())
    }

    /// Nothing before was surely executed.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.quotients.clear();
    }
}

impl Walk<'_> {
    /// Notes what a statement on the path evaluates, whatever becomes of its branches and turns.
    pub(super) fn surely(&mut self, statement: &Statement) {
        if self.certain.is_over {
            return;
        }
        match &statement.kind {
            StatementKind::Loop(counted) => {
                for bound in [&counted.first, &counted.last, &counted.step] {
                    self.evaluated(bound);
                }
            }
            StatementKind::Assign { target, value, .. } => {
                self.evaluated(target);
                self.evaluated(value);
            }
            StatementKind::If { condition, .. }
            | StatementKind::While { condition: Some(condition), .. } => self.evaluated(condition),
            StatementKind::Evaluate(value) => self.evaluated(value),
            _ => {}
        }
        // After the call, where the procedure may end before the copies, these say nothing.
        self.certain.is_over |=
            self.course.arrival.is_some() && (jumps(statement) || is_unknown(statement));
    }

    /// Notes what an expression evaluates, whatever it is.
    pub(super) fn evaluated(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Binary(Binary::And | Binary::Or, left, _) => self.evaluated(left),
            ExpressionKind::Binary(operation, left, right) => {
                if matches!(operation, Binary::Divide | Binary::Remainder) && is_pure(expression) {
                    let number = self.quietly(|walk| walk.number(expression));
                    number.iter().for_each(|number| self.note_quotients(number));
                }
                self.evaluated(left);
                self.evaluated(right);
            }
            ExpressionKind::Choice { condition, .. } => self.evaluated(condition),
            ExpressionKind::Unary(Unary::Address, place) => self.addressed(place),
            ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(Unary::Dereference, _) => {
                if is_pure(expression)
                    && let Some(at) = self.quietly(|walk| walk.locate(expression))
                {
                    let place = at.address.place;
                    let version = self.version(&place);
                    self.certain.reads.push((place, version));
                }
                self.addressed(expression);
            }
            ExpressionKind::Unary(_, inner)
            | ExpressionKind::Cast(_, inner)
            | ExpressionKind::Step { target: inner, .. } => self.evaluated(inner),
            ExpressionKind::Assign { target, value, .. } => {
                self.evaluated(target);
                self.evaluated(value);
            }
            // What could not be expanded, or is passed by its address, need not be evaluated.
            ExpressionKind::Call { function, arguments } => {
                let is_mpi = matches!(&function.kind, ExpressionKind::Name(name)
                    if name.starts_with("MPI_"));
                if is_mpi && !self.symbols.language().is_fortran() {
                    arguments.iter().for_each(|argument| self.evaluated(argument));
                }
            }
            _ => {}
        }
    }

    /// The subscripts and pointers on the way to a place.
    fn addressed(&mut self, place: &Expression) {
        match &place.kind {
            ExpressionKind::Element { base, subscripts } => {
                self.evaluated_pointer(base);
                for subscript in subscripts {
                    if let Subscript::At(at) = subscript {
                        self.evaluated(at);
                    }
                }
            }
            ExpressionKind::Member { base, .. } => self.addressed(base),
            ExpressionKind::Unary(Unary::Dereference, pointer) => self.evaluated(pointer),
            _ => {}
        }
    }

    /// An array is read where its elements are, a pointer by itself.
    fn evaluated_pointer(&mut self, base: &Expression) {
        if self.is_pointer(base) { self.evaluated(base) } else { self.addressed(base) }
    }

    /// Without a trace in what is known of widths.
    fn quietly<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let (is_wide, is_unsure) = (self.is_wide, self.is_unsure);
        let found = look(self);
        (self.is_wide, self.is_unsure) = (is_wide, is_unsure);
        found
    }

    fn note_quotients(&mut self, number: &Polynomial) {
        number.any(&mut |atom| {
            if is_quotient(atom) && !self.certain.quotients.contains(atom) {
                self.certain.quotients.push(atom.clone());
            }
            false
        });
    }

    /// All that the copies evaluate in their turns only.
    pub(super) fn doubts(&self, arrival: &Arrival, content: &Dense) -> Doubts {
        let reads = &self.certain.reads;
        let quotients = &self.certain.quotients;
        let is_later =
            self.request.direction == Direction::Pack || self.request.setting.made_at.is_some();
        let (reads, quotients) = if is_later {
            let (read, divided) = arrival.evaluated;
            (reads.get(..read).unwrap_or(reads), quotients.get(..divided).unwrap_or(quotients))
        } else {
            (reads.as_slice(), quotients.as_slice())
        };
        let same =
            |(place, version): &&(Place, u32)| *version == self.version_at(&arrival.state, place);
        let sure: Vec<&Place> = reads.iter().filter(same).map(|(place, _)| place).collect();
        let mut search =
            Search { symbols: self.symbols, turns: &self.turns, sure, doubts: Doubts::default() };
        search.doubts.quotients = quotients.to_vec();
        search.dense(content, &mut Circumstances::default());
        search.doubts
    }
}

/// A walk through copies for what they read.
struct Search<'s> {
    symbols: &'s dyn Symbols,
    turns: &'s [Turns],
    sure: Vec<&'s Place>,
    doubts: Doubts,
}

impl Search<'_> {
    fn dense(&mut self, content: &Dense, around: &mut Circumstances) {
        match content {
            Dense::Copy(copy) => self.copy(copy, around),
            Dense::Loop(counter, count, body) => {
                let mut outside = around.clone();
                outside.turns.retain(|outer| self.is_around(*outer, *counter));
                self.number(count, &outside);
                around.turns.push(*counter);
                self.dense(body, around);
                around.turns.pop();
            }
            Dense::Sequence(parts) => parts.iter().for_each(|part| self.dense(part, around)),
            Dense::Guard { condition, then, otherwise } => {
                if may_fail(condition) {
                    let turns = around.turns.iter().copied().filter(|turn| self.may_be_none(*turn));
                    self.doubts.conditions.push((condition.span, turns.collect()));
                }
                for (part, holds) in [(then, true), (otherwise, false)] {
                    around.conditions.push((condition.clone(), holds));
                    self.dense(part, around);
                    around.conditions.pop();
                }
            }
        }
    }

    /// Whether one loop stands around the other in the text.
    fn is_around(&self, outer: Counter, inner: Counter) -> bool {
        match (self.turn(outer), self.turn(inner)) {
            (Some(outer), Some(inner)) => {
                outer.span.contains(inner.span) && outer.span != inner.span
            }
            _ => true,
        }
    }

    fn turn(&self, counter: Counter) -> Option<&Turns> {
        self.turns.get(usize::try_from(counter.0).ok()?)
    }

    fn may_be_none(&self, counter: Counter) -> bool {
        self.turn(counter).and_then(|turn| turn.count.as_constant()).is_none_or(|count| count < 1)
    }

    fn copy(&mut self, copy: &Copy, around: &Circumstances) {
        self.place(&copy.address.place, around);
        for number in [&copy.address.measured, &copy.length, &copy.measured] {
            self.number(number, around);
        }
    }

    fn number(&mut self, number: &Polynomial, around: &Circumstances) {
        let mut places = Vec::new();
        number.any(&mut |atom| {
            if let Atom::Read { place, .. } = atom {
                places.push(place.clone());
            }
            false
        });
        places.iter().for_each(|place| self.place(place, around));
    }

    /// A place that is read, with the pointers on the way to it.
    fn place(&mut self, place: &Place, around: &Circumstances) {
        for subscript in place.subscripts() {
            self.number(subscript, around);
        }
        for end in 1..=place.steps.len() {
            let part = place.up_to(end);
            if self.may_be_absent(&part) && !self.is_sure(&part) {
                self.doubt(&part, around);
            }
        }
    }

    /// Whether reading a place may fail: a pointer leads there, or a subscript that is no number.
    fn may_be_absent(&self, place: &Place) -> bool {
        (0..place.steps.len()).any(|at| is_followed(self.symbols, place, at))
    }

    /// Whether all that leads to a place was gone through on every path.
    fn is_sure(&self, place: &Place) -> bool {
        (0..place.steps.len()).filter(|at| is_followed(self.symbols, place, *at)).all(|at| {
            let part = place.steps.get(..=at).unwrap_or_default();
            self.sure
                .iter()
                .any(|sure| sure.variable == place.variable && sure.steps.get(..=at) == Some(part))
        })
    }

    fn doubt(&mut self, place: &Place, around: &Circumstances) {
        let mut context = around.clone();
        context.turns.retain(|turn| self.may_be_none(*turn));
        context.turns.sort_by_key(|turn| self.turn(*turn).map(|turn| turn.span.start));
        let zero = place.map(&mut |atom| matches!(atom, Atom::Counter(_)).then(Polynomial::zero));
        let all = &mut self.doubts.reads;
        for place in [place, &zero] {
            let known = all.iter_mut().find(|doubt| doubt.place == *place);
            match known {
                Some(doubt) if doubt.contexts.contains(&context) => {}
                Some(doubt) => doubt.contexts.push(context.clone()),
                None => {
                    all.push(Doubt { place: place.clone(), contexts: vec![context.clone()] });
                }
            }
        }
    }
}

/// Whether a step of a place goes through a pointer, or to an element of C that is told by a
/// variable.
fn is_followed(symbols: &dyn Symbols, place: &Place, at: usize) -> bool {
    let is_fortran = symbols.language().is_fortran();
    match (type_at(symbols, &place.up_to(at)), place.steps.get(at)) {
        (Some(Type::Pointer(_)), _) | (None, _) => true,
        (_, Some(Step::At(subscripts))) => {
            !is_fortran && subscripts.iter().any(|subscript| subscript.as_constant().is_none())
        }
        _ => false,
    }
}

/// Whether an atom divides by something that may be zero.
pub fn is_quotient(atom: &Atom) -> bool {
    match atom {
        Atom::Apply(Operator::Divide | Operator::Remainder, operands) => {
            let by = operands.last().and_then(Polynomial::as_constant);
            matches!(by, None | Some(0))
        }
        _ => false,
    }
}

/// Whether evaluating a condition may fail.
fn may_fail(condition: &Expression) -> bool {
    let mut found = false;
    condition.each(&mut |e| {
        found |= match &e.kind {
            ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::Unary(Unary::Dereference, _) => true,
            ExpressionKind::Binary(Binary::Divide | Binary::Remainder, _, by) => {
                !matches!(by.kind, ExpressionKind::Integer(1..))
            }
            _ => false,
        };
    });
    found
}

/// Whether evaluating it changes nothing.
fn is_pure(expression: &Expression) -> bool {
    let mut is_pure = true;
    expression.each(&mut |e| {
        is_pure &= !matches!(
            e.kind,
            ExpressionKind::Step { .. }
                | ExpressionKind::Assign { .. }
                | ExpressionKind::Call { .. }
                | ExpressionKind::Unknown(_)
        );
    });
    is_pure
}

/// Whether a statement, or something in it, was not understood: it may end the path.
fn is_unknown(statement: &Statement) -> bool {
    let mut found = matches!(statement.kind, StatementKind::Unknown(_));
    for_each_expression(statement, &mut |expression| {
        expression.each(&mut |e| found |= matches!(e.kind, ExpressionKind::Unknown(_)));
    });
    for_each_body(statement, &mut |inner| found = found || is_unknown(inner));
    found
}
