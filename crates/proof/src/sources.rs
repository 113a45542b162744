//! Condition 4: sources are not written between their copy and the end of the send. And no names
//! of the same memory are among buffer, sources and what addresses depend on.

use std::collections::BTreeSet;

use commloom_copies::{Direction, Packing};
use commloom_program::View;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Expression, ExpressionKind, Name, Statement, StatementKind, Storage, Type,
};

use super::candidate::Candidate;
use super::completion::completion;
use super::flow::Stretch;
use super::found::{Found, touches_of};
use super::lifetimes;
use super::model::Ledger;
use super::rows::SizeRelation;
use super::together::meeting;
use super::touch::Touches;

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
                let fact = Fact::NoAlias((*one).to_owned(), (*other).to_owned());
                ledger.need(Code::Alias, found.buffer.span, message, fact)?;
            }
        }
    }
    Ok(())
}

/// Nobody writes between copies and call, by another name, to what addresses and counts are made
/// of, or to the buffer itself. (What is written by its own name the walk through the procedure
/// has seen.)
pub(super) fn undisturbed(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let procedure = view.procedure();
    let stretch = match found.side.direction {
        Direction::Pack => {
            let first = packing.statements.iter().min_by_key(|s| s.start).copied();
            Stretch::between(procedure, first.unwrap_or(found.statement), found.statement)
        }
        Direction::Unpack => {
            let last = packing.statements.iter().max_by_key(|s| s.end).copied();
            Stretch::between(procedure, found.statement, last.unwrap_or(found.statement))
        }
    };
    // What a persistent request keeps must stay from where it is made until it is started for the
    // last time.
    let stretch = match found.init {
        Some(init) => Stretch::until(procedure, init.statement, found.statement),
        None => stretch,
    };
    let is_copy = |span: Span| packing.elsewhere.iter().any(|e| span.contains(*e));
    let pending = pending(view, found);
    let mut pairs: Vec<(Span, Name, Name, Code)> = Vec::new();
    let mut again = None;
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let skipped = s.span == found.statement || s.span.contains(found.statement);
            if !stretch.has(s.span) || skipped {
                return;
            }
            again = again.take().or_else(|| recursion(view, s, packing));
            let mut writes = touches_of(view, s, &packing.statements).writes;
            for pointer in set_pointers(view, s) {
                if let Some(at) = writes.iter().position(|(name, _)| *name == pointer) {
                    writes.swap_remove(at);
                }
            }
            let has_buffer = writes.iter().any(|(name, _)| *name == packing.buffer);
            for (name, span) in &writes {
                let needs = packing.needs.iter().filter(|need| *need != name);
                for need in needs.filter(|need| view.may_alias(name, need)) {
                    pairs.push((*span, name.clone(), need.clone(), Code::Changed));
                }
                let buffer = &packing.buffer;
                let is_kept = pending.is_some_and(|pending| pending.has(s.span));
                if !has_buffer && !is_kept && !is_copy(s.span) && view.may_alias(name, buffer) {
                    pairs.push((*span, name.clone(), buffer.clone(), Code::Coverage));
                }
            }
        });
    }
    // No fact about two names would be one about this call.
    if let Some((span, kept)) = again {
        let message = format!(
            "this calls '{}' again, for which '{kept}' is the same memory",
            procedure.name.split('#').next().unwrap_or_default()
        );
        return Err(Refusal::new(Code::Changed, span, message));
    }
    for (span, name, other, code) in pairs {
        let message = format!("this may write to '{other}', by the name '{name}'");
        let fact = Fact::NoAlias(other, name);
        ledger.need(code, span, message, fact)?;
    }
    Ok(())
}

/// Where a receive is pending: nobody writes to its buffer there (MPI 4.1, section 3.7.2), by
/// whatever name.
fn pending(view: &View<'_>, found: &Found<'_>) -> Option<Stretch> {
    if found.side.direction == Direction::Pack || found.init.is_some() {
        return None;
    }
    let request = found.side.request.and_then(|at| found.arguments.get(at))?;
    let wait = completion(view, found, request)?;
    let same_turn = found.statement.start < wait.start;
    let until = Span { end: wait.start, ..found.statement };
    same_turn.then(|| Stretch::between(view.procedure(), found.statement, until))
}

