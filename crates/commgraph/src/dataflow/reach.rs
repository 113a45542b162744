//! Which writes reach which reads, in each process alone.
//!
//! The reaching definition of a byte is its last write before the read. Where no accesses race, any
//! order in which the operations can complete gives the same answer, so this needs nothing of the other
//! processes. O(n log n) in the accesses and the pieces they are cut into.

use crate::accesses::Accesses;
use crate::dataflow::run::{Contents, Origin, Run};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::{Kind, LIST, NONE};
use crate::order::{Order, send_of};
use crate::races::Before;
use crate::transfers::Transfer;

/// A slot that holds the number of a message in [`Contents`].
pub(crate) const CONTENT: u32 = 1 << 30;

/// A part of what is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// The operation that wrote it, or [`NONE`]: it was there at the start.
    pub writer: u32,
    /// Where the part starts in what was written, or its address.
    pub from: u64,
    pub length: u64,
}

/// What one operation reads, in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    pub process: u32,
    first: u32,
    past: u32,
}

/// Where every operation reads from, and what every process holds in the end.
#[derive(Debug)]
pub(crate) struct Reach {
    /// For each operation that reads: one operation that wrote all of it, a message in [`Contents`]
    /// (with the bit [`CONTENT`]), or a list (with the bit [`LIST`]). [`NONE`] for the others.
    pub slots: Vec<u32>,
    lists: Vec<List>,
    parts: Vec<Part>,
    /// What is written in the end: the source is the operation that wrote it, the source address the
    /// place in what it wrote. Sorted by process and address; dead memory is left out.
    pub finals: Vec<Transfer>,
}

impl Reach {
    /// Walks through the operations of every process. What is read from untouched memory goes to
    /// `contents` at once.
    pub(crate) fn of(
        graph: &Graph,
        matching: &Matching,
        order: &Order,
        contents: &mut Contents,
    ) -> Result<Reach, GraphError> {
        let mut reach = Reach {
            slots: vec![NONE; graph.operations()],
            lists: Vec::new(),
            parts: Vec::new(),
            finals: Vec::with_capacity(at(graph.processes())),
        };
        let mut before = (!graph.ordered).then(|| Before::new(graph, matching, order));
        let mut accesses = Accesses::new();
        let mut operations = Vec::new();
        for process in 0..graph.processes() {
            let range = graph.range(process);
            accesses.clear(range.len());
            // The last read of untouched memory: a root often sends the same bytes again and again.
            let mut last = (0, 0, NONE);
            if let Some(before) = &mut before {
                operations.clear();
                operations.extend(range.map(id));
                before.sort(&mut operations);
                for operation in &operations {
                    let here = at(*operation);
                    let read = graph.reads(here);
                    reach.read(graph, &mut accesses, (process, here), read, contents, &mut last)?;
                    let write = written(graph, matching, here);
                    check(graph, before, &mut accesses, *operation, read, write)?;
                }
            } else {
                for operation in range {
                    let read = graph.reads(operation);
                    reach.read(
                        graph,
                        &mut accesses,
                        (process, operation),
                        read,
                        contents,
                        &mut last,
                    )?;
                    let (start, end) = written(graph, matching, operation);
                    accesses.overwrite(start, end, id(operation));
                }
            }
            reach.finish(graph, process, &accesses);
        }
        Ok(reach)
    }

    /// The parts of a list.
    pub(crate) fn list(&self, slot: u32) -> (u32, &[Part]) {
        let List { process, first, past } = self.lists[at(slot & !LIST)];
        (process, &self.parts[at(first)..at(past)])
    }

