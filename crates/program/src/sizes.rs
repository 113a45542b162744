//! Sizes and offsets, under LP64 (System V ABI for x86-64, 3.1.2).

use commloom_read::fortran::of_kind;
use commloom_source::symbols::{Symbols, part};
use commloom_source::tree::{
    Binary, Dimension, Expression, ExpressionKind as Kind, Field, Name, Record, Type, Unary,
};

use super::view::View;

/// Types inside of types.
const NESTING_LIMIT: usize = 64;

/// The type behind names.
pub(super) fn resolve(view: &View<'_>, of: &Type) -> Type {
    let mut of = of.clone();
    for _ in 0..NESTING_LIMIT {
        let Type::Named(name) = &of else { return of };
        let spaces = &view.project.spaces;
        of = match spaces.alias(view.id.0, name) {
            Some(Type::Named(same)) if same == name => return Type::Record(name.clone()),
            Some(alias) => alias.clone(),
            None if spaces.record(view.id.0, name).is_some() => return Type::Record(name.clone()),
            None if view.language().is_fortran() => return of_named_kind(view, name).unwrap_or(of),
            None => return of,
        };
    }
    Type::Unknown
}

/// A number of Fortran whose kind is a constant of another module: `real(dp)`.
fn of_named_kind(view: &View<'_>, named: &str) -> Option<Type> {
    of_kind(named, |kind| {
        let mut name = kind;
        for _ in 0..NESTING_LIMIT {
            match &view.constant(name)?.kind {
                Kind::Integer(bytes) => return u32::try_from(*bytes).ok(),
                Kind::Name(other) => name = other,
                _ => return None,
            }
        }
        None
    })
}

/// Bytes of a type.
pub(super) fn size_of(view: &View<'_>, of: &Type) -> Option<u64> {
    layout(view, of, 0).map(|l| l.size)
}

/// Offset and type of a component.
pub(super) fn field(view: &View<'_>, record: &Type, name: &str) -> Option<(u64, Type)> {
    let Type::Record(record) = resolve(view, record) else { return None };
    let record = view.project.spaces.record(view.id.0, &record)?;
    fields(view, record, 0)?
        .into_iter()
        .zip(&record.fields)
        .find(|(_, field)| field.name == name)
        .map(|(offset, field)| (offset, field.of.clone()))
}

/// Whether a value is a structure of numbers: whoever copies it copies no address.
pub(super) fn is_plain_record(view: &View<'_>, of: &Type) -> bool {
    matches!(resolve(view, of), Type::Record(_)) && has_numbers_only(view, of, 0)
}

/// Whether the components of a structure, or of one in it, have values as soon as it is made.
pub fn is_made_with_values(view: &View<'_>, of: &Type) -> bool {
    let mut waiting = vec![of.clone()];
    // As many as types may hold: who holds itself does so by a pointer.
    for _ in 0..NESTING_LIMIT {
        let Some(of) = waiting.pop() else { return false };
        match resolve(view, &of) {
            Type::Array(inner, _) => waiting.push(*inner),
            Type::Record(name) => {
                let Some(record) = view.project.spaces.record(view.id.0, &name) else { continue };
                if record.fields.iter().any(|field| field.has_value) {
                    return true;
                }
                let parts = record.fields.iter().map(|field| &field.of);
                waiting.extend(parts.filter(|of| !matches!(of, Type::Basic(..))).cloned());
            }
            _ => {}
        }
    }
    true
}

fn has_numbers_only(view: &View<'_>, of: &Type, depth: usize) -> bool {
    if depth > NESTING_LIMIT {
        return false;
    }
    match resolve(view, of) {
        Type::Basic(..) => true,
        Type::Array(element, _) => has_numbers_only(view, &element, depth + 1),
        Type::Record(name) => view.project.spaces.record(view.id.0, &name).is_some_and(|record| {
            let plain = |f: &Field| !f.is_elsewhere && has_numbers_only(view, &f.of, depth + 1);
            !record.is_opaque && record.fields.iter().all(plain)
        }),
        _ => false,
    }
}

/// The numbers that a type consists of, if they are of one type without gaps.
pub(super) fn uniform(view: &View<'_>, of: &Type) -> Option<(Name, u64)> {
    uniform_part(view, of, 0)
}

