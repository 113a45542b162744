//! The receiving side of a message.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::complete::Outcome;
use crate::count::CallCount;
use crate::lossy::Stays;
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
    /// Of the receive; a matched message does not name it.
    comm: Option<A::Comm>,
    content: Content,
    /// The program has its bytes already.
    delivered: bool,
}

/// What is in the packed buffer before anything arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// [`MARK`] at both ends.
    Marked,
    /// What is in the program's buffer, which the same call sends.
    Sent,
    /// The same, and perhaps more was written behind it than it has room for.
    Overrun,
}

/// Stands at both ends of a packed buffer before a receive. After a message that was too long, libraries do
/// not say whether they have filled the buffer (Open MPI does, MPICH with UCX does not, MPICH 5 does for some):
/// where both marks are gone, they have.
const MARK: [u8; 8] = [0x9d, 0x3b, 0xe1, 0x57, 0xc6, 0x28, 0xf4, 0x8a];

/// A message that ends inside a basic element, in a library that calls this an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut<A: Abi> {
    /// Of the error.
    pub class: c_int,
    /// Whose error handler the library would call, where it is known.
    pub comm: Option<A::Comm>,
}

/// When the library has the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// When the call returns.
    InCall,
    /// When a request completes, or after the program has freed that.
    Later,
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
        (source, comm): (c_int, Option<A::Comm>),
        when: When,
    ) -> Self {
        let elements = (buffer, count, datatype);
        let incoming = Self::look(state, elements, (source, comm), Purpose::Transfer, when);
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
        (source, comm): (c_int, Option<A::Comm>),
    ) -> Self {
        let elements = (buffer, count, datatype);
        Self::look(state, elements, (source, comm), Purpose::Persistent, When::Later)
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
        (peer, comm): (c_int, A::Comm),
    ) -> Self {
        if let Some((count, datatype)) = state.spared(count, datatype, Stays::Moves) {
            return Incoming::Substitute(count, datatype);
        }
        let peer = (peer, Some(comm));
        let mut incoming = Self::of(state, buffer, count, datatype, peer, When::InCall);
        if let Incoming::Packed(landing, ..) = &mut incoming {
            landing.content = Content::Sent;
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
        (source, comm): (c_int, Option<A::Comm>),
        purpose: Purpose,
        when: When,
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
        let refused = || message.refused_by_overlap().or_else(|| message.refused_by_gpu(buffer));
        match message.elements().unless(refused) {
            Elements::Own(reason) => message.tally.native(reason, size),
            Elements::Other(count, datatype) => {
                message.tally.substituted(size);
                return Incoming::Substitute(count, datatype);
            }
            Elements::Packed(..) if when == When::Later && state.pending.frees_receives() => {
                message.tally.native("the program frees receives that are under way", size);
            }
            Elements::Packed(count, datatype) if message.takes(buffer) => {
                if let Some(packed) = state.pool.get(message.bytes()) {
                    let content = Content::Marked;
                    let mut landing =
                        Landing { packed, message, buffer, comm, content, delivered: false };
                    landing.mark();
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

    /// After a blocking receive that returned `code`: unpacks what has arrived. Gives the code for the program.
    ///
    /// # Safety
    /// The library has written `status` if the receive was packed and succeeded; the program's
    /// buffer can be written.
    pub unsafe fn land(
        mut self,
        state: &Preload<A>,
        code: c_int,
        status: *const A::Status,
    ) -> c_int {
        let mut cut = None;
        if let Incoming::Packed(landing, ..) = &mut self {
            let outcome = if code == A::CONSTANTS.success {
                // SAFETY: the library has written it. Open MPI hands over arrays of Fortran integers as
                // statuses, which are aligned to four bytes.
                Outcome::Arrived(unsafe { status.read_unaligned() })
            } else {
                Outcome::of_error(state, code)
            };
            // SAFETY: the receive is over, and the program's buffer is writable until the call returns.
            cut = unsafe { landing.ended(state, &outcome) };
        }
        self.done(state);
        match cut {
            Some(cut) => {
                let class = state.error_inside_element(When::InCall);
                cut.raise(state, class.unwrap_or(cut.class))
            }
            None => code,
        }
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
    /// Whether the program's buffer is memory of a GPU.
    pub fn is_refused_by_gpu(&self) -> bool {
        self.message.refused_by_gpu(self.buffer).is_some()
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

    /// The receive is over: puts what arrived where it belongs. Tells whether the library would call it an
    /// error that succeeded in packed form.
    ///
    /// # Safety
    /// The receive has ended like this, and the program's buffer can be written.
    pub unsafe fn ended(
        &mut self,
        state: &Preload<A>,
        outcome: &Outcome<A::Status>,
    ) -> Option<Cut<A>> {
        match outcome {
            // SAFETY: complete with this status; the buffer is the caller's promise.
            Outcome::Arrived(status) => unsafe { self.arrived(state, status) },
            Outcome::Truncated => {
                // SAFETY: the library has let go of the packed bytes; the buffer is the caller's promise.
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
    unsafe fn arrived(&mut self, state: &Preload<A>, status: &A::Status) -> Option<Cut<A>> {
        let mpi = state.mpi();
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
        let class = if whole < bytes { state.error_inside_element(When::Later) } else { None };
        if !self.delivered {
            let bytes = if class.is_some() { whole } else { bytes };
            // SAFETY: so many bytes have arrived; the buffer is the caller's promise.
            unsafe { self.message.unpack(self.buffer, self.packed.as_slice(), bytes) };
        }
        self.delivered = true;
        class.map(|class| Cut { class, comm: self.comm })
    }

    /// Gives the buffer back. One that was overrun is not kept: its room takes memory now.
    pub fn done(self, state: &Preload<A>) {
        if self.content != Content::Overrun {
            state.pool.put(self.packed);
        }
    }
}

impl<A: Abi> Cut<A> {
    /// Fails the call as the library would, with an error of this class.
    pub fn raise(self, state: &Preload<A>, class: c_int) -> c_int {
        if let Some(comm) = self.comm {
            // The handler decides whether the program ends. What it returns changes nothing.
            let _ = state.mpi().call_errhandler(comm, class);
        }
        class
    }
}
