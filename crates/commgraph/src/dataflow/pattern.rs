//! The reads of bytes that several other operations wrote.
//!
//! Pieces of a layout mostly read the same writers in the same turn, each piece a constant further
//! on. So lists of parts are kept as rows: the parts of the first piece, and by how much each
//! moves from piece to piece.

use crate::error::GraphError;
use crate::number::{at, id};

/// A slot that holds the number of a message in [`Contents`].
pub(crate) const CONTENT: u32 = 1 << 30;

/// Numbers of lists and messages stay below the bits that mark them.
pub(crate) fn number(what: &'static str, given: usize) -> Result<u32, GraphError> {
    let small = u32::try_from(given).ok().filter(|given| *given < CONTENT);
    small.ok_or(GraphError::TooLarge {
        what,
        given: crate::number::count(given),
        limit: u64::from(CONTENT - 1),
    })
}

/// A part of what is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenPart {
    /// The operation that wrote it, or [`NONE`](crate::operation::NONE): it was there at the
    /// start.
    pub writer: u32,
    /// Where the part starts in what was written, or its address.
    pub from: u64,
    pub length: u64,
}

/// Parts of pieces that follow each other.
#[derive(Debug, Clone, Copy)]
struct Group {
    first: u32,
    past: u32,
    rows: u32,
}

/// The pieces that one operation reads, in order.
#[derive(Debug, Clone, Copy)]
struct List {
    process: u32,
    first: u32,
    past: u32,
}

/// The lists of all operations that read what several others wrote.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    lists: Vec<List>,
    groups: Vec<Group>,
    /// A part of the first row, and how much further on it is from row to row.
    parts: Vec<(WrittenPart, u64)>,
    /// Where the row that is being made starts.
    row: usize,
}

impl Patterns {
    /// Adds a part to the row that is being made.
    pub(crate) fn push(&mut self, part: WrittenPart) {
        self.parts.push((part, 0));
    }

    /// Ends a row: one more of the last group of the list, where it is.
    pub(crate) fn end_row(&mut self) -> Result<(), GraphError> {
        let open = self.lists.last().map_or(0, |list| list.past);
        let (earlier, row) = self.parts.split_at_mut(self.row);
        if row.is_empty() {
            return Ok(());
        }
        if self.groups.len() > at(open)
            && let Some(group) = self.groups.last_mut()
            && joins(&mut earlier[at(group.first)..], row, group.rows)
        {
            group.rows += 1;
            self.parts.truncate(self.row);
            return Ok(());
        }
        let past = number("pieces of messages", self.parts.len())?;
        self.groups.push(Group { first: id(self.row), past, rows: 1 });
        self.row = self.parts.len();
        Ok(())
    }

    /// Whether every part of the rows ended since the last list is by this writer.
    pub(crate) fn all_by(&self, writer: u32) -> bool {
        let open = self.lists.last().map_or(0, |list| list.past);
        let first = self.groups.get(at(open)).map_or(self.parts.len(), |g| at(g.first));
        self.parts[first..].iter().all(|(part, _)| part.writer == writer)
    }

    /// Ends a list: its number.
    pub(crate) fn end_list(&mut self, process: u32) -> Result<u32, GraphError> {
        let first = self.lists.last().map_or(0, |list| list.past);
        let past = number("rows of pieces of messages", self.groups.len())?;
        let list = number("messages of several pieces", self.lists.len())?;
        self.lists.push(List { process, first, past });
        Ok(list)
    }

    /// Takes the last list back.
    pub(crate) fn forget_list(&mut self) {
        let Some(List { first, .. }) = self.lists.pop() else { return };
        if let Some(group) = self.groups.get(at(first)) {
            self.parts.truncate(at(group.first));
            self.row = self.parts.len();
        }
        self.groups.truncate(at(first));
    }

    /// The process of a list, and its parts in order.
    pub(crate) fn list(&self, list: u32) -> (u32, impl Iterator<Item = WrittenPart> + '_) {
        let List { process, first, past } = self.lists[at(list)];
        let parts = self.groups[at(first)..at(past)].iter().flat_map(|group| {
            (0..u64::from(group.rows)).flat_map(|row| {
                self.parts[at(group.first)..at(group.past)].iter().map(move |(part, step)| {
                    WrittenPart { from: part.from.wrapping_add(step.wrapping_mul(row)), ..*part }
                })
            })
        });
        (process, parts)
    }
}

impl Patterns {
    /// The one range of what one writer wrote that a list is, if it is: writer, start and length.
    pub(crate) fn one_range(&self, list: u32) -> Option<(u32, u64, u64)> {
        let List { first, past, .. } = self.lists[at(list)];
        let [Group { first, past, rows }] = self.groups[at(first)..at(past)] else { return None };
        let [(WrittenPart { writer, from, length }, step)] = self.parts[at(first)..at(past)] else {
            return None;
        };
        (rows == 1 || step == length).then(|| (writer, from, length * u64::from(rows)))
    }
}

/// Whether `row` is the next after `rows` rows that start with `group`. The second row sets the
/// steps.
fn joins(group: &mut [(WrittenPart, u64)], row: &[(WrittenPart, u64)], rows: u32) -> bool {
    let step =
        |(a, _): &(WrittenPart, u64), (b, _): &(WrittenPart, u64)| b.from.wrapping_sub(a.from);
    let fits = group.len() == row.len()
        && rows < u32::MAX
        && group.iter().zip(row).all(|(a, b)| {
            let moved = rows == 1 || step(a, b) == a.1.wrapping_mul(u64::from(rows));
            (a.0.writer, a.0.length) == (b.0.writer, b.0.length) && moved
        });
    if fits && rows == 1 {
        for (a, b) in group.iter_mut().zip(row) {
            a.1 = step(a, b);
        }
    }
    fits
}
