//! Condition 3: the buffer is dead after its consumers, on every path, in the whole program where
//! others see it.

use commloom_copies::Packing;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{Project, View};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Dimension, Expression, ExpressionKind, Name, Statement, StatementKind, Storage, Type,
};
use commloom_source::{Language, Span};

use super::candidate::{Candidate, Explained, Known};
use super::flow::may_follow;
use super::found::{Found, buffer_name, touches_of};
use super::lifetimes;
use super::mentions::{declared_elsewhere, unread};
use super::model::Ledger;
use super::objects::Classes;
use super::touch::Touches;

/// Looks for reads of the buffer that are neither the call's nor those of copies that are
/// understood.
pub(super) fn dead(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    all: &[Candidate<'_>],
    known: &Known<'_>,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    // Calls whose own copies fill (or empty) the range of the buffer that they use.
    let calls: Vec<Span> = all
        .iter()
        .filter(|c| c.is_closed(view) && is_buffer(view, &c.found, &packing.buffer))
        .flat_map(|c| [c.found.statement, c.found.place()])
        .collect();
    let from = packing
        .statements
        .iter()
        .fold(found.statement, |a, s| if s.start < a.start { *s } else { a });
    let kept = view.is_of_host(&packing.buffer)
        || view.variable(&packing.buffer).is_none_or(|d| d.storage != Storage::Local);
    if let Some((span, name)) = foreign_read(view, packing, &calls, known.here, |span| {
        kept || may_follow(view.procedure(), from, span)
    }) {
        // Text that could not be read has words that are no variables.
        let is_other = name != packing.buffer && view.variable(&name).is_some();
        let what = if is_other { format!(" through '{name}'") } else { String::new() };
        let after = if span.start >= found.statement.end { "after" } else { "besides" };
        let message = format!("'{}' is read{what} {after} the call", packing.buffer);
        let fact = Fact::BufferDead(packing.buffer.clone());
        ledger.need(Code::BufferLive, span, message, fact).map_err(|mut refusal| {
            refusal.related.push((found.call, "the call".into()));
            refusal
        })?;
    }
    if let Some((span, name)) = lifetimes::ends_after(view, from, &packing.buffer) {
        let message = format!("'{}' may be read where the scope of '{name}' ends", packing.buffer);
        let fact = Fact::BufferDead(packing.buffer.clone());
        ledger.need(Code::BufferLive, span, message, fact)?;
    }
    outside(view, packing, found, known.everywhere, ledger)
}

fn is_buffer(view: &View<'_>, found: &Found<'_>, buffer: &str) -> bool {
    buffer_name(view, found).is_some_and(|name| view.may_alias(&name, buffer))
}

/// A read of the buffer that nobody accounts for.
fn foreign_read(
    view: &View<'_>,
    packing: &Packing,
    calls: &[Span],
    explained: &[Span],
    follows: impl Fn(Span) -> bool,
) -> Option<(Span, Name)> {
    let buffer = &packing.buffer;
    let reachable = is_reachable(view, buffer);
    let mut read = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let known = calls.contains(&s.span) || explained.iter().any(|e| e.contains(s.span));
            if read.is_some() || known {
                return;
            }
            let touches = touches_of(view, s, &packing.statements);
            for (name, span) in &touches.reads {
                if is_same(view, name, buffer) && follows(*span) {
                    read = Some((*span, name.clone()));
                }
            }
            // A call that nobody knows reads the buffer if it can reach it.
            if let Some(span) = touches.anything.first().filter(|s| reachable && follows(**s)) {
                read.get_or_insert((*span, buffer.clone()));
            }
        });
    }
    read
}

/// Whether procedures that nobody knows may have the buffer's address: it is no local, or one of
/// them got it, or a pointer that others see.
fn is_reachable(view: &View<'_>, buffer: &str) -> bool {
    if view.is_hidden(buffer) {
        return false;
    }
    let own = |name: &str| view.variable(name).is_some_and(|d| d.storage == Storage::Local);
    if view.is_given_away(buffer) {
        return true;
    }
    if !own(buffer) || view.targets(buffer).iter().any(|t| !own(t)) {
        return true;
    }
    let mut given = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            given |= !Touches::of(view, s).anything.is_empty() && is_passed(view, s, buffer);
            if let StatementKind::Assign { target, value, .. } = &s.kind {
                let leads = |e: &Expression| {
                    !view.is_number(e)
                        && e.root().is_some_and(|r| view.targets(r).iter().any(|t| t == buffer))
                };
                given |= leads(value) && target.root().is_some_and(|t| !own(t));
            }
        });
    }
    given
}

/// Whether a statement has the buffer in an argument of a call.
fn is_passed(view: &View<'_>, statement: &Statement, buffer: &str) -> bool {
    statement.expressions().iter().any(|e| {
        let mut passed = false;
        e.each(&mut |inner| {
            if let ExpressionKind::Call { arguments, .. } = &inner.kind {
                passed |= arguments.iter().any(|a| {
                    a.root()
                        .is_some_and(|r| r == buffer || view.targets(r).iter().any(|t| t == buffer))
                });
            }
        });
        passed
    })
}

fn is_same(view: &View<'_>, name: &str, buffer: &str) -> bool {
    name == buffer || view.may_alias(name, buffer)
}

