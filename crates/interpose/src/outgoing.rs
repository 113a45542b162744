//! The sending side of a message.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::message::{Message, Purpose, Route};
use crate::pool::Buffer;
use crate::record::{Found, Waiting};
use crate::state::Preload;

/// What is handed to the library instead of the program's buffer, count and datatype.
pub(crate) enum Outgoing<A: Abi> {
    /// Nothing else.
    Native,
    /// Nothing else yet.
    Unseen(Waiting<A>),
    /// The same buffer in other words.
    Substitute(c_int, A::Datatype),
    /// Packed bytes.
    Packed(Buffer, Arc<Message<A>>),
}

impl<A: Abi> Outgoing<A> {
    /// Looks at a send, and packs.
    ///
    /// # Safety
    /// As for the MPI call: the buffer can be read.
    pub unsafe fn of(
        state: &'static Preload<A>,
        buffer: *const c_void,
        count: c_int,
        datatype: A::Datatype,
        destination: c_int,
    ) -> Self {
        if destination == A::CONSTANTS.proc_null {
            return Outgoing::Native;
        }
        let message = match state.message(datatype, count, Purpose::Transfer) {
            Found::This(message) => message,
            Found::Nothing | Found::Unknown => return Outgoing::Native,
            Found::NotYet(waiting) => return Outgoing::Unseen(waiting),
        };
        match message.route {
            Route::Native(reason) => message.tally.native(reason, message.size()),
            Route::Substitute(count, datatype) => {
                message.tally.substituted(message.size());
                return Outgoing::Substitute(count, datatype);
            }
            Route::Engine if message.takes(buffer) => {
                if let Some(mut packed) = state.pool.get(message.bytes()) {
                    // SAFETY: passed on.
                    if unsafe { message.pack(buffer, packed.as_mut_slice()) }.is_some() {
                        message.tally.engine(message.size());
                        return Outgoing::Packed(packed, message);
                    }
                }
                message.tally.native("no memory, or an internal error", message.size());
            }
            Route::Engine => message.tally.native("no buffer", message.size()),
        }
        Outgoing::Native
    }

    /// The arguments for the library.
    pub fn arguments(
        &self,
        buffer: *const c_void,
        count: c_int,
        datatype: A::Datatype,
    ) -> (*const c_void, c_int, A::Datatype) {
        match self {
            Outgoing::Native | Outgoing::Unseen(_) => (buffer, count, datatype),
            Outgoing::Substitute(count, datatype) => (buffer, *count, *datatype),
            Outgoing::Packed(packed, message) => {
                let (count, datatype) = message.packed;
                (packed.as_slice().as_ptr().cast(), count, datatype)
            }
        }
    }

    /// The call is over, and the library does not need the packed bytes any more.
    pub fn done(self, state: &Preload<A>) {
        match self {
            Outgoing::Packed(packed, _) => state.pool.put(packed),
            Outgoing::Unseen(waiting) => waiting.done(),
            Outgoing::Native | Outgoing::Substitute(..) => {}
        }
    }
}
