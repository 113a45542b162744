//! The needs of a call beyond what a trace shows of the program: where the messages leave more
//! than the call, or the call wants at one time what they send one after the other.

use std::collections::{BTreeMap, BTreeSet};

use commloom_commgraph::recorded::{Message, program_address};
use commloom_commgraph::{Blocks, Combine};
use commloom_trace::{Action, Mode, Site, Trace};

use crate::finding::{Finding, block_bytes};
use crate::held::Presence;
use crate::kinds::{in_steps, mpi};
use crate::place::Called;
use crate::waits::waits_for_all;

/// The conditions, each the end of a sentence that begins with "only if".
///
/// # Errors
/// Why there is no place for a call: what the messages send is never there at one time.
pub fn conditions(same: &[&Finding]) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let Some(first) = same.first() else { return Ok(all) };
    let name = mpi(first.collective.kind.name());
    if let Some(operator) = first.share.reduction.and_then(|r| r.combine.mpi_name()) {
        let more = match first.share.reduction.map(|reduction| reduction.combine) {
            Some(Combine::Sum) => ", with no weight, limit or modulus, which may be without effect",
            _ => ", which another operation may be too",
        };
        all.push(format!(
            "{operator} is how the program combines{more}: it is what fits all values of this run"
        ));
    }
    let waiting =
        sent(same, |_, action| matches!(action, Action::Send { mode: Mode::Synchronous, .. }));
    if !waiting.is_empty() && !waits_for_all(first.collective.kind) {
        all.push(format!(
            "nothing relies on that {} waits until its message is received: {name} does not",
            named(waiting)
        ));
    }
    let passing = sent(same, |trace, action| {
        let came = |event: u64| matches!(trace.events.action(event), Some(Action::Received { .. }));
        matches!(action, Action::Send { origins, sum: None, .. }
            if origins.iter().any(|origin| came(origin.receive)))
    });
    if !passing.is_empty() && !matches!(first.collective.blocks, Blocks::Reduced { .. }) {
        all.push(format!(
            "{} passes on what came as it is, as in this run, and nothing else, such as a file, \
             needs that processes get it one after the other",
            named(passing)
        ));
    }
    let dropped: BTreeSet<&Called> = same.iter().flat_map(|f| dropped(f).into_values()).collect();
    if !dropped.is_empty() {
        all.push(format!(
            "the program makes no other use of what {} receives, or of a result before it is \
             complete: {name} does not put these into its buffers, which stay as they were",
            named(dropped)
        ));
    }
    let senders: BTreeSet<&Called> = same.iter().flat_map(|f| f.places(true)).collect();
    let senders = named(senders);
    let (by_steps, in_turn) = (steps(same), one_by_one(same));
    without_place(by_steps, in_turn, &senders)?;
    if by_steps.is_some_and(|seen| seen.at_first.is_none()) {
        all.push(format!(
            "all that {senders} sends is there before the first of it is sent, and does not depend \
             on what comes in the same phase: the trace does not tell what the program computes in \
             between"
        ));
    }
    match in_turn {
        Some(seen) => all.extend(place(seen, &senders, by_steps.is_some())),
        // Each stays as it is until all are under way, and some are made after others were sent.
        None if Presence::of(same.iter().copied()).at_first == Some(false) => {
            let are_kept = Presence { at_first: Some(false), at_last: Some(true) };
            all.extend(place(are_kept, &senders, false));
        }
        None => {}
    }
    Ok(all)
}

/// Where a call for blocks that are sent one after the other has to stand.
fn place(seen: Presence, senders: &str, are_steps: bool) -> Option<String> {
    match (seen.at_first, seen.at_last) {
        (_, None) => Some(format!(
            "the program changes no block from where {senders} sends it up to the last one of a \
             time, where the call stands: the trace does not tell what it writes in between"
        )),
        (Some(true), Some(true)) => None,
        // That all is there at first is a condition of its own.
        (None, Some(true)) if are_steps => None,
        (_, Some(true)) => Some(format!(
            "the call stands where {senders} sends the last block of a time: the program may make \
             blocks after it has sent others"
        )),
        (_, Some(false)) => Some(format!(
            "the call stands where {senders} sends the first block of a time, and all blocks are \
             there by then: the program changes blocks that it has sent before it sends the last"
        )),
    }
}

/// The buffers of exchanges in steps, as the recorder has seen them, where there are such.
fn steps(same: &[&Finding]) -> Option<Presence> {
    let is_one = |f: &&&Finding| f.ran.assumed && in_steps(f.collective);
    let mut all = same.iter().filter(is_one).copied().peekable();
    all.peek()?;
    Some(Presence::of(all))
}

/// And of blocks that are sent one after the other.
fn one_by_one(same: &[&Finding]) -> Option<Presence> {
    let mut all = same.iter().filter(|f| is_one_by_one(f)).copied().peekable();
    all.peek()?;
    Some(Presence::of(all))
}

