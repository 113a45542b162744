//! Procedures of C that give memory which nobody else knows, as `malloc` does: on every path they
//! return what one such call gave them, or nothing, and its address goes nowhere else.

use std::collections::HashSet;

use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Storage, Type,
    Unary,
};

use super::library::{is_forgetful, is_maker};
use super::names::last;
use super::program::{ProcedureId, Project};
use super::view::View;

/// The names of these procedures. One that calls itself is one, if all its other ways are.
/// Rounds over the procedures that return pointers, as many as calls nest.
pub(super) fn makers(project: &Project) -> HashSet<Name> {
    let spaces = &project.spaces;
    let mut makers: HashSet<Name> = spaces.by_name.keys().cloned().collect();
    loop {
        let before = makers.len();
        let is_one = |name: &Name| {
            let all = spaces.by_name.get(name).into_iter().flatten();
            all.into_iter().all(|&id| makes(&project.view(ProcedureId(id)), &makers))
        };
        let left: HashSet<Name> = makers.iter().filter(|name| is_one(name)).cloned().collect();
        if left.len() == before {
            return left;
        }
        makers = left;
    }
}

fn makes(view: &View<'_>, makers: &HashSet<Name>) -> bool {
    let procedure = view.procedure();
    let is_pointer = matches!(procedure.result, Some(Type::Pointer(_)));
    if view.language().is_fortran() || !is_pointer || procedure.has_errors {
        return false;
    }
    let (mut returns, mut is_sure) = (0_usize, true);
    for statement in &procedure.body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Return(value) => {
                returns += 1;
                is_sure &= value.as_ref().is_some_and(|value| is_fresh(view, value, makers));
            }
            StatementKind::Unknown(_) => is_sure = false,
            _ => {}
        });
    }
    is_sure && returns > 0
}

/// Whether a value is nothing, or the address of memory that has no other name.
fn is_fresh(view: &View<'_>, value: &Expression, makers: &HashSet<Name>) -> bool {
    match &value.kind {
        Kind::Name(name) if !is_null(value) => is_kept_here(view, name, makers),
        Kind::Choice { yes, no, .. } => is_fresh(view, yes, makers) && is_fresh(view, no, makers),
        _ => is_made(view, value, makers),
    }
}

/// The same of a value that is not a variable's.
fn is_made(view: &View<'_>, value: &Expression, makers: &HashSet<Name>) -> bool {
    match &value.kind {
        Kind::Cast(_, inner) => is_made(view, inner, makers),
        Kind::Call { function, .. } => gives_new(view, function, makers),
        _ => is_null(value),
    }
}

/// Whether a procedure gives memory that nobody else knows, if these are the program's that do.
pub(super) fn gives_new(view: &View<'_>, function: &Expression, makers: &HashSet<Name>) -> bool {
    match &function.kind {
        Kind::Name(name) if view.declared(name).is_some() => false,
        Kind::Name(name) if view.project().has_body(name) => makers.contains(last(name)),
        Kind::Name(name) => is_maker(last(name)),
        _ => false,
    }
}

/// Whether a value is the pointer to nothing.
pub(super) fn is_null(value: &Expression) -> bool {
    match &value.kind {
        Kind::Integer(0) => true,
        Kind::Name(name) => matches!(name.as_str(), "NULL" | "nullptr"),
        Kind::Cast(_, inner) => is_null(inner),
        _ => false,
    }
}

/// Whether a local pointer is only ever set to new memory, and its value is only compared,
/// followed, returned, or given to procedures that forget it.
fn is_kept_here(view: &View<'_>, name: &str, makers: &HashSet<Name>) -> bool {
    let is_local = view.declared(name).is_some_and(|declared| {
        let is_pointer = matches!(view.resolve(&declared.of), Type::Pointer(_));
        declared.storage == Storage::Local && is_pointer
    });
    let uses = Uses { view, name, makers };
    let mut is_kept = is_local;
    for statement in &view.procedure().body {
        statement.each(&mut |s| is_kept &= !uses.lets_go(s));
    }
    is_kept
}

