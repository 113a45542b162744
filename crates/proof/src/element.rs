//! Condition 6: the datatype of the call stays the element's, so that the signature stays the same
//! and each side can be rewritten alone.

use commloom_copies::Packing;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{View, type_of};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Declaration, Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Storage, Type,
    Unary,
};

use super::calls::{element_size, is_pair};
use super::found::{Found, buffer_name};
use super::model::Ledger;

/// Names of datatypes that are defined by each other.
const MOST_NAMES: usize = 16;

/// Elements are copied by assignments, which a class may say to do anything else.
pub(super) fn is_copied(view: &View<'_>, packing: &Packing) -> Result<(), Refusal> {
    let mut other = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let is_copy = packing.statements.iter().any(|copy| copy.contains(s.span));
            if let StatementKind::Assign { target, .. } = &s.kind
                && is_copy
                && let Some(of @ Type::Record(_)) = type_of(view, target)
                && !view.is_passive(&of)
            {
                other.get_or_insert(s.span);
            }
        });
    }
    let Some(span) = other else { return Ok(()) };
    let message = "the class of these elements has functions of its own: this may be no copy";
    Err(Refusal::new(Code::Arithmetic, span, message))
}

/// Bytes of one element of the call's datatype. Of a variable it is taken to be what the buffer is
/// made of, which is noted as an assumption.
pub(super) fn size(
    view: &View<'_>,
    found: &Found<'_>,
    ledger: &Ledger<'_>,
) -> Result<u64, Refusal> {
    let Some(name) = named(found) else {
        let span = found.datatype.span;
        let source = view.project().source(span.file);
        let text = source.and_then(|s| s.text.get(span.range())).unwrap_or("the datatype");
        let message = format!(
            "'{text}' is no datatype of MPI that can be seen here: write one, or, where it is a \
             macro, give the macros that decide it (--compile-commands)"
        );
        return Err(Refusal::new(Code::Datatype, span, message));
    };
    if let Some(size) = element_size(name).or_else(|| element_size(&meant(view, name)?)) {
        return Ok(size);
    }
    if is_pair(name) || meant(view, name).is_some_and(|meant| is_pair(&meant)) {
        let message = format!("'{name}' is a pair of values: a datatype of pairs is not written");
        return Err(Refusal::new(Code::Datatype, found.datatype.span, message));
    }
    let element = buffer_name(view, found).and_then(|b| {
        let mut of = view.resolve(&view.variable(&b)?.of);
        while let Type::Pointer(inner) | Type::Array(inner, _) | Type::Reference(inner) = of {
            of = view.resolve(&inner);
        }
        view.size_of(&of)
    });
    let Some(bytes) = element else {
        let message = format!(
            "how large '{name}' is, and what the buffer is made of, is not known here: write a \
             datatype of MPI and its type, or give the macros that say them (--compile-commands)"
        );
        return Err(Refusal::new(Code::Datatype, found.datatype.span, message));
    };
    let fact = Fact::DatatypeSize(name.to_owned(), bytes);
    // In Fortran a variable that one sees nobody build a type in is a name for a predefined one.
    if view.language().is_fortran() && !is_built(view, name) {
        ledger.note(fact);
        return Ok(bytes);
    }
    let message = format!("how large '{name}' is, and whether it has gaps, is not known here");
    ledger.need(Code::Datatype, found.datatype.span, message, fact)?;
    Ok(bytes)
}

/// The datatype that a constant is, or a variable that nothing but its initial value was ever put
/// into. Names of names are followed.
fn meant(view: &View<'_>, name: &str) -> Option<Name> {
    let mut name = name.to_owned();
    for _ in 0..MOST_NAMES {
        let value = match view.constant(&name) {
            Some(value) => value,
            None => only_value(view, &name)?,
        };
        let mut value = value;
        while let Kind::Cast(_, inner) = &value.kind {
            value = inner;
        }
        let Kind::Name(next) = &value.kind else { return None };
        name.clone_from(next);
        let is_known = element_size(&name).is_some() || is_pair(&name);
        if is_known && view.variable(&name).is_none() {
            return Some(name);
        }
    }
    None
}

