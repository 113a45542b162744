//! Whether all that a process sends in an operation is in its buffers at one time, as far as the
//! recorder has looked.
//!
//! The recorder looks at buffers in a few of the times that lines ran, so that those are times
//! of the same messages: from the same buffer, to the same process, at the same line.

use std::collections::{BTreeMap, BTreeSet};

use commloom_commgraph::recorded::Message;
use commloom_trace::{Action, Kind, Origin, Site, Stay, Trace};

use crate::finding::Finding;

/// `None` where nothing was seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence {
    /// All that a process sends is there where it sends the first of it.
    pub at_first: Option<bool>,
    /// It is still there where it sends the last of it.
    pub at_last: Option<bool>,
}

/// The same in all times: line, address, elements, destination.
type Same = (Option<Site>, u64, u64, u32);

impl Presence {
    /// Of all processes in all times of some findings.
    pub fn of<'f, 'a: 'f>(findings: impl Iterator<Item = &'f Finding<'a>>) -> Presence {
        let mut seen: BTreeMap<u32, BTreeMap<Same, Vec<Stay>>> = BTreeMap::new();
        let mut all = Presence { at_first: Some(true), at_last: Some(true) };
        for finding in findings {
            let mut by_process: BTreeMap<u32, Vec<&Message>> = BTreeMap::new();
            for message in finding.messages().filter(|message| message.bytes > 0) {
                by_process.entry(message.send.process).or_default().push(message);
            }
            for (process, mut sends) in by_process.into_iter().filter(|(_, own)| own.len() > 1) {
                let Some(trace) = finding.trace(process) else { continue };
                sends.sort_by_key(|message| message.send.event);
                let seen = seen.entry(process).or_insert_with(|| looked_at(trace));
                let own = of_process(trace, &sends, seen);
                all.at_first = both(all.at_first, own.at_first);
                let stays = finding.sends_together(process);
                all.at_last = both(all.at_last, if stays { Some(true) } else { own.at_last });
            }
        }
        all
    }
}

/// A single no is one of all; without it, all have to be known.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Everything that was seen in a process.
fn looked_at(trace: &Trace) -> BTreeMap<Same, Vec<Stay>> {
    let mut all: BTreeMap<Same, Vec<Stay>> = BTreeMap::new();
    for (_, event) in trace.events.only(&[Kind::HELD]) {
        let Action::Held(held) = event.action else { continue };
        if let Some((same, ..)) = sent(trace, held.send) {
            all.entry(same).or_default().push(held);
        }
    }
    all.values_mut().for_each(|held| held.sort_by_key(|held| held.send));
    all
}

/// A send as it is the same in all times, its hash and its origins.
fn sent(trace: &Trace, event: u64) -> Option<(Same, u64, Vec<Origin>)> {
    let Action::Send { buffer, to, hash, origins, .. } = trace.events.action(event)? else {
        return None;
    };
    let site = trace.events.site(event).map(|site| (**site).clone());
    Some(((site, buffer.address, buffer.count, to), hash, origins))
}

/// Of the sends of a process, in their order.
fn of_process(trace: &Trace, sends: &[&Message], seen: &BTreeMap<Same, Vec<Stay>>) -> Presence {
    let unknown = Presence { at_first: None, at_last: None };
    let all: Option<Vec<_>> = sends.iter().map(|m| sent(trace, m.send.event)).collect();
    let Some(all) = all else { return unknown };
    let (Some((first, ..)), Some((last, ..)), Some(begin)) =
        (all.first(), all.last(), sends.first().map(|message| message.send.event))
    else {
        return unknown;
    };
    let mut contents: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for ((_, address, ..), hash, _) in &all {
        contents.entry(*address).or_default().insert(*hash);
    }
    let none = Vec::new();
    let of = |same: &Same| seen.get(same).unwrap_or(&none);
    let (mut at_first, mut at_last) = (Some(true), Some(true));
    for (nth, (same, _, origins)) in all.iter().enumerate() {
        // The call passes on what comes in it.
        let passes_on = |origin: &Origin| {
            origin.receive > begin
                && !matches!(trace.events.action(origin.receive), Some(Action::Send { .. }))
        };
        if origins.iter().any(passes_on) {
            continue;
        }
        if contents.get(&same.1).is_some_and(|contents| contents.len() > 1) {
            // In one buffer after the other: its content says nothing about when that was made.
            return unknown;
        }
        let mut is_first = (nth == 0).then_some(true);
        let mut is_last = (nth + 1 == all.len()).then_some(true);
        for (held, before, after) in times(of(same)) {
            let begins = of(first).iter().map(|first| first.send).rev().find(|f| *f <= held.send);
            if let Some(begins) = begins.filter(|begins| before.is_none_or(|b| *begins > b)) {
                is_first = worse(is_first, held.since <= begins, held.before >= Some(begins));
            }
            let ends = of(last).iter().map(|last| last.send).find(|last| *last >= held.send);
            if let Some(ends) = ends.filter(|ends| after.is_none_or(|a| *ends < a)) {
                is_last = worse(is_last, held.until >= ends, held.after.is_some_and(|a| a <= ends));
            }
        }
        (at_first, at_last) = (both(at_first, is_first), both(at_last, is_last));
    }
    Presence { at_first, at_last }
}

/// The times of a message, each with the send before and the one after.
fn times(all: &[Stay]) -> impl Iterator<Item = (&Stay, Option<u64>, Option<u64>)> {
    all.iter().enumerate().map(|(nth, held)| {
        let before = nth.checked_sub(1).and_then(|nth| all.get(nth));
        (held, before.map(|held| held.send), all.get(nth + 1).map(|held| held.send))
    })
}

/// With another time, in which it is so, or is not, or nothing is known.
fn worse(so_far: Option<bool>, is_so: bool, is_not: bool) -> Option<bool> {
    match (so_far, is_so, is_not) {
        (_, _, true) => Some(false),
        (None, true, _) => Some(true),
        (other, ..) => other,
    }
}
