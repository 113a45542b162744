//! The sending side of a message.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::departure::Departure;
use crate::accelerate::lossy::Stays;
use crate::accelerate::message::Message;
use crate::accelerate::part::{Part, Purpose};
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::{self, Lap};
use crate::accelerate::strategy::Elements;
use crate::runtime::calls::{Envelope, MessageData};
use crate::runtime::count::CallCount;

/// The library's arguments for a send, instead of the program's buffer, count and datatype, in a
/// call whose counts are `N`.
pub(crate) enum Outgoing<A: Abi, N> {
    /// Nothing else.
    Native,
    /// The same buffer as an equivalent datatype.
    Substitute(N, A::Datatype),
    /// Packed bytes, and the elements that they are.
    Packed(Departure<A>, N, A::Datatype),
    /// An empty message: the receiver has the bytes already.
    Empty(N),
}

impl<A: Abi, N: CallCount> Outgoing<A, N> {
    /// The strategy for a send, with what it packs, and its place in the round: [`Lap::done`] when
    /// the call returns. `ordinal` is its number, where it may go beside an empty message.
    ///
    /// # Safety
    /// As for the MPI call: the buffer can be read.
    #[inline]
    pub unsafe fn of(
        state: &'static Accelerator<A>,
        data: MessageData<A, N>,
        to: Envelope<A>,
        ordinal: Option<u64>,
    ) -> (Self, Lap) {
        rounds::looks();
        let message = match Self::find(state, data, to.rank, Purpose::Transfer) {
            Ok(message) => message,
            Err(out) => return (out, Lap::NONE),
        };
        let (elements, lap) = message.elements(Part::Sent);
        if let (Elements::Packed(..), Some(ordinal)) = (&elements, ordinal) {
            // SAFETY: the buffer is the caller's promise.
            let empty = unsafe { Self::beside(state, &message, data.buffer, (to, ordinal)) };
            if let Some(empty) = empty {
                return (empty, lap);
            }
        }
        let out = Self::through(state, message, data.buffer, elements);
        // SAFETY: the buffer is the caller's promise.
        (unsafe { out.packed(state) }, lap)
    }

    /// Packs the message to where its receiver has offered room for it.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn beside(
        state: &'static Accelerator<A>,
        message: &Message<A>,
        buffer: *const c_void,
        (to, ordinal): (Envelope<A>, u64),
    ) -> Option<Self> {
        let nothing = N::narrow(0)?;
        if !message.takes(buffer) || message.refused_by_gpu(buffer).is_some() {
            return None;
        }
        let mut berth = state.neighbours.claim(to, ordinal, message.size())?;
        // SAFETY: the buffer is the caller's promise.
        if unsafe { message.pack(buffer, berth.packed()) }.is_none() {
            berth.give_up();
            return None;
        }
        state.neighbours.fill(berth);
        message.tally.engine(message.size());
        Some(Outgoing::Empty(nothing))
    }

    /// Packs what is to be packed.
    ///
    /// # Safety
    /// The buffer can be read.
    pub unsafe fn packed(mut self, state: &Accelerator<A>) -> Self {
        if let Outgoing::Packed(departure, ..) = &mut self {
            // SAFETY: the buffer is the caller's promise.
            if unsafe { departure.pack() }.is_none() {
                let message = departure.message();
                message.tally.native("an internal error", message.size());
                self.done(state);
                return Outgoing::Native;
            }
        }
        self
    }

    /// The same for a persistent send. It is packed whenever it is started. Where the strategy is
    /// decided by trials, the request is native, and each start decides about the message.
    pub fn persistent(
        state: &'static Accelerator<A>,
        data: MessageData<A, N>,
        destination: c_int,
    ) -> (Self, Option<Arc<Message<A>>>) {
        match Self::find(state, data, destination, Purpose::Persistent) {
            Err(out) => (out, None),
            Ok(message) => match message.fixed(Part::Sent) {
                Some(elements) => (Self::through(state, message, data.buffer, elements), None),
                None => (Outgoing::Native, message.takes(data.buffer).then_some(message)),
            },
        }
    }

    /// The message, or what the library gets where there is nothing to decide.
    #[inline]
    fn find(
        state: &'static Accelerator<A>,
        data: MessageData<A, N>,
        destination: c_int,
        purpose: Purpose,
    ) -> Result<Arc<Message<A>>, Self> {
        let MessageData { count, datatype, .. } = data;
        if destination == A::CONSTANTS.proc_null {
            return Err(Outgoing::Native);
        }
        if let Some((count, datatype)) = state.spared(count, datatype, Stays::Moves) {
            return Err(Outgoing::Substitute(count, datatype));
        }
        if purpose == Purpose::Transfer && state.leaves_alone() {
            return Err(Outgoing::Native);
        }
        match state.message(datatype, count.wide(), purpose) {
            Found::This(message) => Ok(message),
            Found::Nothing | Found::Unknown => Err(Outgoing::Native),
        }
    }

    /// The message as these elements, where that can be.
    pub fn through(
        state: &'static Accelerator<A>,
        message: Arc<Message<A>>,
        buffer: *const c_void,
        elements: Elements<A, N>,
    ) -> Self {
        let size = message.size();
        match elements.unless(|| message.refused_by_gpu(buffer)) {
            Elements::Own(reason) => message.tally.native(reason, size),
            Elements::Other(count, datatype) => {
                message.tally.substituted(size);
                return Outgoing::Substitute(count, datatype);
            }
            Elements::Packed(count, datatype) if message.takes(buffer) => {
                if let Some(packed) = state.pool.get(message.bytes()) {
                    let departure = Departure::new(packed, message, buffer);
                    return Outgoing::Packed(departure, count, datatype);
                }
                message.tally.native("no memory", size);
            }
            Elements::Packed(..) => message.tally.native("no buffer", size),
        }
        Outgoing::Native
    }

    /// The data for the library, in the place of the program's.
    #[inline]
    pub fn arguments(&self, data: MessageData<A, N>) -> MessageData<A, N> {
        match *self {
            Outgoing::Native => data,
            Outgoing::Substitute(count, datatype) => MessageData { count, datatype, ..data },
            Outgoing::Packed(ref departure, count, datatype) => {
                MessageData { buffer: departure.place().cast_mut(), count, datatype }
            }
            Outgoing::Empty(count) => MessageData { count, ..data },
        }
    }

    /// The call is over, and the library does not need the packed bytes any more.
    pub fn done(self, state: &Accelerator<A>) {
        match self {
            Outgoing::Packed(departure, ..) => departure.done(state),
            Outgoing::Native | Outgoing::Substitute(..) | Outgoing::Empty(_) => {}
        }
    }

    /// After a call that returned `code`: if it succeeded, what was packed stays with its request,
    /// in the form that `held` gives it.
    ///
    /// # Safety
    /// The library has written `request` if it succeeded.
    pub unsafe fn wait_for(
        self,
        state: &Accelerator<A>,
        code: c_int,
        request: *const A::Request,
        held: impl FnOnce(Departure<A>) -> Held<A>,
    ) {
        match self {
            Outgoing::Packed(departure, ..) if code == A::CONSTANTS.success => {
                // SAFETY: after success the library has written it.
                state.hold(unsafe { *request }, held(departure));
            }
            other => other.done(state),
        }
    }
}