/// The value that a variable of C has wherever it is used: that of its declaration, if nothing in
/// the whole program gives it another one, or has its address.
fn only_value<'p>(view: &View<'p>, name: &str) -> Option<&'p Expression> {
    let project = view.project();
    let declared = view.declaration(name)?;
    let is_handle = matches!(&declared.of, Type::Named(of) if of == "MPI_Datatype");
    if view.language().is_fortran() || !is_handle || declared.storage == Storage::Argument {
        return None;
    }
    let global = view.global(name);
    let mut values: Vec<&Expression> = declared.value.iter().collect();
    let mut is_kept = true;
    let others = project.procedures().filter(|_| global.is_some()).map(|id| project.view(id));
    let own = std::iter::once(*view).filter(|_| global.is_none());
    for other in own.chain(others) {
        let is_it = |n: &str| match &global {
            Some(global) => other.global(n).as_ref() == Some(global),
            None => n == name,
        };
        for statement in &other.procedure().body {
            statement.each(&mut |s| {
                let Uses { given, is_open } = uses(s, &is_it);
                values.extend(given);
                is_kept &= !is_open;
            });
        }
    }
    values.dedup();
    match values.as_slice() {
        [one] if is_kept => Some(one),
        _ => None,
    }
}

/// The values that a statement gives a variable, and whether it may get others there.
struct Uses<'s> {
    given: Vec<&'s Expression>,
    is_open: bool,
}

fn uses<'s>(statement: &'s Statement, is_it: &dyn Fn(&str) -> bool) -> Uses<'s> {
    let named = |e: &Expression| matches!(&e.kind, Kind::Name(name) if is_it(name));
    let mut found = Uses { given: Vec::new(), is_open: false };
    match &statement.kind {
        StatementKind::Assign { target, operation: None, value } if named(target) => {
            found.given.push(value);
        }
        StatementKind::Declare(all) => {
            // A reference is another name for it.
            let is_reference = |d: &Declaration| matches!(d.of, Type::Reference(_));
            let mut values =
                all.iter().filter(|d| is_reference(d)).filter_map(|d| d.value.as_ref());
            found.is_open |= values.any(|value| value.root().is_some_and(|n| is_it(n)));
        }
        StatementKind::Unknown(names) => found.is_open |= names.iter().any(|name| is_it(name)),
        _ => {}
    }
    for expression in statement.expressions() {
        expression.each(&mut |e| match &e.kind {
            Kind::Unary(Unary::Address, inner) => found.is_open |= named(inner),
            Kind::Assign { target, .. } => found.is_open |= named(target),
            Kind::Unknown(names) => found.is_open |= names.iter().any(|name| is_it(name)),
            _ => {}
        });
    }
    found
}

fn named<'f>(found: &'f Found<'_>) -> Option<&'f str> {
    match &found.datatype.kind {
        Kind::Name(name) => Some(name),
        // `MPI::DOUBLE`, `((MPI_Datatype)0x...)`: not in this form.
        Kind::Cast(_, inner) => match &inner.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a type is committed under this name.
fn is_built(view: &View<'_>, name: &str) -> bool {
    let mut built = false;
    for unit in view.project().units() {
        for procedure in &unit.procedures {
            for statement in &procedure.body {
                statement.each(&mut |s| {
                    for e in s.expressions() {
                        if let Kind::Call { function, arguments } = &e.kind {
                            let commits = function
                                .root()
                                .is_some_and(|f| f.eq_ignore_ascii_case("mpi_type_commit"));
                            built |= commits && arguments.iter().any(|a| a.mentions(name));
                        }
                    }
                });
            }
        }
    }
    built
}
