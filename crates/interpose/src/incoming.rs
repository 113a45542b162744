//! The receiving side of a message.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::message::{Message, Purpose, Route};
use crate::pool::Buffer;
use crate::record::{Found, Waiting};
use crate::state::Preload;

/// What the library receives into instead of the program's buffer, count and datatype.
pub(crate) enum Incoming<A: Abi> {
    /// Nothing else.
    Native,
    /// Nothing else yet.
    Unseen(Waiting<A>),
    /// The same buffer in other words.
    Substitute(c_int, A::Datatype),
    /// A buffer for packed bytes.
    Packed(Landing<A>),
}

/// Packed bytes on their way, and where they belong.
pub(crate) struct Landing<A: Abi> {
    packed: Buffer,
    message: Arc<Message<A>>,
    buffer: *mut c_void,
}

// SAFETY: the pointer is only written through by whoever completes the request, which MPI allows
// in any one thread.
unsafe impl<A: Abi> Send for Landing<A> {}

impl<A: Abi> Incoming<A> {
    /// Looks at a receive.
    pub fn of(
        state: &'static Preload<A>,
        buffer: *mut c_void,
        count: c_int,
        datatype: A::Datatype,
        source: c_int,
    ) -> Self {
        if source == A::CONSTANTS.proc_null {
            return Incoming::Native;
        }
        let message = match state.message(datatype, count, Purpose::Transfer) {
            Found::This(message) => message,
            Found::Nothing | Found::Unknown => return Incoming::Native,
            Found::NotYet(waiting) => return Incoming::Unseen(waiting),
        };
        match message.route {
            Route::Native(reason) => message.tally.native(reason, message.size()),
            Route::Substitute(count, datatype) => {
                message.tally.substituted(message.size());
                return Incoming::Substitute(count, datatype);
            }
            Route::Engine if message.takes(buffer) => {
                if let Some(packed) = state.pool.get(message.bytes()) {
                    message.tally.engine(message.size());
                    return Incoming::Packed(Landing { packed, message, buffer });
                }
                message.tally.native("no memory", message.size());
            }
            Route::Engine => message.tally.native("no buffer", message.size()),
        }
        Incoming::Native
    }

    /// The arguments for the library.
    pub fn arguments(
        &mut self,
        buffer: *mut c_void,
        count: c_int,
        datatype: A::Datatype,
    ) -> (*mut c_void, c_int, A::Datatype) {
        match self {
            Incoming::Native | Incoming::Unseen(_) => (buffer, count, datatype),
            Incoming::Substitute(count, datatype) => (buffer, *count, *datatype),
            Incoming::Packed(landing) => {
                let (count, datatype) = landing.message.packed;
                (landing.packed.as_mut_slice().as_mut_ptr().cast(), count, datatype)
            }
        }
    }

    /// The status that the library shall fill in: the program's, or ours where the program ignores
    /// it but the length is needed.
    pub fn status(&self, given: *mut A::Status, own: *mut A::Status) -> *mut A::Status {
        match self {
            Incoming::Packed(_) if A::CONSTANTS.ignores_status(given) => own,
            _ => given,
        }
    }
}

impl<A: Abi> Landing<A> {
    /// Puts what arrived where it belongs. A cancelled receive brought nothing.
    ///
    /// # Safety
    /// The receive is complete, with this status, and the program's buffer can be written.
    pub unsafe fn unpack(&self, state: &Preload<A>, status: &A::Status) {
        let mpi = state.mpi();
        if mpi.cancelled(status).unwrap_or(false) {
            return;
        }
        if let Ok(Some(bytes)) = mpi.status_bytes(status) {
            // SAFETY: passed on.
            unsafe { self.message.unpack(self.buffer, self.packed.as_slice(), bytes) };
        }
    }

    /// Gives the buffer back.
    pub fn done(self, state: &Preload<A>) {
        state.pool.put(self.packed);
    }
}
