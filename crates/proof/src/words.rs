//! Words of declarations by which an assignment is no plain copy, or memory is not the program's
//! alone.

use commloom_copies::Packing;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{View, type_of};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{StatementKind, Type};

use super::found::Found;

/// Refuses what others touch at any time (`volatile`), what procedures of the program do where an
/// operator stands, and names of MPI that are the program's own.
pub(super) fn are_plain(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
) -> Result<(), Refusal> {
    let refuse = |code, span, message: String| Err(Refusal::new(code, span, message));
    let names = packing.touched.iter().chain(&packing.needs).chain([&packing.buffer]);
    // Each is among its own targets.
    for name in names.flat_map(|name| view.targets(name)) {
        if view.variable(&name).is_some_and(|declared| declared.is_volatile) {
            let message = format!(
                "'{name}' is volatile or asynchronous: others read and write it at any time, and \
                 each of the program's own reads and writes counts"
            );
            return refuse(Code::SourceWritten, found.call, message);
        }
    }
    let is_constant =
        |name: &&String| view.variable(name).is_some_and(|declared| declared.is_constant);
    if let Some(name) = packing.touched.iter().find(is_constant) {
        let message = format!(
            "'{name}' is a named constant: a compiler may pass a copy of the element that a \
             message would begin at"
        );
        return refuse(Code::Address, found.call, message);
    }
    if view.has_own(&found.function) {
        let message = format!(
            "a function of the program is called '{}', too: which one is called is not looked at",
            found.function
        );
        return refuse(Code::CallForm, found.call, message);
    }
    if !view.language().is_fortran() {
        return Ok(());
    }
    if let Some(span) = assigned(view, packing) {
        let message =
            "the program defines what an assignment to this type does: this may be no copy";
        return refuse(Code::Arithmetic, span, message.into());
    }
    if view.has_loose_pointers() {
        let message = "a Cray pointer is declared here, which may lead to any variable";
        return refuse(Code::Alias, found.call, message.into());
    }
    if view.project().acts() {
        let message = "the program defines operators, assignments, input and output, or the end of \
                       variables by procedures that write to other memory; where they are called \
                       is not followed";
        return refuse(Code::SourceWritten, found.call, message.into());
    }
    Ok(())
}

/// The reason for a copy that cannot be read, where it reads or writes what is `volatile` by its
/// type: a component, a name of a type, a cast.
pub(super) fn volatile(view: &View<'_>, refusal: Refusal) -> Refusal {
    let mut is_volatile = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if !refusal.span.contains(s.span) && !s.span.contains(refusal.span)
                || !s.bodies().is_empty()
            {
                return;
            }
            for expression in s.expressions() {
                expression.each(&mut |e| {
                    is_volatile |= type_of(view, e).is_some_and(|of| counts(view, of));
                });
            }
        });
    }
    if !is_volatile {
        return refusal;
    }
    let message = "this is volatile by its type: others read and write it at any time, and each of \
                   the program's own reads and writes counts";
    Refusal::new(Code::SourceWritten, refusal.span, message)
}

/// Whether each read of a place of this type counts.
fn counts(view: &View<'_>, mut of: Type) -> bool {
    loop {
        of = match view.resolve(&of) {
            Type::Array(inner, _) | Type::Pointer(inner) | Type::Reference(inner) => *inner,
            Type::Named(name) => return name.starts_with("volatile "),
            _ => return false,
        };
    }
}

/// A copy to a type whose assignment is a procedure.
fn assigned(view: &View<'_>, packing: &Packing) -> Option<Span> {
    let mut other = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let is_copy = packing.statements.iter().any(|copy| copy.contains(s.span));
            let StatementKind::Assign { target, .. } = &s.kind else { return };
            let Some(mut of) = type_of(view, target).filter(|_| is_copy) else { return };
            while let Type::Array(inner, _) | Type::Pointer(inner) = of {
                of = view.resolve(&inner);
            }
            if view.project().is_assigned(&of) {
                other.get_or_insert(s.span);
            }
        });
    }
    other
}
