//! Builds a graph, one operation after the other.

use crate::accesses::Accesses;
use crate::error::BuildError;
use crate::graph::{Dead, Graph};
use crate::ids::{Address, Bytes, Communicator, Process, Tag};
use crate::number::{at, count, id};
use crate::operation::{DETAIL_LIMIT, Kind, LIST, Packed, Reduction};

/// Names an operation while its graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u32);

impl Handle {
    /// The handle as a number: operations are numbered from 0, in the order of creation.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Where dependencies come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependencies {
    /// Only from [`Builder::depend`]. Conflicting accesses that nothing orders are an error.
    Explicit,
    /// Besides those, an operation waits for every earlier one of its process whose bytes it reads
    /// after a write, writes after a read, or writes after a write.
    Automatic,
}

/// Operations are numbered below this.
pub const MAX_OPERATIONS: u32 = 1 << 30;

/// A graph that is being built.
#[derive(Debug, Clone)]
pub struct Builder {
    processes: u32,
    dependencies: Dependencies,
    operations: Vec<Packed>,
    owners: Vec<u32>,
    /// Dependent operation, and what it waits for.
    edges: Vec<(u32, u32)>,
    reductions: Vec<Reduction>,
    dead: Vec<Dead>,
}

impl Builder {
    /// A graph without operations.
    #[must_use]
    pub fn new(processes: u32, dependencies: Dependencies) -> Builder {
        Builder {
            processes: processes.min(MAX_OPERATIONS),
            dependencies,
            operations: Vec::new(),
            owners: Vec::new(),
            edges: Vec::new(),
            reductions: Vec::new(),
            dead: Vec::new(),
        }
    }

