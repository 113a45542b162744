//! Gathering one block of bytes per rank, of any lengths.

use std::ffi::{c_int, c_void};

use crate::abi::Abi;
use crate::error::MpiError;
use crate::mpi::Mpi;

/// Bytes of a block length on its way to the root.
const WIDTH: usize = size_of::<u64>();

impl<A: Abi> Mpi<A> {
    /// Gathers one block of bytes per rank at `root`. Collective over `comm`. The root gets the
    /// blocks in rank order, the others an empty list.
    ///
    /// The blocks go in rounds of `MPI_Gatherv`, each as large as C `int` displacements allow, so
    /// there is no limit on the lengths.
    ///
    /// # Errors
    /// As MPI.
    pub fn gather_bytes(
        &self,
        mine: &[u8],
        root: c_int,
        comm: A::Comm,
    ) -> Result<Vec<Vec<u8>>, MpiError> {
        let (rank, size) = (self.rank(comm)?, self.size(comm)?);
        let ranks = usize::try_from(size).unwrap_or(1).max(1);
        let most = usize::try_from(c_int::MAX).unwrap_or(usize::MAX) / ranks;

        let length = u64::try_from(mine.len()).unwrap_or(u64::MAX);
        let lengths = self.round(&length.to_ne_bytes(), &vec![WIDTH; ranks], rank, root, comm)?;
        let lengths: Vec<usize> = lengths
            .iter()
            .map(|bytes| bytes.as_slice().try_into().map_or(0, u64::from_ne_bytes))
            .map(|length| usize::try_from(length).unwrap_or(0))
            .collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let rounds = self.bcast_usize(longest.div_ceil(most), root, comm)?;

        let mut blocks = vec![Vec::new(); lengths.len()];
        for start in (0..rounds).map(|round| round * most) {
            let part = |length: usize| length.saturating_sub(start).min(most);
            let sizes: Vec<usize> = lengths.iter().map(|&length| part(length)).collect();
            let piece = &mine[start.min(mine.len())..][..part(mine.len())];
            for (block, more) in blocks.iter_mut().zip(self.round(piece, &sizes, rank, root, comm)?)
            {
                block.extend(more);
            }
        }
        Ok(blocks)
    }

    /// One `MPI_Gatherv`: `sizes[r]` bytes from each rank r (only looked at by the root), whose
    /// sum fits in an int.
    fn round(
        &self,
        mine: &[u8],
        sizes: &[usize],
        rank: c_int,
        root: c_int,
        comm: A::Comm,
    ) -> Result<Vec<Vec<u8>>, MpiError> {
        let int = |n: usize| c_int::try_from(n).unwrap_or(0);
        let sizes = if rank == root { sizes } else { &[] };
        let counts: Vec<c_int> = sizes.iter().map(|&n| int(n)).collect();
        let mut total = 0;
        let starts: Vec<usize> = sizes
            .iter()
            .map(|n| {
                total += n;
                total - n
            })
            .collect();
        let places: Vec<c_int> = starts.iter().map(|&n| int(n)).collect();
        let mut bytes = vec![0u8; total];
        let byte = self.handles.byte;
        // SAFETY: the root has room for `counts[r]` bytes at `places[r]` for every rank r; each
        // rank sends as many as it told the root before.
        let code = unsafe {
            (self.own.gatherv)(
                mine.as_ptr().cast::<c_void>(),
                int(mine.len()),
                byte,
                bytes.as_mut_ptr().cast(),
                counts.as_ptr(),
                places.as_ptr(),
                byte,
                root,
                comm,
            )
        };
        self.check("MPI_Gatherv", code)?;
        Ok(starts.iter().zip(sizes).map(|(&start, &n)| bytes[start..start + n].to_vec()).collect())
    }

    fn bcast_usize(&self, value: usize, root: c_int, comm: A::Comm) -> Result<usize, MpiError> {
        let mut bytes = value.to_ne_bytes();
        let count = c_int::try_from(bytes.len()).unwrap_or(0);
        // SAFETY: every rank has `count` writable bytes.
        let code = unsafe {
            (self.own.bcast)(bytes.as_mut_ptr().cast(), count, self.handles.byte, root, comm)
        };
        self.check("MPI_Bcast", code)?;
        Ok(usize::from_ne_bytes(bytes))
    }
}
