//! A program in parts: between the collectives of all processes and the marks. Parts that do the
//! same are found by their [`pattern`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use commloom_trace::{Action, Buffer, Kind, NOT_LOOKED_AT, Site, Summed, Trace};

use crate::number::{at, count, id};
use crate::recorded::model::{Message, Place, action, site};

/// Where a part begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Border {
    /// Of the traces.
    Start,
    /// A collective of all processes, by its name in MPI.
    Collective(Arc<str>),
    /// `MPI_Pcontrol` with this level.
    Mark(i32),
}

/// Some events of each process, and the messages among them.
#[derive(Debug, Clone)]
pub(super) struct TracePart {
    pub begin: Border,
    /// By receiver and posted receive.
    pub messages: Vec<Message>,
    /// Events that combine something with what was received.
    pub sums: Vec<Place>,
    /// Whether its messages are those of a sweep.
    pub sweep: bool,
    /// Whether processes send, in a later step, bytes that are new after they have got others.
    pub assumed: bool,
}

/// The parts between what all processes have in common, still without messages, and the numbers of
/// their events, by process.
fn empty_parts(traces: &[&Trace]) -> Vec<(TracePart, Vec<Range<u64>>)> {
    let borders: Vec<Vec<(u64, Border)>> = traces.iter().map(|trace| borders(trace)).collect();
    let mut common = borders.iter().map(Vec::len).min().unwrap_or(0);
    if let Some(first) = borders.first() {
        let same = |i: usize| borders.iter().all(|other| other[i].1 == first[i].1);
        common = (0..common).take_while(|&i| same(i)).count();
    }
    (0..=common)
        .map(|i| {
            let from = |own: &[(u64, Border)]| i.checked_sub(1).map_or(0, |i| own[i].0);
            let to = |own: &[(u64, Border)]| if i < common { own[i].0 } else { u64::MAX };
            let ranges = borders.iter().map(|own| from(own)..to(own)).collect();
            let begin = i.checked_sub(1).map_or(Border::Start, |i| borders[0][i].1.clone());
            let (messages, sums) = (Vec::new(), Vec::new());
            (TracePart { begin, messages, sums, sweep: false, assumed: false }, ranges)
        })
        .collect()
}

fn borders(trace: &Trace) -> Vec<(u64, Border)> {
    let all = at(trace.header.ranks);
    let border = |action: &Action| match action {
        Action::Collective(collective) if collective.communicator.members.len() == all => {
            Some(Border::Collective(collective.name.clone()))
        }
        Action::Mark(level) => Some(Border::Mark(*level)),
        _ => None,
    };
    let all = trace.events.only(&[Kind::COLLECTIVE, Kind::MARK]);
    all.filter_map(|(number, event)| Some((number, border(&event.action)?))).collect()
}

/// The parts between what all processes have in common, each with the messages that were sent and
/// have come in it, and how many messages have no such part.
pub(super) fn parts(traces: &[&Trace], messages: Vec<Message>) -> (Vec<TracePart>, u64) {
    let (mut parts, ranges): (Vec<TracePart>, Vec<_>) = empty_parts(traces).into_iter().unzip();
    let of = |place: Place| ranges.partition_point(|own| own[at(place.process)].end <= place.event);
    let part = |message: &Message| Some(of(message.send)).filter(|p| *p == of(message.arrival));
    // As much memory as they take: there may be many.
    let mut sizes = vec![0; parts.len()];
    messages.iter().filter_map(part).for_each(|part| sizes[part] += 1);
    parts.iter_mut().zip(&sizes).for_each(|(part, size)| part.messages.reserve_exact(*size));
    let crossing = count(messages.len() - sizes.iter().sum::<usize>());
    for message in messages {
        if let Some(part) = part(&message) {
            parts[part].messages.push(message);
        }
    }
    for (process, trace) in traces.iter().enumerate() {
        for (event, _) in trace.events.only(&[Kind::SUMMED]) {
            let place = Place { process: id(process), event };
            parts[of(place)].sums.push(place);
        }
    }
    parts.retain(|part| !part.messages.is_empty());
    (parts, crossing)
}

/// An action of a process in a part, in the order in which it began it.
pub(super) struct Operation {
    pub event: u64,
    pub what: What,
}

/// Messages by their places in the part.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Send(u32),
    Receive(u32),
    Sum,
}