    fn read(
        &mut self,
        graph: &Graph,
        accesses: &mut Accesses,
        (process, operation): (u32, usize),
        reads: [(u64, u64); 2],
        contents: &mut Contents,
        last: &mut (u64, u64, u32),
    ) -> Result<(), GraphError> {
        match graph.operations[operation].kind() {
            Kind::Receive | Kind::Nothing => return Ok(()),
            Kind::Reduce => {}
            Kind::Send | Kind::Copy => {
                let (start, end) = reads[0];
                let segments = accesses.look(start, end);
                if let [] | [_] = segments {
                    let writer = segments.first().map_or(NONE, |s| s.value.writer);
                    self.slots[operation] = if writer != NONE {
                        writer
                    } else if (last.0, last.1) == (start, end) && last.2 != NONE {
                        last.2
                    } else {
                        let slot = untouched(contents, process, start, end)?;
                        *last = (start, end, slot);
                        slot
                    };
                    return Ok(());
                }
            }
        }
        let first = self.parts.len();
        for (start, end) in reads {
            for segment in accesses.look(start, end) {
                let writer = segment.value.writer;
                let base = if writer == NONE { 0 } else { graph.operations[at(writer)].at };
                let from = segment.start - base;
                self.parts.push(Part { writer, from, length: segment.end - segment.start });
            }
        }
        let past = number("pieces of messages", self.parts.len())?;
        let list = number("messages of several pieces", self.lists.len())?;
        self.lists.push(List { process, first: id(first), past });
        self.slots[operation] = list | LIST;
        Ok(())
    }

    /// Notes what the process holds in the end.
    fn finish(&mut self, graph: &Graph, process: u32, accesses: &Accesses) {
        let mut dead = graph.dead_in(process);
        for segment in accesses.all() {
            let writer = segment.value.writer;
            if writer == NONE {
                continue;
            }
            let mut start = segment.start;
            while start < segment.end {
                while dead.first().is_some_and(|d| d.end <= start) {
                    dead = &dead[1..];
                }
                let hole = dead.first().filter(|d| d.start < segment.end);
                let end = hole.map_or(segment.end, |d| d.start);
                if start < end {
                    let base = graph.operations[at(writer)].at;
                    self.finals.push(Transfer {
                        source: writer,
                        source_address: start - base,
                        length: end - start,
                        destination: process,
                        destination_address: start,
                    });
                }
                start = hole.map_or(segment.end, |d| d.end);
            }
        }
    }
}

/// Numbers of lists and messages stay below the bits that mark them.
pub(crate) fn number(what: &'static str, given: usize) -> Result<u32, GraphError> {
    let small = u32::try_from(given).ok().filter(|given| *given < CONTENT);
    small.ok_or(GraphError::TooLarge {
        what,
        given: crate::number::count(given),
        limit: u64::from(CONTENT - 1),
    })
}

/// The message that holds untouched memory of a process.
fn untouched(
    contents: &mut Contents,
    process: u32,
    start: u64,
    end: u64,
) -> Result<u32, GraphError> {
    if start < end {
        contents.push(Run::piece(Origin::Memory { process, address: start }, end - start));
    }
    ready(contents)
}

/// Ends a message: the slot that names it.
pub(crate) fn ready(contents: &mut Contents) -> Result<u32, GraphError> {
    let limit = u64::from(CONTENT - 1);
    let what = "messages with different contents";
    let too_large = GraphError::TooLarge { what, given: limit + 1, limit };
    let message = contents.finish().filter(|message| *message < CONTENT).ok_or(too_large)?;
    Ok(message | CONTENT)
}

/// What an operation writes: a receive only as much as was sent.
fn written(graph: &Graph, matching: &Matching, operation: usize) -> (u64, u64) {
    let (start, end) = graph.writes(operation);
    match send_of(graph, matching, operation) {
        Some(send) => (start, start + graph.operations[at(send)].length),
        None => (start, end),
    }
}

/// Notes the accesses of an operation, and finds the first that nothing orders after an earlier one.
fn check(
    graph: &Graph,
    before: &mut Before,
    accesses: &mut Accesses,
    operation: u32,
    reads: [(u64, u64); 2],
    write: (u64, u64),
) -> Result<(), GraphError> {
    let mut race = None;
    let mut conflict = |early: u32, start: u64, end: u64| {
        if race.is_none() && !before.orders(early, operation) {
            let (address, length) = Graph::span(start, end);
            let (first, second) = (graph.named(early), graph.named(operation));
            race = Some(GraphError::Race { first, second, at: address, length });
        }
    };
    for read in reads {
        accesses.read(read, operation, &mut conflict);
    }
    accesses.write(write, operation, &mut conflict);
    match race {
        None => Ok(()),
        Some(race) => Err(race),
    }
}
