//! Remarks on a graph, for people, besides the operations that were found.

use std::collections::BTreeMap;
use std::fmt;

use crate::dataflow::Reduced;
use crate::detect::{
    Blocks, Detection, Expected, Kind, NearMiss, OddBlock, Oddity, PartialReduction, near_misses,
    odd_blocks, odd_contributions, partial_reductions,
};
use crate::error::Named;
use crate::graph::Graph;
use crate::ids::{Address, Process};
use crate::matching::Matching;
use crate::number::at;
use crate::operation::{Combine, Reduction};
use crate::order::Order;
use crate::trace::Trace;

/// A remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Some transfers are missing to an operation.
    NearMiss {
        /// The operation, and what is missing.
        miss: NearMiss,
        /// The message, as its send and its receive, that was too short, or that brought most of
        /// what came instead (of several the last). None where nothing came.
        suspect: Option<(Named, Named)>,
    },
    /// A block of an operation is not in line with the others.
    OddBlock {
        /// The operation's place among the collectives.
        collective: usize,
        /// Which block.
        odd: OddBlock,
        /// The last message that brought it, as its send and its receive, if one did.
        message: Option<(Named, Named)>,
    },
    /// Some contributions are missing to the results of a reduction.
    PartialReduction(PartialReduction),
    /// Contributions went twice into a result, which changes it: probably a mistake.
    CountedTwice {
        /// The result.
        result: Reduced,
        /// Which contributions: process and address.
        twice: Vec<(u32, u64)>,
        /// The reduction.
        reduction: Reduction,
    },
    /// A reduction of floating-point numbers was found: the operation may add in another order
    /// than the messages do (MPI 4.1, section 6.9.1, advice to implementors), so that results
    /// differ by rounding.
    OrderOfAdditions {
        /// Its place among the collectives.
        collective: usize,
        /// The reduction.
        reduction: Reduction,
    },
}

/// All notes of a graph. Near-linear, plus the work of following at most [`crate::NearMiss`]'s few
/// transfers back for each near miss.
pub(crate) fn notes(
    graph: &Graph,
    matching: &Matching,
    order: &Order,
    detection: &Detection,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let misses = near_misses(graph.processes(), detection);
    let odd: Vec<(usize, OddBlock)> = (0..)
        .zip(&detection.collectives)
        .flat_map(|(c, collective)| odd_blocks(collective).into_iter().map(move |o| (c, o)))
        .chain(odd_contributions(graph.processes(), detection))
        .collect();
    if !misses.is_empty() || !odd.is_empty() {
        let trace = Trace::new(graph, matching, order);
        let message = |receive: u32| {
            let send = matching.partner(at(receive));
            (graph.named(send), graph.named(receive))
        };
        for (collective, odd) in odd {
            let path = |(process, address): (Process, u64)| trace.receives(process.0, address);
            let last = odd.destination.and_then(|to| path(to).first().copied());
            notes.push(Note::OddBlock { collective, odd, message: last.map(message) });
        }
        for miss in misses {
            let suspect = suspect(&trace, &miss).map(message);
            notes.push(Note::NearMiss { miss, suspect });
        }
    }
    for partial in partial_reductions(graph.processes(), detection) {
        notes.push(Note::PartialReduction(partial));
    }
    for result in &detection.left_reduced {
        let Some(contributions) = &result.contributions else { continue };
        let reduction = graph.reductions[at(contributions.reduction)];
        let pairs = contributions.memory.windows(2);
        let mut twice: Vec<_> = pairs.filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
        twice.dedup();
        if !twice.is_empty() && !reduction.combine.is_idempotent() {
            notes.push(Note::CountedTwice { result: result.clone(), twice, reduction });
        }
    }
    for (collective, c) in detection.collectives.iter().enumerate() {
        if let Blocks::Reduced { reduction, .. } = &c.blocks {
            let reduction = graph.reductions[at(*reduction)];
            if rounds(reduction) {
                notes.push(Note::OrderOfAdditions { collective, reduction });
            }
        }
    }
    notes
}

