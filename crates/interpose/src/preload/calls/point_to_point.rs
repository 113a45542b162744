//! Blocking and non-blocking sends and receives (MPI 4.1, sections 3.2 to 3.11). The four modes of
//! a send differ in the library's function only, and so do the two widths of counts.
//!
//! The walk of one `MPI_Send` of a derived type, from its handle to the call, each function once.
//! Files are those of `accelerate`; what is indented runs only until it is known.
//!
//! ```text
//! handle    send                           here            the call of the program
//!           Outgoing::of                   outgoing.rs     what the library gets instead
//!           Accelerator::message           lookup.rs       table of the thread: handle and count
//!             Accelerator::recorded_message  committed.rs  the record that hangs on the handle
//!             Record::message                committed.rs  is it worth while to analyse the type?
//! layout      Record::analyse                committed.rs  once a handle: decode it
//!             Layouts::get                   layouts.rs    once a layout: its normal form
//!             KnownLayout::message           layouts.rs    once a layout and count
//! strategy    Message::new                   message.rs    plan, shape, expected times
//!             choose                         strategy.rs   equivalent datatype, or packed
//!           Message::elements              message.rs      native, or one of these
//!           rounds::way                    rounds.rs       by the round that it is part of
//! call      Departure::pack                departure.rs    packs into a buffer of ours
//!           next                           the library     its function of the same name
//!           Outgoing::done                 outgoing.rs     the buffer goes back
//!           Lap::done                      rounds.rs       what it took
//! ```
//!
//! `MPI_Isendrecv` and `MPI_Isendrecv_replace` are left alone: MPICH 4 and 5 complete them with a
//! status that does not say how much has arrived.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};

use crate::accelerate::incoming::Incoming;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::CallEnd;
use crate::preload::state::Preload;
use crate::replace::Way;
use crate::runtime::calls::{
    IncomingMessage, MessageData, MessageLayer, MessageSource, OutgoingMessage, ProbeCall,
};
use crate::runtime::count::CallCount;
use crate::runtime::outcome::When;

impl<A: Abi> MessageLayer<A> for &'static Preload<A> {
    #[inline(always)] // The values stay in registers.
    unsafe fn send<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if message.to.is_of_nobody() || self.passes([message.data.datatype], CallEnd::Done) {
            return next(message.data);
        }
        self.replacement.uses(Way::Out, message.to);
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let (out, lap) = unsafe { Outgoing::of(self, message.data, message.to.rank) };
        let code = next(out.arguments(message.data));
        out.done(self);
        lap.done(CallEnd::Done);
        code
    }

    #[inline(always)] // The values stay in registers.
    unsafe fn isend<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if message.to.is_of_nobody() || self.passes([message.data.datatype], CallEnd::Started) {
            return next(message.data);
        }
        self.replacement.uses(Way::Out, message.to);
        // SAFETY: the call sends the program's buffer, which can be read until it completes.
        let (out, lap) = unsafe { Outgoing::of(self, message.data, message.to.rank) };
        let code = next(out.arguments(message.data));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { out.wait_for(self, code, request, Held::Send) };
        lap.done(CallEnd::Started);
        code
    }

    #[inline(always)] // The values stay in registers.
    unsafe fn recv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        if message.from.is_nobody() || self.passes([message.data.datatype], CallEnd::Done) {
            return next(message.data, status);
        }
        self.takes(message.from);
        let mut own = A::Status::empty();
        let (mut incoming, lap) = Incoming::of(self, message, When::InCall);
        let status = incoming.status(status, &raw mut own);
        let code = next(incoming.arguments(message.data), status);
        // SAFETY: `next` has filled in the status if it succeeded; the program's buffer is the
        // call's until it returns.
        let code = unsafe { incoming.land(self, code, status) };
        lap.done(CallEnd::Done);
        code
    }

    #[inline(always)] // The values stay in registers.
    unsafe fn irecv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if message.from.is_nobody() || self.passes([message.data.datatype], CallEnd::Started) {
            return next(message.data);
        }
        self.takes(message.from);
        let (mut incoming, lap) = Incoming::of(self, message, When::Later);
        let code = next(incoming.arguments(message.data));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { incoming.wait_for(self, code, request, Held::Receive) };
        lap.done(CallEnd::Started);
        code
    }

    unsafe fn sendrecv<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        if self.passes([sent.data.datatype, received.data.datatype], CallEnd::Done) {
            return next(sent.data, received.data, status);
        }
        self.replacement.uses(Way::Out, sent.to);
        self.takes(received.from);
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let (out, sending) = unsafe { Outgoing::of(self, sent.data, sent.to.rank) };
        let mut own = A::Status::empty();
        let (mut incoming, receiving) = Incoming::of(self, received, When::InCall);
        let status = incoming.status(status, &raw mut own);
        let code = next(out.arguments(sent.data), incoming.arguments(received.data), status);
        out.done(self);
        // SAFETY: `next` has filled in the status if it succeeded; the program's buffer is the
        // call's until it returns.
        let code = unsafe { incoming.land(self, code, status) };
        sending.or(receiving).done(CallEnd::Done);
        code
    }

    /// One buffer holds the packed bytes of both messages, as in the program.
    unsafe fn sendrecv_replace<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        self.replacement.uses(Way::Out, sent.to);
        self.takes(received.from);
        let peer = match received.from {
            MessageSource::Any(from) if from.rank != A::CONSTANTS.proc_null => received.from,
            _ => MessageSource::Any(sent.to),
        };
        let exchanged = IncomingMessage { data: received.data, from: peer };
        let mut own = A::Status::empty();
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let (mut exchange, lap) = unsafe { Incoming::replacing(self, exchanged) };
        let status = exchange.status(status, &raw mut own);
        let data = exchange.arguments(received.data);
        let code = next(data, data, status);
        // SAFETY: `next` has filled in the status if it succeeded; the program's buffer is the
        // call's until it returns.
        let code = unsafe { exchange.land(self, code, status) };
        lap.done(CallEnd::Done);
        code
    }

    fn isendrecv<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Request) -> c_int,
    ) -> c_int {
        self.replacement.uses(Way::Out, sent.to);
        self.takes(received.from);
        next(sent.data, received.data, request)
    }

    unsafe fn probe(
        self,
        call: ProbeCall<A>,
        next: impl FnOnce(*mut A::Status) -> c_int,
        _found: impl FnOnce() -> bool,
    ) -> c_int {
        if call.message.is_some() {
            self.replacement.uses(Way::In, call.from);
        }
        next(call.status)
    }
}

impl<A: Abi> Preload<A> {
    /// A message of no group is received. One that a probe has found was taken by that.
    fn takes(&'static self, from: MessageSource<A>) {
        if let Some(envelope) = from.envelope() {
            self.replacement.uses(Way::In, envelope);
        }
    }
}
