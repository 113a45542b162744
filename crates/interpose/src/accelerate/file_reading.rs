//! The buffer into which the library reads packed bytes of a file, until they are where they
//! belong.

use std::ffi::c_void;
use std::sync::Arc;

use commloom_mpi::{Abi, Offset};

use crate::accelerate::engine::Engine;
use crate::accelerate::message::Message;
use crate::runtime::pool::Buffer;

/// Stands in the last byte of the packed memory before a blocking read. Where it still stands
/// there, the read may have come short, whatever its status says.
const MARK: u8 = 0x9d;

/// A read into a buffer for packed bytes, and where they belong.
pub(crate) struct FileReading<A: Abi> {
    pub packed: Buffer,
    pub message: Arc<Message<A>>,
    pub buffer: *mut c_void,
    /// Of a blocking read: where it can be made again.
    pub from: Option<ReadsFrom>,
}

// SAFETY: the pointer is only written through by whoever ends the read, which MPI allows in any
// one thread.
unsafe impl<A: Abi> Send for FileReading<A> {}

/// Where a blocking read begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadsFrom {
    /// At an offset that the program gave.
    Explicit(Offset),
    /// At the individual file pointer, which stands there.
    Individual(Offset),
}

impl<A: Abi> FileReading<A> {
    /// The first bytes have arrived: as many as the status says.
    ///
    /// # Safety
    /// The library has let go of the packed bytes; the program's buffer can be written.
    pub unsafe fn arrived(&self, engine: &Engine<A>, status: &A::Status) {
        let bytes = engine.mpi().status_bytes(status).ok().flatten();
        // SAFETY: the packed buffer holds all bytes, those that did not arrive as the program has
        // them; its own buffer is the caller's promise.
        unsafe {
            self.message.unpack(self.buffer, self.packed.as_slice(), bytes.unwrap_or(u64::MAX))
        };
    }

    /// The read is complete, and nobody knows how long it was.
    ///
    /// # Safety
    /// As for [`FileReading::arrived`].
    pub unsafe fn all_arrived(&self) {
        // SAFETY: the packed buffer holds all bytes, those that did not arrive as the program has
        // them or none; its own buffer is the caller's promise.
        unsafe { self.message.unpack(self.buffer, self.packed.as_slice(), u64::MAX) };
    }

    /// Where the library reads to.
    pub fn place(&mut self) -> *mut c_void {
        self.packed.as_mut_slice().as_mut_ptr().cast()
    }

    /// Gives the buffer back.
    pub fn done(self, engine: &Engine<A>) {
        engine.pool.put(self.packed);
    }

    /// Its last byte.
    fn last(&mut self) -> Option<&mut u8> {
        let last = self.message.bytes().checked_sub(1)?;
        self.packed.as_mut_slice().get_mut(last)
    }

    /// Before the library gets the buffer. `None` where our own code failed.
    ///
    /// # Safety
    /// The program's buffer can be read.
    pub unsafe fn prepare(&mut self) -> Option<()> {
        if self.from.is_some() {
            *self.last()? = MARK;
            return Some(());
        }
        // SAFETY: the buffer is the caller's promise.
        unsafe { self.message.pack(self.buffer, self.packed.as_mut_slice()) }
    }

    /// Whether the last byte has surely arrived.
    pub fn has_last(&mut self) -> bool {
        self.last().is_some_and(|last| *last != MARK)
    }
}
