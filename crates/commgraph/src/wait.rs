//! Wait sets: for which processes a process has waited when the graph has run.
//!
//! All of them at once would be p^2 bits. They are computed for 64 processes at a time, in one
//! pass over the operations each; a set that is not complete ends the search.

use crate::graph::Graph;
use crate::ids::Process;
use crate::matching::Matching;
use crate::number::at;
use crate::operation::Kind;
use crate::order::{Order, send_of};

/// Which messages count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    /// All.
    All,
    /// Those without bytes, which are there to synchronize.
    Empty,
}

/// Which of 64 processes, from `first` on, each process has waited for: a bit for each.
pub(crate) fn waited(
    graph: &Graph,
    matching: &Matching,
    order: &Order,
    first: u32,
    messages: Messages,
) -> Vec<u64> {
    let mut known = vec![0_u64; graph.operations()];
    let own = |process: u32| process.checked_sub(first).filter(|k| *k < 64).map_or(0, |k| 1 << k);
    let mut sets: Vec<u64> = (0..graph.processes()).map(own).collect();
    for process in first..graph.processes().min(first.saturating_add(64)) {
        known[graph.range(process)].fill(own(process));
    }
    for operation in order.iter() {
        let here = at(operation);
        let mut set = known[here];
        for on in graph.before(here) {
            set |= known[at(*on)];
        }
        if let Some(send) = send_of(graph, matching, here)
            && (messages == Messages::All || graph.operations[at(send)].length == 0)
        {
            set |= known[at(send)];
        }
        known[here] = set;
    }
    for process in 0..graph.processes() {
        let all = known[graph.range(process)].iter().fold(0, |all, set| all | set);
        sets[at(process)] |= all;
    }
    sets
}

/// Whether every process has waited for every other. O(n p / 64), O(n) where it has not for the
/// first 64.
#[must_use]
pub fn complete(graph: &Graph, matching: &Matching, order: &Order, messages: Messages) -> bool {
    let p = graph.processes();
    // Each must have received something.
    let receives = |process: u32| {
        graph.operations[graph.range(process)].iter().any(|o| o.kind() == Kind::Receive)
    };
    if p > 1 && !(0..p).all(receives) {
        return false;
    }
    (0..p).step_by(64).all(|first| {
        let all = if p - first < 64 { (1 << (p - first)) - 1 } else { u64::MAX };
        let sets = waited(graph, matching, order, first, messages);
        sets.into_iter().all(|set| set == all)
    })
}

/// The processes that one process has waited for, itself among them; none for one that does not
/// exist. O(n p / 64).
#[must_use]
pub fn wait_set(
    graph: &Graph,
    matching: &Matching,
    order: &Order,
    process: Process,
) -> Vec<Process> {
    let p = graph.processes();
    if process.0 >= p {
        return Vec::new();
    }
    let blocks = (0..p).step_by(64).flat_map(|first| {
        let set = waited(graph, matching, order, first, Messages::All)[at(process.0)];
        (0..64.min(p - first)).filter(move |k| set & (1 << k) != 0).map(move |k| Process(first + k))
    });
    blocks.collect()
}
