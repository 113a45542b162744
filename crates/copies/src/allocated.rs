//! Allocatable arrays of Fortran whose bounds are those of the one `allocate` that the procedure
//! has for them.

use std::collections::{HashMap, HashSet};

use commloom_program::keeps_bounds;
use commloom_source::affine::Polynomial;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Procedure, Statement, StatementKind, Subscript,
};

use super::state::Shape;
use super::walk::Walk;

/// Arrays of a procedure that get their memory, and so their bounds, in one place.
pub(super) fn allocated_once(procedure: &Procedure, symbols: &dyn Symbols) -> HashSet<Name> {
    let mut places: HashMap<Name, usize> = HashMap::new();
    let mut others = HashSet::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            // `q = ...` may allocate `q` anew.
            if let StatementKind::Assign {
                target: Expression { kind: Kind::Name(name), .. }, ..
            } = &s.kind
            {
                others.insert(name.clone());
            }
            for expression in s.expressions() {
                expression.each(&mut |e| {
                    let Kind::Call { function, arguments } = &e.kind else { return };
                    let called = function.root().map_or("", String::as_str);
                    for argument in arguments {
                        let inner = match &argument.kind {
                            Kind::Keyword(_, inner) => inner,
                            _ => argument,
                        };
                        match &inner.kind {
                            Kind::Element { base, .. } if called == "$allocate" => {
                                base.root().into_iter().for_each(|name| {
                                    *places.entry(name.clone()).or_default() += 1;
                                });
                            }
                            Kind::Name(name) if !keeps_bounds(symbols.stands_for(called)) => {
                                others.insert(name.clone());
                            }
                            _ => {}
                        }
                    }
                });
            }
        });
    }
    let local = |name: &Name| {
        procedure.scope.variables.iter().any(|d| {
            d.name == *name && d.allocatable && d.storage == commloom_source::tree::Storage::Local
        })
    };
    places
        .into_iter()
        .filter(|(name, count)| *count == 1 && !others.contains(name) && local(name))
        .map(|(name, _)| name)
        .collect()
}

impl Walk<'_> {
    /// Notes the bounds that an `allocate` on the path gives.
    pub(super) fn note_allocation(&mut self, statement: &Statement) {
        let StatementKind::Evaluate(Expression {
            kind: Kind::Call { function, arguments }, ..
        }) = &statement.kind
        else {
            return;
        };
        if function.root().is_none_or(|name| name != "$allocate") {
            return;
        }
        for argument in arguments {
            if argument.root().is_some_and(|name| self.allocated.once.contains(name)) {
                self.take_bounds(argument);
            }
        }
    }

    /// The bounds that other procedures gave, which are the same whenever this one is executed.
    pub(super) fn take_elsewhere(&mut self) {
        for item in self.symbols.allocated_elsewhere() {
            self.take_bounds(item);
        }
    }

    fn take_bounds(&mut self, item: &Expression) {
        let Kind::Element { base, subscripts } = &item.kind else { return };
        let Kind::Name(name) = &base.kind else { return };
        let shape = subscripts.iter().map(|s| self.bounds(s)).collect::<Option<Shape>>();
        if let Some(shape) = shape {
            self.allocated.bounds.insert(name.clone(), shape);
        }
    }

    fn bounds(&mut self, subscript: &Subscript) -> Option<(Polynomial, Polynomial)> {
        let one = Polynomial::constant(1);
        match subscript {
            Subscript::At(extent) => Some((one, self.number(extent)?)),
            Subscript::Section { first: Some(first), last: Some(last), step: None } => {
                let first = self.number(first)?;
                let extent = self.number(last)?.minus(&first).plus(&one);
                Some((first, extent))
            }
            Subscript::Section { .. } => None,
        }
    }
}
