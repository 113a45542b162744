//! A program in parts: between the collectives of all processes and the marks, and there between the repetitions of
//! what all processes repeat. Parts that do the same are found by their [`pattern`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use commloom_trace::{Action, Buffer, Trace};

use crate::number::{at, count, id};
use crate::recorded::{Message, event};

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
pub(super) struct Part {
    pub begin: Border,
    /// Numbers of events, by process.
    ranges: Vec<Range<u64>>,
    /// By receiver and posted receive.
    pub messages: Vec<Message>,
    pub times: u64,
}

/// The parts between what all processes have in common, still without messages.
pub(super) fn parts(traces: &[&Trace]) -> Vec<Part> {
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
            Part { begin, ranges, messages: Vec::new(), times: 1 }
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

/// Gives each message to the part in which it was sent and has come, and counts those for which that is not one.
pub(super) fn fill(mut parts: Vec<Part>, messages: Vec<Message>) -> (Vec<Part>, u64) {
    let mut crossing = 0;
    for message in messages {
        let of = |process: u32, event: u64| {
            parts.partition_point(|part| part.ranges[at(process)].end <= event)
        };
        let sent = of(message.send.process, message.send.event);
        if sent == of(message.arrival.process, message.arrival.event) {
            parts[sent].messages.push(message);
        } else {
            crossing += 1;
        }
    }
    parts.retain(|part| !part.messages.is_empty());
    (parts, crossing)
}

/// What a process does in a part, in the order in which it began it.
pub(super) struct Operation {
    pub event: u64,
    /// By its place in the part.
    pub message: u32,
    pub is_send: bool,
}

/// The operations of each process. O(n log n).
pub(super) fn operations(processes: usize, messages: &[Message]) -> Vec<Vec<Operation>> {
    let mut all: Vec<Vec<Operation>> = Vec::new();
    all.resize_with(processes, Vec::new);
    for (message, ends) in messages.iter().enumerate() {
        for (place, is_send) in [(ends.send, true), (ends.receive, false)] {
            let operation = Operation { event: place.event, message: id(message), is_send };
            all[at(place.process)].push(operation);
        }
    }
    for own in &mut all {
        own.sort_unstable_by_key(|operation| operation.event);
    }
    all
}

/// The part in as many pieces as all of its processes repeat something.
pub(super) fn repeats(traces: &[&Trace], part: Part) -> Vec<Part> {
    let all = operations(traces.len(), &part.messages);
    let symbols = all.iter().enumerate().map(|(process, own)| -> Vec<u64> {
        own.iter().map(|o| symbol(traces, &part, id(process), o)).collect()
    });
    let times = symbols.filter(|own| !own.is_empty()).map(|own| repetitions(&own));
    let times = times.reduce(gcd).unwrap_or(1);
    if times == 1 {
        return vec![part];
    }
    let mut piece_of = vec![0; part.messages.len()];
    for own in &all {
        for (i, operation) in own.iter().enumerate() {
            if operation.is_send {
                piece_of[at(operation.message)] = i / (own.len() / times);
            }
        }
    }
    let mut pieces = vec![Part { messages: Vec::new(), ..part.clone() }; times];
    for (message, piece) in part.messages.into_iter().zip(piece_of) {
        pieces[piece].messages.push(message);
    }
    pieces
}

/// How often a sequence repeats its beginning, up to its end: Knuth, Morris and Pratt's longest border. O(n).
fn repetitions(sequence: &[u64]) -> usize {
    let n = sequence.len();
    let mut longest = vec![0; n];
    for i in 1..n {
        let mut k: usize = longest[i - 1];
        while k > 0 && sequence[i] != sequence[k] {
            k = longest[k - 1];
        }
        longest[i] = k + usize::from(sequence[i] == sequence[k]);
    }
    let period = n - longest[n - 1];
    if n.is_multiple_of(period) { n / period } else { 1 }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What makes two operations the same, but for the origin of their bytes.
fn symbol(traces: &[&Trace], part: &Part, process: u32, operation: &Operation) -> u64 {
    let message = &part.messages[at(operation.message)];
    let place = if operation.is_send { message.send } else { message.receive };
    let mut hasher = DefaultHasher::new();
    operation.is_send.hash(&mut hasher);
    let peer = if operation.is_send { message.receive.process } else { message.send.process };
    (process, peer, message.bytes).hash(&mut hasher);
    let Some(event) = event(traces, place) else { return hasher.finish() };
    event.site.hash(&mut hasher);
    match &event.action {
        Action::Send { tag, buffer, .. } => (tag, of_buffer(buffer)).hash(&mut hasher),
        Action::Receive { buffer, .. } => of_buffer(buffer).hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

fn of_buffer(buffer: &Buffer) -> (u64, u64, &str) {
    (buffer.address, buffer.count, &buffer.layout)
}

/// All that decides about the graph of a part. Equal parts have equal patterns; others do not, but for a chance of
/// 2^-64 for each operation.
pub(super) type Pattern = Vec<u64>;

/// The pattern of a part.
pub(super) fn pattern(traces: &[&Trace], part: &Part) -> Pattern {
    let mut pattern = Vec::new();
    for (process, own) in operations(traces.len(), &part.messages).iter().enumerate() {
        let places: HashMap<u64, usize> =
            own.iter().enumerate().map(|(i, o)| (o.event, i)).collect();
        pattern.push(count(own.len()));
        let mut contents: HashMap<u64, u64> = HashMap::new();
        for operation in own {
            pattern.push(symbol(traces, part, id(process), operation));
            let place = part.messages[at(operation.message)].send;
            let Some(Action::Send { hash, origins, sum, .. }) =
                event(traces, place).filter(|_| operation.is_send).map(|event| &event.action)
            else {
                continue;
            };
            // Which sends have the same bytes, not which bytes.
            let next = count(contents.len());
            pattern.push(*contents.entry(*hash).or_insert(next));
            let inner =
                |event: u64| places.get(&receive_event(traces, place.process, event)).copied();
            for origin in origins {
                let from = inner(origin.receive).map_or(0, |i| count(i) + 1);
                pattern.extend([from, origin.at, origin.length, origin.from]);
            }
            if let Some(sum) = sum {
                pattern.extend(
                    [sum.receive, sum.before].map(|e| inner(e).map_or(0, |i| count(i) + 1)),
                );
            }
        }
    }
    pattern
}

/// The posted receive of an arrival; other events are themselves.
pub(super) fn receive_event(traces: &[&Trace], process: u32, number: u64) -> u64 {
    let place = super::Place { process, event: number };
    match event(traces, place).map(|event| &event.action) {
        Some(Action::Received { receive, .. }) => *receive,
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_repeated_as_often_as_it_is() {
        let of = |text: &str| repetitions(&text.bytes().map(u64::from).collect::<Vec<_>>());
        assert_eq!(of("a"), 1);
        assert_eq!(of("abab"), 2);
        assert_eq!(of("aaaa"), 4);
        assert_eq!(of("abaab"), 1);
        assert_eq!(of("abcabcabc"), 3);
        assert_eq!(of("abcabcab"), 1);
    }
}
