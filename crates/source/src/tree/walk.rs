//! Ways through the tree.

use crate::Span;

use super::{Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Subscript, Unary};

impl Expression {
    /// Whether it is a section of an array of Fortran (or of a string).
    pub fn is_section(&self) -> bool {
        let Kind::Element { subscripts, .. } = &self.kind else { return false };
        subscripts.iter().any(|subscript| matches!(subscript, Subscript::Section { .. }))
    }

    /// The expressions that this one is directly made of, in the order of the text.
    pub fn parts(&self) -> Vec<&Expression> {
        match &self.kind {
            Kind::Element { base, subscripts } => {
                let mut all = vec![&**base];
                for subscript in subscripts {
                    match subscript {
                        Subscript::At(index) => all.push(index),
                        Subscript::Section { first, last, step } => {
                            all.extend([first, last, step].into_iter().flatten());
                        }
                    }
                }
                all
            }
            Kind::Member { base: inner, .. }
            | Kind::Unary(_, inner)
            | Kind::Cast(_, inner)
            | Kind::SizeOfValue(inner)
            | Kind::Keyword(_, inner)
            | Kind::Step { target: inner, .. } => vec![inner],
            Kind::Binary(_, left, right) => vec![left, right],
            Kind::Call { function, arguments } => {
                std::iter::once(&**function).chain(arguments).collect()
            }
            Kind::Assign { target, value, .. } => vec![target, value],
            Kind::Choice { condition, yes, no } => vec![condition, yes, no],
            Kind::List(all) => all.iter().collect(),
            Kind::Integer(_)
            | Kind::Literal(_)
            | Kind::Name(_)
            | Kind::SizeOfType(_)
            | Kind::OffsetOf(..)
            | Kind::Unknown(_) => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            Kind::Element { base, subscripts } => {
                let mut all = vec![&mut **base];
                for subscript in subscripts {
                    match subscript {
                        Subscript::At(index) => all.push(index),
                        Subscript::Section { first, last, step } => {
                            all.extend([first, last, step].into_iter().flatten());
                        }
                    }
                }
                all
            }
            Kind::Member { base: inner, .. }
            | Kind::Unary(_, inner)
            | Kind::Cast(_, inner)
            | Kind::SizeOfValue(inner)
            | Kind::Keyword(_, inner)
            | Kind::Step { target: inner, .. } => vec![inner],
            Kind::Binary(_, left, right) => vec![left, right],
            Kind::Call { function, arguments } => {
                std::iter::once(&mut **function).chain(arguments).collect()
            }
            Kind::Assign { target, value, .. } => vec![target, value],
            Kind::Choice { condition, yes, no } => vec![condition, yes, no],
            Kind::List(all) => all.iter_mut().collect(),
            Kind::Integer(_)
            | Kind::Literal(_)
            | Kind::Name(_)
            | Kind::SizeOfType(_)
            | Kind::OffsetOf(..)
            | Kind::Unknown(_) => Vec::new(),
        }
    }

    /// Levels of it.
    pub fn depth(&self) -> usize {
        self.parts().into_iter().map(Expression::depth).max().unwrap_or(0).saturating_add(1)
    }

    /// Calls `visit` with this expression and all in it, the outer before the inner.
    pub fn each<'e>(&'e self, visit: &mut impl FnMut(&'e Expression)) {
        visit(self);
        for part in self.parts() {
            part.each(visit);
        }
    }

    /// Whether it names something.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.each(&mut |e| match &e.kind {
            Kind::Name(n) => found |= n == name,
            Kind::Unknown(names) => found |= names.iter().any(|n| n == name),
            _ => {}
        });
        found
    }

    /// The variable that a place belongs to, or that a pointer came from: `u` of `u[i].x`,
    /// `&u[i]`, `u + n`, `*u++`.
    pub fn root(&self) -> Option<&Name> {
        match &self.kind {
            Kind::Name(name) => Some(name),
            Kind::Element { base, .. }
            | Kind::Member { base, .. }
            | Kind::Unary(Unary::Dereference | Unary::Address, base)
            | Kind::Cast(_, base)
            | Kind::Keyword(_, base)
            | Kind::Binary(_, base, _)
            | Kind::Step { target: base, .. } => base.root(),
            _ => None,
        }
    }
}

impl Statement {
    /// Whether it is, or has in it, what stands at a place. (The span of an `else if` need not
    /// have all of its branches.)
    pub fn has(&self, place: Span) -> bool {
        let bodies = self.bodies();
        // A declaration has the text of the first values, which statements of their own assign.
        if bodies.is_empty() && !matches!(self.kind, StatementKind::Declare(_)) {
            return self.span.contains(place);
        }
        self.expressions().iter().any(|part| part.span.contains(place))
            || bodies.into_iter().flatten().any(|inner| inner.has(place))
    }

    /// Expressions that stand in it, not in statements inside of it.
    pub fn expressions(&self) -> Vec<&Expression> {
        match &self.kind {
            StatementKind::Loop(l) => vec![&l.first, &l.last, &l.step],
            StatementKind::While { condition, .. } => condition.iter().collect(),
            StatementKind::If { condition, .. } => vec![condition],
            StatementKind::Assign { target, value, .. } => vec![target, value],
            StatementKind::Evaluate(value) | StatementKind::Return(Some(value)) => vec![value],
            StatementKind::Declare(all) => all.iter().filter_map(|d| d.value.as_ref()).collect(),
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            StatementKind::Loop(l) => vec![&mut l.first, &mut l.last, &mut l.step],
            StatementKind::While { condition, .. } => condition.iter_mut().collect(),
            StatementKind::If { condition, .. } => vec![condition],
            StatementKind::Assign { target, value, .. } => vec![target, value],
            StatementKind::Evaluate(value) | StatementKind::Return(Some(value)) => vec![value],
            StatementKind::Declare(all) => {
                all.iter_mut().filter_map(|d| d.value.as_mut()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Statements inside of it, by branches.
    pub fn bodies(&self) -> Vec<&[Statement]> {
        match &self.kind {
            StatementKind::Loop(l) => vec![&l.body],
            StatementKind::While { body, .. } | StatementKind::Block(body) => vec![body],
            StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn bodies_mut(&mut self) -> Vec<&mut [Statement]> {
        match &mut self.kind {
            StatementKind::Loop(l) => vec![&mut l.body],
            StatementKind::While { body, .. } | StatementKind::Block(body) => vec![body],
            StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// Calls `visit` with this statement and all in it, the outer before the inner.
    pub fn each<'s>(&'s self, visit: &mut impl FnMut(&'s Statement)) {
        visit(self);
        for body in self.bodies() {
            for inner in body {
                inner.each(visit);
            }
        }
    }
}
