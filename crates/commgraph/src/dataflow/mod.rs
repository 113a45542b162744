//! From messages to single static transfers.
//!
//! Hoefler and Schneider, PACT'12, section 2.3, by other means: what reaches each read is found in
//! each process alone ([`reach`]); then the contents of all messages follow in one pass over the
//! operations in an order in which they can complete. A message whose bytes were all written by
//! one other message shares its contents, so forwarding costs nothing; others are lists of affine
//! runs ([`run`]).

mod landing;
mod pattern;
mod reach;
pub(crate) mod run;
pub(crate) mod sums;

use std::collections::{BTreeSet, HashMap};

pub(crate) use landing::Landing;
use landing::landed;
use pattern::CONTENT;
use pattern::WrittenPart;
use reach::{Reach, ready};
use run::{Contents, Origin, Run};
pub use sums::Contributions;
use sums::Sums;

use crate::error::GraphError;
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::{Kind, LIST, NONE};
use crate::order::Order;
use crate::transfers::Transfer;

/// The effects of a graph on memory: which bytes end up where, and what was reduced.
#[derive(Debug)]
pub struct Dataflow {
    /// Sorted by destination and address.
    pub(crate) transfers: Vec<Transfer>,
    /// Regular sets of transfers, and results of reductions; sorted too.
    pub(crate) landings: Vec<Landing>,
    pub(crate) sums: Sums,
    /// Each three processes that the program has put together, sorted.
    pub(crate) trios: BTreeSet<[u32; 3]>,
}

/// Contributions to one result beyond which nobody looks at them.
const MAX_CONTRIBUTIONS: usize = 1 << 24;

/// The result of reductions, as a process holds it in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// Who holds it.
    pub destination: u32,
    /// Where, in bytes.
    pub address: u64,
    /// How many bytes.
    pub length: u64,
    /// The contributions to it; `None` where that is no single reduction, or too much.
    pub contributions: Option<Contributions>,
}

/// Results of reductions: destination, address, length and the number of their contributions.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub results: Vec<(u32, u64, u64, u32)>,
    pub contributions: Vec<Option<Contributions>>,
}

impl Results {
    /// Each with its contributions.
    pub(crate) fn into_reduced(self) -> Vec<Reduced> {
        let Results { results, contributions } = self;
        let whole = results.into_iter().map(|(destination, address, length, value)| Reduced {
            destination,
            address,
            length,
            contributions: contributions[at(value)].clone(),
        });
        whole.collect()
    }
}

impl Dataflow {
    /// Computes the transfers of a graph. Bytes that come to where they are from do not move: they
    /// are no transfer. Near-linear in the operations and the runs of their contents.
    ///
    /// # Errors
    /// [`GraphError::Race`] where two accesses are in no order.
    pub fn of(graph: &Graph, matching: &Matching, order: &Order) -> Result<Dataflow, GraphError> {
        let mut contents = Contents::default();
        let mut sums = Sums::new(&graph.reductions);
        let mut reach = Reach::of(graph, matching, order, &mut contents)?;
        let mut scratch = Vec::new();
        for operation in order.iter() {
            let here = at(operation);
            let slot = match graph.operations[here].kind() {
                Kind::Nothing => continue,
                Kind::Receive => reach.slots[at(matching.partner(here))],
                Kind::Send | Kind::Copy => {
                    resolve(graph, &reach, here, &mut contents, &mut scratch)?
                }
                Kind::Reduce => {
                    gather(&reach, reach.slots[here] & !LIST, &mut contents, &mut scratch);
                    // Source and destination lie one after the other in a message of their own.
                    let operands = ready(&mut contents)? & !CONTENT;
                    let o = &graph.operations[here];
                    let reduction = id(o.reduction());
                    let runs = combined(&mut sums, reduction, contents.runs(operands), o.length);
                    runs.into_iter().for_each(|run| contents.push(run));
                    ready(&mut contents)?
                }
            };
            reach.slots[here] = slot;
        }
        let (transfers, landings) = landed(reach, &contents);
        Ok(Dataflow { transfers, landings, sums, trios: graph.trios.clone() })
    }

    /// The number of transfers, neighbours counted apart.
    #[must_use]
    pub fn count(&self) -> u64 {
        let in_memory = |l: &&Landing| matches!(l.run.origin, Origin::Memory { .. });
        let regular: u64 = self.landings.iter().filter(in_memory).map(|l| l.run.pieces()).sum();
        crate::number::count(self.transfers.len()) + regular
    }

