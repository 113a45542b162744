//! Whether a handle may have another value when a call waits for it.
//!
//! A wait completes what its handle says then, not what a variable was called before. So nothing
//! may write to the variable of a pending request (or to the pointer that leads to it) but the
//! calls of MPI that are told apart: swaps, copies into it and steps of a pointer make it the
//! handle of something else.

use commloom_program::{View, is_mpi};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type,
};

use super::flow::Stretch;
use super::pending::Request;
use super::touch::{Touches, roots};

/// The first place in a stretch where the handle that a call at `own` has set may get another
/// value.
pub(super) fn overwritten(
    view: &View<'_>,
    request: &Request<'_>,
    own: Span,
    stretch: Stretch,
) -> Option<Span> {
    let root = request.root.as_ref()?;
    let mut found = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let is_own = s.span == own || s.span.contains(own);
            if found.is_none() && !is_own && stretch.has(s.span) && writes(view, request, root, s) {
                found = Some(s.span);
            }
        });
    }
    found
}

fn writes(view: &View<'_>, request: &Request<'_>, root: &Name, statement: &Statement) -> bool {
    if let StatementKind::Declare(all) = &statement.kind {
        return all.iter().any(|d| d.name == *root);
    }
    if let StatementKind::Assign { target, .. } = &statement.kind
        && request.is_apart(view, target)
    {
        return false;
    }
    if let Some(call) = mpi_call(view, statement) {
        return restarts(view, request, call);
    }
    let touches = Touches::of(view, statement);
    touches.writes.iter().any(|(name, _)| view.may_alias(name, root))
        || (!touches.anything.is_empty() && !view.is_hidden(root))
}

/// The name and arguments of the call of MPI that a statement is.
fn mpi_call<'s>(
    view: &'s View<'_>,
    statement: &'s Statement,
) -> Option<(&'s str, &'s [Expression])> {
    let (StatementKind::Evaluate(value) | StatementKind::Assign { value, .. }) = &statement.kind
    else {
        return None;
    };
    let Kind::Call { function, arguments } = &value.kind else { return None };
    let name = view.stands_for(function.root()?);
    is_mpi(name).then_some((name, arguments))
}

/// Whether a call of MPI takes the handle away, or gives it to another operation. Where the
/// subscript is no number it is another element: a program that loses an active request without
/// having copied it can never complete it.
fn restarts(view: &View<'_>, request: &Request<'_>, call: (&str, &[Expression])) -> bool {
    let (name, arguments) = call;
    let rest = name.get(4..).unwrap_or("").to_ascii_lowercase();
    let keeps = ["wait", "test", "start", "cancel", "request_get_status"];
    if keeps.iter().any(|word| rest.starts_with(word)) {
        return false;
    }
    let is_it = |argument: &&Expression| {
        let other = Request::of(view, argument);
        other.root == request.root && !request.is_apart(view, argument)
    };
    arguments.iter().filter(is_it).any(|argument| {
        let other = Request::of(view, argument);
        match (request.index(view), other.index(view)) {
            (Some(own), Some(other)) => own == other,
            _ => rest == "request_free",
        }
    })
}

/// Whether a procedure does anything with a variable of requests but to hand it to MPI and to
/// compare it: then a request may be complete by another name.
pub(super) fn is_shared(view: &View<'_>, root: &Name) -> bool {
    let mut shared = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if let StatementKind::Unknown(names) = &s.kind {
                shared |= names.contains(root);
            }
            match &s.kind {
                StatementKind::Assign { target, value, .. } => {
                    // What stands in its subscripts is no request.
                    let own = roots(target).contains(root);
                    shared |= !own && used(view, target, root) || used(view, value, root);
                }
                _ => shared |= s.expressions().iter().any(|e| used(view, e, root)),
            }
        });
    }
    shared
}

fn used(view: &View<'_>, expression: &Expression, root: &Name) -> bool {
    match &expression.kind {
        Kind::Name(name) => name == root,
        Kind::Unknown(names) => names.contains(root),
        Kind::Binary(operation, ..) if is_comparison(*operation) => false,
        // Other components of the structure that it is in.
        Kind::Member { .. } if is_number(view, expression) => false,
        Kind::Call { function, arguments } => {
            let called = function.root().map_or("", String::as_str);
            let is_released = ["free", "delete", "$deallocate", "$allocate"].contains(&called);
            let harmless = is_mpi(called) || is_released || view.wrapper(called).is_some();
            !harmless && arguments.iter().any(|a| used(view, a, root))
        }
        _ => expression.parts().iter().any(|part| used(view, part, root)),
    }
}

fn is_comparison(operation: commloom_source::tree::Binary) -> bool {
    use commloom_source::tree::Binary;
    matches!(operation, Binary::Equal | Binary::NotEqual)
}

fn is_number(view: &View<'_>, member: &Expression) -> bool {
    commloom_program::type_of(view, member)
        .is_some_and(|of| matches!(view.resolve(&of), Type::Basic(..)))
}
