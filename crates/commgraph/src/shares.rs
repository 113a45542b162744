//! The share that an operation has in a graph: the messages that it takes the place of, and what
//! both cost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cost::{Blocks as CallBytes, LogGp, Seconds, call, float, predict};
use crate::detect::{Blocks, Collective, Detection, Kind};
use crate::error::{GraphError, Named};
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, count};
use crate::operation::{Kind as Operation, Reduction};
use crate::order::Order;
use crate::schedule::{Schedule, alone_nearby, copy_held_sends, messages_alone};
use crate::trace::Trace;

/// The messages that an operation takes the place of.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The messages that brought its data, as their sends and receives, in the order of the
    /// receives.
    pub messages: Vec<(Named, Named)>,
    /// The bytes of these messages.
    pub bytes: u64,
    /// The reduction of its elements, and how.
    pub reduction: Option<Reduction>,
    /// The time of these messages by themselves.
    pub plain: Seconds,
    /// The time of the operation.
    pub call: Seconds,
    /// The receives of its messages, by their numbers in the graph.
    receives: BTreeSet<u32>,
}

/// The messages that several operations of one graph take the place of together: a message that
/// serves two of them counts once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Together {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The time of these messages by themselves.
    pub plain: Seconds,
}

/// The shares of some operations of a graph, together. As long as one of them, where they have
/// messages in common.
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

/// The share of each operation that was found in a graph. The first and the last byte of each
/// piece are followed, and those where messages begin and end in it: O(operations of a process)
/// for each message on the way. Of more than 4096 pieces, only the first and the last byte for
/// each pair of processes.
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
    let spans = Spans::of(graph, &matching);
    let share = |c: &Collective| {
        let receives = behind(graph, &trace, &spans, c);
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
    /// Only the call; `None` where no schedule has one (neighbourhood operations, counts past a C
    /// integer).
    pub call: Option<Schedule>,
}

/// The schedules of one of the operations that were found in a graph.
///
/// # Errors
/// See [`GraphError`]; none for a graph that was analysed.
pub fn replays(graph: &Graph, c: &Collective) -> Result<Replays, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let spans = Spans::of(graph, &matching);
    let receives = behind(graph, &Trace::new(graph, &matching, &order), &spans, c);
    let mut messages = messages_alone(graph, &matching, &receives);
    copy_held_sends(&mut messages);
    Ok(Replays { messages, call: alone_nearby(graph, c) })
}

/// The messages that brought something which is part of no operation, as their sends and receives:
/// what takes the place of one of them loses that.
///
/// # Errors
/// See [`GraphError`]; none for a graph that was analysed.
pub fn needed(graph: &Graph, detection: &Detection) -> Result<Vec<(Named, Named)>, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let left = detection.left.iter();
    let moved = left.map(|t| Span::new(t.destination, t.destination_address, t.length));
    let reduced =
        detection.left_reduced.iter().map(|r| Span::new(r.destination, r.address, r.length));
    let spans: Vec<Span> = moved.chain(reduced).collect();
    let mut receives = BTreeSet::new();
    let ends = Spans::of(graph, &matching);
    if spans.len() <= ends.most {
        ends.follow(&spans, &Trace::new(graph, &matching, &order), &mut receives);
    } else {
        // Too much to follow: any message may have brought some of it.
        let all = (0..count(graph.operations.len())).filter_map(|o| u32::try_from(o).ok());
        receives.extend(all.filter(|o| graph.operations[at(*o)].kind() == Operation::Receive));
    }
    let named = |receive| (graph.named(matching.partner(at(receive))), graph.named(receive));
    Ok(receives.into_iter().map(named).collect())
}

