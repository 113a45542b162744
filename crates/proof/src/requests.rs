//! Which element of which variable a request is.

use commloom_program::View;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Dimension, Expression, ExpressionKind as Kind, Name, Subscript, Type, Unary,
};

/// A request, or the first one of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Handle {
    pub variable: Name,
    /// Its subscript; none where that is no number.
    pub at: Option<i64>,
}

impl Handle {
    /// The request that an argument of a call names: `&r`, `&r[2]`, `r + 2`, `r(2)`. None where it
    /// is something else.
    pub fn of(view: &View<'_>, argument: &Expression) -> Option<Handle> {
        match &argument.kind {
            Kind::Unary(Unary::Address, inner) | Kind::Cast(_, inner) => Handle::of(view, inner),
            Kind::Name(name) => Some(Handle { variable: name.clone(), at: first(view, name) }),
            Kind::Element { base, subscripts } => {
                let Kind::Name(name) = &base.kind else { return None };
                let at = match subscripts.as_slice() {
                    [Subscript::At(at)] => number(view, at),
                    _ => None,
                };
                Some(Handle { variable: name.clone(), at })
            }
            Kind::Binary(Binary::Add, left, right) => {
                let Kind::Name(name) = &left.kind else { return None };
                Some(Handle { variable: name.clone(), at: number(view, right) })
            }
            _ => None,
        }
    }
}

/// The subscript of a variable's first element; 0 of what is no array.
fn first(view: &View<'_>, name: &str) -> Option<i64> {
    let of = view.resolve(&view.variable(name)?.of);
    match (of, view.language().is_fortran()) {
        (Type::Array(_, dimensions), true) => match dimensions.as_slice() {
            [Dimension::Extent(_) | Dimension::Bounds { lower: None, .. }] => Some(1),
            [Dimension::Bounds { lower: Some(lower), .. }] => number(view, lower),
            _ => None,
        },
        _ => Some(0),
    }
}

/// A number that the text tells.
pub(super) fn number(view: &View<'_>, value: &Expression) -> Option<i64> {
    match &value.kind {
        Kind::Integer(number) => Some(*number),
        Kind::Unary(Unary::Minus, inner) => number(view, inner)?.checked_neg(),
        // One step: constants that are made of others are not looked through.
        Kind::Name(name) => match view.constant(name).map(|c| &c.kind) {
            Some(Kind::Integer(number)) => Some(*number),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a call is about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Yes,
    No,
    /// It may be: how many requests are meant is no number.
    Perhaps,
}

/// Whether a call with requests from `argument` on (`count` of them; one where there is none) is
/// about this one.
pub(super) fn about(
    view: &View<'_>,
    argument: &Expression,
    count: Option<&Expression>,
    request: &Handle,
) -> About {
    let Some(handle) = Handle::of(view, argument) else { return About::Perhaps };
    if handle.variable != request.variable {
        return About::No;
    }
    let (Some(first), Some(at)) = (handle.at, request.at) else { return About::Perhaps };
    if at < first {
        return About::No;
    }
    match count {
        None if at == first => About::Yes,
        None => About::No,
        Some(count) => match number(view, count) {
            Some(count) if at < first.saturating_add(count) => About::Yes,
            Some(_) => About::No,
            None => About::Perhaps,
        },
    }
}
