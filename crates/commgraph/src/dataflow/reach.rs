//! Which writes reach which reads, in each process alone.
//!
//! The reaching definition of a byte is its last write before the read. Where no accesses race,
//! any order in which the operations can complete gives the same answer, so this needs nothing of
//! the other processes. O(n log n) in the accesses and the pieces they are cut into.

use crate::accesses::{Accesses, Last};
use crate::buffer::Footprint;
use crate::dataflow::pattern::{CONTENT, Patterns, WrittenPart};
use crate::dataflow::run::{Contents, Origin, Run};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::{Kind, LIST, NONE};
use crate::order::{Order, send_of};
use crate::races::Before;
use crate::transfers::Transfer;

/// Ranges of one length at regular distances, each as one operation left it in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows {
    pub writer: u32,
    /// Where the first is in what was written, and how much further on the next (modulo 2^64).
    pub from: u64,
    pub from_step: u64,
    pub destination: u32,
    pub address: u64,
    pub stride: u64,
    pub length: u64,
    pub count: u64,
}

/// Where every operation reads from, and what every process holds in the end.
#[derive(Debug)]
pub(crate) struct Reach {
    /// For each operation that reads: one operation without layouts that wrote all of it, a
    /// message in [`Contents`] (with the bit [`CONTENT`]), or a list (with the bit [`LIST`]).
    /// [`NONE`] for the others.
    pub slots: Vec<u32>,
    pub patterns: Patterns,
    /// The last writes to memory: the source is the operation that wrote it, the source address
    /// the place in what it wrote. Sorted by process and address; dead memory is left out.
    pub finals: Vec<Transfer>,
    /// The same of what lies in rows of three and more.
    pub rows: Vec<Rows>,
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
            patterns: Patterns::default(),
            finals: Vec::with_capacity(at(graph.processes())),
            rows: Vec::new(),
        };
        let mut before = (!graph.ordered).then(|| Before::new(graph, matching, order));
        let mut accesses = Accesses::new();
        let mut operations = Vec::new();
        for process in 0..graph.processes() {
            let range = graph.range(process);
            accesses.clear(range.len());
            // The last read of untouched memory: a root often sends the same bytes again and
            // again.
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
                    accesses.overwrite(written(graph, matching, operation), id(operation));
                }
            }
            reach.finish(graph, process, &accesses);
        }
        Ok(reach)
    }

    fn read(
        &mut self,
        graph: &Graph,
        accesses: &mut Accesses,
        (process, operation): (u32, usize),
        reads: [Footprint; 2],
        contents: &mut Contents,
        last: &mut (u64, u64, u32),
    ) -> Result<(), GraphError> {
        match graph.operations[operation].kind() {
            Kind::Receive | Kind::Nothing => return Ok(()),
            Kind::Reduce => {}
            Kind::Send | Kind::Copy => {
                if let Footprint::Range { start, end } = reads[0]
                    && let Some(Last { writer, .. }) =
                        accesses.one(start, end).or_else(|| match accesses.look(start, end) {
                            [] => Some(Last::UNTOUCHED),
                            [only] => Some(only.value),
                            _ => None,
                        })
                {
                    if writer == NONE {
                        if (last.0, last.1) != (start, end) || last.2 == NONE {
                            *last = (start, end, untouched(contents, process, start, end)?);
                        }
                        self.slots[operation] = last.2;
                        return Ok(());
                    }
                    // Where in a layout it is, only a list can tell.
                    if !graph.operations[at(writer)].is_typed() {
                        self.slots[operation] = writer;
                        return Ok(());
                    }
                }
            }
        }
        let mut error = Ok(());
        for place in reads {
            let in_rows = matches!(place, Footprint::Typed { .. });
            place.packed(|span| {
                for segment in accesses.look(span.start, span.end) {
                    let Last { writer, from, .. } = segment.value;
                    let from = if writer == NONE { segment.start } else { from };
                    let length = segment.end - segment.start;
                    self.patterns.push(WrittenPart { writer, from, length });
                    // The parts of one range have nothing in common: each is a row.
                    if !in_rows && error.is_ok() {
                        error = self.patterns.end_row();
                    }
                }
                if in_rows && error.is_ok() {
                    error = self.patterns.end_row();
                }
            });
        }
        error?;
        let all_untouched =
            graph.operations[operation].kind() != Kind::Reduce && self.patterns.all_by(NONE);
        let list = self.patterns.end_list(process)?;
        self.slots[operation] = if all_untouched {
            let (process, parts) = self.patterns.list(list);
            for WrittenPart { from, length, .. } in parts {
                contents.push(Run::piece(Origin::Memory { process, address: from }, length));
            }
            self.patterns.forget_list();
            ready(contents)?
        } else {
            list | LIST
        };
        Ok(())
    }

    /// Notes what the process holds in the end.
    fn finish(&mut self, graph: &Graph, process: u32, accesses: &Accesses) {
        let mut dead = graph.dead_in(process);
        let mut rows: Option<Rows> = None;
        for segment in accesses.all() {
            let Last { writer, from, .. } = segment.value;
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
                    let next = Rows {
                        writer,
                        from: from.wrapping_add(start - segment.start),
                        from_step: 0,
                        destination: process,
                        address: start,
                        stride: 0,
                        length: end - start,
                        count: 1,
                    };
                    if !rows.as_mut().is_some_and(|rows| rows.absorb(&next)) {
                        rows.replace(next).into_iter().for_each(|rows| self.keep(rows));
                    }
                }
                start = hole.map_or(segment.end, |d| d.end);
            }
        }
        rows.into_iter().for_each(|rows| self.keep(rows));
    }

    /// Keeps few ranges one by one, as most are alone.
    fn keep(&mut self, rows: Rows) {
        if rows.count > 2 {
            self.rows.push(rows);
            return;
        }
        self.finals.extend((0..rows.count).map(|k| Transfer {
            source: rows.writer,
            source_address: rows.from.wrapping_add(rows.from_step.wrapping_mul(k)),
            length: rows.length,
            destination: rows.destination,
            destination_address: rows.address + rows.stride * k,
        }));
    }
}