/// The messages that bring a process only what it had there at the start, as their sends and
/// receives: without them its memory is the same. The first and the last byte of each run are
/// followed, and those where other messages begin and end in it.
///
/// # Errors
/// See [`GraphError`]; none for a graph that was analysed.
pub fn returned(graph: &Graph) -> Result<Vec<(Named, Named)>, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let trace = Trace::new(graph, &matching, &order);
    let ends = Spans::of(graph, &matching);
    let mut all = Vec::new();
    for process in 0..graph.processes() {
        let ends = ends.ends.get(&process).map_or(&[][..], Vec::as_slice);
        for operation in graph.range(process) {
            if graph.operations[operation].kind() != Operation::Receive {
                continue;
            }
            let send = matching.partner(operation);
            let Ok(receive) = u32::try_from(operation) else { continue };
            let mut is_back = true;
            let length = graph.operations[at(send)].length;
            graph.writes(operation).shortened(length).packed(|run| {
                let inner = ends.iter().filter(|end| (run.start..run.end).contains(end));
                let mut bytes = inner.copied().chain([run.start, run.end.saturating_sub(1)]);
                is_back &= run.start >= run.end
                    || bytes.all(|byte| trace.origin(receive, byte) == Some((process, byte)));
            });
            if is_back {
                all.push((graph.named(send), graph.named(receive)));
            }
        }
    }
    Ok(all)
}

/// Some bytes of a process.
struct Span {
    process: u32,
    start: u64,
    end: u64,
}

impl Span {
    fn new(process: u32, start: u64, length: u64) -> Span {
        Span { process, start, end: start.saturating_add(length) }
    }
}

/// Spans that are followed each, and where messages begin and end in them.
const FOLLOWED: usize = 4096;
/// Where messages have layouts, which are walked through for each.
const FOLLOWED_TYPED: usize = 16;

/// Where messages begin and end in the memory of each process, those without layouts; sorted.
struct Spans {
    ends: HashMap<u32, Vec<u64>>,
    /// As many spans are followed.
    most: usize,
}

impl Spans {
    fn of(graph: &Graph, matching: &Matching) -> Spans {
        let mut ends: HashMap<u32, Vec<u64>> = HashMap::new();
        for process in 0..graph.processes() {
            let own = ends.entry(process).or_default();
            for operation in graph.range(process) {
                let o = &graph.operations[operation];
                if o.kind() == Operation::Receive && !o.is_typed() {
                    let length = graph.operations[at(matching.partner(operation))].length;
                    own.extend([o.at, o.at.saturating_add(length)]);
                }
            }
            own.sort_unstable();
            own.dedup();
        }
        let most = if graph.typed.is_empty() { FOLLOWED } else { FOLLOWED_TYPED };
        Spans { ends, most }
    }

    /// Adds the receives by which these bytes came. A message that came in several parts is
    /// followed in each.
    fn follow(&self, spans: &[Span], trace: &Trace, found: &mut BTreeSet<u32>) {
        for span in spans.iter().filter(|span| span.end > span.start) {
            let ends = self.ends.get(&span.process).map_or(&[][..], Vec::as_slice);
            let from = ends.partition_point(|end| *end <= span.start);
            let to = ends.partition_point(|end| *end < span.end);
            let inner = ends[from..to].iter().take(FOLLOWED).copied();
            for address in inner.chain([span.start, span.end - 1]) {
                trace.all_receives(span.process, address, found);
            }
        }
    }
}

/// The receives by which the data of an operation came; for a barrier those of empty messages.
fn behind(graph: &Graph, trace: &Trace, spans: &Spans, c: &Collective) -> BTreeSet<u32> {
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
    let mut all: Vec<Span> = Vec::new();
    // Also what processes have sent to themselves.
    c.replay(|t| all.push(Span::new(t.destination, t.destination_address, t.length)));
    let results = c.results();
    all.extend(results.iter().map(|r| Span::new(r.destination, r.address, r.length)));
    let mut found = BTreeSet::new();
    if all.len() <= spans.most {
        spans.follow(&all, trace, &mut found);
        return found;
    }
    // Of many pieces the first and the last byte of each pair of processes.
    let mut ends: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    c.replay(|t| {
        let end = t.destination_address.saturating_add(t.length.saturating_sub(1));
        let pair = ends.entry((t.source, t.destination));
        pair.or_insert((t.destination_address, end)).1 = end;
    });
    for ((_, to), (first, last)) in ends {
        trace.all_receives(to, first, &mut found);
        trace.all_receives(to, last, &mut found);
    }
    for result in results {
        trace.all_receives(result.destination, result.address, &mut found);
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
