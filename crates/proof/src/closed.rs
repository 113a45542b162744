//! The values that removed copies leave behind: the value that a running index has after its
//! loops.

use commloom_copies::Packing;
use commloom_program::View;
use commloom_source::Span;
use commloom_source::affine::{Atom, Counter, Operator, Place, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind,
};

/// The effect on one scalar of statements that copy and count.
pub(super) struct Closed<'a> {
    pub view: &'a View<'a>,
    /// The copies; the counts of their loops hold where the call stands.
    pub packing: &'a Packing,
    pub name: &'a Name,
}

impl Closed<'_> {
    /// The scalar's value after some statements, in terms of its value before; none where it has
    /// no such form. Loops that take no turn add nothing.
    pub fn value(&self, removed: &[Span]) -> Option<Polynomial> {
        let mut sum = Polynomial::zero();
        for statement in &self.view.procedure().body {
            self.removed_in(statement, removed, &mut sum)?;
        }
        let before = Atom::Read { place: Place::variable(self.name.clone()), version: 0 };
        Some(Polynomial::atom(before).plus(&sum))
    }

    /// Adds what the outermost statements that go add, in the order of the text.
    fn removed_in(
        &self,
        statement: &Statement,
        removed: &[Span],
        sum: &mut Polynomial,
    ) -> Option<()> {
        if removed.iter().any(|r| r.contains(statement.span)) {
            *sum = sum.plus(&self.added(statement)?);
            return Some(());
        }
        statement.bodies().into_iter().flatten().try_for_each(|s| self.removed_in(s, removed, sum))
    }

    /// The number that a statement adds.
    fn added(&self, statement: &Statement) -> Option<Polynomial> {
        match &statement.kind {
            StatementKind::Loop(counted) => {
                if counted.variable == *self.name || self.is_in_head(statement) {
                    return None;
                }
                let body = self.all(&counted.body)?;
                if body.is_zero() {
                    return Some(body);
                }
                Some(self.turns(statement.span)?.times(&body))
            }
            StatementKind::Block(body) => self.all(body),
            StatementKind::Assign { target, operation, value } if self.is_it(target) => {
                self.stepped(*operation, value)
            }
            // A part of it gets a value, which no sum stands for.
            StatementKind::Assign { target, .. } if self.is_in(target) => None,
            StatementKind::Evaluate(Expression {
                kind: Kind::Assign { target, operation, value },
                ..
            }) if self.is_it(target) => self.stepped(*operation, value),
            StatementKind::If { .. } | StatementKind::While { .. } => {
                let mut mentioned = false;
                statement.each(&mut |s| {
                    mentioned |= s.expressions().iter().any(|e| e.mentions(self.name));
                });
                (!mentioned).then(Polynomial::zero)
            }
            _ => statement
                .expressions()
                .into_iter()
                .try_fold(Polynomial::zero(), |sum, e| Some(sum.plus(&self.steps(e)?))),
        }
    }

    /// How often a loop of the copies turns.
    fn turns(&self, span: Span) -> Option<Polynomial> {
        let at = self.packing.turns.iter().position(|t| t.span == span)?;
        let count = &self.packing.turns[at].count;
        if let Some(count) = count.as_constant() {
            return Some(Polynomial::constant(count.max(0)));
        }
        let varies = |atom: &Atom| matches!(atom, Atom::Counter(_) | Atom::Unnamed(_));
        let is_its = |counter: Counter| usize::try_from(counter.0) == Ok(at);
        let holds = self.packing.copies.counts(&is_its);
        if !holds || count.is_lost() || count.any(&mut |atom| varies(atom)) {
            return None;
        }
        Some(Polynomial::apply(Operator::Max, vec![Polynomial::zero(), count.clone()]))
    }

    fn all(&self, body: &[Statement]) -> Option<Polynomial> {
        body.iter().try_fold(Polynomial::zero(), |sum, s| Some(sum.plus(&self.added(s)?)))
    }

    fn is_in_head(&self, statement: &Statement) -> bool {
        statement.expressions().iter().any(|e| e.mentions(self.name))
    }

    fn is_it(&self, expression: &Expression) -> bool {
        matches!(&expression.kind, Kind::Name(n) if n == self.name)
    }

    fn is_in(&self, target: &Expression) -> bool {
        target.root().is_some_and(|root| root == self.name)
    }

    /// `name = name + 2`, `name += 2`
    fn stepped(&self, operation: Option<Binary>, value: &Expression) -> Option<Polynomial> {
        let by = |sign: Binary, value: &Expression| {
            let number = self.number(value)?;
            match sign {
                Binary::Add => Some(number),
                Binary::Subtract => Some(number.times_constant(-1)),
                _ => None,
            }
        };
        match (operation, &value.kind) {
            (Some(sign), _) => by(sign, value),
            (None, Kind::Binary(sign, left, right)) if self.is_it(left) => by(*sign, right),
            (None, Kind::Binary(Binary::Add, left, right)) if self.is_it(right) => {
                by(Binary::Add, left)
            }
            _ => None,
        }
    }

    /// Numbers that are the same everywhere.
    fn number(&self, value: &Expression) -> Option<Polynomial> {
        match &value.kind {
            Kind::Integer(number) => Some(Polynomial::constant(*number)),
            Kind::Name(name) if self.view.constant(name).is_some() => {
                let place = Place::variable(name.clone());
                Some(Polynomial::atom(Atom::Read { place, version: 0 }))
            }
            _ => None,
        }
    }

    /// The number that `name++` in an expression adds.
    fn steps(&self, expression: &Expression) -> Option<Polynomial> {
        let own = match &expression.kind {
            Kind::Step { target, by, .. } if self.is_it(target) => Polynomial::constant(*by),
            Kind::Step { target, .. } if self.is_in(target) => return None,
            Kind::Assign { target, .. } if target.mentions(self.name) => return None,
            Kind::Choice { .. } if expression.mentions(self.name) => return None,
            Kind::Binary(Binary::And | Binary::Or, ..) if expression.mentions(self.name) => {
                return None;
            }
            _ => Polynomial::zero(),
        };
        expression.parts().into_iter().try_fold(own, |sum, part| Some(sum.plus(&self.steps(part)?)))
    }
}
