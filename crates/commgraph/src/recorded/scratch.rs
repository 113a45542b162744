//! Memory that only holds something on its way into a sum, which nobody misses in the end:
//! messages that were combined with something, and partial sums that were sent on to be.
//!
//! A reduction that is written by hand leaves them behind, `MPI_Reduce` does not.

use crate::buffer::Buffer;
use crate::builder::Builder;
use crate::error::BuildError;
use crate::ids::{Address, Bytes, Process};
use crate::number::count;
use crate::recorded::memory::{Memory, Stretch};

/// Who wrote some memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Write {
    /// A message, which is combined with something or not.
    Message { is_operand: bool },
    /// A sum that stays, as far as is known.
    Sum,
    /// A sum that was only sent on to be combined.
    PartialSum,
    /// A sum that was sent as it is.
    SentSum,
}

/// The use that the program makes of partial sums in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partial {
    /// Nobody misses them, as after `MPI_Reduce`.
    Dead,
    /// They are results, as those of `MPI_Scan`.
    Wanted,
}

/// The last write to each address of the graph, in one process.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The number of the write as version.
    memory: Memory,
    writes: Vec<Write>,
}

impl Scratch {
    /// Something has come to this buffer.
    pub fn written(&mut self, buffer: &Buffer, write: Write) {
        let Some((start, end)) = range(buffer) else { return };
        self.memory.set(start..end, count(self.writes.len()));
        self.writes.push(write);
    }

    /// The buffer is sent; `is_operand`: to be combined with something.
    pub fn sent(&mut self, buffer: &Buffer, is_operand: bool) {
        let Some((start, end)) = range(buffer) else { return };
        for stretch in self.memory.stretches(start..end) {
            let Some(write) = place(&stretch).and_then(|at| self.writes.get_mut(at)) else {
                continue;
            };
            *write = match *write {
                Write::Sum | Write::PartialSum if is_operand => Write::PartialSum,
                Write::Sum | Write::PartialSum | Write::SentSum => Write::SentSum,
                message @ Write::Message { .. } => message,
            };
        }
    }

    /// Declares dead what nobody misses; whether there are partial sums among it. Those stay where
    /// they are wanted.
    pub fn declare(
        &self,
        process: Process,
        builder: &mut Builder,
        partial: Partial,
    ) -> Result<bool, BuildError> {
        let mut has_partial = false;
        for stretch in self.memory.stretches(0..u64::MAX) {
            let write = place(&stretch).and_then(|at| self.writes.get(at));
            has_partial |= write == Some(&Write::PartialSum);
            let is_missed = partial == Partial::Wanted && write == Some(&Write::PartialSum);
            if let Some(Write::Message { is_operand: true } | Write::PartialSum) = write
                && !is_missed
            {
                let length = Bytes(stretch.range.end - stretch.range.start);
                builder.dead(process, Address(stretch.range.start), length)?;
            }
        }
        Ok(has_partial)
    }
}

fn place(stretch: &Stretch) -> Option<usize> {
    usize::try_from(stretch.version?).ok()
}

/// Where a buffer begins and ends. `None` for layouts: what lies in between would be declared dead
/// with them.
fn range(buffer: &Buffer) -> Option<(u64, u64)> {
    match buffer {
        Buffer::Range(Address(start), Bytes(length)) => {
            Some((*start, start.saturating_add(*length)))
        }
        Buffer::Typed { .. } => None,
    }
}