/// The operations of each process. O(n log n).
pub(super) fn operations(processes: usize, part: &TracePart) -> Vec<Vec<Operation>> {
    let mut all: Vec<Vec<Operation>> = Vec::new();
    all.resize_with(processes, Vec::new);
    let mut push =
        |place: Place, what| all[at(place.process)].push(Operation { event: place.event, what });
    for (message, ends) in part.messages.iter().enumerate() {
        push(ends.send, What::Send(id(message)));
        push(ends.receive, What::Receive(id(message)));
    }
    part.sums.iter().for_each(|place| push(*place, What::Sum));
    for own in &mut all {
        own.sort_unstable_by_key(|operation| operation.event);
    }
    all
}

/// The properties that make two operations the same, but for the origin of their bytes.
fn symbol(
    part: &TracePart,
    process: u32,
    what: What,
    called: Option<&Arc<Site>>,
    action: Option<&Action>,
) -> u64 {
    let mut hasher = DefaultHasher::new();
    match what {
        What::Send(message) => {
            let message = &part.messages[at(message)];
            (0u8, message.receive.process, message.bytes).hash(&mut hasher);
        }
        What::Receive(message) => {
            let message = &part.messages[at(message)];
            (1u8, message.send.process, message.bytes).hash(&mut hasher);
        }
        What::Sum => 2u8.hash(&mut hasher),
    }
    process.hash(&mut hasher);
    called.hash(&mut hasher);
    match action {
        // Not the tag: many programs count them up.
        Some(Action::Send { buffer, .. } | Action::Receive { buffer, .. }) => {
            of_buffer(buffer).hash(&mut hasher);
        }
        Some(Action::Summed(summed)) => {
            let Summed { operator, element, buffer, other, .. } = summed;
            (operator, element, of_buffer(buffer), other.is_some()).hash(&mut hasher);
        }
        _ => {}
    }
    hasher.finish()
}

fn of_buffer(buffer: &Buffer) -> (u64, u64, &str) {
    (buffer.address, buffer.count, &buffer.layout)
}

/// All that decides about the graph of a part. Equal parts have equal patterns; others do not, but
/// for a chance of 2^-64 for each operation.
pub(super) type Pattern = Vec<u64>;

/// The pattern of a part.
pub(super) fn pattern(traces: &[&Trace], part: &TracePart) -> Pattern {
    let mut pattern = vec![u64::from(part.sweep), u64::from(part.assumed)];
    for (process, own) in operations(traces.len(), part).iter().enumerate() {
        let process = id(process);
        // What lies outside of the part makes no difference.
        let inner = |event: u64| {
            let posted = receive_event(traces, process, event);
            let found = own.binary_search_by_key(&posted, |operation| operation.event);
            found.map_or(0, |place| count(place) + 1)
        };
        pattern.push(count(own.len()));
        let mut contents: HashMap<u64, u64> = HashMap::new();
        // Which have the same bytes, not which bytes.
        let mut different = 0;
        let mut same = |hash: u64| {
            let known = contents.get(&hash).filter(|_| hash != NOT_LOOKED_AT).copied();
            known.unwrap_or_else(|| {
                contents.insert(hash, different);
                different += 1;
                different - 1
            })
        };
        for operation in own {
            let place = Place { process, event: operation.event };
            let (called, action) = (site(traces, place), action(traces, place));
            pattern.push(symbol(part, process, operation.what, called, action.as_ref()));
            let origins = match action {
                Some(Action::Send { hash, origins, sum, .. }) => {
                    pattern.push(same(hash));
                    if let Some(sum) = sum {
                        pattern.extend([inner(sum.receive), inner(sum.before)]);
                    }
                    origins
                }
                Some(Action::Summed(s)) => {
                    pattern.extend([same(s.before), same(s.hash), inner(s.receive)]);
                    pattern.push(s.other.map_or(0, inner));
                    s.origins
                }
                _ => continue,
            };
            for origin in origins {
                let from = inner(origin.receive);
                if from != 0 {
                    pattern.extend([from, origin.at, origin.length, origin.from]);
                }
            }
        }
    }
    pattern
}

/// The posted receive of an arrival; other events are themselves.
pub(super) fn receive_event(traces: &[&Trace], process: u32, number: u64) -> u64 {
    let place = Place { process, event: number };
    match action(traces, place) {
        Some(Action::Received { receive, .. }) => receive,
        _ => number,
    }
}
