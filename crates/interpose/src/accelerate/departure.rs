//! The buffer from which the library sends packed bytes.

use std::ffi::c_void;
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::engine::Engine;
use crate::accelerate::message::Message;
use crate::runtime::pool::Buffer;

/// A buffer for packed bytes, and where they come from.
pub(crate) struct Departure<A: Abi> {
    packed: Buffer,
    message: Arc<Message<A>>,
    buffer: *const c_void,
}

// SAFETY: the pointer is only read through by whoever starts the send, which MPI allows in any one
// thread.
unsafe impl<A: Abi> Send for Departure<A> {}

impl<A: Abi> Departure<A> {
    /// Room for a message of the program.
    pub fn new(packed: Buffer, message: Arc<Message<A>>, buffer: *const c_void) -> Self {
        Departure { packed, message, buffer }
    }

    pub fn message(&self) -> &Message<A> {
        &self.message
    }

    /// Where the library sends from.
    pub fn place(&self) -> *const c_void {
        self.packed.as_slice().as_ptr().cast()
    }

    /// Whether the program's buffer is memory of a GPU.
    pub fn is_refused_by_gpu(&self) -> bool {
        self.message.refused_by_gpu(self.buffer).is_some()
    }

    /// Packs what is in the program's buffer now. `None` where that failed.
    ///
    /// # Safety
    /// The program's buffer can be read; the library does not use the packed bytes.
    pub unsafe fn pack(&mut self) -> Option<()> {
        // SAFETY: the buffer can be read; the packed bytes are ours until the library gets them.
        unsafe { self.message.pack(self.buffer, self.packed.as_mut_slice()) }?;
        self.message.tally.engine(self.message.size());
        Some(())
    }

    /// Gives the buffer back.
    pub fn done(self, engine: &Engine<A>) {
        engine.pool.put(self.packed);
    }
}
