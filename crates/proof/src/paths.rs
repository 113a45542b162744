//! On which paths something is executed: copies that a receive stands for must be made where it
//! was executed, and only there.

use commloom_copies::{Direction, Packing};
use commloom_program::View;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::tree::{Name, Procedure, StatementKind};

use super::flow::{Located, locate, same_branch};
use super::found::Found;

/// Refuses where what was received may stay in the buffer, or where the buffer may be unpacked
/// without that it was received.
pub(super) fn unpacked_always(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
) -> Result<(), Refusal> {
    if found.side.direction == Direction::Pack {
        return Ok(());
    }
    let procedure = view.procedure();
    let call = locate(procedure, found.statement);
    for span in packing.statements.iter().filter(|s| s.start >= found.statement.end) {
        let copy = locate(procedure, *span);
        let always = matches!((&call, &copy), (Some(call), Some(copy)) if follows(call, copy))
            && !is_left_or_entered(procedure, found.statement, *span);
        if !always {
            let message = "there are paths on which this is executed without the receive, or only \
                the receive is";
            let mut refusal = Refusal::new(Code::Escapes, *span, message);
            refusal.related.push((found.call, "the receive".into()));
            return Err(refusal);
        }
    }
    Ok(())
}

/// Whether a call that stands after copies is executed wherever these are, so that what they leave
/// behind can be written before it.
pub(super) fn called_always(procedure: &Procedure, copies: Span, call: Span) -> bool {
    match (locate(procedure, call), locate(procedure, copies)) {
        (Some(at), Some(copy)) => {
            is_around_both(&at, &copy) && !is_left_or_entered(procedure, copies, call)
        }
        _ => false,
    }
}

/// Whether a copy that stands after a call is executed only where the call was. (That the copy is
/// executed at all, or under which condition, the walk through the procedure knows.)
fn follows(call: &Located<'_>, copy: &Located<'_>) -> bool {
    let before =
        call.path.iter().zip(&copy.path).find(|((a, i), (b, j))| !std::ptr::eq(*a, *b) || i != j);
    before.is_some_and(|((_, at), (_, later))| at < later) && is_around_both(call, copy)
}

/// Whether what is around a statement is around both, or a condition that is around the other one,
/// too.
fn is_around_both(one: &Located<'_>, other: &Located<'_>) -> bool {
    let same = one
        .path
        .iter()
        .zip(&other.path)
        .take_while(|((a, i), (b, j))| std::ptr::eq(*a, *b) && i == j)
        .count();
    let (Some((list, _)), Some((beside, _))) = (one.path.get(same), other.path.get(same)) else {
        return false;
    };
    if !std::ptr::eq(*list, *beside) {
        return false;
    }
    let around = &one.path[same..one.path.len().saturating_sub(1)];
    around.iter().enumerate().all(|(number, (list, at))| {
        let statement = &list[*at];
        let inner = one.path[same + number + 1].0;
        match statement.kind {
            StatementKind::Block(_) => true,
            StatementKind::If { .. } => other.path.windows(2).skip(same).any(|pair| {
                let (list, at) = pair[0];
                same_branch(statement, inner, &list[at], pair[1].0)
            }),
            _ => false,
        }
    })
}

/// Whether a path may leave the text between two statements before it comes to the second one, or
/// come into it otherwise than through the first one.
pub(super) fn is_left_or_entered(procedure: &Procedure, after: Span, before: Span) -> bool {
    let between = |s: Span| s.file == after.file && s.start >= after.end && s.start < before.start;
    let mut inside: Vec<&Name> = Vec::new();
    let mut outside: Vec<&Name> = Vec::new();
    let mut labels: Vec<&Name> = Vec::new();
    let mut loops: Vec<(Span, Option<&Name>)> = Vec::new();
    let mut leaving: Vec<(Span, Option<&Name>)> = Vec::new();
    let mut left = false;
    for statement in &procedure.body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Goto(all) if between(s.span) => inside.extend(all),
            StatementKind::Goto(all) => outside.extend(all),
            StatementKind::Label(name) if between(s.span) => labels.push(name),
            StatementKind::Loop(counted) if between(s.span) => {
                loops.push((s.span, counted.name.as_ref()));
            }
            StatementKind::While { .. } if between(s.span) => loops.push((s.span, None)),
            StatementKind::Return(_) => left |= between(s.span),
            StatementKind::Break(name) | StatementKind::Continue(name) if between(s.span) => {
                leaving.push((s.span, name.as_ref()));
            }
            _ => {}
        });
    }
    left || inside.iter().any(|name| !labels.contains(name))
        || outside.iter().any(|name| labels.contains(name))
        || leaving.iter().any(|(span, name)| {
            !loops
                .iter()
                .any(|(around, own)| around.contains(*span) && (name.is_none() || name == own))
        })
}
