//! One side of a collective: blocks of memory, one for each process, and where each of them goes
//! in the packed buffer.
//!
//! Three kinds of [arguments](crate::accelerate::arguments) describe them in MPI; all become
//! [`Blocks`]. In packed form the blocks follow each other in the order of the processes, with the
//! counts of the program and [elements](crate::accelerate::element) of the same size.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::message::Message;
use crate::runtime::displacements::Displacements;

/// Blocks that can be packed.
pub(crate) struct Blocks<A: Abi> {
    pub list: List<A>,
    /// All of them in packed form.
    pub bytes: usize,
    /// One packed element; of the first block where they differ.
    pub element: A::Datatype,
    /// Where the blocks begin in the packed buffer, in the unit of the call.
    pub displacements: Displacements,
    /// The packed elements of each block, where they differ.
    pub datatypes: Vec<A::Datatype>,
}

/// Where they are.
pub(crate) enum List<A: Abi> {
    /// Equal parts of one message.
    Row(Row<A>),
    /// The blocks that are not empty.
    Each(Vec<Block<A>>),
}

/// Equal parts of one message.
pub(crate) struct Row<A: Abi> {
    pub message: Arc<Message<A>>,
    pub memory: *mut c_void,
    pub blocks: usize,
    /// From one block to the next, in bytes.
    pub step: i64,
    /// Packed bytes of one block.
    pub bytes: u64,
}

/// One that is not empty.
pub(crate) struct Block<A: Abi> {
    /// Of which process.
    pub index: usize,
    /// Its bytes are the first ones of this message.
    pub message: Arc<Message<A>>,
    pub memory: *mut c_void,
    pub bytes: u64,
    /// Where it begins in the packed buffer.
    pub at: usize,
}

/// Bytes to be moved between memory and the packed buffer.
pub(crate) struct Move<A: Abi> {
    pub message: Arc<Message<A>>,
    pub memory: *mut c_void,
    /// Of the packed bytes of the message.
    pub range: Range<u64>,
    /// Where the range lies in the packed buffer.
    pub at: usize,
}

/// Which blocks take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick<'s> {
    None,
    All,
    Only(usize),
    AllBut(usize),
    These(&'s [bool]),
}

impl Pick<'_> {
    fn takes(self, block: usize) -> bool {
        match self {
            Pick::None => false,
            Pick::All => true,
            Pick::Only(one) => block == one,
            Pick::AllBut(one) => block != one,
            Pick::These(blocks) => blocks.get(block).copied().unwrap_or(false),
        }
    }

    /// The blocks in runs of neighbours.
    fn runs(self, blocks: usize) -> Vec<Range<usize>> {
        if self == Pick::All {
            return std::iter::once(0..blocks).collect();
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for block in (0..blocks).filter(|&block| self.takes(block)) {
            match runs.last_mut() {
                Some(last) if last.end == block => last.end += 1,
                _ => runs.push(block..block + 1),
            }
        }
        runs
    }
}

impl<A: Abi> Blocks<A> {
    /// Length of the packed buffer.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where a block begins in memory; `None` where it is empty.
    pub fn address(&self, block: usize) -> Option<*mut c_void> {
        match &self.list {
            List::Row(row) => {
                let offset = row.step.checked_mul(i64::try_from(block).ok()?)?;
                Some(row.memory.wrapping_byte_offset(bytes(offset)?))
            }
            List::Each(list) => list.iter().find(|b| b.index == block).map(|b| b.memory),
        }
    }

    /// Why the library gets them as they are, where one of them is memory of a GPU: they need not
    /// be of one object.
    pub fn refused_by_gpu(&self, buffer: *const c_void) -> Option<&'static str> {
        match &self.list {
            List::Row(row) => row.message.refused_by_gpu(row.memory),
            // With MPI_BOTTOM the blocks have addresses of their own.
            List::Each(list) => list.iter().find_map(|block| {
                let memory = if buffer.is_null() { buffer } else { block.memory.cast_const() };
                block.message.refused_by_gpu(memory)
            }),
        }
    }

    /// The moves of the blocks that take part.
    pub fn moves(&self, pick: Pick) -> Option<Vec<Move<A>>> {
        match &self.list {
            List::Row(row) => pick
                .runs(row.blocks)
                .into_iter()
                .map(|run| {
                    let start = row.bytes.checked_mul(u64::try_from(run.start).ok()?)?;
                    let end = row.bytes.checked_mul(u64::try_from(run.end).ok()?)?;
                    Some(Move {
                        message: row.message.clone(),
                        memory: row.memory,
                        range: start..end,
                        at: usize::try_from(start).ok()?,
                    })
                })
                .collect(),
            List::Each(list) => Some(
                list.iter()
                    .filter(|block| pick.takes(block.index))
                    .map(|block| Move {
                        message: block.message.clone(),
                        memory: block.memory,
                        range: 0..block.bytes,
                        at: block.at,
                    })
                    .collect(),
            ),
        }
    }

    /// Counts this side as packed.
    pub fn count(&self) {
        match &self.list {
            List::Row(row) => row.message.tally.engine(row.message.size()),
            List::Each(list) => list.iter().for_each(|b| b.message.tally.engine(b.bytes)),
        }
    }

    /// Counts this side as left alone.
    pub fn count_native(&self, reason: &str) {
        match &self.list {
            List::Row(row) => row.message.tally.native(reason, row.message.size()),
            List::Each(list) => list.iter().for_each(|b| b.message.tally.native(reason, b.bytes)),
        }
    }
}

/// A displacement in bytes as Rust wants it.
pub(crate) fn bytes(n: i64) -> Option<isize> {
    isize::try_from(n).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "lists of ranges")]
    fn neighbouring_blocks_are_moved_together() {
        assert_eq!(Pick::All.runs(4), [0..4]);
        assert_eq!(Pick::AllBut(1).runs(4), [0..1, 2..4]);
        assert_eq!(Pick::AllBut(3).runs(4), [0..3]);
        assert_eq!(Pick::Only(2).runs(4), [2..3]);
        assert!(Pick::None.runs(4).is_empty());
        assert_eq!(Pick::These(&[true, true, false, true]).runs(4), [0..2, 3..4]);
    }
}
