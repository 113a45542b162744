//! From what the processes of a program did to communication graphs.
//!
//! Messages are [`join`]ed and checked by the hashes of their bytes; the program is [`cut`] where
//! all its processes meet, and there into [`segments`]; each of them is a [`Graph`], in which
//! received bytes are forwarded only where the recorder has seen that they were not changed
//! ([`memory`]). Everything else is computed locally: another message with other bytes from the
//! same address is another source.

mod asides;
mod barriers;
mod chance;
mod cut;
mod exchanges;
mod graph;
mod join;
mod landed;
mod layouts;
mod links;
mod lists;
mod made;
mod memory;
mod model;
mod rounds;
mod scratch;
mod segments;
mod steps;
mod sweeps;
mod tokens;
mod units;

use std::collections::HashMap;

use commloom_trace::Trace;

use crate::analysis::{analyse, synchronization};
use crate::detect::{Collective, Kind, Options};
use crate::error::Named;
use crate::graph::Graph;
use crate::number::{at, count, id};

use asides::Asides;
pub use cut::Border;
use cut::TracePart;
use made::Made;
pub use memory::program_address;
use model::MessageNumbers;
pub use model::{Message, Oddity, Place, RecordError};
use scratch::Partial;
use tokens::Tokens;

/// A part of the program, and how often it did the same.
#[derive(Debug, Clone)]
pub struct Phase {
    /// Where it begins.
    pub begin: Border,
    /// Where the first of its messages is received, each time.
    pub first_receives: Vec<Place>,
    /// Whether it is a sweep: each process sends what it has made of what came just before.
    /// Nothing replaces that, whatever the messages look like together.
    pub sweep: bool,
    /// Whether its processes exchange in steps, so that what they send in a later one might be
    /// made of what they got in an earlier one. An operation that has both needs all of it at its
    /// start.
    pub assumed: bool,
    /// The graph of its processes, the first time.
    pub graph: Graph,
    /// The messages of the graph: both operations of the k-th have the tag k.
    pub messages: Vec<Message>,
    /// The message of each operation, by process; none for reductions.
    operations: MessageNumbers,
}

impl Phase {
    /// How often it ran.
    #[must_use]
    pub fn times(&self) -> u64 {
        count(self.first_receives.len())
    }

    /// The message that an operation of the graph sends or receives.
    #[must_use]
    pub fn message_of(&self, operation: &Named) -> Option<&Message> {
        let of_process = self.operations.get(at(operation.process.0))?;
        let message = of_process.get(at(operation.index)).copied().flatten()?;
        self.messages.get(at(message))
    }
}

/// The recorded course of a program.
#[derive(Debug, Clone)]
pub struct Program {
    /// Processes in its world.
    pub processes: u32,
    /// In the order of their first times; those without messages are left out.
    pub phases: Vec<Phase>,
    /// The facts that do not fit.
    pub oddities: Vec<Oddity>,
}

/// The graph of the processes, from a trace of each. Near-linear in the events.
///
/// # Errors
/// See [`RecordError`].
pub fn program(traces: &[Trace]) -> Result<Program, RecordError> {
    let traces = in_order(traces)?;
    let (joined, mut oddities) = join::messages(&traces);
    let (parts, crossing) = cut::parts(&traces, joined);
    if crossing > 0 {
        oddities.push(Oddity::Crossing { count: crossing });
    }
    let mut phases: Vec<Phase> = Vec::new();
    let mut known: HashMap<cut::Pattern, usize> = HashMap::new();
    let (tokens, made) = (Tokens::of(&traces), Made::of(&traces));
    let mut asides = Asides::of(&traces);
    let pieces = |part| segments::segments(&traces, part, &tokens, &made);
    let parts = parts.into_iter().flat_map(|part| asides.levels(&traces, part));
    let parts = parts.flat_map(pieces).flat_map(|part| match rounds::rounds(&traces, &part) {
        Some(rounds) if !part.sweep => rounds.into_iter().flat_map(pieces).collect(),
        _ => vec![part],
    });
    for part in parts {
        let pattern = cut::pattern(&traces, &part);
        let first = part.messages.first().map(|message| message.receive);
        if let Some(&phase) = known.get(&pattern) {
            phases[phase].first_receives.extend(first);
            continue;
        }
        known.insert(pattern, phases.len());
        let graph::Built { graph, messages: operations, .. } = built(&traces, &part, &tokens)?;
        let TracePart { begin, sweep, assumed, messages, .. } = part;
        let first_receives = first.into_iter().collect();
        phases.push(Phase { begin, first_receives, sweep, assumed, graph, messages, operations });
    }
    Ok(Program { processes: id(traces.len()), phases, oddities })
}

