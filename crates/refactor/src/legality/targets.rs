//! Condition 7, in time: nobody touches the targets from the posting of the receive until they are unpacked.

use crate::copies::Packing;
use crate::project::View;
use crate::refusal::{Code, Refusal};
use crate::source::Span;

use super::find::{Found, touches_of};
use super::flow::{Stretch, contains};
use super::model::Ledger;
use super::sources::completion;

/// Looks at all that is executed between the call and the last copy.
pub(super) fn untouched(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
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
            let fact = "the receive is complete before its copies";
            ledger.need(Code::Escapes, found.call, message, fact)?;
        }
    }
    let procedure = view.procedure();
    let stretch = Stretch::between(procedure, found.statement, last);
    let mut problem: Option<(Span, String)> = None;
    for statement in &procedure.body {
        statement.each(&mut |s| {
            if !stretch.has(s.span) || contains(s.span, found.statement) || problem.is_some() {
                return;
            }
            let touches = touches_of(view, s, &packing.statements);
            for (name, span) in touches.reads.iter().chain(&touches.writes) {
                if let Some(target) = packing.touched.iter().find(|t| view.may_alias(name, t)) {
                    problem = Some((*span, target.clone()));
                }
            }
            if let (Some(span), Some(target)) = (touches.anything.first(), packing.touched.first())
            {
                problem.get_or_insert((*span, target.clone()));
            }
        });
    }
    let Some((span, target)) = problem else { return Ok(()) };
    let message = format!("'{target}' is used between the receive and its copies");
    let fact = format!("what is received into '{target}' is not used before it would be copied");
    ledger.need(Code::ReceiveOverlap, span, message, fact)
}
