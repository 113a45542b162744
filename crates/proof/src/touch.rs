//! The memory that a statement reads and writes, with the places where it does.

use std::collections::BTreeSet;

use commloom_program::{View, may_act, statement_acts};
use commloom_source::symbols::{Symbols, Touched, extracted};
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type, Unary,
};
use commloom_source::{Language, Span};

/// Memory that one or several statements touch.
#[derive(Debug, Default)]
pub(super) struct Touches {
    pub reads: Vec<(Name, Span)>,
    pub writes: Vec<(Name, Span)>,
    /// Where something happens that nobody can see: calls of unknown procedures.
    pub anything: Vec<Span>,
}

impl Touches {
    /// Of a statement without what is in its bodies.
    pub fn of(view: &View<'_>, statement: &Statement) -> Touches {
        let mut found = Touches::default();
        found.statement(view, statement);
        found
    }

    /// Of one more statement.
    pub fn add(&mut self, view: &View<'_>, statement: &Statement) {
        self.statement(view, statement);
    }

    fn statement(&mut self, view: &View<'_>, statement: &Statement) {
        if statement_acts(view, statement) {
            self.anything.push(statement.span);
        }
        for expression in statement.expressions() {
            expression.each(&mut |e| {
                if may_act(view, e) {
                    self.anything.push(e.span);
                }
            });
        }
        match &statement.kind {
            StatementKind::Assign { target, operation, value } => {
                self.target(view, target, statement.span);
                let of = target.root().and_then(|name| view.variable(name)).map(|d| &d.of);
                let is_whole = matches!(target.kind, Kind::Name(_));
                self.object(view, of.filter(|_| is_whole), value);
                if operation.is_some() {
                    self.value(view, target);
                }
                self.value(view, value);
            }
            StatementKind::Loop(counted) => {
                self.writes.push((counted.variable.clone(), statement.span));
                for e in statement.expressions() {
                    self.value(view, e);
                }
            }
            StatementKind::Unknown(names) => self.unknown(names, statement.span),
            _ => {
                if let StatementKind::Declare(declarations) = &statement.kind {
                    for declaration in declarations {
                        if let Some(value) = &declaration.value {
                            self.object(view, Some(&declaration.of), value);
                        }
                    }
                }
                for e in statement.expressions() {
                    self.value(view, e);
                }
            }
        }
    }

    /// Notes that a container of C++ is copied as a whole: its name is no address, unless a
    /// pointer or reference is made of it. (An array of C has no copies of this form.)
    fn object(&mut self, view: &View<'_>, into: Option<&Type>, value: &Expression) {
        let Kind::Name(name) = &value.kind else { return };
        let is_address = into
            .is_some_and(|of| matches!(view.resolve(of), Type::Pointer(_) | Type::Reference(_)));
        let is_array =
            view.variable(name).is_some_and(|d| matches!(view.resolve(&d.of), Type::Array(..)));
        if view.language() == Language::Cpp && is_array && !is_address {
            self.reads.push((name.clone(), value.span));
        }
    }

    fn unknown(&mut self, names: &[Name], span: Span) {
        for name in names {
            self.reads.push((name.clone(), span));
            self.writes.push((name.clone(), span));
        }
        if !names.is_empty() {
            self.anything.push(span);
        }
    }

    fn target(&mut self, view: &View<'_>, target: &Expression, span: Span) {
        for name in roots(target) {
            self.writes.push((name, span));
        }
        if view.is_forged(target) {
            self.anything.push(span);
        }
        self.place(view, target);
    }