/// Whether what is sent, in steps or one after the other, is never there at one time.
fn without_place(
    by_steps: Option<Presence>,
    in_turn: Option<Presence>,
    senders: &str,
) -> Result<(), String> {
    let no = Some(false);
    if by_steps.is_some_and(|seen| seen.at_first == no) {
        return Err(format!(
            "what {senders} sends is not in its buffers yet where it sends the first of a time: \
             the program makes it in between, perhaps of what it receives"
        ));
    }
    if in_turn.is_some_and(|seen| seen.at_first == no && seen.at_last == no) {
        return Err(format!(
            "the blocks that {senders} sends are never there at one time: the program makes some \
             of them after it has sent others, and changes those"
        ));
    }
    Ok(())
}

/// Where messages with such an action are sent.
fn sent<'f>(
    same: &[&'f Finding],
    is_such: impl Fn(&Trace, &Action) -> bool,
) -> BTreeSet<&'f Called> {
    let of = |finding: &'f Finding| {
        let is_such = &is_such;
        finding.ends.iter().filter_map(move |(number, (place, _))| {
            let send = finding.ran.messages.get(*number)?.send;
            let trace = finding.trace(send.process)?;
            let action = trace.events.action(send.event)?;
            place.as_ref().filter(|_| is_such(trace, &action))
        })
    };
    same.iter().flat_map(|finding| of(finding)).collect()
}

fn named(places: BTreeSet<&Called>) -> String {
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    names.join(" or ")
}

/// The messages that a reduction combines and leaves nowhere: where they are received, by process
/// and address.
fn dropped<'f>(finding: &'f Finding) -> BTreeMap<(u32, u64), &'f Called> {
    let c = finding.collective;
    let Blocks::Reduced { to, .. } = &c.blocks else { return BTreeMap::new() };
    let bytes = block_bytes(c);
    let mut results = BTreeMap::new();
    for (k, process) in c.group.iter().enumerate() {
        if c.root.is_none_or(|root| root == process) {
            results.insert(process.0, program_address(to.get(k)));
        }
    }
    let of = |number: &usize, place: &'f Option<Called>| {
        let message = finding.ran.messages.get(*number)?;
        let (buffer, ..) = finding.receive(message)?;
        let process = message.receive.process;
        let is_result = results.get(&process).is_some_and(|start| {
            buffer.address < start.saturating_add(bytes)
                && *start < buffer.address.saturating_add(buffer.bytes)
        });
        let place = place.as_ref().filter(|_| message.bytes > 0 && !is_result)?;
        Some(((process, buffer.address), place))
    };
    finding.ends.iter().filter_map(|(number, (_, place))| of(number, place)).collect()
}

/// The use that messages of the program make of what a reduction has combined and the call leaves
/// nowhere, as far as they pass it on.
pub fn later_use(
    same: &[&Finding],
    traces: &[Trace],
    mut called: impl FnMut(&Site) -> Called,
) -> Option<String> {
    let mut dropped_at: BTreeMap<(u32, u64), &Called> = BTreeMap::new();
    same.iter().for_each(|finding| dropped_at.extend(dropped(finding)));
    if dropped_at.is_empty() {
        return None;
    }
    let own: BTreeSet<&Called> = same.iter().flat_map(|finding| finding.places(true)).collect();
    for trace in traces.iter().filter(|t| dropped_at.keys().any(|(p, _)| *p == t.header.rank)) {
        for (_, event) in &trace.events {
            let Action::Send { origins, .. } = event.action else { continue };
            for origin in origins {
                let Some(Action::Received { receive, .. }) = trace.events.action(origin.receive)
                else {
                    continue;
                };
                let Some(Action::Receive { buffer, .. }) = trace.events.action(receive) else {
                    continue;
                };
                let Some(from) = dropped_at.get(&(trace.header.rank, buffer.address)) else {
                    continue;
                };
                let is_from = trace.events.site(receive).is_some_and(|site| called(site) == **from);
                let by = event.site.as_deref().map(&mut called);
                if is_from && !by.as_ref().is_some_and(|by| own.contains(by)) {
                    let by = by.map_or("the program".to_owned(), |by| by.to_string());
                    return Some(format!(
                        "{by} sends later what {from} has received, and the call does not put it \
                         there"
                    ));
                }
            }
        }
    }
    None
}

/// Whether a process sends several blocks of its own, from places of their own, and not all of
/// them are under way at one time.
fn is_one_by_one(finding: &Finding) -> bool {
    let mut places: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for message in finding.messages().filter(|message| message.bytes > 0) {
        if let Some(address) = new_from(finding, message) {
            places.entry(message.send.process).or_default().insert(address);
        }
    }
    let mut several = places.into_iter().filter(|(_, places)| places.len() > 1);
    several.any(|(process, _)| !finding.sends_together(process))
}

/// Where a message is sent from that passes nothing on.
fn new_from(finding: &Finding, message: &Message) -> Option<u64> {
    let trace = finding.trace(message.send.process)?;
    match trace.events.action(message.send.event)? {
        Action::Send { buffer, origins, sum: None, .. } if origins.is_empty() => {
            Some(buffer.address)
        }
        _ => None,
    }
}
