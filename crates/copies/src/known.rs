//! Conditions that are known on the way to a call.

use commloom_source::tree::{Binary, Expression, ExpressionKind, MAX_DEPTH, Subscript, Unary};

use super::state::Known;
use super::walk::Walk;
use super::writes::{has_effects, names_in};

impl Walk<'_> {
    /// Conditions that are decided by where this is looked at.
    pub(super) fn take_given(&mut self) {
        for (condition, holds) in &self.request.setting.given {
            self.learn(condition, *holds);
        }
        // Who gives them has seen that nothing changes them.
        self.conditions.path.iter_mut().for_each(|known| known.names.clear());
        self.conditions.promised.append(&mut self.conditions.path);
    }

    /// A condition is decided here, and with it its parts.
    pub(super) fn learn(&mut self, condition: &Expression, holds: bool) {
        match &condition.kind {
            ExpressionKind::Binary(Binary::And, left, right) if holds => {
                self.learn(left, true);
                self.learn(right, true);
            }
            ExpressionKind::Binary(Binary::Or, left, right) if !holds => {
                self.learn(left, false);
                self.learn(right, false);
            }
            ExpressionKind::Unary(Unary::Not, inner) => self.learn(inner, !holds),
            _ => {}
        }
        let mut names = Vec::new();
        names_in(condition, &mut names);
        let names =
            names.into_iter().map(|name| (name.clone(), self.version_inside(&name))).collect();
        self.conditions.path.push(Known { condition: condition.clone(), holds, names });
    }

    /// Whether a condition follows, or its opposite, from one that is decided on the path or at
    /// the call, of variables that are unchanged between.
    pub(super) fn decided(&self, condition: &Expression) -> Option<bool> {
        let now = |known: &&Known| {
            known.names.iter().all(|(name, version)| *version == self.version_inside(name))
        };
        let all = self.conditions.path.iter().rev().chain(&self.conditions.promised);
        let decided = all.filter(now).find_map(|known| self.follows(known, condition))?;
        (!has_effects(condition, self.symbols)).then_some(decided)
    }

    fn follows(&self, known: &Known, condition: &Expression) -> Option<bool> {
        if same(&known.condition, condition, 0) {
            return Some(known.holds);
        }
        // What is one number is no other.
        let (is_equal, place, number) = self.comparison(&known.condition)?;
        let (asks_equal, asked, other) = self.comparison(condition)?;
        let is_that = is_equal == known.holds;
        if !is_that || !same(place, asked, 0) {
            return None;
        }
        Some((number == other) == asks_equal)
    }

    /// `place == number` (true) or `place /= number` (false).
    fn comparison<'e>(&self, condition: &'e Expression) -> Option<(bool, &'e Expression, i64)> {
        let ExpressionKind::Binary(sign, left, right) = &condition.kind else { return None };
        let is_equal = match sign {
            Binary::Equal => true,
            Binary::NotEqual => false,
            _ => return None,
        };
        match (self.literal(left, 0), self.literal(right, 0)) {
            (None, Some(number)) => Some((is_equal, left, number)),
            (Some(number), None) => Some((is_equal, right, number)),
            _ => None,
        }
    }

    /// A number that the text tells.
    fn literal(&self, value: &Expression, depth: usize) -> Option<i64> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &value.kind {
            ExpressionKind::Integer(number) => Some(*number),
            ExpressionKind::Unary(Unary::Minus, inner) => {
                self.literal(inner, depth + 1)?.checked_neg()
            }
            ExpressionKind::Name(name) => self.literal(self.symbols.constant(name)?, depth + 1),
            _ => None,
        }
    }
}

/// Whether two expressions are the same text, but for spaces and where they stand.
fn same(one: &Expression, other: &Expression, depth: usize) -> bool {
    use ExpressionKind as Kind;
    if depth > MAX_DEPTH {
        return false;
    }
    let alike = match (&one.kind, &other.kind) {
        (Kind::Integer(a), Kind::Integer(b)) => a == b,
        (Kind::Literal(a), Kind::Literal(b)) | (Kind::Name(a), Kind::Name(b)) => a == b,
        (Kind::Unary(a, _), Kind::Unary(b, _)) => a == b,
        (Kind::Binary(a, ..), Kind::Binary(b, ..)) => a == b,
        (Kind::Member { field: a, .. }, Kind::Member { field: b, .. }) => a == b,
        (Kind::Element { subscripts: a, .. }, Kind::Element { subscripts: b, .. }) => {
            let single = |s: &Subscript| matches!(s, Subscript::At(_));
            a.len() == b.len() && a.iter().chain(b).all(single)
        }
        _ => false,
    };
    let (a, b) = (one.parts(), other.parts());
    alike && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b, depth + 1))
}
