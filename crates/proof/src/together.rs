//! Condition 7 for receives and sends that are rewritten both: what is sent is read until the send
//! is complete, and what is received is written from the post on, no longer when the copies were
//! made. Where both may happen at a time, they must be in different elements (MPI 4.1, section
//! 3.7.2).

use commloom_copies::{Copy, Direction, Packing};
use commloom_program::View;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};

use super::apart::{Inside, are_apart, inside};
use super::candidate::Candidate;
use super::completion::completion;
use super::flow::Stretch;
use super::found::Found;
use super::model::{Condition, Ledger, Part};
use super::rows::{self, SizeRelation};

/// Refuses receives into what a send may still read.
pub(super) fn apart(
    view: &View<'_>,
    candidates: &[Candidate<'_>],
    judged: &mut [Result<Part, Refusal>],
) {
    for receive in 0..judged.len() {
        let Ok(part) = &judged[receive] else { continue };
        let unpack = match (&part.unpacking, candidates[receive].found.side.direction) {
            (Some(unpack), _) => unpack,
            (None, Direction::Unpack) => &part.packing,
            (None, Direction::Pack) => continue,
        };
        let mut outcome = Ok(());
        for send in 0..judged.len() {
            let Ok(pack) = &judged[send] else { continue };
            // On one process a broadcast is one of the two.
            let is_itself = send == receive;
            if !is_itself
                && candidates[send].found.side.direction == Direction::Pack
                && outcome.is_ok()
            {
                let pair = Pair {
                    send: &candidates[send].found,
                    pack: &pack.packing,
                    receive: &candidates[receive].found,
                    unpack,
                };
                outcome = pair.check(view, &candidates[receive].ledger);
            }
        }
        let outcome = candidates[receive].ledger.judged(Condition::Together, outcome);
        if let Err(refusal) = outcome {
            judged[receive] = Err(refusal);
        }
    }
}

/// A send and a receive in one procedure.
struct Pair<'a> {
    send: &'a Found<'a>,
    pack: &'a Packing,
    receive: &'a Found<'a>,
    unpack: &'a Packing,
}

impl Pair<'_> {
    fn check(&self, view: &View<'_>, ledger: &Ledger<'_>) -> Result<(), Refusal> {
        if !self.meet(view) {
            return Ok(());
        }
        let meeting = meeting(view, self.pack, self.unpack);
        for (sent, received) in meeting.pairs {
            let name = &received.address.base.variable;
            let message = format!("what is received into '{name}' may be what a send still reads");
            let fact = Fact::ReceivedNotSent(name.clone());
            let outcome = ledger.need(Code::ReceiveOverlap, received.span, message, fact);
            outcome.map_err(|mut refusal| {
                refusal.related.push((self.send.call, "the send".into()));
                refusal.related.push((sent.span, "what it sends".into()));
                refusal
            })?;
        }
        if !meeting.unless.is_empty() {
            let name = self.unpack.touched.first().cloned().unwrap_or_default();
            let message = format!("what is received into '{name}' may be what a send still reads");
            let fact = Fact::ReceivedNotSent(name);
            let with = self.send.statement;
            let refusal = ledger.need(Code::ReceiveOverlap, self.receive.call, message, fact);
            for with in self.pack.statements.iter().chain([&with]) {
                ledger.test(&meeting.unless, *with, refusal.clone());
            }
        }
        Ok(())
    }

    /// Whether the memory of the one may be read while that of the other is written.
    fn meet(&self, view: &View<'_>) -> bool {
        let procedure = view.procedure();
        let first = self.pack.statements.iter().min_by_key(|s| s.start);
        let last = self.unpack.statements.iter().max_by_key(|s| s.end);
        let from = first.copied().unwrap_or(self.send.statement);
        let to = last.copied().unwrap_or(self.receive.statement);
        let arrives = Stretch::between(procedure, self.receive.statement, to);
        // Copies that are made while the receive is pending were seen as a use of its target.
        if self.pack.statements.iter().all(|s| arrives.has(*s)) {
            return false;
        }
        let request = self.send.side.request.and_then(|at| self.send.arguments.get(at));
        let leaves = match request {
            None => Stretch::between(procedure, from, self.send.statement),
            Some(request) => match completion(view, self.send, request) {
                Some(wait) => Stretch::between(procedure, from, wait),
                None => Stretch::after(procedure, from),
            },
        };
        leaves.meets(arrives)
    }
}

/// Where copies of two packings may touch the same elements.
pub(super) struct Meeting<'p> {
    /// One pair for each copy of the second of which that is not known.
    pub pairs: Vec<(&'p Copy, &'p Copy)>,
    /// The others never do, as long as none of these numbers is negative.
    pub unless: Vec<SizeRelation>,
}

/// Compares all copies of two packings.
pub(super) fn meeting<'p>(view: &View<'_>, one: &'p Packing, other: &'p Packing) -> Meeting<'p> {
    let (ones, others) = (inside(&one.copies), inside(&other.copies));
    let mut meeting = Meeting { pairs: Vec::new(), unless: Vec::new() };
    for b in &others {
        let mut first = None;
        for a in &ones {
            match needed(view, a, b) {
                Some(numbers) => meeting.unless.extend(numbers),
                None => first = first.or(Some(a.copy)),
            }
        }
        meeting.pairs.extend(first.map(|a| (a, b.copy)));
    }
    meeting
}

/// The numbers that must not be negative so that two copies are of different memory.
fn needed(view: &View<'_>, one: &Inside<'_>, other: &Inside<'_>) -> Option<Vec<SizeRelation>> {
    let (a, b) = (&one.copy.address, &other.copy.address);
    if !view.may_alias(&a.base.variable, &b.base.variable) {
        return Some(Vec::new());
    }
    if a.base != b.base || a.version != b.version {
        return None;
    }
    if are_apart(one, other) { Some(Vec::new()) } else { rows::relations(one, other) }
}
