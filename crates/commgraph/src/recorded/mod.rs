//! From what the processes of a program did to communication graphs.
//!
//! Messages are [`join`]ed and checked by the hashes of their bytes; the program is [`cut`] where all its processes
//! meet, and there into [`segments`]; each of them is a [`Graph`], in which received bytes are forwarded
//! only where the recorder has seen that they were not changed ([`memory`]). Everything else is computed locally:
//! another message with other bytes from the same address is another source.

mod barriers;
mod chance;
mod cut;
mod exchanges;
mod graph;
mod join;
mod landed;
mod links;
mod memory;
mod scratch;
mod segments;
mod steps;
mod sweeps;
mod units;

use std::collections::HashMap;
use std::sync::Arc;

use commloom_trace::{Site, Trace};
use thiserror::Error;

use crate::analysis::analyse;
use crate::detect::Options;
use crate::error::{BuildError, Named};
use crate::graph::Graph;
use crate::number::{at, id};

pub use cut::Border;
use cut::Part;
pub use memory::program_address;

/// An event of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Rank in the world.
    pub process: u32,
    /// Its number in the trace.
    pub event: u64,
}

/// A message that was sent and has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its send.
    pub send: Place,
    /// Where the receive was posted.
    pub receive: Place,
    /// Where the program knew that it had come.
    pub arrival: Place,
    /// Bytes of data.
    pub bytes: u64,
    /// Who sent it.
    pub sender: Option<Arc<Site>>,
    /// Who received it.
    pub receiver: Option<Arc<Site>>,
}

/// A part of the program, and how often it did the same.
#[derive(Debug, Clone)]
pub struct Phase {
    /// Where it begins.
    pub begin: Border,
    /// How often.
    pub times: u64,
    /// Whether it is a sweep: each process sends what it has made of what came just before. Nothing replaces that,
    /// whatever the messages look like together.
    pub sweep: bool,
    /// Whether its processes exchange in steps, so that what they send in a later one might be made of what they got in
    /// an earlier one. An operation that has both needs all of it at its start.
    pub assumed: bool,
    /// What its processes do, the first time.
    pub graph: Graph,
    /// The messages of the graph: both operations of the k-th have the tag k.
    pub messages: Vec<Message>,
    /// The message of each operation, by process; none for reductions.
    operations: graph::Messages,
}

impl Phase {
    /// The message that an operation of the graph sends or receives.
    #[must_use]
    pub fn message_of(&self, operation: &Named) -> Option<&Message> {
        let of_process = self.operations.get(at(operation.process.0))?;
        let message = of_process.get(at(operation.index)).copied().flatten()?;
        self.messages.get(at(message))
    }
}

/// What a program did.
#[derive(Debug, Clone)]
pub struct Program {
    /// Processes in its world.
    pub processes: u32,
    /// In the order of their first times; those without messages are left out.
    pub phases: Vec<Phase>,
    /// What does not fit.
    pub oddities: Vec<Oddity>,
}

/// Something in the traces that does not go together. The rest is analysed without it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Oddity {
    /// A message without its other end.
    #[error("{count} messages from process {from} to process {to} have no {missing} in the traces")]
    Unmatched {
        /// Who sent them.
        from: u32,
        /// Who received them.
        to: u32,
        /// `send` or `receive`.
        missing: &'static str,
        /// How many.
        count: u64,
    },
    /// Both ends of a message were recorded with other bytes.
    #[error(
        "event {} of process {} and event {} of process {} should be one message, but their bytes differ",
        send.event, send.process, receive.event, receive.process
    )]
    Differs {
        /// Its send.
        send: Place,
        /// Its receive.
        receive: Place,
    },
    /// Messages that are sent in one part and received in another.
    #[error("{count} messages cross the borders of phases and were left out")]
    Crossing {
        /// How many.
        count: u64,
    },
}

/// Why traces are not analysed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Not all processes are there.
    #[error("the program had {ranks} processes, but there is no trace of process {missing}")]
    Missing {
        /// In the world.
        ranks: u32,
        /// The first one.
        missing: u32,
    },
    /// A process is there twice, or one that cannot be.
    #[error("two traces are of process {rank}, or the program has only {ranks} processes")]
    Twice {
        /// Which.
        rank: u32,
        /// In the world of the first trace.
        ranks: u32,
    },
    /// Memory where versions of other memory would be.
    #[error(
        "process {process} has a buffer up to address {past:#x}; only those below 2^48 are analysed"
    )]
    Far {
        /// Which process.
        process: u32,
        /// The end of the buffer.
        past: u64,
    },
    /// A graph cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// What the processes did, from a trace of each. Near-linear in the events.
///
/// # Errors
/// See [`RecordError`].
pub fn program(traces: &[Trace]) -> Result<Program, RecordError> {
    let traces = in_order(traces)?;
    let (joined, mut oddities) = join::messages(&traces);
    let parts = cut::parts(&traces);
    let (parts, crossing) = cut::fill(&traces, parts, joined);
    if crossing > 0 {
        oddities.push(Oddity::Crossing { count: crossing });
    }
    let mut phases: Vec<Phase> = Vec::new();
    let mut known: HashMap<cut::Pattern, usize> = HashMap::new();
    for part in parts.into_iter().flat_map(|part| segments::segments(&traces, part)) {
        let pattern = cut::pattern(&traces, &part);
        if let Some(&phase) = known.get(&pattern) {
            phases[phase].times += 1;
            continue;
        }
        known.insert(pattern, phases.len());
        let graph::Built { graph, messages: operations, .. } = built(&traces, &part)?;
        let Part { begin, sweep, assumed, messages, .. } = part;
        phases.push(Phase { begin, times: 1, sweep, assumed, graph, messages, operations });
    }
    Ok(Program { processes: id(traces.len()), phases, oddities })
}

/// The graph of a part. Where it is a question whether messages that were sent again in part are new, they are what leaves
/// less without an explanation, or explains as much by less than half of the operations: a payload behind a new header
/// is a broadcast and a scatter, but the leftovers in a packing buffer tear an alltoall into many.
fn built(traces: &[&Trace], part: &Part) -> Result<graph::Built, RecordError> {
    let kept = graph::build(traces, part, graph::Resent::Kept)?;
    if !kept.is_resent || part.sweep {
        return Ok(kept);
    }
    let new = graph::build(traces, part, graph::Resent::New)?;
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

/// All messages of a program, however often it does the same; by receiver and posted receive. O(n log n).
///
/// # Errors
/// Traces that are missing, or there twice.
pub fn messages(traces: &[Trace]) -> Result<Vec<Message>, RecordError> {
    Ok(join::messages(&in_order(traces)?).0)
}

/// The traces by rank, each once. Takes no memory for processes that have none, whatever a damaged header says.
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

/// An event; `None` where it was lost.
fn event<'t>(traces: &[&'t Trace], place: Place) -> Option<&'t commloom_trace::Event> {
    let events = &traces.get(at(place.process))?.events;
    let found = events.binary_search_by_key(&place.event, |(number, _)| *number).ok()?;
    Some(&events[found].1)
}
