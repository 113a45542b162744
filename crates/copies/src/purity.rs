//! Statements that do nothing but copy and count.

use std::collections::BTreeSet;

use commloom_source::tree::{Expression, ExpressionKind, Name, Statement, StatementKind, Type};

use super::Direction;
use super::place_type::is_whole;
use super::walk::Walk;
use super::writes::{for_each_body, for_each_expression, for_each_operand, root};

impl Walk<'_> {
    /// Whether a statement only copies and counts, and which scalars it changes.
    pub(super) fn purity(&self, statement: &Statement) -> (bool, BTreeSet<Name>) {
        let mut pure = true;
        let mut changes = BTreeSet::new();
        self.purity_of(statement, &mut pure, &mut changes);
        (pure, changes)
    }

    fn purity_of(&self, statement: &Statement, pure: &mut bool, changes: &mut BTreeSet<Name>) {
        for_each_expression(statement, &mut |expression| {
            self.changes_in(expression, pure, changes)
        });
        match &statement.kind {
            StatementKind::Loop(counted) => {
                if !counted.declares {
                    changes.insert(counted.variable.clone());
                }
            }
            StatementKind::Assign { target, value, .. } => match &target.kind {
                ExpressionKind::Name(name) if self.counts(target) => {
                    changes.insert(name.clone());
                }
                _ if self.is_copy(target, value) => {}
                _ => self.change(target, pure, changes),
            },
            StatementKind::Evaluate(expression) => {
                *pure &= match &expression.kind {
                    ExpressionKind::Call { function, arguments } => {
                        self.is_block_copy(function, arguments)
                    }
                    ExpressionKind::Step { .. } | ExpressionKind::Assign { .. } => true,
                    _ => false,
                };
            }
            // An object that does something where its scope ends stays.
            StatementKind::Declare(declared) => {
                *pure &= declared.iter().all(|d| self.symbols.is_passive(&d.of));
            }
            StatementKind::Block(_) | StatementKind::Nothing | StatementKind::If { .. } => {}
            _ => *pure = false,
        }
        for_each_body(statement, &mut |inner| self.purity_of(inner, pure, changes));
    }

    fn changes_in(&self, expression: &Expression, pure: &mut bool, changes: &mut BTreeSet<Name>) {
        match &expression.kind {
            ExpressionKind::Step { target, .. } | ExpressionKind::Assign { target, .. } => {
                self.change(target, pure, changes);
            }
            ExpressionKind::Unknown(_) => *pure = false,
            _ => {}
        }
        for_each_operand(expression, &mut |inner| self.changes_in(inner, pure, changes));
    }

    /// Notes that a place gets another value. It may go only if who removes it can ask whether
    /// somebody reads it: by the name of a variable, which it is or is a part of. Of an element of
    /// memory that others see (`mask[i] = 1`, `*end = k`) nobody could tell.
    fn change(&self, target: &Expression, pure: &mut bool, changes: &mut BTreeSet<Name>) {
        let is_name = matches!(target.kind, ExpressionKind::Name(_));
        let followed = root(target).filter(|name| {
            self.counts(target) && (is_name || self.is_part(target) && self.symbols.is_hidden(name))
        });
        match followed {
            Some(name) => drop(changes.insert(name.clone())),
            None => *pure = false,
        }
    }

    /// Whether a place lies in a variable itself, not where a pointer leads to.
    fn is_part(&self, place: &Expression) -> bool {
        let (ExpressionKind::Member { base, .. } | ExpressionKind::Element { base, .. }) =
            &place.kind
        else {
            return matches!(place.kind, ExpressionKind::Name(_));
        };
        let of = self.locate_type(base).map(|of| self.symbols.resolve(&of));
        matches!(of, Some(Type::Record(_) | Type::Array(..))) && self.is_part(base)
    }

    /// Whether a place is a scalar whose values are followed.
    fn counts(&self, target: &Expression) -> bool {
        self.locate_type(target).is_some_and(|of| is_whole(&of) || matches!(of, Type::Pointer(_)))
            && !self.is_buffer(target)
    }

    fn is_copy(&self, target: &Expression, value: &Expression) -> bool {
        match self.request.direction {
            Direction::Pack => self.is_buffer(target),
            Direction::Unpack => self.mentions_buffer(value),
        }
    }
}