/// A call that leads to the procedure itself, which shares what is kept from call to call.
fn recursion(view: &View<'_>, statement: &Statement, packing: &Packing) -> Option<(Span, Name)> {
    let is_kept = |name: &&Name| view.variable(name).is_some_and(|d| d.storage == Storage::Kept);
    let names = [&packing.buffer].into_iter().chain(&packing.touched).chain(&packing.needs);
    let kept = names.into_iter().find(is_kept)?;
    let own = &view.procedure().name;
    let (span, _) = called(statement).into_iter().find(|(_, name)| leads_to(view, name, own))?;
    Some((span, kept.clone()))
}

/// The procedures that a statement itself calls, each with the place.
fn called(statement: &Statement) -> Vec<(Span, &Name)> {
    let mut all = Vec::new();
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            if let ExpressionKind::Call { function, .. } = &e.kind {
                all.extend(function.root().map(|name| (e.span, name)));
            }
        });
    }
    all
}

/// Whether a procedure is another one, or calls it, by whatever way through the texts.
fn leads_to(view: &View<'_>, from: &Name, to: &Name) -> bool {
    let project = view.project();
    let mut known: BTreeSet<&Name> = [from].into_iter().collect();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        let same = project.procedures().map(|id| project.procedure(id)).filter(|p| p.name == *name);
        for statement in same.flat_map(|procedure| &procedure.body) {
            statement.each(&mut |s| {
                open.extend(
                    called(s).into_iter().map(|(_, name)| name).filter(|n| known.insert(n)),
                );
            });
        }
    }
    false
}

/// Pointers of C that a statement sets: nothing is written to what they lead to.
fn set_pointers(view: &View<'_>, statement: &Statement) -> Vec<Name> {
    let mut all = Vec::new();
    let mut add = |target: &Expression| {
        if let Expression { kind: ExpressionKind::Name(name), .. } = target
            && !view.language().is_fortran()
            && view.variable(name).is_some_and(|d| matches!(view.resolve(&d.of), Type::Pointer(_)))
        {
            all.push(name.clone());
        }
    };
    if let StatementKind::Assign { target, .. } = &statement.kind {
        add(target);
    }
    for expression in statement.expressions() {
        expression.each(&mut |e| match &e.kind {
            ExpressionKind::Step { target, .. } | ExpressionKind::Assign { target, .. } => {
                add(target)
            }
            _ => {}
        });
    }
    all
}

/// Nobody writes to the sources too early.
pub(super) fn unwritten(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    all: &[Candidate<'_>],
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let first = packing.statements.iter().min_by_key(|s| s.start).copied();
    let from = first.unwrap_or(found.statement);
    let procedure = view.procedure();
    let before = Stretch::between(procedure, from, found.statement);
    let received = Received::of(view, packing, all);
    check(view, found, packing, &received, (before, None), ledger)?;
    by_call(view, found, packing, ledger)?;
    let Some(request) = found.side.request.and_then(|at| found.arguments.get(at)) else {
        return Ok(());
    };
    let wait = completion(view, found, request);
    let pending = match wait {
        Some(wait) => Stretch::between(procedure, found.statement, wait),
        None => Stretch::after(procedure, found.statement),
    };
    if let Some((span, source)) = lifetimes::ends_in(view, pending, &packing.touched) {
        let message = format!("'{source}' ends with its block while the send may be pending");
        return Err(Refusal::new(Code::SourceWritten, span, message));
    }
    match wait {
        Some(wait) => check(view, found, packing, &received, (pending, Some(wait)), ledger),
        None => {
            let fact = Fact::UnwrittenWhileSent(packing.touched.join("', '"));
            let end = "where the send is completed cannot be seen in this procedure";
            match written(view, found, packing, &Received::default(), pending) {
                Some((span, _)) if lifetimes::is_released_at(view, span) => Err(released(span)),
                Some((span, source)) => {
                    let message = format!("'{source}' is written here, and {end}");
                    ledger.need(Code::SourceWritten, span, message, fact)
                }
                None => ledger.need(Code::Escapes, found.call, end, fact),
            }
        }
    }
}

/// The call itself writes to no source: neither what it receives, nor procedures in its arguments.
fn by_call(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let mut touches = Touches::default();
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if s.span == found.statement {
                touches.add(view, s);
            }
        });
    }
    for source in &packing.touched {
        for (name, span) in &touches.writes {
            if !view.may_alias(name, source) {
                continue;
            }
            let same = view.targets(name).contains(source) || view.targets(source).contains(name);
            if same {
                let message = format!("'{source}' is written by the call, or in its arguments");
                let fact = Fact::UnwrittenBeforeCall(source.clone());
                ledger.need(Code::SourceWritten, *span, message, fact)?;
            } else {
                let message =
                    format!("the call may receive into '{source}', which it would send from");
                let fact = Fact::NoAlias(source.clone(), name.clone());
                ledger.need(Code::Alias, *span, message, fact)?;
            }
        }
        if let Some(span) = touches.anything.first().filter(|_| !view.is_hidden(source)) {
            let message = format!("'{source}' may be written in an argument of the call");
            let fact = Fact::UnwrittenBeforeCall(source.clone());
            ledger.need(Code::SourceWritten, *span, message, fact)?;
        }
    }
    Ok(())
}

