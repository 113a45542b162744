//! Pointers of C outside of procedures that alone lead to what they lead to.
//!
//! All that such a pointer is ever set to is memory that was allocated for it, or nothing, and its
//! value goes nowhere: it has subscripts, is compared, freed, or given to procedures of MPI that
//! forget it. So no other pointer leads to that memory.

use std::collections::HashSet;

use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Subscript, Type,
    Unary,
};

use super::library::{is_forgetful, is_mpi};
use super::makers::{gives_new, is_null};
use super::program::Project;
use super::view::View;

/// The pointers of a program, by their names in the whole project.
pub(super) fn owned(project: &Project) -> HashSet<String> {
    let mut scan = Scan { allocated: HashSet::new(), shown: HashSet::new() };
    let mut named: HashSet<Name> = HashSet::new();
    let mut outside: HashSet<Name> = HashSet::new();
    for unit in project.units.iter().filter(|unit| !unit.language.is_fortran()) {
        for variable in &unit.scope.variables {
            if matches!(&variable.of, Type::Pointer(inner) if matches!(**inner, Type::Basic(..))) {
                outside.insert(variable.name.clone());
            }
            let Some(value) = variable.value.as_ref().filter(|value| !is_null(value)) else {
                continue;
            };
            named.insert(variable.name.clone());
            mentioned(value, &mut named);
        }
        for (_, scope) in &unit.modules {
            for value in scope.variables.iter().filter_map(|v| v.value.as_ref()) {
                mentioned(value, &mut named);
            }
        }
    }
    outside.retain(|name| !named.contains(name));
    for id in project.procedures() {
        let view = project.view(id);
        if view.language().is_fortran() {
            continue;
        }
        let is_one = |name: &str| outside.contains(name);
        let mut reader = Reader { view, is_one: &is_one, scan: &mut scan };
        for statement in &view.procedure().body {
            statement.each(&mut |s| reader.statement(s));
        }
    }
    scan.allocated.retain(|name| !scan.shown.contains(name));
    scan.allocated
}

struct Scan {
    /// Set to memory of their own somewhere.
    allocated: HashSet<String>,
    /// Whose value goes somewhere, or comes from there.
    shown: HashSet<String>,
}

struct Reader<'r, 'p> {
    view: View<'p>,
    is_one: &'r dyn Fn(&str) -> bool,
    scan: &'r mut Scan,
}