/// The graph of a part. Where it is a question whether messages that were sent again in part are
/// new, they are what leaves less without an explanation, or explains as much by less than half of
/// the operations: a payload behind a new header is a broadcast and a scatter, but the leftovers
/// in a packing buffer tear an alltoall into many.
fn built(
    traces: &[&Trace],
    part: &TracePart,
    tokens: &Tokens,
) -> Result<graph::Built, RecordError> {
    if let Some(barrier) = barrier(traces, part, tokens)? {
        return Ok(barrier);
    }
    let kept = graph::build(traces, part, graph::Resent::Kept, Partial::Dead)?;
    if part.sweep {
        return Ok(kept);
    }
    if kept.has_partial {
        let wanted = graph::build(traces, part, graph::Resent::Kept, Partial::Wanted)?;
        if is_scan(&wanted.graph) {
            return Ok(wanted);
        }
    }
    if !kept.is_resent {
        return Ok(kept);
    }
    let new = graph::build(traces, part, graph::Resent::New, Partial::Dead)?;
    let options = Options { subsets: true, ..Options::default() };
    let explained = |graph: &Graph| {
        let found = analyse(graph, options).ok()?.detection;
        Some((found.left.len() + found.left_reduced.len(), found.collectives.len()))
    };
    let is_new = match (explained(&kept.graph), explained(&new.graph)) {
        (Some(kept), Some(new)) => new.0 < kept.0 || (new.0 == kept.0 && 2 * new.1 < kept.1),
        (kept, new) => kept.is_none() && new.is_some(),
    };
    Ok(if is_new { new } else { kept })
}

/// The graph of messages that are a barrier without the bytes that they have, all the same.
fn barrier(
    traces: &[&Trace],
    part: &TracePart,
    tokens: &Tokens,
) -> Result<Option<graph::Built>, RecordError> {
    let Some(messages) = tokens.emptied(&part.messages) else { return Ok(None) };
    let empty = TracePart { messages, sums: Vec::new(), ..part.clone() };
    let built = graph::build(traces, &empty, graph::Resent::Kept, Partial::Dead)?;
    let is_barrier = synchronization(&built.graph).is_ok_and(|found| found.barrier.is_some());
    Ok(is_barrier.then_some(built))
}

/// Whether all that the messages do is to leave each process the sum up to it.
fn is_scan(graph: &Graph) -> bool {
    analyse(graph, Options::default()).is_ok_and(|analysis| {
        let found = analysis.detection;
        let is_prefix = |c: &Collective| matches!(c.kind, Kind::Scan | Kind::Exscan);
        !found.collectives.is_empty()
            && found.collectives.iter().all(is_prefix)
            && found.left.is_empty()
            && found.left_reduced.is_empty()
    })
}

/// All messages of a program, however often it does the same; by receiver and posted receive. O(n
/// log n).
///
/// # Errors
/// Traces that are missing, or there twice.
pub fn messages(traces: &[Trace]) -> Result<Vec<Message>, RecordError> {
    Ok(join::messages(&in_order(traces)?).0)
}

/// The traces by rank, each once. Takes no memory for processes that have none, whatever a damaged
/// header says.
fn in_order(traces: &[Trace]) -> Result<Vec<&Trace>, RecordError> {
    let ranks = traces.first().map_or(0, |trace| trace.header.ranks);
    let mut by_rank: Vec<&Trace> = traces.iter().collect();
    by_rank.sort_by_key(|trace| trace.header.rank);
    let twice = by_rank.windows(2).find(|w| w[0].header.rank == w[1].header.rank);
    let outside = by_rank.last().filter(|trace| trace.header.rank >= ranks);
    if let Some(trace) = twice.map(|w| w[0]).or(outside.copied()) {
        return Err(RecordError::Twice { rank: trace.header.rank, ranks });
    }
    if let Some((missing, _)) = (0..).zip(&by_rank).find(|(rank, t)| t.header.rank != *rank) {
        return Err(RecordError::Missing { ranks, missing });
    }
    match id(by_rank.len()) {
        missing if missing < ranks => Err(RecordError::Missing { ranks, missing }),
        _ => Ok(by_rank),
    }
}
