//! The receiving side of a message.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::count::CallCount;
use crate::message::{Elements, Message, Purpose};
use crate::pending::Held;
use crate::pool::Buffer;
use crate::record::{Found, Waiting};
use crate::state::Preload;

/// What the library receives into instead of the program's buffer, count and datatype, in a
/// call whose counts are `N`.
pub(crate) enum Incoming<A: Abi, N> {
    /// Nothing else.
    Native,
    /// Nothing else yet.
    Unseen(Waiting<A>),
    /// The same buffer in other words.
    Substitute(N, A::Datatype),
    /// A buffer for packed bytes, and the elements that they will be.
    Packed(Landing<A>, N, A::Datatype),
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

impl<A: Abi, N: CallCount> Incoming<A, N> {
    /// Looks at a receive.
    pub fn of(
        state: &'static Preload<A>,
        buffer: *mut c_void,
        count: N,
        datatype: A::Datatype,
        source: c_int,
    ) -> Self {
        let incoming = Self::look(state, (buffer, count, datatype), source, Purpose::Transfer);
        if let Incoming::Packed(landing, ..) = &incoming {
            landing.count();
        }
        incoming
    }

    /// Looks at a persistent receive.
    pub fn persistent(
        state: &'static Preload<A>,
        buffer: *mut c_void,
        count: N,
        datatype: A::Datatype,
        source: c_int,
    ) -> Self {
        Self::look(state, (buffer, count, datatype), source, Purpose::Persistent)
    }

    /// Looks at a buffer whose content is sent and then replaced by what is received, and packs it.
    ///
    /// # Safety
    /// As for the MPI call: the buffer can be read.
    pub unsafe fn replacing(
        state: &'static Preload<A>,
        buffer: *mut c_void,
        count: N,
        datatype: A::Datatype,
        peer: c_int,
    ) -> Self {
        if let Some((count, datatype)) = state.spared(count, datatype) {
            return Incoming::Substitute(count, datatype);
        }
        let mut incoming = Self::of(state, buffer, count, datatype, peer);
        if let Incoming::Packed(landing, ..) = &mut incoming {
            // SAFETY: passed on.
            let packed = unsafe { landing.message.pack(buffer, landing.packed.as_mut_slice()) };
            if packed.is_none() {
                incoming.done(state);
                return Incoming::Native;
            }
        }
        incoming
    }

    fn look(
        state: &'static Preload<A>,
        (buffer, count, datatype): (*mut c_void, N, A::Datatype),
        source: c_int,
        purpose: Purpose,
    ) -> Self {
        if source == A::CONSTANTS.proc_null {
            return Incoming::Native;
        }
        let message = match state.message(datatype, count.wide(), purpose) {
            Found::This(message) => message,
            Found::Nothing | Found::Unknown => return Incoming::Native,
            Found::NotYet(waiting) => return Incoming::Unseen(waiting),
        };
        let size = message.size();
        match message.elements() {
            Elements::Own(reason) => message.tally.native(reason, size),
            Elements::Other(count, datatype) => {
                message.tally.substituted(size);
                return Incoming::Substitute(count, datatype);
            }
            Elements::Packed(count, datatype) if message.takes(buffer) => {
                if let Some(packed) = state.pool.get(message.bytes()) {
                    let landing = Landing { packed, message, buffer };
                    return Incoming::Packed(landing, count, datatype);
                }
                message.tally.native("no memory", size);
            }
            Elements::Packed(..) => message.tally.native("no buffer", size),
        }
        Incoming::Native
    }

    /// The arguments for the library.
    pub fn arguments(
        &mut self,
        buffer: *mut c_void,
        count: N,
        datatype: A::Datatype,
    ) -> (*mut c_void, N, A::Datatype) {
        match self {
            Incoming::Native | Incoming::Unseen(_) => (buffer, count, datatype),
            Incoming::Substitute(count, datatype) => (buffer, *count, *datatype),
            Incoming::Packed(landing, count, datatype) => {
                (landing.packed.as_mut_slice().as_mut_ptr().cast(), *count, *datatype)
            }
        }
    }

    /// The status that the library shall fill in: the program's, or ours where the program ignores
    /// it but the length is needed.
    pub fn status(&self, given: *mut A::Status, own: *mut A::Status) -> *mut A::Status {
        match self {
            Incoming::Packed(..) if A::CONSTANTS.ignores_status(given) => own,
            _ => given,
        }
    }

    /// After a blocking receive that returned `code`: unpacks if it succeeded.
    ///
    /// # Safety
    /// The library has written `status` if the receive was packed and succeeded; the program's
    /// buffer can be written.
    pub unsafe fn land(self, state: &Preload<A>, code: c_int, status: *const A::Status) {
        if let Incoming::Packed(landing, ..) = &self
            && code == A::CONSTANTS.success
        {
            // SAFETY: passed on. Open MPI hands over arrays of Fortran integers as statuses, which are
            // aligned to four bytes.
            unsafe { landing.unpack(state, &status.read_unaligned()) };
        }
        self.done(state);
    }

    /// After a call that returned `code`: if it succeeded, the landing stays with its request, in the
    /// form that `held` gives it.
    ///
    /// # Safety
    /// The library has written `request` if it succeeded.
    pub unsafe fn wait_for(
        self,
        state: &Preload<A>,
        code: c_int,
        request: *const A::Request,
        held: impl FnOnce(Landing<A>) -> Held<A>,
    ) {
        match self {
            Incoming::Packed(landing, ..) if code == A::CONSTANTS.success => {
                // SAFETY: passed on.
                state.hold(unsafe { *request }, held(landing));
            }
            other => other.done(state),
        }
    }

    /// The call is over, and the library does not need the buffer any more.
    fn done(self, state: &Preload<A>) {
        match self {
            Incoming::Packed(landing, ..) => landing.done(state),
            Incoming::Unseen(waiting) => waiting.done(),
            Incoming::Native | Incoming::Substitute(..) => {}
        }
    }
}

impl<A: Abi> Landing<A> {
    /// Counts a message that goes through the engine.
    pub fn count(&self) {
        self.message.tally.engine(self.message.size());
    }

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