impl Rows {
    /// Adds a range as the next row, if it is one.
    fn absorb(&mut self, next: &Rows) -> bool {
        if (self.writer, self.length) != (next.writer, next.length) {
            return false;
        }
        // Addresses ascend.
        let stride = (next.address - self.address) / self.count;
        let from_step = next.from.wrapping_sub(self.from);
        let fits = match self.count {
            1 => true,
            n => {
                next.address == self.address + self.stride * n
                    && from_step == self.from_step.wrapping_mul(n)
            }
        };
        if fits && self.count == 1 {
            (self.stride, self.from_step) = (stride, from_step);
        }
        self.count += u64::from(fits);
        fits
    }
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

/// The bytes that an operation writes: a receive only as much as was sent.
fn written<'a>(graph: &'a Graph, matching: &Matching, operation: usize) -> Footprint<'a> {
    let place = graph.writes(operation);
    match send_of(graph, matching, operation) {
        Some(send) => place.shortened(graph.operations[at(send)].length),
        None => place,
    }
}

/// Notes the accesses of an operation, and finds the first that nothing orders after an earlier
/// one.
fn check(
    graph: &Graph,
    before: &mut Before,
    accesses: &mut Accesses,
    operation: u32,
    reads: [Footprint; 2],
    write: Footprint,
) -> Result<(), GraphError> {
    let mut race = None;
    let mut conflict = |early: u32, start: u64, end: u64| {
        if race.is_none() && !before.orders(early, operation) {
            let (address, length) = Graph::span(start, end);
            let (first, second) = (graph.named(early).into(), graph.named(operation).into());
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
