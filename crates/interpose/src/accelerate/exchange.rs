//! A collective under way in packed form: what is packed before the library runs it, and unpacked
//! after it has.

use std::ffi::c_void;

use commloom_mpi::Abi;

use crate::accelerate::blocks::{Blocks, Move, Pick};
use crate::accelerate::engine::Engine;
use crate::runtime::pool::Buffer;

/// The part of one side in a collective: how many blocks it has, and which of them are packed
/// before and unpacked after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role<'s> {
    pub blocks: usize,
    pub before: Pick<'s>,
    pub after: Pick<'s>,
}

/// One side in packed form.
pub(crate) struct Side<A: Abi> {
    blocks: Blocks<A>,
    buffer: Buffer,
    before: Vec<Move<A>>,
    after: Vec<Move<A>>,
}

// SAFETY: the pointers in it are only used by whoever starts or completes the collective, which
// MPI allows in one thread at a time.
unsafe impl<A: Abi> Send for Side<A> {}

/// Both sides; a side that is not there goes to the library as the program gave it.
pub(crate) struct Exchange<A: Abi> {
    pub send: Option<Side<A>>,
    pub receive: Option<Side<A>>,
}

impl<A: Abi> Side<A> {
    /// `None` where there is no memory for it, or what is received may overlap.
    pub fn new(engine: &Engine<A>, blocks: Blocks<A>, role: Role) -> Option<Self> {
        let (before, after) = (blocks.moves(role.before)?, blocks.moves(role.after)?);
        if let Some(reason) = after.iter().find_map(|m| m.message.refused_by_overlap()) {
            blocks.count_native(reason);
            return None;
        }
        let Some(buffer) = engine.pool.get(blocks.bytes()) else {
            blocks.count_native("no memory");
            return None;
        };
        Some(Side { blocks, buffer, before, after })
    }

    /// # Safety
    /// The program's blocks can be read.
    unsafe fn pack(&mut self) -> Option<()> {
        for m in &self.before {
            let packed = self.buffer.as_mut_slice().get_mut(m.at..)?;
            // SAFETY: the blocks can be read.
            unsafe { m.message.pack_range(m.memory, packed, m.range.clone())? };
        }
        Some(())
    }

    /// # Safety
    /// The program's blocks can be written.
    unsafe fn unpack(&self) -> Option<()> {
        for m in &self.after {
            let packed = self.buffer.as_slice().get(m.at..)?;
            // SAFETY: the blocks can be written.
            unsafe { m.message.unpack_range(m.memory, packed, m.range.clone())? };
        }
        Some(())
    }

    /// Where the library finds the packed blocks, and what they are.
    pub fn packed(&mut self) -> (*mut c_void, &Blocks<A>) {
        (self.buffer.as_mut_slice().as_mut_ptr().cast(), &self.blocks)
    }
}

impl<A: Abi> Exchange<A> {
    /// Packs what this process sends, before the library begins. `None` where our own code failed.
    ///
    /// # Safety
    /// As the MPI call: what it sends can be read; the library does not use the packed bytes.
    pub unsafe fn pack(&mut self) -> Option<()> {
        for side in [&mut self.send, &mut self.receive].into_iter().flatten() {
            // SAFETY: what is sent can be read. Of the receiving side only blocks that are sent
            // too are packed.
            unsafe { side.pack()? };
        }
        Some(())
    }

    /// Whether memory of the program on one of the sides is a GPU's.
    pub fn is_refused_by_gpu(&self) -> bool {
        let moves = |side: &Side<A>| {
            let all = side.before.iter().chain(&side.after);
            all.map(|m| m.message.refused_by_gpu(m.memory)).any(|reason| reason.is_some())
        };
        [&self.send, &self.receive].into_iter().flatten().any(moves)
    }

    /// Counts a collective that goes through the engine.
    pub fn count(&self) {
        for side in [&self.send, &self.receive].into_iter().flatten() {
            side.blocks.count();
        }
    }

    /// Puts what arrived where it belongs.
    ///
    /// # Safety
    /// The collective has succeeded, and what it receives into can be written.
    pub unsafe fn unpack(&self) {
        if let Some(side) = &self.receive {
            // SAFETY: the receive buffer can be written. A failure of ours is counted; there is
            // nobody else to unpack.
            unsafe { side.unpack() };
        }
    }

    /// Gives the buffers back.
    pub fn done(self, engine: &Engine<A>) {
        for side in [self.send, self.receive].into_iter().flatten() {
            engine.pool.put(side.buffer);
        }
    }
}
