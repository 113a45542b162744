//! One side of a collective: blocks of memory, one for each process, and where each of them goes in
//! the packed buffer.
//!
//! Three kinds of arguments describe them in MPI ([`Equal`], [`Varying`], [`Typed`]); all become
//! [`Blocks`]. In packed form the blocks follow each other in the order of the processes, with the
//! counts of the program and [elements](crate::element) of the same size.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use commloom_mpi::Abi;

use crate::count::Integer;
use crate::displacements::{Displacement, Displacements};
use crate::message::{Message, Purpose};
use crate::record::{Found, Waiting};
use crate::state::Preload;

/// What is known of the arguments of one side.
pub(crate) enum Look<A: Abi> {
    /// They are to be passed on.
    Nothing,
    /// The same, this time.
    Unseen(Waiting<A>),
    /// They can be packed.
    Blocks(Blocks<A>),
}

/// The arguments of one side of a collective, as the program gave them.
pub(crate) trait Arguments<A: Abi>: Copy {
    /// The address of the buffer, perhaps `MPI_IN_PLACE`.
    fn buffer(&self) -> *mut c_void;

    /// Whether a glance says that nothing is to be done.
    fn are_plain(&self, state: &Preload<A>) -> bool;

    /// Looks at the arguments, which describe so many blocks.
    ///
    /// # Safety
    /// As the MPI call: its lists are as long as that.
    unsafe fn look(&self, state: &'static Preload<A>, blocks: usize, purpose: Purpose) -> Look<A>;

    /// The arguments for a packed buffer that holds these blocks.
    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self;
}

/// Blocks of equal count, one after the other: buffer, count, datatype.
#[derive(Debug, Clone, Copy)]
pub struct Equal<A: Abi, N> {
    /// Where the first block begins.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub count: N,
    /// Their datatype.
    pub datatype: A::Datatype,
}

/// Blocks of any counts at any multiple of the extent: buffer, counts, displacements, datatype.
#[derive(Debug, Clone, Copy)]
pub struct Varying<A: Abi, N, D> {
    /// What the displacements are relative to.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub counts: *const N,
    /// Where each block begins, in extents of the datatype.
    pub displacements: *const D,
    /// The datatype of all elements.
    pub datatype: A::Datatype,
}

/// Blocks of any datatypes at any displacement: buffer, counts, displacements, datatypes.
#[derive(Debug, Clone, Copy)]
pub struct Typed<A: Abi, N, D> {
    /// What the displacements are relative to.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub counts: *const N,
    /// Where each block begins, in bytes.
    pub displacements: *const D,
    /// The datatype of the elements of each block.
    pub datatypes: *const A::Datatype,
}

/// Blocks that can be packed.
pub(crate) struct Blocks<A: Abi> {
    list: List<A>,
    /// All of them in packed form.
    bytes: usize,
    /// One packed element; of the first block where they differ.
    element: A::Datatype,
    /// Where the blocks begin in the packed buffer, in the unit of the call.
    displacements: Displacements,
    /// The packed elements of each block, where they differ.
    datatypes: Vec<A::Datatype>,
}

enum List<A: Abi> {
    /// Equal parts of one message.
    Row(Row<A>),
    /// The blocks that are not empty.
    Each(Vec<Block<A>>),
}

struct Row<A: Abi> {
    message: Arc<Message<A>>,
    memory: *mut c_void,
    blocks: usize,
    /// From one block to the next, in bytes.
    step: i64,
    /// Packed bytes of one block.
    bytes: u64,
}

struct Block<A: Abi> {
    /// Of which process.
    index: usize,
    /// Its bytes are the first ones of this message.
    message: Arc<Message<A>>,
    memory: *mut c_void,
    bytes: u64,
    /// Where it begins in the packed buffer.
    at: usize,
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