    /// Notes all that is read on the way to a place, not the place itself.
    fn place(&mut self, view: &View<'_>, place: &Expression) {
        match &place.kind {
            Kind::Name(_) => {}
            Kind::Element { base, .. } => {
                self.place(view, base);
                for part in place.parts().into_iter().skip(1) {
                    self.value(view, part);
                }
            }
            Kind::Member { base, .. } | Kind::Cast(_, base) => self.place(view, base),
            Kind::Unary(Unary::Dereference | Unary::Address, inner) => self.place(view, inner),
            Kind::Binary(_, left, right) => {
                self.place(view, left);
                self.place(view, right);
            }
            Kind::Step { target, .. } => {
                self.target(view, target, place.span);
            }
            Kind::Keyword(_, inner) => self.place(view, inner),
            _ => self.value(view, place),
        }
    }

    fn value(&mut self, view: &View<'_>, value: &Expression) {
        if let Some(into) = extracted(view, value) {
            self.target(view, into, value.span);
        }
        match &value.kind {
            Kind::Name(name) => {
                let is_address = !view.language().is_fortran()
                    && view.variable(name).is_some_and(|d| {
                        matches!(view.resolve(&d.of), Type::Array(..) | Type::Pointer(_))
                    });
                if !is_address {
                    self.reads.push((name.clone(), value.span));
                }
            }
            Kind::Element { .. } | Kind::Member { .. } | Kind::Unary(Unary::Dereference, _) => {
                for name in roots(value) {
                    self.reads.push((name, value.span));
                }
                if view.is_forged(value) {
                    self.anything.push(value.span);
                }
                self.place(view, value);
            }
            Kind::Unary(Unary::Address, inner) => self.place(view, inner),
            Kind::Step { target, .. } => {
                for name in roots(target) {
                    self.reads.push((name, value.span));
                }
                self.target(view, target, value.span);
            }
            Kind::Assign { target, value: inner, .. } => {
                self.target(view, target, value.span);
                self.value(view, inner);
            }
            Kind::SizeOfValue(_) => {}
            Kind::Unknown(names) => self.unknown(names, value.span),
            Kind::Call { function, arguments } => {
                // `[&] { ... }()`
                if matches!(function.kind, Kind::Unknown(_)) {
                    self.value(view, function);
                }
                for argument in arguments {
                    self.place(view, argument);
                    if view.is_forged(argument) {
                        self.anything.push(argument.span);
                    }
                }
                let effects = view.effects(function, arguments);
                if view.takes_names(function)
                    && [&effects.reads, &effects.writes].contains(&&Touched::Anything)
                {
                    // What it is given it reaches, hidden or not. (What C gives by its address is
                    // not hidden.)
                    let object = match &function.kind {
                        Kind::Member { base, .. } => roots(base),
                        _ => BTreeSet::new(),
                    };
                    for name in arguments.iter().flat_map(roots).chain(object) {
                        self.reads.push((name.clone(), value.span));
                        self.writes.push((name, value.span));
                    }
                }
                for (touched, into) in
                    [(effects.reads, &mut self.reads), (effects.writes, &mut self.writes)]
                {
                    match touched {
                        Touched::These(names) => {
                            into.extend(names.into_iter().map(|n| (n, value.span)));
                        }
                        Touched::Anything => self.anything.push(value.span),
                    }
                }
            }
            _ => {
                for part in value.parts() {
                    self.value(view, part);
                }
            }
        }
    }
}

/// The variables that a place belongs to.
pub(super) fn roots(place: &Expression) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    collect(place, &mut found);
    found
}

fn collect(place: &Expression, found: &mut BTreeSet<Name>) {
    match &place.kind {
        Kind::Name(name) => drop(found.insert(name.clone())),
        Kind::Unknown(names) => found.extend(names.iter().cloned()),
        Kind::Element { base, .. }
        | Kind::Member { base, .. }
        | Kind::Unary(_, base)
        | Kind::Cast(_, base)
        | Kind::Keyword(_, base)
        | Kind::Step { target: base, .. }
        | Kind::Assign { target: base, .. } => collect(base, found),
        Kind::Binary(_, left, right) => {
            collect(left, found);
            collect(right, found);
        }
        Kind::Choice { yes, no, .. } => {
            collect(yes, found);
            collect(no, found);
        }
        _ => {}
    }
}
