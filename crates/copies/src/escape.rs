//! Locals whose address others may have.

use std::collections::BTreeSet;

use commloom_program::is_forgetful;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind, Name, Procedure, Statement, Type, Unary};

use super::writes::{for_each_body, for_each_expression, for_each_operand, root};

/// Locals whose address is taken, or whose content is handed to a call: of C. (Fortran's dummy
/// arguments keep no address.)
pub(super) fn escaping(procedure: &Procedure, symbols: &dyn Symbols) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    if !symbols.language().is_fortran() {
        for statement in &procedure.body {
            escaping_in(statement, symbols, &mut names);
        }
    }
    names
}

fn escaping_in(statement: &Statement, symbols: &dyn Symbols, names: &mut BTreeSet<Name>) {
    for_each_expression(statement, &mut |expression| taken(expression, symbols, names));
    for_each_body(statement, &mut |inner| escaping_in(inner, symbols, names));
}

fn taken(expression: &Expression, symbols: &dyn Symbols, names: &mut BTreeSet<Name>) {
    let is_array = |name: &Name| {
        symbols.variable(name).is_some_and(|d| matches!(symbols.resolve(&d.of), Type::Array(..)))
    };
    if let ExpressionKind::Call { function, arguments } = &expression.kind
        && root(function).is_some_and(|name| is_forgetful(symbols.stands_for(name)))
    {
        for argument in arguments {
            match &argument.kind {
                ExpressionKind::Unary(Unary::Address, place) => {
                    for_each_operand(place, &mut |inner| taken(inner, symbols, names));
                }
                _ => taken(argument, symbols, names),
            }
        }
        return;
    }
    if let ExpressionKind::Call { arguments, .. } = &expression.kind {
        let arrays = arguments.iter().filter_map(root).filter(|name| is_array(name));
        names.extend(arrays.cloned());
    }
    if let ExpressionKind::Unary(Unary::Address, place) = &expression.kind
        && let Some(name) = root(place)
        && !is_behind_pointer(place, symbols)
    {
        names.insert(name.clone());
    }
    for_each_operand(expression, &mut |inner| taken(inner, symbols, names));
}

/// Whether a place is what a pointer points to, `p[i]`: its address is not that of the pointer.
fn is_behind_pointer(place: &Expression, symbols: &dyn Symbols) -> bool {
    match &place.kind {
        ExpressionKind::Element { base, .. } => match &base.kind {
            ExpressionKind::Name(name) => symbols
                .variable(name)
                .is_some_and(|d| matches!(symbols.resolve(&d.of), Type::Pointer(_))),
            _ => is_behind_pointer(base, symbols),
        },
        ExpressionKind::Member { base, .. } => is_behind_pointer(base, symbols),
        ExpressionKind::Unary(Unary::Dereference, _) => true,
        _ => false,
    }
}