/// Who else sees the buffer: callers of an argument, all procedures of what is shared.
fn outside(
    view: &View<'_>,
    packing: &Packing,
    found: &Found<'_>,
    explained: &Explained,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let buffer = &packing.buffer;
    let fact = Fact::BufferDead(buffer.clone());
    let Some(declaration) = view.variable(buffer) else {
        let message = format!("where '{buffer}' is declared cannot be seen");
        return ledger.need(Code::Escapes, found.buffer.span, message, fact);
    };
    // Memory that a local pointer leads to is as visible as where it came from.
    let sources = view.targets(buffer);
    let others: Vec<&Name> = sources.iter().filter(|s| *s != buffer).collect();
    for name in &others {
        let hidden = view.variable(name).is_some_and(|d| d.storage == Storage::Local);
        if !hidden {
            let message = format!("'{buffer}' is memory of '{name}', which others may read");
            return ledger.need(Code::BufferLive, found.buffer.span, message, fact);
        }
    }
    // An automatic array is gone when the procedure ends; what was allocated, or is kept, is not.
    let is_automatic = declaration.storage == Storage::Local
        && matches!(view.resolve(&declaration.of), Type::Array(inner, dimensions)
            if matches!(view.resolve(&inner), Type::Basic(..) | Type::Record(_))
                && !matches!(dimensions.as_slice(), [Dimension::AssumedShape { .. }]));
    if sources.iter().any(|name| view.is_given_away(name)) && !is_automatic {
        let message = format!("'{buffer}' is known elsewhere, where it may be read");
        return ledger.need(Code::BufferLive, found.buffer.span, message, fact);
    }
    if view.is_of_host(buffer) {
        return shared(view, buffer, found, explained, fact, ledger);
    }
    match declaration.storage {
        Storage::Local | Storage::Kept => Ok(()),
        Storage::Argument => {
            let message =
                format!("'{buffer}' is an argument, which the caller may read afterwards");
            ledger.need(Code::BufferLive, found.buffer.span, message, fact)
        }
        Storage::Shared => shared(view, buffer, found, explained, fact, ledger),
    }
}

/// Whether another procedure of the project names the buffer.
fn shared(
    view: &View<'_>,
    buffer: &str,
    found: &Found<'_>,
    explained: &Explained,
    fact: Fact,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some(global) = view.global(buffer) else {
        let message = format!("who sees '{buffer}' is not known");
        return ledger.need(Code::BufferLive, found.buffer.span, message, fact);
    };
    let project = view.project();
    let named = match view.language().is_fortran() {
        true => declared_elsewhere(project, &global),
        false if view.is_of_host(buffer) => None,
        false => unread(project, &global),
    };
    if let Some(span) = named {
        let message = format!("'{buffer}' is named where its uses are not followed");
        return ledger.need(Code::BufferLive, span, message, fact);
    }
    // Objects of its class are copied, and seen by classes that are derived from it.
    let is_member = view.language() == Language::Cpp && global.contains("::");
    if is_member && let Some(span) = read_whole(project, &global, found, explained) {
        let message = format!("'{buffer}' is a member of an object that is read as a whole");
        return ledger.need(Code::BufferLive, span, message, fact);
    }
    for id in project.procedures() {
        let other = project.view(id);
        if std::ptr::eq(other.procedure(), view.procedure()) || project.is_expanded(id) {
            continue;
        }
        // What its own calls explain; or those of others, if it stands with them wherever it is
        // called.
        let is_known = |span: Span| explained.has(project, id, span);
        let mut place = None;
        for statement in &other.procedure().body {
            statement.each(&mut |s| {
                let touches = touches_of(&other, s, &[]);
                if is_member {
                    let named = named_by(s, buffer).filter(|span| !is_known(*span));
                    place = place.or(named);
                }
                for (name, span) in &touches.reads {
                    // A class that is derived from the one of a member names it, too.
                    let is_unknown =
                        || is_member && name == buffer && other.variable(name).is_none();
                    let is_it = other.global(name).map_or_else(is_unknown, |other| other == global);
                    if is_it
                        && place.is_none()
                        && !is_known(*span)
                        && !is_elsewhere(&other, s, *span, name)
                    {
                        place = Some(*span);
                    }
                }
            });
        }
        if let Some(span) = place {
            let message = format!("'{buffer}' is shared, and read in '{}'", other.procedure().name);
            return ledger.need(Code::BufferLive, span, message, fact);
        }
    }
    Ok(())
}

/// Where objects are read as a whole of which a variable is a member.
fn read_whole(
    project: &Project,
    member: &str,
    found: &Found<'_>,
    explained: &Explained,
) -> Option<Span> {
    let (is_shown, span) = explained.whole(member, || {
        let Some(classes) = Classes::of(project, member) else { return (false, None) };
        if classes.is_shown() {
            return (true, None);
        }
        let mut procedures = project.procedures().filter(|id| !project.is_expanded(*id));
        let span = procedures
            .find_map(|id| classes.read_whole(&project.view(id)))
            .or_else(|| project.units().iter().find_map(|unit| classes.read_outside(unit)));
        (false, span)
    });
    if is_shown { Some(found.buffer.span) } else { span }
}

/// Where a statement names a member of an object so.
fn named_by(statement: &Statement, member: &str) -> Option<Span> {
    let mut found = None;
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            if matches!(&e.kind, ExpressionKind::Member { field, .. } if field == member) {
                found = found.or(Some(e.span));
            }
        });
    }
    found
}

/// Whether it is not this statement that reads a variable, but a procedure with a body that it
/// calls, and that is looked at by itself.
fn is_elsewhere(view: &View<'_>, statement: &Statement, read: Span, name: &str) -> bool {
    let mut elsewhere = false;
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            let ExpressionKind::Call { function, arguments } = &e.kind else { return };
            let ExpressionKind::Name(called) = &function.kind else { return };
            let is_passed = arguments.iter().any(|a| {
                let mut mentioned = false;
                a.each(&mut |inner| {
                    if let ExpressionKind::Name(n) = &inner.kind {
                        mentioned |= view.targets(n).iter().any(|t| t == name);
                    }
                });
                mentioned
            });
            elsewhere |= e.span == read && !is_passed && view.project().has_body(called);
        });
    }
    elsewhere
}
