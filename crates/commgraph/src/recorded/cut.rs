//! A program in parts: between the collectives of all processes and the marks. Parts that do the
//! same are found by their [`pattern`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use commloom_trace::{Action, Buffer, NOT_LOOKED_AT, Summed, Trace};

use crate::number::{at, count, id};
use crate::recorded::model::{Message, Place, event};

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
    /// Numbers of events, by process.
    pub ranges: Vec<Range<u64>>,
    /// By receiver and posted receive.
    pub messages: Vec<Message>,
    /// Events that combine something with what was received.
    pub sums: Vec<Place>,
    /// Whether its messages are those of a sweep.
    pub sweep: bool,
    /// Whether processes send, in a later step, bytes that are new after they have got others.
    pub assumed: bool,
}

/// The parts between what all processes have in common, still without messages.
pub(super) fn parts(traces: &[&Trace]) -> Vec<TracePart> {
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
            TracePart {
                begin,
                ranges,
                messages: Vec::new(),
                sums: Vec::new(),
                sweep: false,
                assumed: false,
            }
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
    trace.events.iter().filter_map(|(n, event)| Some((*n, border(&event.action)?))).collect()
}

/// Gives each message to the part in which it was sent and has come, and counts those for which
/// that is not one.
pub(super) fn fill(
    traces: &[&Trace],
    mut parts: Vec<TracePart>,
    messages: Vec<Message>,
) -> (Vec<TracePart>, u64) {
    let mut crossing = 0;
    let of = |parts: &[TracePart], place: Place| {
        parts.partition_point(|part| part.ranges[at(place.process)].end <= place.event)
    };
    for message in messages {
        let sent = of(&parts, message.send);
        if sent == of(&parts, message.arrival) {
            parts[sent].messages.push(message);
        } else {
            crossing += 1;
        }
    }
    for (process, trace) in traces.iter().enumerate() {
        for (event, entry) in &trace.events {
            if let Action::Summed(_) = entry.action {
                let place = Place { process: id(process), event: *event };
                let part = of(&parts, place);
                parts[part].sums.push(place);
            }
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
fn symbol(traces: &[&Trace], part: &TracePart, process: u32, operation: &Operation) -> u64 {
    let mut hasher = DefaultHasher::new();
    let place = Place { process, event: operation.event };
    match operation.what {
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
    let Some(event) = event(traces, place) else { return hasher.finish() };
    event.site.hash(&mut hasher);
    match &event.action {
        // Not the tag: many programs count them up.
        Action::Send { buffer, .. } | Action::Receive { buffer, .. } => {
            of_buffer(buffer).hash(&mut hasher);
        }
        Action::Summed(summed) => {
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
        let places: HashMap<u64, u64> =
            own.iter().zip(1..).map(|(operation, i)| (operation.event, i)).collect();
        // What lies outside of the part makes no difference.
        let inner =
            |event: u64| places.get(&receive_event(traces, process, event)).copied().unwrap_or(0);
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
            pattern.push(symbol(traces, part, process, operation));
            let place = Place { process, event: operation.event };
            let origins = match event(traces, place).map(|event| &event.action) {
                Some(Action::Send { hash, origins, sum, .. }) => {
                    pattern.push(same(*hash));
                    if let Some(sum) = sum {
                        pattern.extend([inner(sum.receive), inner(sum.before)]);
                    }
                    origins
                }
                Some(Action::Summed(s)) => {
                    pattern.extend([same(s.before), same(s.hash), inner(s.receive)]);
                    pattern.push(s.other.map_or(0, inner));
                    &s.origins
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
    match event(traces, place).map(|event| &event.action) {
        Some(Action::Received { receive, .. }) => *receive,
        _ => number,
    }
}