/// The first receive of a message that was too short for what is missing; or else the one through
/// which most of the transfers came that are there instead. Of several the last: what went through
/// the messages before it was right elsewhere.
fn suspect(trace: &Trace, miss: &NearMiss) -> Option<u32> {
    let short = miss.missing.iter().filter_map(|e| {
        let Address(address) = e.destination_address?;
        trace.too_short(e.destination.0, address)
    });
    if let Some(first) = short.min_by_key(|receive| trace.place(*receive)) {
        return Some(first);
    }
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for t in &miss.instead {
        for receive in trace.receives(t.destination, t.destination_address) {
            *counts.entry(receive).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(receive, n)| (*n, trace.place(*receive)));
    most.map(|(receive, _)| receive)
}

/// Whether the result depends on the order.
fn rounds(reduction: Reduction) -> bool {
    let name = reduction.element.name();
    let is_floating = ["FLOAT", "DOUBLE", "REAL", "COMPLEX"].iter().any(|n| name.contains(n));
    is_floating && matches!(reduction.combine, Combine::Sum | Combine::Product)
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::NearMiss { miss, suspect } => {
                write!(f, "nearly MPI_{}", mpi_name(miss.kind))?;
                if let Some(root) = miss.root {
                    write!(f, " from or to {root}")?;
                }
                write!(f, " of {} bytes: {} transfers are there, ", miss.length, miss.present)?;
                match &miss.missing[..] {
                    [only] => write!(f, "the one {only} is not"),
                    [first, ..] => write!(f, "{} are not, the first {first}", miss.absent),
                    [] => write!(f, "{} are not", miss.absent),
                }?;
                if let Some(t) = miss.instead.first() {
                    write!(
                        f,
                        "; instead {} bytes come from {} at {} to {} at {}",
                        t.length, t.source, t.source_address, t.destination, t.destination_address
                    )?;
                }
                match suspect {
                    Some((send, receive)) => write!(f, ", by {send} and {receive}"),
                    None => Ok(()),
                }
            }
            Note::OddBlock { odd, message, .. } => {
                let OddBlock { what, source, destination, given, expected } = odd;
                write!(f, "the block of process {source}")?;
                if let Some((destination, _)) = destination.filter(|(to, _)| to != source) {
                    write!(f, " for process {destination}")?;
                }
                match what {
                    Oddity::Read => write!(f, " is read at {given}")?,
                    Oddity::Written => write!(f, " is written at {given}")?,
                    Oddity::Length => write!(f, " has {given} bytes")?,
                }
                write!(f, ", {expected} would be like the others")?;
                match message {
                    Some((send, receive)) => write!(f, ": {send}, {receive}"),
                    None => Ok(()),
                }
            }
            Note::PartialReduction(partial) => {
                let PartialReduction { kind, length, present, wrong, .. } = partial;
                write!(f, "nearly MPI_{} of {length} bytes: ", mpi_name(*kind))?;
                write!(f, "{present} results are there, {} are not", wrong.len())?;
                let Some(first) = wrong.first() else { return Ok(()) };
                write!(f, "; that of process {}", first.process)?;
                let missing = first.missing.iter().take(8);
                missing
                    .enumerate()
                    .try_for_each(|(k, p)| write!(f, "{} {p}", if k == 0 { "" } else { "," }))
            }
            Note::CountedTwice { result, twice, reduction } => {
                let (process, address) = twice.first().copied().unwrap_or_default();
                write!(
                    f,
                    "probably a mistake: {} contributions count twice in the {} bytes of {} at {} \
                     of process {}, the first that of process {process} at {address}",
                    twice.len(),
                    result.length,
                    reduction.element,
                    result.address,
                    result.destination
                )
            }
            Note::OrderOfAdditions { reduction, .. } => {
                let what = if reduction.combine == Combine::Sum { "adds" } else { "multiplies" };
                write!(
                    f,
                    "MPI {what} {} in an order of its own: results may differ by rounding",
                    reduction.element
                )
            }
        }
    }
}

fn mpi_name(kind: Kind) -> String {
    let name = kind.name();
    format!("{}{}", name[..1].to_uppercase(), &name[1..])
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {}", self.source)?;
        if let Some(address) = self.source_address {
            write!(f, " at {address}")?;
        }
        write!(f, " to {}", self.destination)?;
        match self.destination_address {
            Some(address) => write!(f, " at {address}"),
            None => Ok(()),
        }
    }
}
