//! Condition 6: the datatype of the call stays the element's, so that the signature stays the same
//! and each side can be rewritten alone.

use commloom_program::View;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{ExpressionKind as Kind, Type};

use super::calls::element_size;
use super::found::{Found, buffer_name};
use super::model::Ledger;

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
    if let Some(size) = element_size(name) {
        return Ok(size);
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
