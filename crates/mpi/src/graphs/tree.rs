//! Gathering and handing out blocks of any lengths along a binomial tree: log2 p steps, and no
//! rank but the root holds more than its subtree.

use std::ffi::c_int;

use crate::abi::{Abi, Status};
use crate::error::MpiError;
use crate::mpi::Mpi;

use super::GraphsError;

/// The tag of these messages.
const TAG: c_int = 0;
/// Bytes of a number in a message.
const WIDTH: usize = size_of::<u64>();
/// Messages are cut into pieces of this size: a C integer holds it.
const PIECE: usize = 1 << 30;

/// A communicator, as the tree needs it.
pub(super) struct Tree<'m, A: Abi> {
    pub mpi: &'m Mpi<A>,
    pub comm: A::Comm,
    pub rank: usize,
    pub size: usize,
}

impl<A: Abi> Tree<'_, A> {
    /// One block of each rank comes to rank 0; the others get nothing. Collective.
    pub(super) fn gather(&self, mine: Vec<u8>) -> Result<Vec<Vec<u8>>, GraphsError> {
        let mut blocks = vec![mine];
        for step in self.steps() {
            if self.rank & step != 0 {
                self.send(&framed(&blocks), self.rank - step)?;
                return Ok(Vec::new());
            }
            if self.rank + step < self.size {
                let from = self.rank + step;
                blocks.extend(unframed(&self.receive(from)?, from)?);
            }
        }
        Ok(blocks)
    }

    /// The blocks of rank 0, one for each rank, go to where they belong. Collective.
    pub(super) fn scatter(&self, blocks: Vec<Vec<u8>>) -> Result<Vec<u8>, GraphsError> {
        let mut blocks = blocks;
        let steps: Vec<usize> = self.steps().collect();
        for step in steps.into_iter().rev() {
            if self.rank.is_multiple_of(2 * step) && self.rank + step < self.size {
                let theirs = blocks.split_off(step.min(blocks.len()));
                self.send(&framed(&theirs), self.rank + step)?;
            } else if self.rank % (2 * step) == step {
                let from = self.rank - step;
                blocks = unframed(&self.receive(from)?, from)?;
            }
        }
        let garbled = GraphsError::Garbled { rank: 0, reason: "no block".to_owned() };
        blocks.into_iter().next().ok_or(garbled)
    }

    /// 1, 2, 4, ... below the size.
    fn steps(&self) -> impl Iterator<Item = usize> + use<A> {
        let size = self.size;
        std::iter::successors(Some(1_usize), |step| step.checked_mul(2))
            .take_while(move |step| *step < size)
    }

    fn send(&self, bytes: &[u8], to: usize) -> Result<(), MpiError> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_ne_bytes();
        self.send_piece(&length, to)?;
        bytes.chunks(PIECE).try_for_each(|piece| self.send_piece(piece, to))
    }

    /// Sends at most [`PIECE`] bytes.
    pub(super) fn send_piece(&self, piece: &[u8], to: usize) -> Result<(), MpiError> {
        let (from, count, to) = (piece.as_ptr().cast(), int(piece.len()), int(to));
        let byte = self.mpi.handles.byte;
        // SAFETY: `count` bytes can be read there; the communicator is ours.
        let code = unsafe { (self.mpi.own.send)(from, count, byte, to, TAG, self.comm) };
        self.mpi.check("MPI_Send", code)
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, MpiError> {
        let mut length = [0; WIDTH];
        self.receive_piece(&mut length, from)?;
        let length = usize::try_from(u64::from_ne_bytes(length)).unwrap_or(0);
        let mut bytes = vec![0; length];
        for piece in bytes.chunks_mut(PIECE) {
            self.receive_piece(piece, from)?;
        }
        Ok(bytes)
    }

    /// Receives as many bytes as there is room for.
    pub(super) fn receive_piece(&self, piece: &mut [u8], from: usize) -> Result<(), MpiError> {
        let (count, from) = (int(piece.len()), int(from));
        let byte = self.mpi.handles.byte;
        let mut status = A::Status::empty();
        let (to, status) = (piece.as_mut_ptr().cast(), &raw mut status);
        // SAFETY: `count` bytes can be written there; the communicator is ours.
        let code = unsafe { (self.mpi.own.recv)(to, count, byte, from, TAG, self.comm, status) };
        self.mpi.check("MPI_Recv", code)
    }
}

/// A rank or the length of a piece: both fit.
fn int(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// Blocks one after the other, each behind its length.
fn framed(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blocks.iter().map(|block| block.len() + WIDTH).sum());
    for block in blocks {
        bytes.extend(u64::try_from(block.len()).unwrap_or(u64::MAX).to_ne_bytes());
        bytes.extend(block);
    }
    bytes
}

fn unframed(mut bytes: &[u8], from: usize) -> Result<Vec<Vec<u8>>, GraphsError> {
    let mut blocks = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<WIDTH>() {
        let length = usize::try_from(u64::from_ne_bytes(*length)).ok();
        let parts = length.and_then(|length| rest.split_at_checked(length));
        let Some((block, rest)) = parts else {
            let reason = "a block is longer than its message".to_owned();
            return Err(GraphsError::Garbled { rank: from, reason });
        };
        blocks.push(block.to_vec());
        bytes = rest;
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_out_as_they_went_in() {
        let blocks = vec![vec![1, 2, 3], Vec::new(), vec![4]];
        assert_eq!(unframed(&framed(&blocks), 0), Ok(blocks.clone()));
        let mut cut = framed(&blocks);
        cut.pop();
        assert!(unframed(&cut, 3).unwrap_err().to_string().contains("rank 3"));
    }
}