    /// Why the library gets them as they are, where one of them is memory of a GPU: they need not be of one
    /// object.
    fn refused_by_gpu(&self, buffer: *const c_void) -> Option<&'static str> {
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
fn bytes(n: i64) -> Option<isize> {
    isize::try_from(n).ok()
}

/// The message of `count` elements, for a collective.
fn find<A: Abi>(
    state: &'static Preload<A>,
    datatype: A::Datatype,
    count: i64,
    purpose: Purpose,
) -> Found<A> {
    // The library reports the null handle; asking about it would report it as an error of ours.
    if count <= 0 || state.is_plain(datatype) || datatype == state.mpi().handles.datatype_null {
        return Found::Nothing;
    }
    let epoch = state.epoch.load(Ordering::Acquire);
    let found = state.message(datatype, count, purpose);
    if matches!(found, Found::Nothing) {
        state.note_plain(datatype, epoch);
    }
    found
}

/// Looks where a message may be missing: what comes out of the block is passed on.
macro_rules! message_or_return {
    ($found:expr) => {
        match $found {
            Found::This(message) => message,
            Found::NotYet(waiting) => return Some(Look::Unseen(waiting)),
            Found::Nothing | Found::Unknown => return None,
        }
    };
}

const NO_FASTER: &str = "expected to be no faster in a collective";
const NO_BUFFER: &str = "no buffer";

/// No side at all: the other one of `MPI_Bcast`.
impl<A: Abi> Arguments<A> for () {
    fn buffer(&self) -> *mut c_void {
        std::ptr::null_mut()
    }

    fn are_plain(&self, _state: &Preload<A>) -> bool {
        true
    }

    unsafe fn look(&self, _: &'static Preload<A>, _: usize, _: Purpose) -> Look<A> {
        Look::Nothing
    }

    fn packed(&self, _buffer: *mut c_void, _blocks: &Blocks<A>) -> Self {}
}

impl<A: Abi, N: Integer> Arguments<A> for Equal<A, N> {
    fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    fn are_plain(&self, state: &Preload<A>) -> bool {
        state.is_plain(self.datatype)
    }

    unsafe fn look(&self, state: &'static Preload<A>, blocks: usize, purpose: Purpose) -> Look<A> {
        self.find(state, blocks, purpose).unwrap_or(Look::Nothing)
    }

    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self {
        Equal { buffer, datatype: blocks.element, ..*self }
    }
}

impl<A: Abi, N: Integer> Equal<A, N> {
    fn find(&self, state: &'static Preload<A>, blocks: usize, purpose: Purpose) -> Option<Look<A>> {
        let all = self.count.wide().checked_mul(i64::try_from(blocks).ok()?)?;
        let message = message_or_return!(find(state, self.datatype, all, purpose));
        let parts = u64::try_from(blocks).ok()?;
        let reason = match () {
            () if !message.takes(self.buffer) => Some(NO_BUFFER),
            () if !message.packs_in_collective(parts, purpose) => Some(NO_FASTER),
            () => message.refused_by_gpu(self.buffer),
        };
        if let Some(reason) = reason {
            message.tally.native(reason, message.size());
            return None;
        }
        Some(Look::Blocks(Blocks {
            bytes: message.bytes(),
            element: message.element.handle()?,
            displacements: Displacements::None,
            datatypes: Vec::new(),
            list: List::Row(Row {
                step: message.extent.checked_mul(self.count.wide())?,
                bytes: message.size() / parts,
                message,
                memory: self.buffer,
                blocks,
            }),
        }))
    }
}

/// A list that the program gave, of which a call reads so many.
///
/// # Safety
/// It is that long, unless it is null.
unsafe fn list<'l, T>(start: *const T, length: usize) -> Option<&'l [T]> {
    // SAFETY: passed on.
    (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start, length) })
}

impl<A: Abi, N: Integer, D: Displacement> Arguments<A> for Varying<A, N, D> {
    fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    fn are_plain(&self, state: &Preload<A>) -> bool {
        state.is_plain(self.datatype)
    }

    unsafe fn look(&self, state: &'static Preload<A>, blocks: usize, purpose: Purpose) -> Look<A> {
        // SAFETY: passed on.
        unsafe { self.find(state, blocks, purpose) }.unwrap_or(Look::Nothing)
    }

    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self {
        Varying {
            buffer,
            displacements: blocks.displacements.as_ptr(),
            datatype: blocks.element,
            ..*self
        }
    }
}