    /// `process` sends `length` bytes at `at` to `to`. It completes when they are on their way.
    pub fn send(
        &mut self,
        process: Process,
        (at, length): (Address, Bytes),
        to: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Result<Handle, BuildError> {
        self.message(Kind::Send, process, (at, length), to, tag, communicator)
    }

    /// `process` receives up to `length` bytes from `from` to `at`. It completes when they are there.
    pub fn receive(
        &mut self,
        process: Process,
        (at, length): (Address, Bytes),
        from: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Result<Handle, BuildError> {
        self.message(Kind::Receive, process, (at, length), from, tag, communicator)
    }

    /// `process` copies `length` bytes from one place in its memory to another.
    pub fn copy(
        &mut self,
        process: Process,
        from: Address,
        to: Address,
        length: Bytes,
    ) -> Result<Handle, BuildError> {
        apart(from, to, length)?;
        self.add(process, Packed::local(Kind::Copy, (to, length), from, 0))
    }

    /// `process` computes `into = into (operation) from`, element by element.
    pub fn reduce(
        &mut self,
        process: Process,
        from: Address,
        into: Address,
        length: Bytes,
        reduction: Reduction,
    ) -> Result<Handle, BuildError> {
        apart(from, into, length)?;
        let element = reduction.element.size();
        if !length.0.is_multiple_of(element) {
            return Err(BuildError::Element { length, element });
        }
        let known = self.reductions.iter().position(|r| *r == reduction);
        let number = known.unwrap_or_else(|| {
            self.reductions.push(reduction);
            self.reductions.len() - 1
        });
        self.add(process, Packed::local(Kind::Reduce, (into, length), from, id(number)))
    }

    /// `process` does nothing: a place where dependencies meet.
    pub fn nothing(&mut self, process: Process) -> Result<Handle, BuildError> {
        let nowhere = (Address(0), Bytes(0));
        self.add(process, Packed::local(Kind::Nothing, nowhere, Address(0), 0))
    }

    /// `of` starts when `on` has completed; both belong to one process.
    pub fn depend(&mut self, of: Handle, on: Handle) -> Result<(), BuildError> {
        let owner = |handle: Handle| {
            let known = self.owners.get(at(handle.0)).copied();
            let operations = self.owners.len();
            known.ok_or(BuildError::Unknown { given: handle.0, operations })
        };
        let (a, b) = (owner(of)?, owner(on)?);
        if a != b {
            return Err(BuildError::Across { of: Process(a), on: Process(b) });
        }
        self.edges.push((of.0, on.0));
        Ok(())
    }

    /// Nobody reads these bytes of `process` after the graph has run.
    pub fn dead(
        &mut self,
        process: Process,
        start: Address,
        length: Bytes,
    ) -> Result<(), BuildError> {
        self.exists(process)?;
        let end = end(start, length)?;
        if start.0 < end {
            self.dead.push(Dead { process: process.0, start: start.0, end });
        }
        Ok(())
    }

    /// The graph. O(n log n) in operations and dependencies, O(n) where the operations were created
    /// process by process.
    pub fn finish(self) -> Result<Graph, BuildError> {
        let Builder { processes, dependencies, operations, owners, mut edges, reductions, .. } =
            self;
        let (mut operations, first) = by_process(processes, operations, &owners, &mut edges);
        operations.shrink_to_fit();
        drop(owners);
        let mut graph = Graph {
            operations,
            first,
            lists: Vec::new(),
            reductions,
            dead: disjoint(self.dead),
            ordered: dependencies == Dependencies::Automatic,
        };
        if graph.ordered {
            conflicts(&graph, &mut edges);
        }
        if !edges.is_sorted() {
            edges.sort_unstable();
        }
        edges.dedup();
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            let before = match group {
                [(_, on)] => *on,
                several => {
                    let list = graph.lists.len();
                    graph.lists.push(id(several.len()));
                    graph.lists.extend(several.iter().map(|(_, on)| on));
                    id(list) | LIST
                }
            };
            graph.operations[at(group[0].0)].before = before;
            limit("entries of dependency lists", count(graph.lists.len()), u64::from(LIST) - 1)?;
        }
        Ok(graph)
    }

    fn message(
        &mut self,
        kind: Kind,
        process: Process,
        buffer: (Address, Bytes),
        peer: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Result<Handle, BuildError> {
        self.exists(peer)?;
        let given = u64::from(communicator.0);
        limit("communicators", given.saturating_add(1), u64::from(DETAIL_LIMIT))?;
        self.add(process, Packed::message(kind, buffer, peer, tag, communicator))
    }

    fn add(&mut self, process: Process, operation: Packed) -> Result<Handle, BuildError> {
        self.exists(process)?;
        end(Address(operation.at), Bytes(operation.length))?;
        limit("operations", count(self.operations.len()) + 1, u64::from(MAX_OPERATIONS))?;
        self.operations.push(operation);
        self.owners.push(process.0);
        Ok(Handle(id(self.owners.len() - 1)))
    }

    fn exists(&self, given: Process) -> Result<(), BuildError> {
        match given.0 < self.processes {
            true => Ok(()),
            false => Err(BuildError::Process { given, processes: self.processes }),
        }
    }
}

fn limit(what: &'static str, given: u64, limit: u64) -> Result<(), BuildError> {
    if given <= limit { Ok(()) } else { Err(BuildError::TooMany { what, given, limit }) }
}

/// Where a buffer ends.
fn end(at: Address, length: Bytes) -> Result<u64, BuildError> {
    at.0.checked_add(length.0).ok_or(BuildError::Wraps { at, length })
}

fn apart(from: Address, to: Address, length: Bytes) -> Result<(), BuildError> {
    if end(from, length)?.min(end(to, length)?) > from.0.max(to.0) {
        return Err(BuildError::Overlap { from, to, length });
    }
    Ok(())
}

/// Sorts the operations by process, keeping the order of creation in each, and renames `edges`.
fn by_process(
    processes: u32,
    operations: Vec<Packed>,
    owners: &[u32],
    edges: &mut [(u32, u32)],
) -> (Vec<Packed>, Vec<u32>) {
    let mut first = vec![0_u32; at(processes) + 1];
    for owner in owners {
        first[at(*owner) + 1] += 1;
    }
    for process in 0..at(processes) {
        first[process + 1] += first[process];
    }
    if owners.is_sorted() {
        return (operations, first);
    }
    let mut next = first.clone();
    let mut places = Vec::with_capacity(owners.len());
    for owner in owners {
        places.push(next[at(*owner)]);
        next[at(*owner)] += 1;
    }
    let mut sorted = operations.clone();
    for (operation, place) in operations.into_iter().zip(&places) {
        sorted[at(*place)] = operation;
    }
    for (of, on) in edges {
        (*of, *on) = (places[at(*of)], places[at(*on)]);
    }
    (sorted, first)
}

/// Adds an edge for every conflict between an operation and an earlier one of its process.
fn conflicts(graph: &Graph, edges: &mut Vec<(u32, u32)>) {
    let mut accesses = Accesses::new();
    for process in 0..graph.processes() {
        let range = graph.range(process);
        accesses.clear(range.len());
        for operation in range {
            let by = id(operation);
            let start = edges.len();
            for read in graph.reads(operation) {
                accesses.read(read, by, |on, _, _| edges.push((by, on)));
            }
            accesses.write(graph.writes(operation), by, |on, _, _| edges.push((by, on)));
            // The same operation is often met in several pieces.
            edges[start..].sort_unstable();
        }
    }
}

/// Sorts ranges and joins those that touch.
fn disjoint(mut dead: Vec<Dead>) -> Vec<Dead> {
    dead.sort_unstable();
    dead.dedup_by(|next, kept| {
        let joins = next.process == kept.process && next.start <= kept.end;
        if joins {
            kept.end = kept.end.max(next.end);
        }
        joins
    });
    dead
}
