//! The request that a wait is to complete, as the program names it where it begins.

use commloom_program::View;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Dimension, Expression, ExpressionKind as Kind, MAX_DEPTH, Name, Subscript, Type, Unary,
};

use super::flow::alike;
use super::touch::roots;

/// An element of an array of requests, or a request of its own.
pub(super) struct Request<'e> {
    pub root: Option<Name>,
    pub base: &'e Expression,
    /// Counted from the first element; none: the first one.
    pub at: Option<&'e Expression>,
    /// The first subscript.
    pub lower: Option<i64>,
}

impl<'e> Request<'e> {
    pub fn of(view: &View<'_>, argument: &'e Expression) -> Request<'e> {
        let is_fortran = view.language().is_fortran();
        let mut place = argument;
        while let Kind::Cast(_, inner) | Kind::Keyword(_, inner) = &place.kind {
            place = inner;
        }
        let mut request = Request { root: None, base: place, at: None, lower: Some(0) };
        match &place.kind {
            Kind::Unary(Unary::Address, inner) => match &inner.kind {
                Kind::Element { base, subscripts } => request.element(base, subscripts),
                _ => request.base = inner,
            },
            Kind::Element { base, subscripts } if is_fortran => request.element(base, subscripts),
            Kind::Binary(Binary::Add, base, by) if !is_fortran => {
                request.base = base;
                request.at = Some(by);
            }
            _ => {}
        }
        request.root = roots(request.base).into_iter().next();
        if is_fortran {
            request.lower = request.bounds(view).and_then(|(lower, _)| lower);
        }
        request
    }

    fn element(&mut self, base: &'e Expression, subscripts: &'e [Subscript]) {
        if let [Subscript::At(at)] = subscripts {
            (self.base, self.at) = (base, Some(at));
        }
    }

    /// The first subscript of the array of requests, and how many there are.
    pub fn bounds(&self, view: &View<'_>) -> Option<(Option<i64>, Option<i64>)> {
        let Kind::Name(name) = &self.base.kind else { return None };
        let Type::Array(_, dimensions) = view.resolve(&view.variable(name)?.of) else {
            return Some((Some(1), Some(1)));
        };
        let [dimension] = dimensions.as_slice() else { return None };
        let of = |e: &Expression| number(view, e, 0);
        let default = i64::from(view.language().is_fortran());
        Some(match dimension {
            Dimension::Extent(extent) => (Some(default), of(extent)),
            Dimension::Bounds { lower, upper } => {
                let lower = lower.as_ref().map_or(Some(default), of);
                let count = lower.and_then(|l| of(upper)?.checked_sub(l)?.checked_add(1));
                (lower, count)
            }
            Dimension::AssumedSize { lower } | Dimension::AssumedShape { lower } => {
                (lower.as_ref().map_or(Some(default), of), None)
            }
        })
    }

    /// Whether a place is surely another request of the same array or structure, or the name of
    /// another variable that leads nowhere.
    pub fn is_apart(&self, view: &View<'_>, place: &Expression) -> bool {
        let mut other = Request::of(view, place);
        if let Kind::Element { base, subscripts } = &place.kind {
            other.element(base, subscripts);
        }
        // What sets a pointer sets all that is reached by it.
        let is_whole = matches!(&place.kind, Kind::Name(name) if Some(name) == self.root.as_ref());
        if other.root != self.root || self.root.is_none() || is_whole {
            return false;
        }
        if alike(self.base, other.base) {
            return matches!((self.index(view), other.index(view)), (Some(a), Some(b)) if a != b);
        }
        is_another_component(self.base, other.base)
    }

    /// Its number in the array, from 0.
    pub fn index(&self, view: &View<'_>) -> Option<i64> {
        match self.at {
            None => Some(0),
            Some(at) => number(view, at, 0)?.checked_sub(self.lower?),
        }
    }
}

/// Whether two places are two components of one structure: then they are two requests.
pub(super) fn is_another_component(one: &Expression, other: &Expression) -> bool {
    matches!((&one.kind, &other.kind),
        (Kind::Member { base: a, field: f }, Kind::Member { base: b, field: g })
            if f != g && alike(a, b))
}

/// A number that the text tells.
pub(super) fn number(view: &View<'_>, value: &Expression, depth: usize) -> Option<i64> {
    if depth > MAX_DEPTH {
        return None;
    }
    let of = |e: &Expression| number(view, e, depth + 1);
    match &value.kind {
        Kind::Integer(number) => Some(*number),
        Kind::Name(name) => of(view.constant(name)?),
        Kind::Cast(_, inner) => of(inner),
        Kind::Unary(Unary::Minus, inner) => of(inner)?.checked_neg(),
        Kind::Binary(Binary::Add, a, b) => of(a)?.checked_add(of(b)?),
        Kind::Binary(Binary::Subtract, a, b) => of(a)?.checked_sub(of(b)?),
        Kind::Binary(Binary::Multiply, a, b) => of(a)?.checked_mul(of(b)?),
        _ => None,
    }
}