impl<A: Abi, N: Integer, D: Displacement> Varying<A, N, D> {
    /// All blocks are the beginnings of one message, the longest: of a power of two, so that it is
    /// the same one when counts change a little.
    unsafe fn find(
        &self,
        state: &'static Preload<A>,
        blocks: usize,
        purpose: Purpose,
    ) -> Option<Look<A>> {
        // SAFETY: passed on.
        let (counts, places) =
            unsafe { (list(self.counts, blocks)?, list(self.displacements, blocks)?) };
        let counts: Vec<u64> =
            counts.iter().map(|n| u64::try_from(n.wide()).ok()).collect::<Option<_>>()?;
        let longest = counts.iter().max()?.checked_next_power_of_two()?;
        let message =
            message_or_return!(find(state, self.datatype, i64::try_from(longest).ok()?, purpose));
        let size = message.size() / longest;
        let (mut each, mut displacements, mut sum) = (Vec::new(), Vec::new(), 0u64);
        let mut lowest = i64::MAX;
        for (index, (&count, place)) in counts.iter().zip(places).enumerate() {
            displacements.push(D::narrow(i64::try_from(sum).ok()?)?);
            if count == 0 {
                continue;
            }
            let offset = place.wide().checked_mul(message.extent)?;
            lowest = lowest.min(offset);
            each.push(Block {
                index,
                message: message.clone(),
                memory: self.buffer.wrapping_byte_offset(bytes(offset)?),
                bytes: count.checked_mul(size)?,
                at: usize::try_from(sum.checked_mul(size)?).ok()?,
            });
            sum = sum.checked_add(count)?;
        }
        if each.is_empty() {
            return None;
        }
        let blocks = Blocks {
            bytes: usize::try_from(sum.checked_mul(size)?).ok()?,
            element: message.element.handle()?,
            displacements: D::keep(displacements),
            datatypes: Vec::new(),
            list: List::Each(each),
        };
        let reason = match () {
            () if !message.takes_at(self.buffer, lowest) => Some(NO_BUFFER),
            () if !message.packs_in_collective(1, purpose) => Some(NO_FASTER),
            () => message.refused_by_gpu_at(self.buffer, lowest),
        };
        if let Some(reason) = reason {
            blocks.count_native(reason);
            return None;
        }
        Some(Look::Blocks(blocks))
    }
}

impl<A: Abi, N: Integer, D: Displacement> Arguments<A> for Typed<A, N, D> {
    fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    fn are_plain(&self, _state: &Preload<A>) -> bool {
        false
    }

    unsafe fn look(&self, state: &'static Preload<A>, blocks: usize, purpose: Purpose) -> Look<A> {
        // SAFETY: passed on.
        unsafe { self.find(state, blocks, purpose) }.unwrap_or(Look::Nothing)
    }

    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self {
        Typed {
            buffer,
            counts: self.counts,
            displacements: blocks.displacements.as_ptr(),
            datatypes: blocks.datatypes.as_ptr(),
        }
    }
}

/// Blocks of different datatypes begin at multiples of this many bytes of the packed buffer.
const ALIGNMENT: usize = 16;

impl<A: Abi, N: Integer, D: Displacement> Typed<A, N, D> {
    unsafe fn find(
        &self,
        state: &'static Preload<A>,
        blocks: usize,
        purpose: Purpose,
    ) -> Option<Look<A>> {
        // SAFETY: passed on.
        let (counts, places, datatypes) = unsafe {
            (
                list(self.counts, blocks)?,
                list(self.displacements, blocks)?,
                list(self.datatypes, blocks)?,
            )
        };
        let (mut each, mut displacements) = (Vec::new(), Vec::new());
        let mut packed = datatypes.to_vec();
        let (mut end, mut all, mut pays) = (0usize, 0u64, 0u64);
        for (index, ((count, place), &datatype)) in
            counts.iter().zip(places).zip(datatypes).enumerate()
        {
            let at = end.checked_next_multiple_of(ALIGNMENT)?;
            displacements.push(D::narrow(i64::try_from(at).ok()?)?);
            if count.wide() == 0 {
                continue;
            }
            let message = message_or_return!(find(state, datatype, count.wide(), purpose));
            if !message.takes_at(self.buffer, place.wide()) {
                message.tally.native(NO_BUFFER, message.size());
                return None;
            }
            packed[index] = message.element.handle()?;
            end = at.checked_add(message.bytes())?;
            all = all.checked_add(message.size())?;
            pays += if message.packs_in_collective(1, purpose) { message.size() } else { 0 };
            each.push(Block {
                index,
                memory: self.buffer.wrapping_byte_offset(bytes(place.wide())?),
                bytes: message.size(),
                at,
                message,
            });
        }
        if each.is_empty() {
            return None;
        }
        let blocks = Blocks {
            bytes: end,
            element: *packed.first()?,
            displacements: D::keep(displacements),
            datatypes: packed,
            list: List::Each(each),
        };
        // All blocks have to be packed, also those that are contiguous.
        if pays < all / 2 || pays == 0 {
            blocks.count_native(NO_FASTER);
            return None;
        }
        if let Some(reason) = blocks.refused_by_gpu(self.buffer) {
            blocks.count_native(reason);
            return None;
        }
        Some(Look::Blocks(blocks))
    }
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
