//! A communication graph: the operations of every process and what they wait for.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::buffer::{Footprint, Layout};
use crate::error::Named;
use crate::ids::{Address, Bytes, LayoutId, Process};
use crate::number::{at, count, id};
use crate::operation::{Action, Kind, LIST, NONE, Packed, Reduction, Sides};

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
/// 32 bytes an operation, 4 a process, 4 for each dependency of an operation that has several, and
/// 20 for each operation with a layout.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(crate) operations: Vec<Packed>,
    /// Where the operations of each process start, and at last where they end.
    pub(crate) first: Vec<u32>,
    /// Dependencies of operations with several: for each, how many, and which.
    pub(crate) lists: Vec<u32>,
    pub(crate) reductions: Vec<Reduction>,
    /// The layouts of the operations that have any, by operation.
    pub(crate) typed: Vec<(u32, Sides)>,
    pub(crate) layouts: Vec<Arc<Layout>>,
    /// Sorted and disjoint.
    pub(crate) dead: Vec<Dead>,
    /// Each three processes that the program has put together, sorted.
    pub(crate) trios: BTreeSet<[u32; 3]>,
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

    /// The operations of one process, in order of creation; none for a process that does not
    /// exist.
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
            + size_of_val(&*self.dead)
            + size_of_val(&*self.typed)
            + self.layouts.iter().map(|layout| layout.memory()).sum::<usize>();
        Bytes(count(bytes))
    }

    /// The operations that the given one (by its number in the graph) waits for, as places among
    /// the operations of its process.
    pub fn waits_for(&self, process: Process, index: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.first[at(process.0)];
        self.before(at(first + index)).iter().map(move |on| on - first)
    }

    /// The places of the operations of a process in `operations`.
    #[inline]
    pub(crate) fn range(&self, process: u32) -> std::ops::Range<usize> {
        at(self.first[at(process)])..at(self.first[at(process) + 1])
    }

    /// The operations that an operation waits for in its own process.
    #[inline]
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
        let action = self.action(at(operation));
        Named { process: Process(process), index, action }
    }

    /// Whether a byte was declared dead: nobody reads it after the graph has run. O(log n).
    #[must_use]
    pub fn is_dead(&self, process: Process, address: Address) -> bool {
        let dead = self.dead_in(process.0);
        let next = dead.partition_point(|d| d.end <= address.0);
        dead.get(next).is_some_and(|d| d.start <= address.0)
    }

    /// The action of an operation.
    pub(crate) fn action(&self, operation: usize) -> Action {
        self.operations[operation].action(&self.reductions, self.sides(operation))
    }

    /// The ranges of memory declared dead in one process, sorted and disjoint.
    pub fn dead(&self, process: Process) -> impl Iterator<Item = (Address, Bytes)> + '_ {
        self.dead_in(process.0).iter().map(|d| Graph::span(d.start, d.end))
    }

    /// The ranges declared dead in one process, sorted and disjoint.
    pub(crate) fn dead_in(&self, process: u32) -> &[Dead] {
        let first = self.dead.partition_point(|d| d.process < process);
        let past = self.dead.partition_point(|d| d.process <= process);
        &self.dead[first..past]
    }

    /// A layout of the graph. `None` for one of another graph.
    #[must_use]
    pub fn layout(&self, id: LayoutId) -> Option<&Layout> {
        self.layouts.get(at(id.0)).map(|layout| &**layout)
    }

    /// The memory that an operation reads: up to two places, the second for the destination of a
    /// reduction.
    #[inline]
    pub(crate) fn reads(&self, operation: usize) -> [Footprint<'_>; 2] {
        let o = &self.operations[operation];
        let sides = || self.sides(operation);
        let source = || self.place(o, o.source(), sides().from);
        match o.kind() {
            Kind::Send => [self.place(o, o.at, sides().from), Footprint::NOWHERE],
            Kind::Copy => [source(), Footprint::NOWHERE],
            Kind::Reduce => [source(), self.place(o, o.at, sides().into)],
            Kind::Receive | Kind::Nothing => [Footprint::NOWHERE; 2],
        }
    }

    /// The memory that an operation may write.
    #[inline]
    pub(crate) fn writes(&self, operation: usize) -> Footprint<'_> {
        let o = &self.operations[operation];
        match o.kind() {
            Kind::Receive | Kind::Copy | Kind::Reduce => {
                self.place(o, o.at, self.sides(operation).into)
            }
            Kind::Send | Kind::Nothing => Footprint::NOWHERE,
        }
    }

    #[inline]
    fn place(&self, o: &Packed, start: u64, layout: Option<LayoutId>) -> Footprint<'_> {
        match layout {
            None => Footprint::Range { start, end: start + o.length },
            Some(id) => {
                let layout = &self.layouts[at(id.0)];
                Footprint::Typed { at: start, length: o.length, layout }
            }
        }
    }

    /// The layouts of an operation.
    #[inline]
    fn sides(&self, operation: usize) -> Sides {
        if !self.operations[operation].is_typed() {
            return Sides::default();
        }
        let place = self.typed.binary_search_by_key(&id(operation), |(o, _)| *o);
        place.map_or(Sides::default(), |place| self.typed[place].1)
    }

    /// The address of a byte of memory, for errors.
    pub(crate) fn span(start: u64, end: u64) -> (Address, Bytes) {
        (Address(start), Bytes(end - start))
    }
}