struct Uses<'u, 'p> {
    view: &'u View<'p>,
    name: &'u str,
    makers: &'u HashSet<Name>,
}

impl Uses<'_, '_> {
    fn is_it(&self, e: &Expression) -> bool {
        match &e.kind {
            Kind::Cast(_, inner) => self.is_it(inner),
            Kind::Name(name) => name == self.name,
            _ => false,
        }
    }

    fn lets_go(&self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Assign { target, operation, value } if self.is_it(target) => {
                operation.is_some() || !is_made(self.view, value, self.makers)
            }
            StatementKind::Assign { target, value, .. } => {
                self.is_used(target) || self.is_used(value)
            }
            StatementKind::Return(Some(value)) if self.is_it(value) => false,
            StatementKind::If { condition, .. } => self.is_more_than_compared(condition),
            // Its value is not used.
            StatementKind::Evaluate(Expression {
                kind: Kind::Call { function, arguments },
                ..
            }) if self.forgets(function) => {
                arguments.iter().any(|argument| !self.is_it(argument) && self.is_used(argument))
            }
            _ => statement.expressions().into_iter().any(|e| self.is_used(e)),
        }
    }

    /// Whether a procedure of a library keeps no address that it is given.
    fn forgets(&self, function: &Expression) -> bool {
        matches!(&function.kind, Kind::Name(name) if self.view.declared(name).is_none()
            && !self.view.project().has_body(name) && is_forgetful(name))
    }

    fn is_more_than_compared(&self, e: &Expression) -> bool {
        match &e.kind {
            Kind::Name(_) => false,
            Kind::Unary(Unary::Not, inner) => self.is_more_than_compared(inner),
            Kind::Binary(
                Binary::And | Binary::Or | Binary::Equal | Binary::NotEqual,
                left,
                right,
            ) => self.is_more_than_compared(left) || self.is_more_than_compared(right),
            Kind::Assign { target, operation: None, value } if self.is_it(target) => {
                !is_made(self.view, value, self.makers)
            }
            _ => self.is_used(e),
        }
    }

    /// Whether the pointer's value, or its address, may go somewhere.
    fn is_used(&self, e: &Expression) -> bool {
        match &e.kind {
            Kind::Name(name) => name == self.name,
            Kind::Unknown(names) => names.iter().any(|name| name == self.name),
            Kind::Unary(Unary::Dereference, inner) if self.is_it(inner) => false,
            Kind::Element { base, .. } if self.is_it(base) => {
                e.parts().into_iter().skip(1).any(|part| self.is_used(part))
            }
            Kind::Unary(Unary::Not, _)
            | Kind::Binary(Binary::Equal | Binary::NotEqual | Binary::And | Binary::Or, ..) => {
                self.is_more_than_compared(e)
            }
            // It sets its first argument, and says whether it could.
            Kind::Call { function, arguments }
                if self.forgets(function)
                    && function.root().is_some_and(|f| f == "posix_memalign") =>
            {
                let is_set = |argument: &Expression| match &argument.kind {
                    Kind::Cast(_, inner) => matches!(&inner.kind, Kind::Unary(Unary::Address, _)),
                    kind => matches!(kind, Kind::Unary(Unary::Address, _)),
                };
                let after = if arguments.first().is_some_and(is_set) { 1 } else { 0 };
                arguments.iter().skip(after).any(|argument| self.is_used(argument))
            }
            _ => e.parts().into_iter().any(|part| self.is_used(part)),
        }
    }
}

/// Whether a value is new memory, or a container or object that has some.
pub(super) fn is_allocation(view: &View<'_>, value: &Expression) -> bool {
    match &value.kind {
        Kind::Cast(_, inner) => is_allocation(view, inner),
        // What an object is made from comes before its memory.
        Kind::List(all) => all.last().is_some_and(|last| is_allocation(view, last)),
        Kind::Call { function, .. } => matches!(&function.kind, Kind::Name(n)
            if is_maker(last(n))
                || (view.project.makers.contains(last(n)) && view.declared(n).is_none())
                || matches!(last(n), "vector" | "array" | "make_unique" | "make_shared")
                || last(n) == "realloc"),
        _ => false,
    }
}
