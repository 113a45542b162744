//! Reads a trace as far as it is whole.

use crate::block::{self, Block, Found};
use crate::events::Events;
use crate::header::Header;
use crate::problem::{Problem, Unreadable};
use crate::record::Known;

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Of its format, at most [`VERSION`](crate::VERSION).
    pub version: u64,
    /// Which process.
    pub header: Header,
    /// By number, in order. Where some are missing, their numbers are.
    pub events: Events,
    /// The parts left out, by place.
    pub problems: Vec<Problem>,
}

/// Everything in a file that is whole. Linear in its bytes, and so
/// is the memory that it takes.
///
/// # Errors
/// See [`Unreadable`]: there is no header.
pub fn read(file: &[u8]) -> Result<Trace, Unreadable> {
    let (header, version, mut rest) = Header::read(file)?;
    let mut trace = Trace { version, header, events: Events::default(), problems: Vec::new() };
    let mut known = Known::default();
    while !rest.is_empty() {
        let at = number(file.len() - rest.len());
        match block::find(rest) {
            Found::Whole(block, end) => {
                trace.take(&block, &mut known, at, number(end));
                rest = &rest[end..];
            }
            // Another block further on: then the length was damaged, not the end cut off.
            Found::Cut(missing) if block::next(rest).is_none() => {
                trace.problems.push(Problem::Cut { at, missing: number(missing) });
                break;
            }
            Found::Cut(_) | Found::None => {
                let length = block::next(rest).unwrap_or(rest.len());
                trace.damaged(at, number(length));
                rest = &rest[length..];
            }
        }
    }
    Ok(trace)
}

fn number(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

impl Trace {
    fn take(&mut self, block: &Block<'_>, known: &mut Known, at: u64, length: u64) {
        let expected = self.events.end();
        // Numbers go up: the others are of a file that was written over.
        if self.events.take(block, self.version, known).is_none() {
            return self.damaged(at, length);
        }
        if block.first > expected {
            self.problems.push(Problem::Gap { at, first: expected, last: block.first - 1 });
        }
    }

    /// Notes damage; what follows other damage is the same.
    fn damaged(&mut self, at: u64, length: u64) {
        if let Some(Problem::Damaged { at: start, length: so_far }) = self.problems.last_mut()
            && *start + *so_far == at
        {
            *so_far += length;
        } else {
            self.problems.push(Problem::Damaged { at, length });
        }
    }
}
