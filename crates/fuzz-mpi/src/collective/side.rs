//! The data that a rank sends or receives: blocks of elements in one buffer.

use std::fmt::Write as _;

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use super::which::Places;
use crate::memory::Memory;
use crate::number::wide;
use crate::specimen::Specimen;

/// The blocks in the send buffer or in the receive buffer of a rank.
pub struct Side<'p, A: Abi> {
    pub blocks: Vec<CollectiveBlock<'p, A>>,
}

/// One block.
pub struct CollectiveBlock<'p, A: Abi> {
    pub specimen: &'p Specimen<A>,
    pub count: u64,
    /// In extents, or in bytes where blocks have types of their own.
    pub displacement: i64,
    /// Displacements of the bytes, in packed order.
    pub places: Vec<i64>,
}

/// The two buffers of a rank.
pub struct CollectiveBuffers {
    pub send: Memory,
    pub recv: Memory,
}

/// Farthest byte from the start of a buffer.
const FAR: i64 = 4 << 20;

impl<'p, A: Abi> Side<'p, A> {
    /// Places for so many elements of each block; `None` where bytes would be received over
    /// others, or far away.
    pub fn new(
        rng: &mut Rng,
        places: Places,
        specimens: Vec<&'p Specimen<A>>,
        elements: &[u64],
        receives: bool,
    ) -> Option<Self> {
        let mut at = if places == Places::Regular { 0 } else { rng.i64(-3..4) };
        let scattered = !receives && rng.bool();
        let mut blocks = Vec::new();
        for (specimen, &elements) in specimens.into_iter().zip(elements) {
            // Any number of elements without data has the right signature.
            let count = elements.checked_div(specimen.layout.elements()).unwrap_or(1);
            let (displacement, start) = match places {
                Places::Regular => (at, at * specimen.layout.extent()),
                Places::Listed => {
                    at = if scattered { rng.i64(-5..20) } else { at + rng.i64(0..3) };
                    (at, at * specimen.layout.extent())
                }
                Places::Typed => {
                    at = if scattered { rng.i64(-50..400) } else { at + rng.i64(0..40) };
                    // No byte of the block before this one.
                    let low = specimen.places(count, 0).into_iter().min().unwrap_or(0);
                    (at - low, at - low)
                }
            };
            let bytes = specimen.places(count, start);
            if bytes.iter().any(|b| b.abs() > FAR) {
                return None;
            }
            at = match places {
                Places::Typed => bytes.iter().max().map_or(at, |&last| last + 1),
                _ => at + wide(count),
            };
            blocks.push(CollectiveBlock { specimen, count, displacement, places: bytes });
        }
        let mut bytes: Vec<i64> = blocks.iter().flat_map(|b| b.places.iter().copied()).collect();
        bytes.sort_unstable();
        let overlap = bytes.windows(2).any(|w| w[0] == w[1]);
        (!receives || !overlap).then_some(Side { blocks })
    }

    /// Moves blocks with types of their own so far behind those of another side that all can be in
    /// one array.
    pub fn follow(&mut self, rng: &mut Rng, other: &Side<A>) {
        let places = |side: &Side<A>| {
            let all = side.blocks.iter().flat_map(|b| b.places.iter().copied());
            all.fold((i64::MAX, i64::MIN), |(low, high), at| (low.min(at), high.max(at)))
        };
        let ((low, _), (_, end)) = (places(self), places(other));
        if low > end {
            return;
        }
        let distance = end - low + rng.i64(1..40);
        for block in &mut self.blocks {
            block.displacement += distance;
            block.places.iter_mut().for_each(|place| *place += distance);
        }
    }

    /// A buffer for all blocks, and those of another side.
    pub fn memory(&self, other: Option<&Side<A>>, seed: u64) -> Memory {
        let all = self.blocks.iter().chain(other.into_iter().flat_map(|side| &side.blocks));
        Memory::holding(all.map(|b| b.places.as_slice()), seed)
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("{} blocks", self.blocks.len());
        for b in &self.blocks {
            let (count, at) = (b.count, b.displacement);
            let _ = write!(text, "\n      {count} elements at {at} of {}", b.specimen.text);
        }
        text
    }
}
