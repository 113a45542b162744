//! Condition 7, in time: nobody touches the targets from the posting of the receive until they are
//! unpacked.

use std::collections::{BTreeSet, HashSet};

use commloom_copies::{Direction, Packing};
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{View, arguments_read, is_mpi};
use commloom_source::Span;
use commloom_source::symbols::{Symbols, Touched};
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type,
};

use super::calls::{Manner, sides};
use super::candidate::Candidate;
use super::completion::completion;
use super::find::calls_in;
use super::flow::Stretch;
use super::found::{Found, touches_of};
use super::lifetimes;
use super::model::Ledger;
use super::nobody;
use super::partner;
use super::rows::SizeRelation;
use super::together::meeting;
use super::touch::{Touches, roots};

/// Looks at all that is executed between the call and the last copy.
pub(super) fn untouched(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    all: &[Candidate<'_>],
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some(&last) = packing.statements.iter().max_by_key(|s| s.end) else {
        return Err(Refusal::new(Code::Coverage, found.call, "nothing is unpacked"));
    };
    if last.start < found.statement.start {
        let message = "what is received here is unpacked in another turn of a loop";
        return Err(Refusal::new(Code::Escapes, last, message));
    }
    if let Some(request) = found.side.request.and_then(|at| found.arguments.get(at)) {
        let first = packing.statements.iter().map(|s| s.start).min().unwrap_or(last.start);
        let done = completion(view, found, request).is_some_and(|wait| wait.end <= first);
        if !done {
            let message = "where the receive is completed cannot be seen in this procedure";
            let fact = Fact::ReceiveComplete(packing.buffer.clone());
            ledger.need(Code::Escapes, found.call, message, fact)?;
        }
    }
    let procedure = view.procedure();
    let stretch = Stretch::between(procedure, found.statement, last);
    let others = Others::of(view, packing, all);
    let open = || packing.touched.iter().find(|target| !view.is_hidden(target));
    let mut problem: Option<(Span, Name)> =
        lifetimes::acts_in(view, stretch).and_then(|span| Some((span, open()?.clone())));
    let mut twice: Vec<(Span, Name)> = Vec::new();
    let mut tested: Vec<(Span, &Other)> = Vec::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            if !stretch.has(s.span) || s.span.contains(found.statement) || problem.is_some() {
                return;
            }
            if let Some(other) = others.at(s.span) {
                twice.extend(other.received.iter().map(|name| (s.span, name.clone())));
                tested.push((s.span, other));
                return;
            }
            let touches = touches_of(view, s, &packing.statements);
            for (name, span) in touches.reads.iter().chain(&touches.writes) {
                if let Some(target) = packing.touched.iter().find(|t| view.may_alias(name, t)) {
                    problem = Some((*span, target.clone()));
                }
            }
            if let (Some(span), Some(target)) = (touches.anything.first(), open()) {
                problem.get_or_insert((*span, target.clone()));
            }
        });
    }
    for (span, target) in twice {
        let message = format!("this may be unpacked to elements of '{target}' that are received");
        let fact = Fact::DistinctElements(target);
        ledger.need(Code::ReceiveOverlap, span, message, fact)?;
    }
    let used = |span: Span, target: Name| {
        let message = format!("'{target}' is used between the receive and its copies");
        let fact = Fact::UnusedBeforeUnpacked(target);
        ledger.need(Code::ReceiveOverlap, span, message, fact)
    };
    for (span, other) in tested.into_iter().filter(|(_, other)| !other.unless.is_empty()) {
        let target = packing.touched.first().cloned().unwrap_or_default();
        ledger.test(&other.unless, span, used(span, target));
    }
    problem.map_or(Ok(()), |(span, target)| used(span, target))
}

/// The statements of copies for other calls that touch other elements than the targets, or only
/// unpack to them: these variables.
struct Others {
    all: Vec<Other>,
}

struct Other {
    statement: Span,
    /// Variables of which it may unpack the same elements.
    received: BTreeSet<Name>,
    /// Numbers that must not be negative, or it touches the same elements.
    unless: Vec<SizeRelation>,
}

