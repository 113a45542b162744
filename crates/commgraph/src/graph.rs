//! A communication graph: the operations of every process and what they wait for.

use crate::error::Named;
use crate::ids::{Address, Bytes, Process};
use crate::number::{at, count, id};
use crate::operation::{Kind, LIST, NONE, Packed, Reduction};

/// Memory that nobody reads after the graph has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dead {
    pub process: u32,
    pub start: u64,
    pub end: u64,
}

/// The operations of every process, in order of creation, and their local dependencies. Made by
/// [`Builder`](crate::Builder); from then on it does not change.
///
/// 32 bytes an operation, 4 a process, and 4 for each dependency of an operation that has several.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(crate) operations: Vec<Packed>,
    /// Where the operations of each process start, and at last where they end.
    pub(crate) first: Vec<u32>,
    /// Dependencies of operations with several: for each, how many, and which.
    pub(crate) lists: Vec<u32>,
    pub(crate) reductions: Vec<Reduction>,
    /// Sorted and disjoint.
    pub(crate) dead: Vec<Dead>,
    /// Whether the dependencies order all conflicting accesses by construction.
    pub(crate) ordered: bool,
}

impl Graph {
    /// The number of processes.
    #[must_use]
    pub fn processes(&self) -> u32 {
        id(self.first.len() - 1)
    }

    /// The number of operations of all processes together.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.operations.len()
    }

    /// The operations of one process, in order of creation; none for a process that does not exist.
    pub fn of(&self, process: Process) -> impl Iterator<Item = Named> + '_ {
        let range = if process.0 < self.processes() { self.range(process.0) } else { 0..0 };
        range.map(|operation| self.named(id(operation)))
    }

    /// Bytes of memory that the graph takes.
    #[must_use]
    pub fn memory(&self) -> Bytes {
        let bytes = size_of_val(&*self.operations)
            + size_of_val(&*self.first)
            + size_of_val(&*self.lists)
            + size_of_val(&*self.dead);
        Bytes(count(bytes))
    }

    /// The operations that the given one (by its number in the graph) waits for, as places among the
    /// operations of its process.
    pub fn waits_for(&self, process: Process, index: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.first[at(process.0)];
        self.before(at(first + index)).iter().map(move |on| on - first)
    }

    /// The places of the operations of a process in `operations`.
    pub(crate) fn range(&self, process: u32) -> std::ops::Range<usize> {
        at(self.first[at(process)])..at(self.first[at(process) + 1])
    }

    /// What an operation waits for in its own process.
    pub(crate) fn before(&self, operation: usize) -> &[u32] {
        let before = &self.operations[operation].before;
        if *before == NONE {
            &[]
        } else if *before & LIST == 0 {
            std::slice::from_ref(before)
        } else {
            let list = at(*before & !LIST);
            &self.lists[list + 1..=list + at(self.lists[list])]
        }
    }

    /// The process that an operation belongs to. Logarithmic: for messages, and where it is rare.
    pub(crate) fn owner(&self, operation: u32) -> u32 {
        id(self.first.partition_point(|first| *first <= operation) - 1)
    }

    /// An operation as errors speak of it.
    pub(crate) fn named(&self, operation: u32) -> Named {
        let process = self.owner(operation);
        let index = operation - self.first[at(process)];
        let action = self.operations[at(operation)].action(&self.reductions);
        Named { process: Process(process), index, action }
    }

    /// The ranges declared dead in one process, sorted and disjoint.
    pub(crate) fn dead_in(&self, process: u32) -> &[Dead] {
        let first = self.dead.partition_point(|d| d.process < process);
        let past = self.dead.partition_point(|d| d.process <= process);
        &self.dead[first..past]
    }

    /// What an operation reads: up to two ranges, the second for the destination of a reduction.
    pub(crate) fn reads(&self, operation: usize) -> [(u64, u64); 2] {
        let o = &self.operations[operation];
        let own = (o.at, o.at + o.length);
        match o.kind() {
            Kind::Send => [own, (0, 0)],
            Kind::Copy => [(o.source(), o.source() + o.length), (0, 0)],
            Kind::Reduce => [(o.source(), o.source() + o.length), own],
            Kind::Receive | Kind::Nothing => [(0, 0); 2],
        }
    }

    /// What an operation may write.
    pub(crate) fn writes(&self, operation: usize) -> (u64, u64) {
        let o = &self.operations[operation];
        match o.kind() {
            Kind::Receive | Kind::Copy | Kind::Reduce => (o.at, o.at + o.length),
            Kind::Send | Kind::Nothing => (0, 0),
        }
    }

    /// The address of a byte of memory, for errors.
    pub(crate) fn span(start: u64, end: u64) -> (Address, Bytes) {
        (Address(start), Bytes(end - start))
    }
}
