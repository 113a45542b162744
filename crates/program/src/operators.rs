//! Functions of C++ that are called where no name says so: operators, conversions, constructors.

use commloom_source::Language;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Declaration, Expression, ExpressionKind as Kind, Statement, StatementKind, Type, Unary,
};

use super::names::last;
use super::program::ProcedureId;
use super::types::{element, is_passive, type_of};
use super::view::View;

/// Whether an operator of C++ may be a function of the program: one of its operands is an object
/// of a class that has functions of its own, or of any class where operators are functions that
/// belong to none; an argument is made another type; or such an object is deleted.
pub fn may_act(view: &View<'_>, value: &Expression) -> bool {
    if view.language() != Language::Cpp {
        return false;
    }
    let is_object = |value: &Expression| is_operand(view, value);
    match &value.kind {
        Kind::Unary(Unary::Address, _) => false,
        Kind::Unary(_, inner) | Kind::Element { base: inner, .. } => is_object(inner),
        Kind::Step { target, .. } => is_object(target),
        Kind::Binary(_, left, right) => is_object(left) || is_object(right),
        Kind::Choice { condition, .. } => is_acting(view, condition),
        // The constructor of an object that is not a variable.
        Kind::Cast(Type::Pointer(of), inner) if is_new(inner) => !is_passive(view, of, 0),
        Kind::Cast(of, inner) => {
            is_acting(view, inner) && !matches!(view.resolve(of), Type::Reference(_))
        }
        Kind::Assign { target, value, .. } => converts(view, target, value),
        Kind::Call { function, arguments } => {
            let deletes = matches!(&function.kind, Kind::Name(name) if name == "delete");
            let to = |argument: &Expression| element(type_of(view, argument)?, 1);
            let is_passive = |of: Type| is_passive(view, &of, 0);
            let ends = deletes && !arguments.iter().all(|one| to(one).is_some_and(is_passive));
            ends || passes(view, function, arguments)
        }
        _ => false,
    }
}

fn is_new(value: &Expression) -> bool {
    match &value.kind {
        Kind::List(all) => all.last().is_some_and(is_new),
        Kind::Call { function, .. } => matches!(&function.kind, Kind::Name(name) if name == "new"),
        _ => false,
    }
}

/// Whether a statement, besides the expressions in it, may call a function of a class.
pub fn statement_acts(view: &View<'_>, statement: &Statement) -> bool {
    if view.language() != Language::Cpp {
        return false;
    }
    match &statement.kind {
        StatementKind::Assign { target, value, .. } => converts(view, target, value),
        StatementKind::If { condition, .. }
        | StatementKind::While { condition: Some(condition), .. } => is_acting(view, condition),
        _ => false,
    }
}

/// The type of a value, which a reference is only another name for.
fn bare(view: &View<'_>, value: &Expression) -> Option<Type> {
    let mut of = type_of(view, value);
    while let Some(Type::Reference(inner)) = of {
        of = Some(view.resolve(&inner));
    }
    of
}

/// Whether a value is an object of a class with functions of its own.
fn is_acting(view: &View<'_>, value: &Expression) -> bool {
    matches!(bare(view, value), Some(of @ Type::Record(_)) if !is_passive(view, &of, 0))
}

/// Whether an operator with this operand may be a function.
fn is_operand(view: &View<'_>, value: &Expression) -> bool {
    if !view.project.spaces.has_free_operators {
        return is_acting(view, value);
    }
    match bare(view, value) {
        Some(Type::Record(_) | Type::Unknown) => true,
        Some(of @ Type::Named(_)) => !is_passive(view, &of, 0),
        Some(_) => false,
        None => !matches!(value.kind, Kind::Literal(_) | Kind::Binary(..) | Kind::Unary(..)),
    }
}

/// Whether an assignment makes another type of an object, or is a function of its class.
fn converts(view: &View<'_>, target: &Expression, value: &Expression) -> bool {
    let into = bare(view, target);
    let is_made = |of: &Type| matches!(of, Type::Record(_)) && !is_passive(view, of, 0);
    let is_other = bare(view, value) != into;
    is_other
        && (is_acting(view, value) && !matches!(into, Some(Type::Unknown) | None)
            || into.is_some_and(|of| is_made(&of)))
}

/// Whether an argument becomes an object, or is one that becomes something else.
fn passes(view: &View<'_>, function: &Expression, arguments: &[Expression]) -> bool {
    let Kind::Name(name) = &function.kind else { return false };
    if view.declared(name).is_some() {
        return false;
    }
    let differs = |of: &View<'_>, parameter: &Declaration, argument: &Expression| {
        let into = of.resolve(&parameter.of);
        let (into, is_reference) = match into {
            Type::Reference(inner) => (of.resolve(&inner), true),
            other => (other, false),
        };
        let is_made = matches!(into, Type::Record(_)) && !is_passive(of, &into, 0);
        let is_same = bare(view, argument).as_ref() == Some(&into);
        (is_made && !(is_same && is_reference)) || (is_acting(view, argument) && !is_same)
    };
    match view.project.spaces.called(view.id.0, name) {
        Some(all) => all.into_iter().any(|id| {
            let callee = view.project.view(ProcedureId(id));
            let parameters = &callee.procedure().parameters;
            let pairs = parameters.iter().zip(arguments);
            let mut declared = pairs.filter_map(|(p, a)| Some((callee.declared(p)?, a)));
            declared.any(|(parameter, argument)| differs(&callee, parameter, argument))
        }),
        None => match view.project.spaces.prototypes.get(last(name)) {
            Some(all) => all.iter().zip(arguments).any(|(p, a)| differs(view, p, a)),
            None => arguments.iter().any(|argument| is_acting(view, argument)),
        },
    }
}