/// Statements that unpack what other calls receive, to other elements than those that are packed
/// as long as none of some numbers is negative.
#[derive(Default)]
struct Received {
    all: Vec<(Span, Vec<SizeRelation>)>,
}

impl Received {
    fn of(view: &View<'_>, packing: &Packing, candidates: &[Candidate<'_>]) -> Received {
        let mut all = Vec::new();
        let packings = candidates.iter().filter_map(|candidate| candidate.packing.as_ref().ok());
        for other in packings.filter(|other| other.direction == Direction::Unpack) {
            let is_source = |name: &Name| packing.touched.iter().any(|t| view.may_alias(name, t));
            let meeting = meeting(view, packing, other);
            if meeting.pairs.is_empty() && !other.changes.iter().any(is_source) {
                all.extend(other.statements.iter().map(|s| (*s, meeting.unless.clone())));
            }
        }
        Received { all }
    }

    fn at(&self, span: Span) -> Option<&[SizeRelation]> {
        self.all.iter().find(|(s, _)| s.contains(span)).map(|(_, unless)| unless.as_slice())
    }
}

/// The first place in a stretch where one of the sources may be written.
fn written(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    received: &Received,
    stretch: Stretch,
) -> Option<(Span, Name)> {
    let open = || packing.touched.iter().find(|source| !view.is_hidden(source));
    let mut problem: Option<(Span, Name)> =
        lifetimes::acts_in(view, stretch).and_then(|span| Some((span, open()?.clone())));
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if s.span == found.statement || problem.is_some() {
                return;
            }
            // Of what is around the call, the head is evaluated before it.
            let head = s.span.contains(found.statement) && stretch.has_begin_of(s.span);
            if !(stretch.has(s.span) || head) {
                return;
            }
            if received.at(s.span).is_some() {
                return;
            }
            let touches = touches_of(view, s, &packing.statements);
            for (name, span) in &touches.writes {
                let source = packing.touched.iter().find(|t| view.may_alias(name, t));
                if let Some(source) = source {
                    problem = Some((*span, source.clone()));
                }
            }
            if let (Some(span), Some(source)) = (touches.anything.first(), open()) {
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
    received: &Received,
    (stretch, wait): (Stretch, Option<Span>),
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let refuse = |span: Span, source: Name| said(view, found, span, source, wait, ledger);
    for (span, unless) in &received.all {
        if stretch.has(*span) && !unless.is_empty() {
            let source = packing.touched.first().cloned().unwrap_or_default();
            ledger.test(unless, *span, refuse(*span, source));
        }
    }
    let written = written(view, found, packing, received, stretch);
    written.map_or(Ok(()), |(span, source)| refuse(span, source))
}

/// Memory that is given back is written by nobody, which a person would rightly say; but the call
/// would read it.
fn released(span: Span) -> Refusal {
    let message = "what is sent may be given back here, before the send has read it";
    Refusal::new(Code::SourceWritten, span, message)
}

/// Refuses, unless a person has said that a source is not written here.
fn said(
    view: &View<'_>,
    found: &Found<'_>,
    span: Span,
    source: Name,
    wait: Option<Span>,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let (message, fact) = match wait {
        Some(_) => (
            format!("'{source}' is written while the send from it may still be pending"),
            Fact::UnwrittenWhileSent(source),
        ),
        None => (
            format!("'{source}' is written between the copies and the call"),
            Fact::UnwrittenBeforeCall(source),
        ),
    };
    let outcome = match lifetimes::is_released_at(view, span) {
        true => Err(released(span)),
        false => ledger.need(Code::SourceWritten, span, message, fact),
    };
    outcome.map_err(|mut refusal| {
        refusal.related.push((found.call, "the send".into()));
        if let Some(wait) = wait {
            refusal.related.push((wait, "where it is complete".into()));
        }
        refusal
    })
}
