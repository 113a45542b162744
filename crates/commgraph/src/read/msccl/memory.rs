//! Where the chunks of the buffers lie in the memory of a graph.

use super::coll::Coll;
use super::syntax::{Algo, Buffer};
use crate::ids::Address;
use crate::number::at;

/// The memory of every GPU, a byte for each chunk: input, output, scratch, and what is on its way
/// through a fused step. With `inplace` input and output are one: the smaller is the part of the
/// larger that belongs to the GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Chunks of input, output and scratch that each GPU may name.
    sizes: Vec<[u64; 3]>,
    /// Where the output starts; the input starts at 0. In place both start at 0.
    output: u64,
    scratch: u64,
    passing: u64,
    /// Chunks that a step moves at most.
    widest: u64,
    /// Chunks that belong to one GPU, in place and where one buffer is a part of the other.
    part: Option<(Buffer, u64)>,
    in_place: bool,
}

/// Bytes between two buffers, so that they never touch.
const GAP: u64 = 1;

impl Memory {
    pub(super) fn of(algo: &Algo, coll: Coll) -> Memory {
        let (input, output) = coll.sizes(algo.chunks, algo.gpus);
        let known = |given: u64, derived: u64| if given > 0 { given } else { derived };
        let sizes: Vec<[u64; 3]> = algo
            .list
            .iter()
            .map(|gpu| [known(gpu.input, input), known(gpu.output, output), gpu.scratch])
            .collect();
        let largest = |k: usize| sizes.iter().map(|s| s[k]).max().unwrap_or(0);
        let block = algo.chunks / u64::from(algo.gpus);
        let part = match coll {
            Coll::Allgather | Coll::Gather => Some((Buffer::Input, block)),
            Coll::ReduceScatter | Coll::Scatter => Some((Buffer::Output, block)),
            _ => None,
        };
        // In place a part lies somewhere in the whole.
        let whole = largest(0).max(largest(1)) + part.map_or(0, |(_, n)| n * u64::from(algo.gpus));
        let output = if algo.in_place { 0 } else { largest(0) + GAP };
        let scratch = if algo.in_place { whole + GAP } else { output + largest(1) + GAP };
        let passing = scratch + largest(2) + GAP;
        let steps = algo.list.iter().flat_map(|g| &g.blocks).flat_map(|b| &b.steps);
        let widest = steps.map(|s| s.count).max().unwrap_or(0);
        Memory { sizes, output, scratch, passing, widest, part, in_place: algo.in_place }
    }

    /// How many chunks of a buffer a GPU may name.
    #[must_use]
    pub fn size(&self, gpu: u32, buffer: Buffer) -> u64 {
        let k = match buffer {
            Buffer::Input => 0,
            Buffer::Output => 1,
            Buffer::Scratch => 2,
        };
        self.sizes.get(at(gpu)).map_or(0, |sizes| sizes[k])
    }

    /// Where a chunk lies.
    #[must_use]
    pub fn address(&self, gpu: u32, buffer: Buffer, chunk: u64) -> Address {
        let start = match buffer {
            Buffer::Input => 0,
            Buffer::Output => self.output,
            Buffer::Scratch => self.scratch,
        };
        let own = match self.part {
            Some((part, block)) if self.in_place && part == buffer => u64::from(gpu) * block,
            _ => 0,
        };
        Address(start + own + chunk)
    }

    /// Where what is on its way through a fused step of a thread block lies; blocks are counted
    /// from 0 on.
    pub(super) fn passing(&self, block: u32) -> Address {
        Address(self.passing + u64::from(block) * (self.widest + GAP))
    }

    /// Which chunk lies at an address, if it is one of a GPU's buffers. In place it may have two
    /// names: this is the one in the larger buffer.
    #[must_use]
    pub fn chunk(&self, gpu: u32, address: Address) -> Option<(Buffer, u64)> {
        let small = self.part.filter(|_| self.in_place).map(|(buffer, _)| buffer);
        let mut buffers = vec![Buffer::Input, Buffer::Output, Buffer::Scratch];
        buffers.sort_by_key(|b| Some(*b) == small);
        buffers.into_iter().find_map(|buffer| {
            let start = self.address(gpu, buffer, 0);
            let chunk = address.0.checked_sub(start.0)?;
            (chunk < self.size(gpu, buffer)).then_some((buffer, chunk))
        })
    }

    /// A chunk in words, such as `input chunk 3`.
    #[must_use]
    pub fn name(&self, gpu: u32, address: Address) -> String {
        match self.chunk(gpu, address) {
            Some((Buffer::Input, k)) => format!("input chunk {k}"),
            Some((Buffer::Output, k)) => format!("output chunk {k}"),
            Some((Buffer::Scratch, k)) => format!("scratch chunk {k}"),
            None => "memory that is in no buffer".to_owned(),
        }
    }
}
