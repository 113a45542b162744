//! Running indices and loop variables that are used after the copies are gone.

use std::collections::BTreeSet;

use commloom_copies as copies;
use commloom_program::View;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::Polynomial;
use commloom_source::tree::{Name, StatementKind};

use super::candidate::Candidate;
use super::found::{self, Found};
use super::{closed, flow, paths};

/// The same, where values can be assigned before the call.
pub(super) fn scalars(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &copies::Packing,
    all: &[Candidate<'_>],
) -> Result<Vec<Name>, Refusal> {
    let lasting = lasting(view, packing, &packing.statements, all)?;
    if let (Some(_), Some(name)) = (found.init, lasting.first()) {
        return Err(used_elsewhere(found.statement, name));
    }
    for name in &lasting {
        value_after(view, packing, name, &packing.statements, found.statement)?;
    }
    Ok(lasting)
}

/// Running indices and loop variables whose values are needed after the copies are gone.
pub(super) fn lasting(
    view: &View<'_>,
    packing: &copies::Packing,
    gone: &[Span],
    all: &[Candidate<'_>],
) -> Result<Vec<Name>, Refusal> {
    let Some(&last) = packing.statements.iter().max_by_key(|s| s.end) else {
        return Ok(Vec::new());
    };
    let mut lasting = Vec::new();
    for name in &packing.changes {
        // The type is made of the values before the copies.
        if packing.needs.contains(name) {
            return Err(used_elsewhere(last, name));
        }
        if is_received(view, packing, name) {
            continue;
        }
        let is_own = view.is_private(name);
        let live = is_read_after(view, packing, name, gone);
        if (live && !is_count_only(view, packing, name, all)) || !is_own {
            lasting.push(name.clone());
        }
    }
    Ok(lasting)
}

/// Whether something that stays may read a value that one of the copies gives to a scalar. Each of
/// them is asked: between two loops that go, `h = p` reads what the first one left, and the second
/// one hides nothing of that.
fn is_read_after(view: &View<'_>, packing: &copies::Packing, name: &Name, skip: &[Span]) -> bool {
    let mut writing: BTreeSet<(usize, usize)> = BTreeSet::new();
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let copies = packing.statements.iter().find(|copies| copies.contains(s.span));
            let touches = copies.map(|_| found::touches_of(view, s, &[])).unwrap_or_default();
            if touches.writes.iter().any(|(written, _)| written == name) {
                writing.extend(copies.map(|copies| (copies.start, copies.end)));
            }
        });
    }
    let copies = packing.statements.iter().filter(|s| writing.contains(&(s.start, s.end)));
    copies.into_iter().any(|s| flow::is_live_after(view.procedure(), *s, name, skip))
}

/// Whether a scalar that the copies change is only what is unpacked: the receive sets it.
fn is_received(view: &View<'_>, packing: &copies::Packing, name: &Name) -> bool {
    if packing.direction != copies::Direction::Unpack {
        return false;
    }
    let mut copied: Vec<Span> = Vec::new();
    packing.copies.each(&mut |copy| {
        let base = &copy.address.base;
        if base.variable == *name && base.steps.is_empty() {
            copied.push(copy.span);
        }
    });
    let mut only = !copied.is_empty();
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let is_gone = packing.statements.iter().any(|g| g.contains(s.span));
            if is_gone && !copied.contains(&s.span) {
                let touches = found::touches_of(view, s, &[]);
                only &= !touches.writes.iter().any(|(written, _)| written == name);
            }
        });
    }
    only
}

pub(super) fn used_elsewhere(span: Span, name: &str) -> Refusal {
    let message = format!("'{name}' is computed by the copies and used elsewhere");
    Refusal::new(Code::ScalarLive, span, message)
}

/// The value that removed statements give to a scalar, which is assigned before the call.
pub(super) fn value_after(
    view: &View<'_>,
    packing: &copies::Packing,
    name: &Name,
    removed: &[Span],
    call: Span,
) -> Result<Polynomial, Refusal> {
    let refuse = |span: Span| used_elsewhere(span, name);
    let whole = removed.iter().fold(call, |all, s| all.to(*s));
    // The value is written where the call stands, so the call must be made wherever the copies
    // are.
    let before = removed.iter().filter(|span| span.end <= call.start);
    if let Some(span) =
        before.into_iter().find(|s| !paths::called_always(view.procedure(), **s, call))
    {
        return Err(refuse(*span));
    }
    // In a loop that stays they count more than once, and each turn may see it.
    let is_gone = |span: Span| removed.iter().any(|r| r.contains(span));
    let turns = |span: &&Span| {
        let located = flow::locate(view.procedure(), **span);
        let stays = |around: Span| !around.contains(call) && !is_gone(around);
        located.is_none_or(|located| located.loops().any(|around| stays(around.span)))
    };
    if let Some(span) = removed.iter().find(turns) {
        return Err(refuse(*span));
    }
    // Nobody else may see that it has its value earlier or later, by its name or by another one.
    let is_own = view.is_private(name);
    let mut between = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let outside = s.span.end <= whole.start || s.span.start >= whole.end;
            // Of what is around all of it, the head is no part.
            if is_gone(s.span) || outside || s.span.contains(whole) || s.span.contains(call) {
                return;
            }
            let writes = matches!(&s.kind, StatementKind::Loop(l) if l.variable == *name);
            let is_touched = || {
                let touches = found::touches_of(view, s, &[]);
                let mut all = touches.reads.iter().chain(&touches.writes);
                !touches.anything.is_empty()
                    || all.any(|(touched, _)| view.may_alias(touched, name))
            };
            if writes
                || s.expressions().iter().any(|e| e.mentions(name))
                || (!is_own && is_touched())
            {
                between.get_or_insert(s.span);
            }
        });
    }
    if let Some(span) = between {
        return Err(refuse(span));
    }
    let closed = closed::Closed { view, packing, name };
    closed.value(removed).filter(|v| !v.is_lost()).ok_or_else(|| refuse(whole))
}

/// Whether the only later reads are the counts of calls for these copies: they are replaced with
/// this one, or all stay. (Another call keeps its count, whatever buffer it has.)
fn is_count_only(
    view: &View<'_>,
    packing: &copies::Packing,
    name: &Name,
    all: &[Candidate<'_>],
) -> bool {
    let mut skip: Vec<Span> = packing.statements.clone();
    let with = all.iter().filter(|c| c.copies().any(|s| packing.statements.contains(s)));
    skip.extend(with.map(|c| &c.found).filter(|f| f.count.mentions(name)).filter_map(|f| {
        let others = f
            .arguments
            .iter()
            .filter(|a| a.span != f.count.span && a.span != f.buffer.span)
            .any(|a| a.mentions(name));
        let same = found::buffer_name(view, f).is_some_and(|b| b == packing.buffer);
        (!others && same).then_some(f.statement)
    }));
    !is_read_after(view, packing, name, &skip)
}
