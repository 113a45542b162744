//! The receiving side of a message.

use std::ffi::c_int;
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::beside::Beside;
use crate::accelerate::committed::Found;
use crate::accelerate::landing::Landing;
use crate::accelerate::lossy::Stays;
use crate::accelerate::message::Message;
use crate::accelerate::part::{Part, Purpose};
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::{self, Lap};
use crate::accelerate::strategy::Elements;
use crate::runtime::calls::{IncomingMessage, MessageData};
use crate::runtime::count::CallCount;
use crate::runtime::outcome::{Outcome, When};

/// The library's arguments for a receive, instead of the program's buffer, count and datatype, in
/// a call whose counts are `N`.
pub(crate) enum Incoming<A: Abi, N> {
    /// Nothing else.
    Native,
    /// The same buffer as an equivalent datatype.
    Substitute(N, A::Datatype),
    /// A buffer for packed bytes, and the elements that they will be.
    Packed(Landing<A>, N, A::Datatype),
    /// Nothing else, and packed bytes may come beside an empty message.
    Beside(Beside<A>),
}

impl<A: Abi, N: CallCount> Incoming<A, N> {
    /// The strategy for a receive, with its buffer, and its place in the round: [`Lap::done`] when
    /// the call returns.
    #[inline]
    pub fn of(
        state: &'static Accelerator<A>,
        message: IncomingMessage<A, N>,
        when: When,
        ordinal: Option<u64>,
    ) -> (Self, Lap) {
        rounds::looks();
        let found = match Self::find(state, message, Purpose::Transfer) {
            Ok(found) => found,
            Err(incoming) => return (incoming, Lap::NONE),
        };
        let (elements, lap) = found.elements(Part::Received);
        if let (Elements::Packed(..), Some(ordinal)) = (&elements, ordinal)
            && let Some(beside) = Self::beside(state, message, &found, when, ordinal)
        {
            return (beside, lap);
        }
        let incoming = Self::through(state, message, found, when, elements);
        if let Incoming::Packed(landing, ..) = &incoming {
            landing.count();
        }
        (incoming, lap)
    }

    /// Offers room for the packed bytes of the message with this number.
    fn beside(
        state: &'static Accelerator<A>,
        IncomingMessage { data, from }: IncomingMessage<A, N>,
        message: &Arc<Message<A>>,
        when: When,
        ordinal: u64,
    ) -> Option<Self> {
        let (buffer, from) = (data.buffer, from.envelope()?);
        let freed = when == When::Later && state.pending.frees_receives();
        let refused = || message.refused_by_overlap().or_else(|| message.refused_by_gpu(buffer));
        if freed || !message.takes(buffer) || refused().is_some() {
            return None;
        }
        let awaited = state.neighbours.offer(from, ordinal, message.size())?;
        message.tally.engine(message.size());
        Some(Incoming::Beside(Beside::new(awaited, message.clone(), buffer, from.comm)))
    }

    /// The same for a persistent receive. Where the strategy is decided by trials, the request is
    /// native, and each start decides about the message.
    pub fn persistent(
        state: &'static Accelerator<A>,
        message: IncomingMessage<A, N>,
    ) -> (Self, Option<Arc<Message<A>>>) {
        let found = match Self::find(state, message, Purpose::Persistent) {
            Ok(found) => found,
            Err(incoming) => return (incoming, None),
        };
        match found.fixed(Part::Received) {
            Some(elements) => (Self::through(state, message, found, When::Later, elements), None),
            None => {
                let may = found.refused_by_overlap().is_none() && found.takes(message.data.buffer);
                (Incoming::Native, may.then_some(found))
            }
        }
    }

    /// The same for a buffer whose content is sent and then replaced by what is received; packs
    /// it.
    ///
    /// # Safety
    /// As for the MPI call: the buffer can be read.
    pub unsafe fn replacing(
        state: &'static Accelerator<A>,
        message: IncomingMessage<A, N>,
    ) -> (Self, Lap) {
        let MessageData { count, datatype, .. } = message.data;
        if let Some((count, datatype)) = state.spared(count, datatype, Stays::Moves) {
            return (Incoming::Substitute(count, datatype), Lap::NONE);
        }
        let (mut incoming, lap) = Self::of(state, message, When::InCall, None);
        if let Incoming::Packed(landing, ..) = &mut incoming {
            // SAFETY: the buffer is the caller's promise.
            if unsafe { landing.pack() }.is_none() {
                incoming.done(state);
                return (Incoming::Native, lap);
            }
        }
        (incoming, lap)
    }

