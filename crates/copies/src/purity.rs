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
                _ => *pure &= self.counts(target) || self.is_copy(target, value),
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
                match root(target) {
                    Some(name) if self.counts(target) => {
                        changes.insert(name.clone());
                    }
                    _ => *pure = false,
                }
            }
            ExpressionKind::Unknown(_) => *pure = false,
            _ => {}
        }
        for_each_operand(expression, &mut |inner| self.changes_in(inner, pure, changes));
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