impl Reader<'_, '_> {
    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, operation, value } => {
                self.assigned(target, operation.is_some(), value);
            }
            StatementKind::Evaluate(value) => self.effect(value),
            StatementKind::If { condition, .. } => self.compared(condition),
            StatementKind::While { condition, .. } => {
                condition.iter().for_each(|condition| self.compared(condition));
            }
            StatementKind::Unknown(names) => names.iter().for_each(|name| self.shown(name)),
            StatementKind::Loop(counted) => {
                self.shown(&counted.variable);
                statement.expressions().into_iter().for_each(|e| self.value(e));
            }
            StatementKind::Declare(all) => {
                for declaration in all {
                    let Some(value) = &declaration.value else { continue };
                    if matches!(declaration.of, Type::Reference(_)) {
                        self.referred(value);
                    }
                    self.value(value);
                }
            }
            StatementKind::Return(Some(value)) => {
                if matches!(self.view.procedure().result, Some(Type::Reference(_))) {
                    self.referred(value);
                }
                self.value(value);
            }
            _ => statement.expressions().into_iter().for_each(|e| self.value(e)),
        }
    }

    fn shown(&mut self, name: &str) {
        if (self.is_one)(name) {
            self.scan.shown.extend(self.view.global(name));
        }
    }

    /// A value that is not used.
    fn effect(&mut self, value: &Expression) {
        match &value.kind {
            Kind::Call { function, arguments } if self.forgets(function, false) => {
                arguments.iter().for_each(|argument| self.given(argument));
            }
            Kind::Assign { target, operation, value } => {
                self.assigned(target, operation.is_some(), value);
            }
            _ => self.value(value),
        }
    }

    /// Whether a procedure keeps no address that it is given, and gives none back.
    fn forgets(&self, function: &Expression, is_used: bool) -> bool {
        let Kind::Name(name) = &function.kind else { return false };
        let known = self.view.variable(name).is_some() || self.view.project().has_body(name);
        let is_address = name.to_ascii_lowercase().contains("address");
        !known && !is_address && is_forgetful(name) && (is_mpi(name) || !is_used)
    }

    fn assigned(&mut self, target: &Expression, adds: bool, value: &Expression) {
        match &target.kind {
            Kind::Name(name) if (self.is_one)(name) => {
                if !adds && self.is_fresh(value) {
                    self.scan.allocated.extend(self.view.global(name));
                } else if adds || !is_null(value) {
                    self.shown(name);
                }
            }
            _ => self.place(target),
        }
        self.value(value);
    }

    fn is_fresh(&self, value: &Expression) -> bool {
        match &value.kind {
            Kind::Cast(_, inner) => self.is_fresh(inner),
            Kind::Call { function, .. } => {
                gives_new(&self.view, function, &self.view.project.makers)
            }
            _ => false,
        }
    }

    /// A condition, where a pointer is compared with nothing or with others.
    fn compared(&mut self, e: &Expression) {
        match &e.kind {
            Kind::Name(_) => {}
            Kind::Unary(Unary::Not, inner) => self.compared(inner),
            Kind::Binary(
                Binary::And | Binary::Or | Binary::Equal | Binary::NotEqual,
                left,
                right,
            ) => {
                self.compared(left);
                self.compared(right);
            }
            _ => self.value(e),
        }
    }

    /// An argument of a procedure that forgets it.
    fn given(&mut self, e: &Expression) {
        match &e.kind {
            Kind::Name(_) => {}
            Kind::Cast(_, inner) => self.given(inner),
            Kind::Unary(Unary::Address, inner) if matches!(inner.kind, Kind::Element { .. }) => {
                self.place(inner);
            }
            Kind::Binary(Binary::Add | Binary::Subtract, left, right) => {
                self.given(left);
                self.given(right);
            }
            _ => self.value(e),
        }
    }

    /// An element, which is read or written.
    fn place(&mut self, e: &Expression) {
        match &e.kind {
            Kind::Element { base, subscripts } => {
                if !matches!(base.kind, Kind::Name(_)) {
                    self.place(base);
                }
                for subscript in subscripts {
                    match subscript {
                        Subscript::At(index) => self.value(index),
                        Subscript::Section { .. } => {
                            e.parts().into_iter().for_each(|part| self.value(part));
                        }
                    }
                }
            }
            Kind::Member { base, .. } => self.place(base),
            Kind::Unary(Unary::Dereference, inner) => match &inner.kind {
                Kind::Name(_) => {}
                Kind::Binary(Binary::Add | Binary::Subtract, ..) => self.given(inner),
                _ => self.value(inner),
            },
            Kind::Name(_) => {}
            _ => self.value(e),
        }
    }

    /// A place that gets another name, or whose address is taken.
    fn referred(&mut self, place: &Expression) {
        if let Some(name) = place.root() {
            self.shown(name);
        }
    }

    /// Any other use.
    fn value(&mut self, e: &Expression) {
        match &e.kind {
            Kind::Name(name) => self.shown(name),
            Kind::Element { .. } | Kind::Member { .. } | Kind::Unary(Unary::Dereference, _) => {
                self.place(e);
            }
            Kind::SizeOfValue(_) => {}
            Kind::Unknown(names) => names.iter().for_each(|name| self.shown(name)),
            Kind::Assign { target, operation, value } => {
                self.assigned(target, operation.is_some(), value);
                // The value of the assignment is used.
                self.value(target);
            }
            Kind::Call { function, arguments } if self.forgets(function, true) => {
                arguments.iter().for_each(|argument| self.given(argument));
            }
            Kind::Call { arguments, .. } => {
                // What is passed by reference is passed by its address.
                arguments.iter().for_each(|argument| self.referred(argument));
                e.parts().into_iter().for_each(|part| self.value(part));
            }
            Kind::Binary(Binary::ShiftLeft | Binary::ShiftRight, left, right) => {
                self.referred(right);
                self.value(left);
                self.value(right);
            }
            Kind::Unary(Unary::Address, inner) => {
                self.referred(inner);
                self.value(inner);
            }
            _ => e.parts().into_iter().for_each(|part| self.value(part)),
        }
    }
}

fn mentioned(value: &Expression, names: &mut HashSet<Name>) {
    value.each(&mut |e| match &e.kind {
        Kind::Name(name) => drop(names.insert(name.clone())),
        Kind::Unknown(inside) => names.extend(inside.iter().cloned()),
        _ => {}
    });
}
