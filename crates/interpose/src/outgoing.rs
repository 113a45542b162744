//! The sending side of a message.

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;

use crate::count::CallCount;
use crate::message::{Elements, Purpose};
use crate::pool::Buffer;
use crate::record::{Found, Waiting};
use crate::state::Preload;

/// What is handed to the library instead of the program's buffer, count and datatype, in a call whose
/// counts are `N`.
pub(crate) enum Outgoing<A: Abi, N> {
    /// Nothing else.
    Native,
    /// Nothing else yet.
    Unseen(Waiting<A>),
    /// The same buffer in other words.
    Substitute(N, A::Datatype),
    /// Packed bytes, and the elements that they are.
    Packed(Buffer, N, A::Datatype),
}

impl<A: Abi, N: CallCount> Outgoing<A, N> {
    /// Looks at a send, and packs.
    ///
    /// # Safety
    /// As for the MPI call: the buffer can be read.
    pub unsafe fn of(
        state: &'static Preload<A>,
        buffer: *const c_void,
        count: N,
        datatype: A::Datatype,
        destination: c_int,
    ) -> Self {
        if destination == A::CONSTANTS.proc_null {
            return Outgoing::Native;
        }
        let message = match state.message(datatype, count.wide(), Purpose::Transfer) {
            Found::This(message) => message,
            Found::Nothing | Found::Unknown => return Outgoing::Native,
            Found::NotYet(waiting) => return Outgoing::Unseen(waiting),
        };
        let size = message.size();
        match message.elements() {
            Elements::Own(reason) => message.tally.native(reason, size),
            Elements::Other(count, datatype) => {
                message.tally.substituted(size);
                return Outgoing::Substitute(count, datatype);
            }
            Elements::Packed(count, datatype) if message.takes(buffer) => {
                if let Some(mut packed) = state.pool.get(message.bytes()) {
                    // SAFETY: passed on.
                    if unsafe { message.pack(buffer, packed.as_mut_slice()) }.is_some() {
                        message.tally.engine(size);
                        return Outgoing::Packed(packed, count, datatype);
                    }
                }
                message.tally.native("no memory, or an internal error", size);
            }
            Elements::Packed(..) => message.tally.native("no buffer", size),
        }
        Outgoing::Native
    }

    /// The arguments for the library.
    pub fn arguments(
        &self,
        buffer: *const c_void,
        count: N,
        datatype: A::Datatype,
    ) -> (*const c_void, N, A::Datatype) {
        match self {
            Outgoing::Native | Outgoing::Unseen(_) => (buffer, count, datatype),
            Outgoing::Substitute(count, datatype) => (buffer, *count, *datatype),
            Outgoing::Packed(packed, count, datatype) => {
                (packed.as_slice().as_ptr().cast(), *count, *datatype)
            }
        }
    }

    /// The call is over, and the library does not need the packed bytes any more.
    pub fn done(self, state: &Preload<A>) {
        match self {
            Outgoing::Packed(packed, ..) => state.pool.put(packed),
            Outgoing::Unseen(waiting) => waiting.done(),
            Outgoing::Native | Outgoing::Substitute(..) => {}
        }
    }
}