fn uniform_part(view: &View<'_>, of: &Type, depth: usize) -> Option<(Name, u64)> {
    if depth > NESTING_LIMIT {
        return None;
    }
    match resolve(view, of) {
        Type::Basic(name, size) => Some(part(&name, u64::from(size), view.language().is_fortran())),
        // A constant may be another one in the next build.
        Type::Array(element, dimensions) => {
            let is_fixed = |d: &Dimension| {
                matches!(d, Dimension::Extent(Expression { kind: Kind::Integer(_), .. }))
                    || matches!(d, Dimension::Bounds { lower: None, upper }
                        if matches!(upper.kind, Kind::Integer(_)))
            };
            let element = uniform_part(view, &element, depth + 1)?;
            dimensions.iter().all(is_fixed).then_some(element)
        }
        Type::Record(name) => {
            let record = view.project.spaces.record(view.id.0, &name)?;
            if record.is_opaque || record.fields.iter().any(|f| f.is_elsewhere) {
                return None;
            }
            let mut parts = record.fields.iter().map(|f| uniform_part(view, &f.of, depth + 1));
            let first = parts.next()??;
            parts.all(|part| part.as_ref() == Some(&first)).then_some(first)
        }
        _ => None,
    }
}

struct Layout {
    size: u64,
    alignment: u64,
}

fn layout(view: &View<'_>, of: &Type, depth: usize) -> Option<Layout> {
    if depth > NESTING_LIMIT {
        return None;
    }
    match resolve(view, of) {
        Type::Basic(name, size) => {
            let size = u64::from(size);
            // Complex numbers are aligned as their parts.
            let alignment = if name.starts_with("complex") { size / 2 } else { size };
            Some(Layout { size, alignment: alignment.clamp(1, 16) })
        }
        Type::Pointer(_) if !view.language().is_fortran() => Some(Layout { size: 8, alignment: 8 }),
        Type::Array(element, dimensions) => {
            let element = layout(view, &element, depth + 1)?;
            let mut size = element.size;
            for dimension in &dimensions {
                size = size.checked_mul(extent(view, dimension)?)?;
            }
            Some(Layout { size, alignment: element.alignment })
        }
        Type::Record(name) => {
            let record = view.project.spaces.record(view.id.0, &name)?;
            record_layout(view, record, depth)
        }
        _ => None,
    }
}

fn record_layout(view: &View<'_>, record: &Record, depth: usize) -> Option<Layout> {
    let offsets = fields(view, record, depth)?;
    let mut whole = Layout { size: 0, alignment: 1 };
    for (offset, field) in offsets.into_iter().zip(&record.fields) {
        let inner = layout(view, &field.of, depth + 1)?;
        whole.size = offset.checked_add(inner.size)?;
        whole.alignment = whole.alignment.max(inner.alignment);
    }
    whole.size = whole.size.checked_next_multiple_of(whole.alignment)?;
    Some(whole)
}

/// Offsets of all fields.
fn fields(view: &View<'_>, record: &Record, depth: usize) -> Option<Vec<u64>> {
    if record.is_opaque || record.fields.iter().any(|f| f.is_elsewhere) {
        return None;
    }
    let mut at: u64 = 0;
    record
        .fields
        .iter()
        .map(|field| {
            let inner = layout(view, &field.of, depth + 1)?;
            let offset = at.checked_next_multiple_of(inner.alignment)?;
            at = offset.checked_add(inner.size)?;
            Some(offset)
        })
        .collect()
}

fn extent(view: &View<'_>, dimension: &Dimension) -> Option<u64> {
    let length = match dimension {
        Dimension::Extent(length) => number(view, length, 0)?,
        Dimension::Bounds { lower, upper } => {
            let lower = match lower {
                Some(lower) => number(view, lower, 0)?,
                None => i64::from(view.language().is_fortran()),
            };
            number(view, upper, 0)?.checked_sub(lower)?.checked_add(1)?.max(0)
        }
        _ => return None,
    };
    u64::try_from(length).ok()
}

/// The value of a constant expression.
fn number(view: &View<'_>, value: &Expression, depth: usize) -> Option<i64> {
    if depth > NESTING_LIMIT {
        return None;
    }
    let of = |e: &Expression| number(view, e, depth + 1);
    match &value.kind {
        Kind::Integer(n) => Some(*n),
        Kind::Name(name) => of(view.constant(name)?),
        Kind::Cast(_, inner) => of(inner),
        Kind::Unary(Unary::Minus, inner) => of(inner)?.checked_neg(),
        Kind::SizeOfType(inner) => i64::try_from(size_of(view, inner)?).ok(),
        Kind::Binary(operator, left, right) => {
            let (left, right) = (of(left)?, of(right)?);
            match operator {
                Binary::Add => left.checked_add(right),
                Binary::Subtract => left.checked_sub(right),
                Binary::Multiply => left.checked_mul(right),
                Binary::Divide => left.checked_div(right),
                Binary::Remainder => left.checked_rem(right),
                Binary::Power => left.checked_pow(u32::try_from(right).ok()?),
                Binary::ShiftLeft => {
                    let factor = 1i64.checked_shl(u32::try_from(right).ok()?)?;
                    left.checked_mul(factor)
                }
                _ => None,
            }
        }
        _ => None,
    }
}