impl Others {
    fn of(view: &View<'_>, packing: &Packing, candidates: &[Candidate<'_>]) -> Others {
        let mut all = Vec::new();
        for other in candidates.iter().filter_map(|c| c.packing.as_ref().ok()) {
            let is_own = other.statements.iter().any(|s| packing.statements.contains(s));
            let counts_with = |name: &Name| packing.touched.iter().any(|t| view.may_alias(name, t));
            let meeting = meeting(view, other, packing);
            let received: BTreeSet<Name> = meeting
                .pairs
                .iter()
                .map(|(_, received)| received.address.base.variable.clone())
                .collect();
            // What is packed from the targets, or counted with them, is a use.
            let is_use = other.direction == Direction::Pack && !received.is_empty();
            if !is_own && !is_use && !other.needs.iter().any(counts_with) {
                all.extend(other.statements.iter().map(|statement| Other {
                    statement: *statement,
                    received: received.clone(),
                    unless: meeting.unless.clone(),
                }));
            }
        }
        Others { all }
    }

    fn at(&self, span: Span) -> Option<&Other> {
        self.all.iter().find(|other| other.statement.contains(span))
    }
}

/// A buffer that the program gives values before keeps them where fewer elements arrive, or none
/// (`MPI_PROC_NULL`), and they would be unpacked.
pub(super) fn unfilled(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    all: &[Candidate<'_>],
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let procedure = view.procedure();
    let known: Vec<Span> = all
        .iter()
        .filter_map(|c| c.packing.as_ref().ok())
        .flat_map(|p| p.statements.iter().copied())
        .collect();
    let calls: HashSet<Span> = calls_in(view).iter().map(|call| call.statement).collect();
    let mut filled: Option<Span> = None;
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let is_known = || known.iter().any(|k| k.contains(s.span));
            let is_later = s.span.start >= found.statement.start;
            if filled.is_some() || is_later || calls.contains(&s.span) || is_known() {
                return;
            }
            let writes = fills(view, s, &packing.buffer);
            filled = writes.then_some(s.span);
        });
    }
    let buffer = &packing.buffer;
    let fact = || Fact::AllReceived(buffer.clone());
    // Values of a declaration: `real :: b(8) = 0`, of Fortran's `data`, of variables outside.
    let given = || view.variable(buffer).and_then(|declared| declared.value.as_ref());
    let Some(span) = filled.or_else(|| given().map(|_| found.call)) else {
        let may_have = || {
            nobody::has_values(view, buffer) || nobody::is_used_before(view, found, packing, all)
        };
        let may_come = || !partner::guards(view, packing) && nobody::may_be_source(view, found);
        if !may_have() || !may_come() {
            return Ok(());
        }
        let message = format!(
            "'{buffer}' may have values that are unpacked where nobody sends (MPI_PROC_NULL)"
        );
        return ledger.need(Code::ReceiveCount, found.call, message, fact());
    };
    let message = format!(
        "'{buffer}' gets values here, which are unpacked where less is received (MPI_PROC_NULL)"
    );
    ledger.need(Code::ReceiveCount, span, message, fact())
}

/// Whether a statement may give elements of a buffer values: in its declaration, where its memory
/// is made, or by whatever writes to it under one of its names. A pointer that is set, and memory
/// that is made without values, have none.
fn fills(view: &View<'_>, statement: &Statement, buffer: &str) -> bool {
    let is_fortran = view.language().is_fortran();
    let is_it = |name: &Name| {
        view.targets(name).iter().any(|t| t == buffer)
            || (is_fortran && view.may_alias(name, buffer))
    };
    let set = match &statement.kind {
        StatementKind::Assign { target, .. } if !is_fortran => match &target.kind {
            Kind::Name(name) => view
                .variable(name)
                .filter(|of| !matches!(view.resolve(&of.of), Type::Record(_) | Type::Array(..)))
                .map(|_| name),
            _ => None,
        },
        _ => None,
    };
    let is_set = |name: &Name, span: Span| set == Some(name) && span == statement.span;
    let mut fills = !is_without_values(view, statement)
        && Touches::of(view, statement).writes.iter().any(|(n, at)| is_it(n) && !is_set(n, *at));
    fills |= match &statement.kind {
        StatementKind::Declare(all) => all.iter().any(|declared| {
            let is_pointer = matches!(view.resolve(&declared.of), Type::Pointer(_));
            declared.value.is_some() && !is_pointer && is_it(&declared.name)
        }),
        _ => false,
    };
    let target = match &statement.kind {
        StatementKind::Assign { target, .. } => target.root().cloned(),
        StatementKind::Declare(all) => match all.as_slice() {
            [one] => Some(one.name.clone()),
            _ => None,
        },
        _ => None,
    };
    let target = target.filter(is_it);
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            let Kind::Call { function, arguments } = &e.kind else { return };
            let given = || arguments.iter().flat_map(roots).any(|name| is_it(&name));
            fills |= match function.root().map_or("", String::as_str) {
                "calloc" => target.is_some(),
                "new" => target.is_some() && arguments.len() > 1,
                "$allocate" => arguments.iter().any(is_source) && given(),
                // Who is not known may write to what it is given.
                _ => view.effects(function, arguments).writes == Touched::Anything && given(),
            };
        });
    }
    fills
}

