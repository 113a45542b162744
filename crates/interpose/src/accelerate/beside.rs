//! A receive of the program's own elements whose message may come beside an empty one, through
//! memory of this machine ([`node`](crate::node)).

use std::ffi::c_void;
use std::sync::Arc;

use commloom_mpi::{Abi, Mpi};

use crate::accelerate::engine::Engine;
use crate::accelerate::message::Message;
use crate::node::neighbours::{Arrival, Awaited};
use crate::runtime::outcome::{Cut, Outcome, When};
use crate::runtime::say;

/// Where the bytes of the message belong, if it comes so.
pub(crate) struct Beside<A: Abi> {
    awaited: Awaited,
    message: Arc<Message<A>>,
    buffer: *mut c_void,
    comm: A::Comm,
    /// The program has its bytes already.
    delivered: bool,
}

// SAFETY: the pointer is only written through by whoever completes the request, which MPI allows
// in any one thread.
unsafe impl<A: Abi> Send for Beside<A> {}

impl<A: Abi> Beside<A> {
    pub fn new(
        awaited: Awaited,
        message: Arc<Message<A>>,
        buffer: *mut c_void,
        comm: A::Comm,
    ) -> Self {
        Beside { awaited, message, buffer, comm, delivered: false }
    }

    /// Whether a sender has taken the offer; if not, none does from now on.
    pub fn is_taken(&self) -> bool {
        !self.awaited.withdraw()
    }

    /// The receive has ended like this: puts what came beside the message where it belongs. After
    /// that the outcome has the status that the program shall see. Tells whether the library would
    /// call it an error.
    ///
    /// # Safety
    /// The receive is over, and the program's buffer can be written.
    pub unsafe fn ended(
        &mut self,
        engine: &Engine<A>,
        outcome: &mut Outcome<A::Status>,
    ) -> Option<Cut<A>> {
        let mpi = engine.mpi();
        let Outcome::Arrived(status) = outcome else { return None };
        let packed = match self.awaited.arrival() {
            Arrival::Ordinary => return None,
            Arrival::Beside(packed) if mpi.status_bytes(status).ok()? == Some(0) => packed,
            Arrival::Beside(_) | Arrival::Disturbed => return Some(self.disturbed(engine)),
        };
        let bytes = u64::try_from(packed.len()).unwrap_or(0);
        let whole = self.message.whole_elements(bytes);
        let class = if whole < bytes { engine.error_inside_element(When::Later) } else { None };
        if !self.delivered {
            let bytes = if class.is_some() { whole } else { bytes };
            // SAFETY: so many bytes have arrived; the buffer is the caller's promise.
            unsafe { self.message.unpack(self.buffer, packed, bytes) };
        }
        self.delivered = true;
        tell(mpi, status, bytes);
        class.map(|class| Cut { class, comm: Some(self.comm) })
    }

    /// The message that came is not the one that was counted. Nothing that was received since is
    /// certain.
    fn disturbed(&self, engine: &Engine<A>) -> Cut<A> {
        engine.neighbours.end();
        say::text(
            "commloom: a message came that is not the next one of its communicator and tag: \
             somebody sends or receives besides MPI's own calls; run with COMMLOOM_NODE=off\n",
        );
        Cut { class: A::CONSTANTS.err_intern, comm: Some(self.comm) }
    }

    /// The receive is over.
    pub fn done(self, engine: &Engine<A>) {
        engine.neighbours.settle(&self.awaited);
    }
}

/// Puts the length of what has come into a status of an empty message.
fn tell<A: Abi>(mpi: &Mpi<A>, status: &mut A::Status, bytes: u64) {
    if let Ok(bytes) = i64::try_from(bytes) {
        // A status whose length cannot be set keeps that of the empty message.
        let _ = mpi.set_status_bytes(status, bytes);
    }
}
