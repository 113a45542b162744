//! The buffer into which the library receives packed bytes, until they are where they belong.

use std::ffi::c_void;
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::engine::Engine;
use crate::accelerate::message::Message;
use crate::runtime::outcome::{Cut, Outcome, When};
use crate::runtime::pool::Buffer;

/// Packed bytes on their way, and where they belong.
pub(crate) struct Landing<A: Abi> {
    packed: Buffer,
    message: Arc<Message<A>>,
    buffer: *mut c_void,
    /// Of the receive; a matched message does not name it.
    comm: Option<A::Comm>,
    content: Content,
    /// The program has its bytes already.
    delivered: bool,
    /// Neighbours are told which message it was.
    is_any: bool,
}

/// Content of the packed buffer before anything arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// [`MARK`] at both ends.
    Marked,
    /// The data of the program's buffer, which the same call sends.
    Sent,
    /// The same, and perhaps more was written behind it than it has room for.
    Overrun,
}

/// Stands at both ends of a packed buffer before a receive. After a message that was too long,
/// libraries do not say whether they have filled the buffer (Open MPI does, MPICH with UCX does
/// not, MPICH 5 does for some): where both marks are gone, they have.
const MARK: [u8; 8] = [0x9d, 0x3b, 0xe1, 0x57, 0xc6, 0x28, 0xf4, 0x8a];

// SAFETY: the pointer is only written through by whoever completes the request, which MPI allows
// in any one thread.
unsafe impl<A: Abi> Send for Landing<A> {}

impl<A: Abi> Landing<A> {
    /// Room for the message, which the library is about to receive. With the marks.
    pub fn new(
        packed: Buffer,
        message: Arc<Message<A>>,
        buffer: *mut c_void,
        comm: Option<A::Comm>,
    ) -> Self {
        let content = Content::Marked;
        let (delivered, is_any) = (false, false);
        let mut landing = Landing { packed, message, buffer, comm, content, delivered, is_any };
        landing.mark();
        landing
    }

    /// Where the library receives to.
    pub fn place(&mut self) -> *mut c_void {
        self.packed.as_mut_slice().as_mut_ptr().cast()
    }

    /// Packs what the same call sends from the program's buffer. `None` where that failed.
    ///
    /// # Safety
    /// The program's buffer can be read.
    pub unsafe fn pack(&mut self) -> Option<()> {
        self.content = Content::Sent;
        // SAFETY: the buffer is the caller's promise.
        unsafe { self.message.pack(self.buffer, self.packed.as_mut_slice()) }
    }

    /// Whether the program's buffer is memory of a GPU.
    pub fn is_refused_by_gpu(&self) -> bool {
        self.message.refused_by_gpu(self.buffer).is_some()
    }

    /// Neighbours want to know which message it will have been.
    pub fn takes_any(&mut self) {
        self.is_any = true;
    }

    /// The communicator of a receive that may have got any message.
    pub fn any(&self) -> Option<A::Comm> {
        self.comm.filter(|_| self.is_any)
    }

    /// Counts a message that goes through the engine.
    pub fn count(&self) {
        self.message.tally.engine(self.message.size());
    }

    /// Before the library receives into the packed buffer: sets the marks.
    pub fn mark(&mut self) {
        self.delivered = false;
        self.content = Content::Marked;
        let (bytes, packed) = (self.message.bytes(), self.packed.as_mut_slice());
        let length = MARK.len().min(bytes);
        packed[..length].copy_from_slice(&MARK[..length]);
        packed[bytes - length..bytes].copy_from_slice(&MARK[..length]);
    }

    /// Whether the library has written the packed buffer from its first to its last byte.
    fn is_filled(&self) -> bool {
        let (bytes, packed) = (self.message.bytes(), self.packed.as_slice());
        let mark = &MARK[..MARK.len().min(bytes)];
        packed[..mark.len()] != *mark && packed[bytes - mark.len()..bytes] != *mark
    }

    /// The receive is over: puts what arrived where it belongs. Tells whether the library would
    /// call it an error that succeeded in packed form.
    ///
    /// # Safety
    /// The receive has ended like this, and the program's buffer can be written.
    pub unsafe fn ended(
        &mut self,
        engine: &Engine<A>,
        outcome: &Outcome<A::Status>,
    ) -> Option<Cut<A>> {
        match outcome {
            // SAFETY: complete with this status; the buffer is the caller's promise.
            Outcome::Arrived(status) => unsafe { self.arrived(engine, status) },
            Outcome::Truncated => {
                // SAFETY: the library has let go of the packed bytes; the buffer is the caller's
                // promise.
                unsafe { self.truncated() };
                None
            }
            Outcome::Failed => None,
        }
    }

    /// The message was too long. Its beginning is delivered where the library has left it.
    ///
    /// # Safety
    /// The library has let go of the packed bytes, and the program's buffer can be written.
    unsafe fn truncated(&mut self) {
        // What is sent is what the program's buffer holds, and may be written there again.
        if !self.delivered && (self.content != Content::Marked || self.is_filled()) {
            let bytes = self.message.size();
            // SAFETY: the packed buffer holds all bytes; the program's is the caller's promise.
            unsafe { self.message.unpack(self.buffer, self.packed.as_slice(), bytes) };
        }
        self.delivered = true;
        self.content = Content::Overrun;
    }

    /// A cancelled receive brought nothing.
    ///
    /// # Safety
    /// The receive is complete, with this status, and the program's buffer can be written.
    unsafe fn arrived(&mut self, engine: &Engine<A>, status: &A::Status) -> Option<Cut<A>> {
        let mpi = engine.mpi();
        if mpi.cancelled(status).unwrap_or(false) {
            return None;
        }
        let bytes = mpi.status_bytes(status).ok()??;
        if bytes > self.message.size() {
            // Open MPI 4.1 does not fail MPI_Testall for a persistent request.
            // SAFETY: complete; the buffer is the caller's promise.
            unsafe { self.truncated() };
            return None;
        }
        let whole = self.message.whole_elements(bytes);
        let class = if whole < bytes { engine.error_inside_element(When::Later) } else { None };
        if !self.delivered {
            let bytes = if class.is_some() { whole } else { bytes };
            // SAFETY: so many bytes have arrived; the buffer is the caller's promise.
            unsafe { self.message.unpack(self.buffer, self.packed.as_slice(), bytes) };
        }
        self.delivered = true;
        class.map(|class| Cut { class, comm: self.comm })
    }

    /// Gives the buffer back. One that was overrun is not kept: its room takes memory now.
    pub fn done(self, engine: &Engine<A>) {
        if self.content != Content::Overrun {
            engine.pool.put(self.packed);
        }
    }
}
