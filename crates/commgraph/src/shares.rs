//! The share that an operation has in a graph: the messages that it takes the place of, and what both cost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cost::{Blocks as CallBytes, LogGp, Seconds, call, float, predict};
use crate::detect::{Blocks, Collective, Kind};
use crate::error::{GraphError, Named};
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, count};
use crate::operation::{Kind as Operation, Reduction};
use crate::order::Order;
use crate::schedule::{Schedule, alone_nearby, copy_held_sends, messages_alone};
use crate::trace::Trace;

/// What an operation takes the place of.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The messages that brought its data, as their sends and receives, in the order of the receives.
    pub messages: Vec<(Named, Named)>,
    /// The bytes of these messages.
    pub bytes: u64,
    /// What a reduction combines, and how.
    pub reduction: Option<Reduction>,
    /// The time of these messages by themselves.
    pub plain: Seconds,
    /// The time of the operation.
    pub call: Seconds,
    /// The receives of its messages, by their numbers in the graph.
    receives: BTreeSet<u32>,
}

/// What several operations of one graph take the place of together: a message that serves two of them counts once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Together {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The time of these messages by themselves.
    pub plain: Seconds,
}

/// The shares of some operations of a graph, together. As long as one of them, where they have messages in common.
///
/// # Errors
/// See [`GraphError`]; none for a graph that was analysed.
pub fn together(graph: &Graph, shares: &[&Share], machine: &LogGp) -> Result<Together, GraphError> {
    let mut all: BTreeSet<u32> = BTreeSet::new();
    shares.iter().for_each(|share| all.extend(&share.receives));
    let each: usize = shares.iter().map(|share| share.receives.len()).sum();
    let messages = count(all.len());
    if all.len() == each {
        let (bytes, plain) = (shares.iter().map(|s| s.bytes), shares.iter().map(|s| s.plain.0));
        return Ok(Together { messages, bytes: bytes.sum(), plain: Seconds(plain.sum()) });
    }
    let matching = Matching::of(graph)?;
    let bytes = all.iter().map(|receive| sent_bytes(graph, &matching, *receive)).sum();
    let plain = predict(&messages_alone(graph, &matching, &all), machine);
    Ok(Together { messages, bytes, plain })
}

fn sent_bytes(graph: &Graph, matching: &Matching, receive: u32) -> u64 {
    graph.operations[at(matching.partner(at(receive)))].length
}

/// The share of each operation that was found in a graph. For each pair of processes only the first and the last byte
/// are followed: O(operations of a process) for each message on the way.
///
/// # Errors
/// See [`GraphError`]; none for a graph that was analysed.
pub fn shares(
    graph: &Graph,
    collectives: &[Collective],
    machine: &LogGp,
) -> Result<Vec<Share>, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let trace = Trace::new(graph, &matching, &order);
    let share = |c: &Collective| {
        let receives = behind(graph, &trace, c);
        let named =
            |receive: &u32| (graph.named(matching.partner(at(*receive))), graph.named(*receive));
        let reduction = match c.blocks {
            Blocks::Reduced { reduction, .. } => Some(graph.reductions[at(reduction)]),
            _ => None,
        };
        Share {
            messages: receives.iter().map(named).collect(),
            bytes: receives.iter().map(|receive| sent_bytes(graph, &matching, *receive)).sum(),
            reduction,
            plain: predict(&messages_alone(graph, &matching, &receives), machine),
            call: time(c, machine),
            receives,
        }
    };
    Ok(collectives.iter().map(share).collect())
}

/// An operation to be run twice: as its messages, and as one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Replays {
    /// Only its messages, in the order of the graph.
    pub messages: Schedule,
    /// Only the call; `None` where no schedule has one (neighbourhood operations, counts past a C integer).
    pub call: Option<Schedule>,
}

/// The schedules of one of the operations that were found in a graph.
///
/// # Errors
/// See [`GraphError`]; none for a graph that was analysed.
pub fn replays(graph: &Graph, c: &Collective) -> Result<Replays, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let receives = behind(graph, &Trace::new(graph, &matching, &order), c);
    let mut messages = messages_alone(graph, &matching, &receives);
    copy_held_sends(&mut messages);
    Ok(Replays { messages, call: alone_nearby(graph, c) })
}

/// The receives by which the data of an operation came; for a barrier those of empty messages.
fn behind(graph: &Graph, trace: &Trace, c: &Collective) -> BTreeSet<u32> {
    if c.kind == Kind::Barrier {
        let receives = 0..count(graph.operations.len());
        let receives = receives.filter_map(|operation| u32::try_from(operation).ok());
        return receives
            .filter(|operation| {
                let operation = &graph.operations[at(*operation)];
                operation.kind() == Operation::Receive && operation.length == 0
            })
            .collect();
    }
    let mut ends: BTreeSet<(u32, u64)> = BTreeSet::new();
    let mut last: HashMap<(u32, u32), u64> = HashMap::new();
    c.replay(|t| {
        let end = t.destination_address.saturating_add(t.length.saturating_sub(1));
        if t.source != t.destination && last.insert((t.source, t.destination), end).is_none() {
            ends.insert((t.destination, t.destination_address));
        }
    });
    ends.extend(last.iter().map(|((_, to), end)| (*to, *end)));
    ends.extend(c.results().iter().map(|result| (result.destination, result.address)));
    let mut found = BTreeSet::new();
    for (process, address) in ends {
        trace.all_receives(process, address, &mut found);
    }
    found
}

/// The time of a call, by its blocks.
fn time(c: &Collective, machine: &LogGp) -> Seconds {
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    c.replay(|t| *pairs.entry((t.source, t.destination)).or_default() += t.length);
    let reduces = matches!(c.blocks, Blocks::Reduced { .. });
    let (mut longest, mut busiest, mut partners) = (0, 0, 0);
    if reduces {
        let all = c.results().iter().map(|result| result.length).sum::<u64>();
        let scatters = matches!(c.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
        longest = c.length.0;
        busiest = if scatters { all } else { longest };
    }
    let mut of: BTreeMap<(bool, u32), (u64, u64)> = BTreeMap::new();
    for ((source, destination), bytes) in pairs.into_iter().filter(|_| !reduces) {
        longest = longest.max(bytes);
        for end in [(true, source), (false, destination)] {
            let (sum, n) = of.entry(end).or_default();
            *sum += bytes;
            *n += u64::from(source != destination);
        }
    }
    for (bytes, n) in of.into_values() {
        busiest = busiest.max(bytes);
        partners = partners.max(n);
    }
    let blocks =
        CallBytes { longest: float(longest), busiest: float(busiest), messages: float(partners) };
    Seconds(call(machine, c.kind, f64::from(c.group.size()), blocks))
}
