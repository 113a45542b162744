//! Builds a graph, one operation after the other.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use commloom_layout::Type;

use crate::accesses::Accesses;
use crate::buffer::{Buffer, Footprint, Layout, MAX_ROWS};
use crate::error::{BuildError, limit};
use crate::graph::{Dead, Graph};
use crate::ids::{Address, Bytes, Communicator, LayoutId, Process, Tag};
use crate::number::{at, count, id};
use crate::operation::{DETAIL_LIMIT, Kind, LIST, Packed, Reduction, Sides};

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
    /// The layouts of the operations that have any, in order of creation.
    typed: Vec<(u32, Sides)>,
    layouts: Vec<Arc<Layout>>,
    /// Rows of all layouts.
    rows: u64,
    /// Types and counts, each with its layout.
    known: HashMap<(Type, u64), LayoutId>,
    dead: Vec<Dead>,
    trios: BTreeSet<[u32; 3]>,
}

/// A buffer as the operations keep it.
#[derive(Debug, Clone, Copy)]
struct Side {
    at: Address,
    length: Bytes,
    layout: Option<LayoutId>,
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
            typed: Vec::new(),
            layouts: Vec::new(),
            rows: 0,
            known: HashMap::new(),
            dead: Vec::new(),
            trios: BTreeSet::new(),
        }
    }

    /// `process` sends a buffer to `to`. It completes when they are on their way.
    pub fn send(
        &mut self,
        process: Process,
        buffer: impl Into<Buffer>,
        to: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Result<Handle, BuildError> {
        self.message(Kind::Send, process, buffer.into(), to, tag, communicator)
    }

    /// `process` receives from `from` up to as many bytes as the buffer has; a shorter message
    /// fills its first ones. It completes when they are there.
    pub fn receive(
        &mut self,
        process: Process,
        buffer: impl Into<Buffer>,
        from: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Result<Handle, BuildError> {
        self.message(Kind::Receive, process, buffer.into(), from, tag, communicator)
    }

    /// `process` copies `length` bytes from one place in its memory to another.
    pub fn copy(
        &mut self,
        process: Process,
        from: Address,
        to: Address,
        length: Bytes,
    ) -> Result<Handle, BuildError> {
        self.copy_buffer(process, (from, length).into(), (to, length).into())
    }

    /// `process` copies one buffer to another, as by a message to itself. Both have the same
    /// number of bytes, and do not overlap.
    pub fn copy_buffer(
        &mut self,
        process: Process,
        from: Buffer,
        into: Buffer,
    ) -> Result<Handle, BuildError> {
        let (from, into) = self.both(from, into)?;
        self.add_local(process, Kind::Copy, from, into, 0)
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
        self.reduce_buffer(process, (from, length).into(), (into, length).into(), reduction)
    }

    /// The same for any buffers, of the same number of bytes, that do not overlap.
    pub fn reduce_buffer(
        &mut self,
        process: Process,
        from: Buffer,
        into: Buffer,
        reduction: Reduction,
    ) -> Result<Handle, BuildError> {
        let (from, into) = self.both(from, into)?;
        let element = reduction.element.size();
        if !into.length.0.is_multiple_of(element) {
            return Err(BuildError::Element { length: into.length, element });
        }
        let known = self.reductions.iter().position(|r| *r == reduction);
        let number = known.unwrap_or_else(|| {
            self.reductions.push(reduction);
            self.reductions.len() - 1
        });
        self.add_local(process, Kind::Reduce, from, into, id(number))
    }

    /// `process` does nothing: a place where dependencies meet.
    pub fn nothing(&mut self, process: Process) -> Result<Handle, BuildError> {
        let nowhere = (Address(0), Bytes(0));
        self.add(process, Packed::local(Kind::Nothing, nowhere, Address(0), 0), Sides::default())
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

    /// The program has put these three processes together, as in a communicator.
    pub fn together(&mut self, mut three: [u32; 3]) {
        three.sort_unstable();
        self.trios.insert(three);
    }

    /// The graph. O(n log n) in operations and dependencies, O(n) where the operations were
    /// created process by process.
    pub fn finish(self) -> Result<Graph, BuildError> {
        let Builder { processes, dependencies, operations, owners, mut edges, mut typed, .. } =
            self;
        let (mut operations, first) =
            by_process(processes, operations, &owners, &mut edges, &mut typed);
        operations.shrink_to_fit();
        drop(owners);
        let mut graph = Graph {
            operations,
            first,
            lists: Vec::new(),
            reductions: self.reductions,
            typed,
            layouts: self.layouts,
            dead: disjoint(self.dead),
            trios: self.trios,
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
        buffer: Buffer,
        peer: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Result<Handle, BuildError> {
        self.exists(peer)?;
        let given = u64::from(communicator.0);
        limit("communicators", given.saturating_add(1), u64::from(DETAIL_LIMIT))?;
        let side = self.side(buffer)?;
        let sides = match kind {
            Kind::Receive => Sides { from: None, into: self.written(side)?.layout },
            _ => Sides { from: side.layout, into: None },
        };
        let message = Packed::message(kind, (side.at, side.length), peer, tag, communicator);
        self.add(process, message, sides)
    }

    fn add_local(
        &mut self,
        process: Process,
        kind: Kind,
        from: Side,
        into: Side,
        detail: u32,
    ) -> Result<Handle, BuildError> {
        let sides = Sides { from: from.layout, into: into.layout };
        self.add(process, Packed::local(kind, (into.at, into.length), from.at, detail), sides)
    }

    fn add(
        &mut self,
        process: Process,
        mut operation: Packed,
        sides: Sides,
    ) -> Result<Handle, BuildError> {
        self.exists(process)?;
        limit("operations", count(self.operations.len()) + 1, u64::from(MAX_OPERATIONS))?;
        if sides != Sides::default() {
            self.typed.push((id(self.operations.len()), sides));
            operation = operation.with_layouts();
        }
        self.operations.push(operation);
        self.owners.push(process.0);
        Ok(Handle(id(self.owners.len() - 1)))
    }

    /// A buffer with its layout; none where it is one range after all.
    fn side(&mut self, buffer: Buffer) -> Result<Side, BuildError> {
        match buffer {
            Buffer::Range(at, length) => {
                end(at, length)?;
                Ok(Side { at, length, layout: None })
            }
            Buffer::Typed { at, count, ty } => {
                let whole = Type::vec(count, ty.extent(), ty.clone())?;
                let length = Bytes(whole.size());
                let wraps = BuildError::Wraps { at, length };
                at.0.checked_add_signed(whole.true_lb()).ok_or(wraps.clone())?;
                at.0.checked_add_signed(whole.true_ub()).ok_or(wraps.clone())?;
                if whole.runs() <= 1 {
                    let at = at.0.checked_add_signed(whole.first_byte()).ok_or(wraps)?;
                    return Ok(Side { at: Address(at), length, layout: None });
                }
                let next = LayoutId(id(self.layouts.len()));
                let key = (ty, count);
                let known = self.known.get(&key).copied();
                if known.is_none() {
                    limit("layouts", u64::from(next.0) + 1, u64::from(MAX_OPERATIONS))?;
                    let layout = Layout::of(key.0.clone(), count, &whole)?;
                    limit("rows of layouts", self.rows + layout.rows(), MAX_ROWS)?;
                    self.rows += layout.rows();
                    self.layouts.push(Arc::new(layout));
                    self.known.insert(key, next);
                }
                Ok(Side { at, length, layout: Some(known.unwrap_or(next)) })
            }
        }
    }

    /// A buffer that is written: no byte of it is there twice (MPI 4.1, section 5.1.11).
    fn written(&self, side: Side) -> Result<Side, BuildError> {
        let twice = side.layout.is_some_and(|id| !self.layouts[at(id.0)].is_disjoint());
        if twice { Err(BuildError::Twice { at: side.at, length: side.length }) } else { Ok(side) }
    }

    /// The buffers of a local operation.
    fn both(&mut self, from: Buffer, into: Buffer) -> Result<(Side, Side), BuildError> {
        let (from, into) = (self.side(from)?, self.side(into)?);
        self.written(into)?;
        if from.length != into.length {
            return Err(BuildError::Lengths { from: from.length, into: into.length });
        }
        if self.place(from).overlaps(self.place(into)) {
            return Err(BuildError::Overlap { from: from.at, to: into.at, length: into.length });
        }
        Ok((from, into))
    }

    fn place(&self, Side { at: start, length, layout }: Side) -> Footprint<'_> {
        match layout {
            None => Footprint::Range { start: start.0, end: start.0 + length.0 },
            Some(id) => {
                let layout = &self.layouts[at(id.0)];
                Footprint::Typed { at: start.0, length: length.0, layout }
            }
        }
    }

    fn exists(&self, given: Process) -> Result<(), BuildError> {
        match given.0 < self.processes {
            true => Ok(()),
            false => Err(BuildError::Process { given, processes: self.processes }),
        }
    }
}

/// Where a buffer ends.
fn end(at: Address, length: Bytes) -> Result<u64, BuildError> {
    at.0.checked_add(length.0).ok_or(BuildError::Wraps { at, length })
}

/// Sorts the operations by process, keeping the order of creation in each, and renames those in
/// `edges` and `typed`.
fn by_process(
    processes: u32,
    operations: Vec<Packed>,
    owners: &[u32],
    edges: &mut [(u32, u32)],
    typed: &mut [(u32, Sides)],
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
    for (operation, _) in &mut *typed {
        *operation = places[at(*operation)];
    }
    typed.sort_unstable_by_key(|(operation, _)| *operation);
    (sorted, first)
}

/// Adds an edge for every conflict between an operation and an earlier one of its process.
fn conflicts(graph: &Graph, edges: &mut Vec<(u32, u32)>) {
    let mut accesses = Accesses::new();
    let mut found = Vec::new();
    for process in 0..graph.processes() {
        let range = graph.range(process);
        accesses.clear(range.len());
        for operation in range {
            let by = id(operation);
            for read in graph.reads(operation) {
                accesses.read(read, by, |on, _, _| found.push((by, on)));
            }
            accesses.write(graph.writes(operation), by, |on, _, _| found.push((by, on)));
            // The same operation is often met in several pieces.
            found.sort_unstable();
            found.dedup();
            edges.append(&mut found);
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