/// Whether a statement makes or frees memory, which has no values then, or is left to MPI: what
/// came at another time is nobody's value.
fn is_without_values(view: &View<'_>, statement: &Statement) -> bool {
    let StatementKind::Evaluate(Expression { kind: Kind::Call { function, .. }, .. }) =
        &statement.kind
    else {
        return false;
    };
    let name = function.root().map_or("", String::as_str);
    ["$allocate", "$deallocate", "$nullify", "free", "posix_memalign"].contains(&name)
        || is_mpi(view.stands_for(name))
}

/// `source=` of an `allocate`.
fn is_source(argument: &Expression) -> bool {
    matches!(&argument.kind, Kind::Keyword(keyword, _) if keyword == "source")
}

/// Nothing that is received is sent at the same time by calls that send from the arrays
/// themselves; those that send what was packed are the matter of [`together`](super::together).
pub(super) fn unsent(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    all: &[Candidate<'_>],
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some(&last) = packing.statements.iter().max_by_key(|s| s.end) else { return Ok(()) };
    let is_packed = |other: &Found<'_>| {
        all.iter().any(|c| {
            c.found.call == other.call
                && c.found.side.buffer == other.side.buffer
                && c.packing.is_ok()
        })
    };
    // What the call itself reads directly: `MPI_Scatter` from the array that it is unpacked to.
    for argument in read_by(view, found) {
        let is_it = |n: &Name| packing.touched.iter().find(|target| view.may_alias(n, target));
        if let Some(target) = roots(argument).iter().find_map(is_it) {
            let message = format!("what is received into '{target}' may be what the call reads");
            let fact = Fact::ReceivedNotSent(target.clone());
            ledger.need(Code::ReceiveOverlap, found.call, message, fact)?;
        }
    }
    for other in calls_in(view).iter().filter(|o| o.side.direction == Direction::Pack) {
        let request = other.side.request.and_then(|at| other.arguments.get(at));
        let is_kept = other.side.manner == Manner::Persistent;
        let pending = is_kept
            || request.is_some_and(|request| {
                other.statement.start < last.end
                    && completion(view, other, request)
                        .is_none_or(|wait| wait.start >= found.statement.start)
            });
        let target = packing.touched.iter().find(|target| {
            // Addresses in a datatype may be any.
            let is_it =
                |n: &Name| n.eq_ignore_ascii_case("mpi_bottom") || view.may_alias(n, target);
            roots(other.buffer).iter().any(is_it)
        });
        if let Some(target) = target
            && (other.statement == found.statement || pending)
            && !is_packed(other)
        {
            let message =
                format!("what is received into '{target}' may be what a send still reads");
            let fact = Fact::ReceivedNotSent(target.clone());
            ledger.need(Code::ReceiveOverlap, other.call, message, fact)?;
        }
    }
    Ok(())
}

/// Arguments of a call that it reads while it receives, and that are no buffers of other sides of
/// it.
fn read_by<'t>(view: &View<'_>, found: &Found<'t>) -> Vec<&'t Expression> {
    // Where a wrapper has its arguments nobody knows but by its sides.
    if view.wrapper(&found.function).is_some() {
        return Vec::new();
    }
    let own = sides(&found.function);
    let known = arguments_read(&found.function, found.arguments.len());
    let is_side = |at: usize| own.iter().any(|side| side.buffer == at);
    found
        .arguments
        .iter()
        .enumerate()
        .filter(|(at, _)| known.contains(at) && !is_side(*at))
        .map(|(_, argument)| argument)
        .collect()
}
