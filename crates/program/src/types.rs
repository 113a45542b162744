//! Types of expressions, as far as pointers are told from numbers.

use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind as Kind, Type, Unary};

use super::view::View;

/// The type of a value, resolved; none where the text does not tell.
pub fn type_of(view: &View<'_>, value: &Expression) -> Option<Type> {
    let of = match &value.kind {
        Kind::Name(name) => view.declared(name)?.of.clone(),
        Kind::Integer(_) | Kind::SizeOfType(_) | Kind::SizeOfValue(_) | Kind::OffsetOf(..) => {
            Type::Basic("long".into(), 8)
        }
        Kind::Literal(text) if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            Type::Basic("double".into(), 8)
        }
        Kind::Element { base, subscripts } => {
            let all = view.language().is_fortran();
            element(type_of(view, base)?, if all { subscripts.len() } else { 1 })?
        }
        Kind::Member { base, field } => {
            let Type::Record(name) = type_of(view, base)? else { return None };
            let record = view.project.spaces.record(view.id.0, &name)?;
            record.fields.iter().find(|f| f.name == *field)?.of.clone()
        }
        Kind::Unary(Unary::Dereference, inner) => element(type_of(view, inner)?, 1)?,
        Kind::Unary(Unary::Address, inner) => Type::Pointer(Box::new(type_of(view, inner)?)),
        Kind::Unary(_, inner) | Kind::Step { target: inner, .. } => type_of(view, inner)?,
        Kind::Cast(of, _) => of.clone(),
        Kind::Assign { target, .. } => type_of(view, target)?,
        Kind::Choice { yes, .. } => type_of(view, yes)?,
        Kind::Binary(_, left, right) => {
            let (left, right) = (type_of(view, left)?, type_of(view, right)?);
            if is_number(&left) { right } else { left }
        }
        _ => return None,
    };
    let of = view.resolve(&of);
    Some(match of {
        Type::Reference(inner) => view.resolve(&inner),
        of => of,
    })
}

/// Whether a value is a number for sure.
pub(super) fn is_number(of: &Type) -> bool {
    matches!(of, Type::Basic(..))
}

/// Whether a place is what a number leads to that was made a pointer.
pub(super) fn is_forged(view: &View<'_>, place: &Expression) -> bool {
    let mut forged = false;
    place.each(&mut |e| {
        if let Kind::Cast(of, inner) = &e.kind
            && matches!(view.resolve(of), Type::Pointer(_))
        {
            // No variable lies where the text says a number.
            let is_written = matches!(inner.kind, Kind::Integer(_));
            forged |= !is_written && type_of(view, inner).is_some_and(|of| is_number(&of));
        }
    });
    forged
}

/// Whether a value is an address that becomes a number, of which another pointer may be made.
pub(super) fn is_number_of_address(view: &View<'_>, value: &Expression) -> bool {
    let Kind::Cast(of, inner) = &value.kind else { return false };
    is_number(&view.resolve(of))
        && (matches!(inner.kind, Kind::Unary(Unary::Address, _))
            || matches!(type_of(view, inner), Some(Type::Pointer(_) | Type::Array(..))))
}

/// The type in an array, or behind a pointer.
pub(super) fn element(of: Type, subscripts: usize) -> Option<Type> {
    match of {
        Type::Pointer(inner) => Some(*inner),
        Type::Array(inner, mut dimensions) => {
            if dimensions.len() > subscripts {
                dimensions.drain(..subscripts);
                Some(Type::Array(inner, dimensions))
            } else {
                Some(*inner)
            }
        }
        _ => None,
    }
}

/// Whether values of a type are numbers, or arrays of them.
pub(super) fn holds_numbers(view: &View<'_>, of: &Type) -> bool {
    match view.resolve(of) {
        Type::Basic(..) => true,
        Type::Array(inner, _) => matches!(view.resolve(&inner), Type::Basic(..)),
        _ => false,
    }
}

/// Words of types of C++'s library that only hold what they are made of, and of numbers.
const PASSIVE: [&str; 34] = [
    "std",
    "vector",
    "array",
    "string",
    "unique_ptr",
    "complex",
    "valarray",
    "deque",
    "list",
    "map",
    "set",
    "pair",
    "tuple",
    "optional",
    "span",
    "initializer_list",
    "chrono",
    "double",
    "float",
    "int",
    "long",
    "short",
    "char",
    "unsigned",
    "signed",
    "bool",
    "size_t",
    "int32_t",
    "int64_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "ptrdiff_t",
    "const",
];

/// Structures in structures.
const MOST_NESTED: usize = 32;

/// Whether nothing happens where a variable of a type is made, and where its scope ends.
pub(super) fn is_passive(view: &View<'_>, of: &Type, depth: usize) -> bool {
    if view.language() != commloom_source::Language::Cpp {
        return true;
    }
    if depth > MOST_NESTED {
        return false;
    }
    match view.resolve(of) {
        Type::Basic(..) | Type::Pointer(_) | Type::Reference(_) | Type::Void => true,
        Type::Array(inner, _) => is_passive(view, &inner, depth + 1),
        Type::Record(name) => view.project.spaces.record(view.id.0, &name).is_some_and(|record| {
            !record.has_actions
                && record.fields.iter().all(|field| is_passive(view, &field.of, depth + 1))
        }),
        Type::Named(text) => {
            let is_mpi = text.starts_with("MPI_");
            let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let is_known = |word: &str| {
                word.is_empty()
                    || PASSIVE.contains(&word)
                    || word.chars().all(|c| c.is_ascii_digit())
            };
            is_mpi || (text.starts_with("std::") && words.all(is_known))
        }
        _ => false,
    }
}
