//! Condition 4: sources are not written between their copy and the end of the send. And no names of the same memory are among buffer,
//! sources and what addresses depend on.

use crate::copies::{Direction, Packing};
use crate::project::View;
use crate::refusal::{Code, Refusal};
use crate::source::Span;
use crate::symbols::Symbols;
use crate::tree::{Expression, ExpressionKind, Name, StatementKind};

use super::find::{Found, touches_of};
use super::flow::{self, Stretch, contains};
use super::model::Ledger;
use super::requests::completes_others;
use super::touch::roots;
use super::wrapped::completes;

/// The copies write only what nobody else among them reads.
pub(super) fn unaliased(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let written: Vec<&str> = match found.side.direction {
        Direction::Pack => vec![&packing.buffer],
        Direction::Unpack => packing.touched.iter().map(String::as_str).collect(),
    };
    let read: Vec<&str> = match found.side.direction {
        Direction::Pack => {
            packing.touched.iter().chain(&packing.needs).map(String::as_str).collect()
        }
        Direction::Unpack => std::iter::once(packing.buffer.as_str())
            .chain(packing.needs.iter().map(String::as_str))
            .collect(),
    };
    for one in &written {
        for other in &read {
            if view.may_alias(one, other) {
                let message = format!("'{one}' and '{other}' may be the same memory");
                let fact = format!("'{one}' and '{other}' share no memory");
                ledger.need(Code::Alias, found.buffer.span, message, fact)?;
            }
        }
    }
    Ok(())
}

/// Nobody writes to the sources too early.
pub(super) fn unwritten(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let first = packing.statements.iter().min_by_key(|s| s.start).copied();
    let from = first.unwrap_or(found.statement);
    let procedure = view.procedure();
    let before = Stretch::between(procedure, from, found.statement);
    check(view, found, packing, before, None, ledger)?;
    unreceived(view, found, packing, ledger)?;
    let Some(request) = found.side.request.and_then(|at| found.arguments.get(at)) else {
        return Ok(());
    };
    match completion(view, found, request) {
        Some(wait) => {
            let pending = Stretch::between(procedure, found.statement, wait);
            check(view, found, packing, pending, Some(wait), ledger)
        }
        None => {
            let names = packing.touched.join("', '");
            let fact = format!("'{names}' is not written before the send is complete");
            let end = "where the send is completed cannot be seen in this procedure";
            match written(view, found, packing, Stretch::after(procedure, found.statement)) {
                Some((span, source)) => {
                    let message = format!("'{source}' is written here, and {end}");
                    ledger.need(Code::SourceWritten, span, message, fact)
                }
                None => ledger.need(Code::Escapes, found.call, end, fact),
            }
        }
    }
}

/// The call does not receive into what is packed: its buffers must not overlap (MPI 4.1, section 6.2).
fn unreceived(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some((list, at)) =
        flow::locate(view.procedure(), found.statement).and_then(|l| l.path.last().copied())
    else {
        return Ok(());
    };
    for (name, span) in &touches_of(view, &list[at], &[]).writes {
        let source = packing.touched.iter().find(|t| view.may_alias(name, t));
        if let Some(source) = source {
            let message = format!("the call may receive into '{source}', which it would send from");
            let fact = format!("'{source}' and '{name}' share no memory");
            ledger.need(Code::Alias, *span, message, fact)?;
        }
    }
    Ok(())
}

/// The statement that completes the request on every path.
pub(super) fn completion(view: &View<'_>, found: &Found<'_>, request: &Expression) -> Option<Span> {
    let procedure = view.procedure();
    let call = flow::locate(procedure, found.statement)?;
    let wanted = roots(request);
    let mut waits: Vec<Span> = Vec::new();
    let mut returns: Vec<Span> = Vec::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            if matches!(s.kind, StatementKind::Return(_)) {
                returns.push(s.span);
            }
            for e in s.expressions() {
                let ExpressionKind::Call { function, arguments } = &e.kind else {
                    continue;
                };
                let Some(name) = function.root() else { continue };
                let at = completes(view, name);
                if let Some(argument) = at.and_then(|at| arguments.get(at))
                    && roots(argument).iter().any(|n| wanted.contains(n))
                    && !completes_others(view, name, arguments, request)
                {
                    waits.push(s.span);
                }
            }
        });
    }
    waits.sort_by_key(|s| s.start);
    let wait = waits.into_iter().find(|w| {
        w.start >= found.statement.end
            && flow::locate(procedure, *w).is_some_and(|w| flow::surely_reaches(&call, &w))
    })?;
    let stretch = Stretch::between(procedure, found.statement, wait);
    (!returns.iter().any(|r| stretch.has(*r))).then_some(wait)
}

/// The first place in a stretch where one of the sources may be written.
fn written(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    stretch: Stretch,
) -> Option<(Span, Name)> {
    let mut problem: Option<(Span, Name)> = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if !stretch.has(s.span) || contains(s.span, found.statement) || problem.is_some() {
                return;
            }
            let touches = touches_of(view, s, &packing.statements);
            for (name, span) in &touches.writes {
                let source = packing.touched.iter().find(|t| view.may_alias(name, t));
                if let Some(source) = source {
                    problem = Some((*span, source.clone()));
                }
            }
            let open = packing.touched.iter().find(|source| !view.is_hidden(source));
            if let (Some(span), Some(source)) = (touches.anything.first(), open) {
                problem.get_or_insert((*span, source.clone()));
            }
        });
    }
    problem
}

fn check(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    stretch: Stretch,
    wait: Option<Span>,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some((span, source)) = written(view, found, packing, stretch) else { return Ok(()) };
    let (message, fact) = match wait {
        Some(_) => (
            format!("'{source}' is written while the send from it may still be pending"),
            format!("'{source}' is not written before the send is complete"),
        ),
        None => (
            format!("'{source}' is written between the copies and the call"),
            format!("'{source}' is not written between the copies and the call"),
        ),
    };
    let outcome = ledger.need(Code::SourceWritten, span, message, fact);
    outcome.map_err(|mut refusal| {
        refusal.related.push((found.call, "the send".into()));
        if let Some(wait) = wait {
            refusal.related.push((wait, "where it is complete".into()));
        }
        refusal
    })
}
