//! `std::copy(first, last, to)` and `std::copy_n(first, n, to)` are loops: element by element, in
//! this order ([alg.copy] of C++).

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Bound, Declaration, Expression, ExpressionKind as Kind, Loop, Statement, StatementKind,
    Storage, Subscript, Type, Unary,
};

use super::changes::settles;
use super::reader::Reader;

/// The loop that a call is; none where it is no copy, or one of which one does not see how many
/// elements it copies.
pub(super) fn copied(reader: &Reader<'_>, call: &Expression) -> Option<Vec<Statement>> {
    let (from, to, count) = parts(reader, call)?;
    let span = call.span;
    let variable = reader.shared.fresh("copied");
    let make = |kind| Expression { span, kind };
    let element = |base: &Expression| {
        let at = Subscript::At(make(Kind::Name(variable.clone())));
        make(Kind::Element { base: Box::new(base.clone()), subscripts: vec![at] })
    };
    let assign =
        StatementKind::Assign { target: element(to), operation: None, value: element(from) };
    let declaration = Declaration {
        name: variable.clone(),
        span,
        of: Type::Basic("long".into(), 8),
        storage: Storage::Local,
        intent: None,
        unaliased: false,
        allocatable: false,
        is_volatile: false,
        is_constant: false,
        value: None,
    };
    let counted = Loop {
        variable: variable.clone(),
        declares: true,
        first: make(Kind::Integer(0)),
        last: count,
        bound: Bound::Exclusive,
        step: make(Kind::Integer(1)),
        body: vec![Statement { span, kind: assign }],
        name: None,
    };
    Some(vec![
        Statement { span, kind: StatementKind::Declare(vec![declaration]) },
        Statement { span, kind: StatementKind::Loop(counted) },
    ])
}

/// `to = std::copy(first, last, to)`: the loop, and then the step of the pointer behind what was
/// copied.
pub(super) fn running(
    reader: &Reader<'_>,
    target: &Expression,
    operation: Option<Binary>,
    value: &Expression,
) -> Option<Vec<Statement>> {
    let (_, to, count) = parts(reader, value)?;
    if operation.is_some() || !matches!(&target.kind, Kind::Name(_)) || target.kind != to.kind {
        return None;
    }
    let mut all = copied(reader, value)?;
    let sum = Kind::Binary(Binary::Add, Box::new(to.clone()), Box::new(count));
    let value = Expression { span: value.span, kind: sum };
    let kind = StatementKind::Assign { target: target.clone(), operation: None, value };
    all.push(Statement { span: target.span, kind });
    Some(all)
}

/// Source, target and number of elements.
fn parts<'e>(
    reader: &Reader<'_>,
    call: &'e Expression,
) -> Option<(&'e Expression, &'e Expression, Expression)> {
    let Kind::Call { function, arguments } = &call.kind else { return None };
    let (Kind::Name(name), [first, second, to]) = (&function.kind, arguments.as_slice()) else {
        return None;
    };
    if !reader.is_cpp() || !arguments.iter().all(settles) {
        return None;
    }
    let count = match name.as_str() {
        "std::copy_n" => second.clone(),
        "std::copy" => {
            let (start, end) = (place(first), place(second));
            if !same(&start.base, &end.base) {
                return None;
            }
            match (start.offset, end.offset) {
                (None, Some(end)) => end,
                (Some(start), Some(end)) => {
                    let kind = Kind::Binary(Binary::Subtract, Box::new(end), Box::new(start));
                    Expression { span: second.span, kind }
                }
                (_, None) => return None,
            }
        }
        _ => return None,
    };
    Some((first, to, count))
}

/// An address as so many elements from another one.
struct Place {
    base: Expression,
    offset: Option<Expression>,
}

fn place(address: &Expression) -> Place {
    let further = |from: &Expression, operation: Binary, by: &Expression| {
        let Place { base, offset } = place(from);
        let zero = Expression { span: by.span, kind: Kind::Integer(0) };
        let kind = match (offset, operation) {
            (None, Binary::Add) => by.kind.clone(),
            (offset, operation) => {
                let before = Box::new(offset.unwrap_or(zero));
                Kind::Binary(operation, before, Box::new(by.clone()))
            }
        };
        Place { base, offset: Some(Expression { span: by.span, kind }) }
    };
    match &address.kind {
        Kind::Binary(operation @ (Binary::Add | Binary::Subtract), from, by) => {
            further(from, *operation, by)
        }
        Kind::Unary(Unary::Address, element) => match &element.kind {
            Kind::Element { base, subscripts } => match subscripts.as_slice() {
                // `v.data()`
                [Subscript::At(Expression { kind: Kind::Integer(0), .. })] => place(base),
                [Subscript::At(at)] => further(base, Binary::Add, at),
                _ => Place { base: address.clone(), offset: None },
            },
            _ => Place { base: address.clone(), offset: None },
        },
        _ => Place { base: address.clone(), offset: None },
    }
}

/// Whether two expressions are the same but for where they stand.
fn same(one: &Expression, other: &Expression) -> bool {
    let mut pair = [one.clone(), other.clone()];
    for expression in &mut pair {
        unplaced(expression, one.span);
    }
    pair[0] == pair[1]
}

fn unplaced(expression: &mut Expression, span: Span) {
    expression.span = span;
    expression.parts_mut().into_iter().for_each(|part| unplaced(part, span));
}
