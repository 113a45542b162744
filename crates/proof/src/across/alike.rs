//! Whether two texts say the same, wherever they stand.

use commloom_source::tree::{Dimension, Expression, ExpressionKind as Kind, Type};

/// The same expression but for where it stands.
pub(super) fn alike(one: &Expression, other: &Expression) -> bool {
    let same = match (&one.kind, &other.kind) {
        (Kind::Integer(a), Kind::Integer(b)) => a == b,
        (Kind::Literal(a), Kind::Literal(b)) | (Kind::Name(a), Kind::Name(b)) => a == b,
        (Kind::Unary(a, _), Kind::Unary(b, _)) => a == b,
        (Kind::Binary(a, ..), Kind::Binary(b, ..)) => a == b,
        _ => false,
    };
    let (a, b) = (one.parts(), other.parts());
    same && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| alike(a, b))
}

/// The same type, with the same bounds.
pub(super) fn alike_types(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Array(a, ones), Type::Array(b, others)) => {
            alike_types(a, b)
                && ones.len() == others.len()
                && ones.iter().zip(others).all(|(a, b)| alike_dimensions(a, b))
        }
        (Type::Pointer(a), Type::Pointer(b)) => alike_types(a, b),
        (Type::Unknown, _) | (_, Type::Unknown) => false,
        _ => one == other,
    }
}

fn alike_dimensions(one: &Dimension, other: &Dimension) -> bool {
    let maybe = |a: &Option<Expression>, b: &Option<Expression>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => alike(a, b),
        _ => false,
    };
    match (one, other) {
        (Dimension::Bounds { lower: a, upper: x }, Dimension::Bounds { lower: b, upper: y }) => {
            maybe(a, b) && alike(x, y)
        }
        (Dimension::Extent(a), Dimension::Extent(b)) => alike(a, b),
        _ => false,
    }
}

/// The type behind a pointer of C, or in an array from its second dimension on.
pub(super) fn behind(of: &Type) -> Option<Type> {
    match of {
        Type::Pointer(inner) => Some((**inner).clone()),
        Type::Array(element, dimensions) => Some(match dimensions.get(1..) {
            Some(rest) if !rest.is_empty() => Type::Array(element.clone(), rest.to_vec()),
            _ => (**element).clone(),
        }),
        _ => None,
    }
}
