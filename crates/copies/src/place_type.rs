//! The types of places, by their declarations.

use commloom_source::affine::{Place, Step};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind, Type, Unary};

/// The type of a place, without evaluating anything.
pub(super) fn place_type(symbols: &dyn Symbols, expression: &Expression) -> Option<Type> {
    let of = match &expression.kind {
        ExpressionKind::Name(name) => symbols.variable(name)?.of.clone(),
        ExpressionKind::Element { base, subscripts } => match place_type(symbols, base)? {
            Type::Pointer(to) => match symbols.resolve(&to) {
                Type::Array(element, _) if symbols.language().is_fortran() => *element,
                _ => *to,
            },
            Type::Array(element, dimensions) => match dimensions.get(subscripts.len()..) {
                Some([]) | None => *element,
                Some(rest) => Type::Array(element, rest.to_vec()),
            },
            _ => return None,
        },
        ExpressionKind::Member { base, field } => {
            symbols.field(&place_type(symbols, base)?, field)?.1
        }
        ExpressionKind::Unary(Unary::Dereference, pointer) => match place_type(symbols, pointer)? {
            Type::Pointer(to) => *to,
            Type::Array(element, dimensions) if dimensions.len() == 1 => *element,
            _ => return None,
        },
        ExpressionKind::Step { target, .. } => return place_type(symbols, target),
        ExpressionKind::Binary(_, left, _) => return place_type(symbols, left),
        ExpressionKind::Cast(of, _) => of.clone(),
        _ => return None,
    };
    Some(match symbols.resolve(&of) {
        Type::Reference(to) => symbols.resolve(&to),
        other => other,
    })
}

/// The type of a place as its steps lead there, where it is declared.
pub fn type_at(symbols: &dyn Symbols, place: &Place) -> Option<Type> {
    let mut of = symbols.resolve(&symbols.variable(&place.variable)?.of);
    if let Type::Reference(to) = of {
        of = symbols.resolve(&to);
    }
    for step in &place.steps {
        of = match (step, of) {
            (Step::At(_) | Step::Follow, Type::Pointer(to)) => *to,
            (Step::At(at), Type::Array(element, dimensions)) => match dimensions.get(at.len()..) {
                Some([]) | None => *element,
                Some(rest) => Type::Array(element, rest.to_vec()),
            },
            (Step::Field(field), of) => symbols.field(&of, field)?.1,
            _ => return None,
        };
        of = symbols.resolve(&of);
    }
    Some(of)
}

/// Whether values of a type are whole numbers that hold every size and index: those of four bytes
/// and more. (A count that overflows one is undefined in C, and not allowed in Fortran.)
pub(super) fn is_whole(of: &Type) -> bool {
    match of {
        Type::Basic(name, size) => {
            let inexact = ["float", "double", "real", "complex", "logical", "bool", "char"];
            *size >= 4 && !inexact.iter().any(|word| name.contains(word))
        }
        _ => false,
    }
}