    /// The results of reductions that are left in memory, by destination and address, neighbours
    /// not joined. Takes time in the contributions, each counted where it arrives.
    pub fn reduced(&self) -> impl Iterator<Item = Reduced> + '_ {
        self.landings.iter().filter_map(|Landing { destination, address, run, .. }| {
            let Origin::Sum { node, offset } = run.origin else { return None };
            let contributions = self.sums.terms(node, offset, MAX_CONTRIBUTIONS);
            Some(Reduced {
                destination: *destination,
                address: *address,
                length: run.length,
                contributions,
            })
        })
    }

    /// All transfers, sorted, and all results of reductions. More than two contributions of each
    /// process are no collective, and are not looked at.
    pub(crate) fn into_parts(mut self, processes: u32) -> (Vec<Transfer>, Results) {
        let limit = at(processes).saturating_mul(2);
        let transfers = match self.landings.is_empty() {
            true => std::mem::take(&mut self.transfers),
            false => self.transfers(),
        };
        let mut values: HashMap<(u32, u64), u32> = HashMap::new();
        let mut found = Results::default();
        for Landing { destination, address, run, .. } in &self.landings {
            if let Origin::Sum { node, offset } = run.origin {
                let next = id(found.contributions.len());
                let value = *values.entry((node, offset)).or_insert(next);
                if value == next {
                    let terms = self.sums.terms(node, offset, limit);
                    found.contributions.push(terms);
                }
                found.results.push((*destination, *address, run.length, value));
            }
        }
        (transfers, found)
    }

    /// All transfers, by destination and address, neighbours not joined. Memory in proportion.
    #[must_use]
    pub fn transfers(&self) -> Vec<Transfer> {
        let mut all = self.transfers.clone();
        self.landings.iter().for_each(|landing| all.extend(landing.transfers()));
        if !all.is_sorted() {
            all.sort_unstable();
        }
        all
    }
}

/// The content of what an operation reads: a message in `contents`.
fn resolve(
    graph: &Graph,
    reach: &Reach,
    operation: usize,
    contents: &mut Contents,
    scratch: &mut Vec<Run>,
) -> Result<u32, GraphError> {
    let slot = reach.slots[operation];
    let (writer, from, length) = if slot & LIST != 0 {
        match reach.patterns.one_range(slot & !LIST) {
            Some(range) if range.0 != NONE => range,
            _ => {
                gather(reach, slot & !LIST, contents, scratch);
                return ready(contents);
            }
        }
    } else if slot & CONTENT != 0 {
        return Ok(slot);
    } else {
        let o = &graph.operations[operation];
        let start = if o.kind() == Kind::Send { o.at } else { o.source() };
        (slot, start - graph.operations[at(slot)].at, o.length)
    };
    let written = reach.slots[at(writer)];
    let message = written & !CONTENT;
    if from == 0 && length == contents.length(message) {
        return Ok(written);
    }
    contents.push_slice(message, from, from + length, scratch);
    ready(contents)
}

/// Adds what a list reads to the message that is being made.
fn gather(reach: &Reach, list: u32, contents: &mut Contents, scratch: &mut Vec<Run>) {
    let (process, parts) = reach.patterns.list(list);
    for WrittenPart { writer, from, length } in parts {
        if writer == NONE {
            contents.push(Run::piece(Origin::Memory { process, address: from }, length));
        } else {
            let message = reach.slots[at(writer)] & !CONTENT;
            contents.push_slice(message, from, from + length, scratch);
        }
    }
}

/// The result of a reduction, whose operands are the halves of a message.
fn combined(sums: &mut Sums, reduction: u32, operands: &[Run], length: u64) -> Vec<Run> {
    let pieces = |from: u64, to: u64| {
        let mut found = Vec::new();
        run::slice(operands, from, to, |run| {
            found.extend((0..run.pieces()).map(|n| (run.origin_of(n), run.length)));
        });
        found.into_iter()
    };
    let (mut left, mut right) = (pieces(0, length), pieces(length, 2 * length));
    let (mut a, mut b) = (left.next(), right.next());
    let mut result = Vec::new();
    while let (Some((from, n)), Some((into, m))) = (a, b) {
        let both = n.min(m);
        result.push(Run::piece(sums.combine(reduction, from, into), both));
        a = if n > both { Some((from.plus(both), n - both)) } else { left.next() };
        b = if m > both { Some((into.plus(both), m - both)) } else { right.next() };
    }
    result
}