    /// The message, or what the library gets where there is nothing to decide.
    #[inline]
    fn find(
        state: &'static Accelerator<A>,
        IncomingMessage { data, from }: IncomingMessage<A, N>,
        purpose: Purpose,
    ) -> Result<Arc<Message<A>>, Self> {
        if from.is_nobody() || purpose == Purpose::Transfer && state.leaves_alone() {
            return Err(Incoming::Native);
        }
        match state.message(data.datatype, data.count.wide(), purpose) {
            Found::This(message) => Ok(message),
            Found::Nothing | Found::Unknown => Err(Incoming::Native),
        }
    }

    /// The message as these elements, where that can be.
    fn through(
        state: &'static Accelerator<A>,
        IncomingMessage { data, from }: IncomingMessage<A, N>,
        message: Arc<Message<A>>,
        when: When,
        elements: Elements<A, N>,
    ) -> Self {
        let (buffer, envelope) = (data.buffer, from.envelope());
        let size = message.size();
        let refused = || message.refused_by_overlap().or_else(|| message.refused_by_gpu(buffer));
        match elements.unless(refused) {
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
                    let landing = Landing::new(packed, message, buffer, envelope.map(|e| e.comm));
                    return Incoming::Packed(landing, count, datatype);
                }
                message.tally.native("no memory", size);
            }
            Elements::Packed(..) => message.tally.native("no buffer", size),
        }
        Incoming::Native
    }

    /// Any message will do: which one it was counts when it is over. Whether the landing sees to
    /// that.
    pub fn takes_any(&mut self) -> bool {
        match self {
            Incoming::Packed(landing, ..) => {
                landing.takes_any();
                true
            }
            Incoming::Native | Incoming::Substitute(..) | Incoming::Beside(_) => false,
        }
    }

    /// The data for the library, in the place of the program's.
    #[inline]
    pub fn arguments(&mut self, data: MessageData<A, N>) -> MessageData<A, N> {
        match *self {
            Incoming::Native | Incoming::Beside(_) => data,
            Incoming::Substitute(count, datatype) => MessageData { count, datatype, ..data },
            Incoming::Packed(ref mut landing, count, datatype) => {
                MessageData { buffer: landing.place(), count, datatype }
            }
        }
    }

    /// The status that the library shall fill in: the program's, or ours where the program ignores
    /// it but the length is needed.
    pub fn status(&self, given: *mut A::Status, own: *mut A::Status) -> *mut A::Status {
        match self {
            Incoming::Packed(..) | Incoming::Beside(_) if A::CONSTANTS.ignores_status(given) => own,
            _ => given,
        }
    }

    /// After a blocking receive that returned `code`: unpacks what has arrived. Gives the code for
    /// the program.
    ///
    /// # Safety
    /// The library has written `status` if the receive was packed and succeeded; the program's
    /// buffer can be written.
    pub unsafe fn land(
        mut self,
        state: &Accelerator<A>,
        code: c_int,
        status: *mut A::Status,
    ) -> c_int {
        let mut cut = None;
        let outcome = || match code == A::CONSTANTS.success {
            // SAFETY: after success the library has written it. Open MPI hands over arrays of
            // Fortran integers as statuses, which are aligned to four bytes.
            true => Outcome::Arrived(unsafe { status.read_unaligned() }),
            false => Outcome::of_error(state, code),
        };
        if let Incoming::Packed(landing, ..) = &mut self {
            let outcome = outcome();
            // SAFETY: the receive is over, and the program's buffer is writable until the call
            // returns.
            cut = unsafe { landing.ended(state, &outcome) };
        } else if let Incoming::Beside(beside) = &mut self {
            let mut outcome = outcome();
            // SAFETY: the receive is over, and the program's buffer is writable until the call
            // returns. The status is the program's, or ours.
            unsafe {
                cut = beside.ended(state, &mut outcome);
                if let Outcome::Arrived(told) = outcome {
                    status.write_unaligned(told);
                }
            }
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

    /// After a call that returned `code`: if it succeeded, the landing stays with its request, in
    /// the form that `held` gives it.
    ///
    /// # Safety
    /// The library has written `request` if it succeeded.
    pub unsafe fn wait_for(
        self,
        state: &Accelerator<A>,
        code: c_int,
        request: *const A::Request,
        held: impl FnOnce(Landing<A>) -> Held<A>,
    ) {
        match self {
            Incoming::Packed(landing, ..) if code == A::CONSTANTS.success => {
                // SAFETY: after success the library has written it.
                state.hold(unsafe { *request }, held(landing));
            }
            Incoming::Beside(beside) if code == A::CONSTANTS.success => {
                // SAFETY: after success the library has written it.
                state.hold(unsafe { *request }, Held::Beside(beside));
            }
            other => other.done(state),
        }
    }

    /// The call is over, and the library does not need the buffer any more.
    fn done(self, state: &Accelerator<A>) {
        match self {
            Incoming::Packed(landing, ..) => landing.done(state),
            Incoming::Beside(beside) => beside.done(state),
            Incoming::Native | Incoming::Substitute(..) => {}
        }
    }
}
