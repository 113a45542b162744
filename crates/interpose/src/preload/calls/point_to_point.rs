//! Blocking and non-blocking sends and receives (MPI 4.1, sections 3.2 to 3.11). The four modes of
//! a send differ in the library's function only, and so do the two widths of counts.
//!
//! The walk of one `MPI_Send` of a derived type, from its handle to the call, each function once.
//! Files are those of `accelerate`; what is indented runs only until it is known.
//!
//! ```text
//! handle    send                           here            the call of the program
//!           Neighbours::sends              neighbours.rs   its number, where they count
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
use std::ptr;

use commloom_mpi::{Abi, Status};

use crate::accelerate::incoming::Incoming;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::CallEnd;
use crate::preload::state::Preload;
use crate::replace::Way;
use crate::runtime::calls::{
    Envelope, IncomingMessage, MessageData, MessageLayer, MessageSource, OutgoingMessage, ProbeCall,
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
        if message.to.is_of_nobody() {
            return next(message.data);
        }
        let ordinal = self.neighbours.sends(message.to);
        if self.passes([message.data.datatype], CallEnd::Done) {
            return self.went(message.to.comm, next(message.data));
        }
        self.replacement.uses(Way::Out, message.to);
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let (out, lap) = unsafe { Outgoing::of(self, message.data, message.to, ordinal) };
        let code = next(out.arguments(message.data));
        out.done(self);
        lap.done(CallEnd::Done);
        self.went(message.to.comm, code)
    }

    #[inline(always)] // The values stay in registers.
    unsafe fn isend<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if message.to.is_of_nobody() {
            return next(message.data);
        }
        let ordinal = self.neighbours.sends(message.to);
        if self.passes([message.data.datatype], CallEnd::Started) {
            return self.went(message.to.comm, next(message.data));
        }
        self.replacement.uses(Way::Out, message.to);
        // SAFETY: the call sends the program's buffer, which can be read until it completes.
        let (out, lap) = unsafe { Outgoing::of(self, message.data, message.to, ordinal) };
        let code = next(out.arguments(message.data));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { out.wait_for(self, code, request, Held::Send) };
        lap.done(CallEnd::Started);
        self.went(message.to.comm, code)
    }

    #[inline(always)] // The values stay in registers.
    unsafe fn recv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        if message.from.is_nobody() {
            return next(message.data, status);
        }
        let mut own = A::Status::empty();
        let (ordinal, told) = self.receives(message.from, (status, &raw mut own));
        let status = told.status;
        if self.passes([message.data.datatype], CallEnd::Done) {
            // SAFETY: `next` has filled in the status if it succeeded.
            return unsafe { self.came(told, next(message.data, status)) };
        }
        self.takes(message.from);
        let (mut incoming, lap) = Incoming::of(self, message, When::InCall, ordinal);
        let status = incoming.status(status, &raw mut own);
        let code = next(incoming.arguments(message.data), status);
        // SAFETY: `next` has filled in the status if it succeeded; the program's buffer is the
        // call's until it returns.
        let code = unsafe { incoming.land(self, code, status) };
        lap.done(CallEnd::Done);
        // SAFETY: `next` has filled in the status if it succeeded.
        unsafe { self.came(told, code) }
    }

    #[inline(always)] // The values stay in registers.
    unsafe fn irecv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if message.from.is_nobody() {
            return next(message.data);
        }
        let (ordinal, told) = self.receives(message.from, (ptr::null_mut(), ptr::null_mut()));
        if self.passes([message.data.datatype], CallEnd::Started) {
            // SAFETY: `next` has made the request if it succeeded.
            return unsafe { self.comes_later(told, next(message.data), request) };
        }
        self.takes(message.from);
        let (mut incoming, lap) = Incoming::of(self, message, When::Later, ordinal);
        let mut told = told;
        if told.is_any && incoming.takes_any() {
            told.is_any = false;
        }
        let code = next(incoming.arguments(message.data));
        // SAFETY: `next` has made the request if it succeeded.
        let code = unsafe {
            incoming.wait_for(self, code, request, Held::Receive);
            self.comes_later(told, code, request)
        };
        lap.done(CallEnd::Started);
        code
    }

    unsafe fn sendrecv<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        let out = self.sends(sent.to);
        let mut own = A::Status::empty();
        let (ordinal, told) = self.receives(received.from, (status, &raw mut own));
        let status = told.status;
        if self.passes([sent.data.datatype, received.data.datatype], CallEnd::Done) {
            // SAFETY: `next` has filled in the status if it succeeded.
            return unsafe { self.came(told, next(sent.data, received.data, status)) };
        }
        self.replacement.uses(Way::Out, sent.to);
        self.takes(received.from);
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let (out, sending) = unsafe { Outgoing::of(self, sent.data, sent.to, out) };
        let (mut incoming, receiving) = Incoming::of(self, received, When::InCall, ordinal);
        let status = incoming.status(status, &raw mut own);
        let code = next(out.arguments(sent.data), incoming.arguments(received.data), status);
        out.done(self);
        // SAFETY: `next` has filled in the status if it succeeded; the program's buffer is the
        // call's until it returns.
        let code = unsafe { incoming.land(self, code, status) };
        sending.or(receiving).done(CallEnd::Done);
        // SAFETY: `next` has filled in the status if it succeeded.
        unsafe { self.came(told, code) }
    }

    /// One buffer holds the packed bytes of both messages, as in the program.
    unsafe fn sendrecv_replace<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        self.sends(sent.to);
        let mut own = A::Status::empty();
        let (_, told) = self.receives(received.from, (status, &raw mut own));
        let status = told.status;
        self.replacement.uses(Way::Out, sent.to);
        self.takes(received.from);
        let peer = match received.from {
            MessageSource::Any(from) if from.rank != A::CONSTANTS.proc_null => received.from,
            _ => MessageSource::Any(sent.to),
        };
        let exchanged = IncomingMessage { data: received.data, from: peer };
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let (mut exchange, lap) = unsafe { Incoming::replacing(self, exchanged) };
        let status = exchange.status(status, &raw mut own);
        let data = exchange.arguments(received.data);
        let code = next(data, data, status);
        // SAFETY: `next` has filled in the status if it succeeded; the program's buffer is the
        // call's until it returns.
        let code = unsafe { exchange.land(self, code, status) };
        lap.done(CallEnd::Done);
        // SAFETY: `next` has filled in the status if it succeeded.
        unsafe { self.came(told, code) }
    }

    fn isendrecv<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Request) -> c_int,
    ) -> c_int {
        self.sends(sent.to);
        if let (None, Some(from)) = (self.counts(received.from), received.from.envelope()) {
            // Perhaps any message: nothing of ours waits for the request.
            self.neighbours.takes_unseen(from.comm);
        }
        self.replacement.uses(Way::Out, sent.to);
        self.takes(received.from);
        self.went(sent.to.comm, next(sent.data, received.data, request))
    }

    unsafe fn probe(
        self,
        call: ProbeCall<A>,
        next: impl FnOnce(*mut A::Status) -> c_int,
        found: impl FnOnce() -> bool,
    ) -> c_int {
        if call.message.is_none() {
            return next(call.status);
        }
        self.replacement.uses(Way::In, call.from);
        if !self.neighbours.is_on() || call.from.is_of_nobody() {
            return next(call.status);
        }
        let mut own = A::Status::empty();
        let ignored = A::CONSTANTS.ignores_status(call.status);
        let status = if ignored { &raw mut own } else { call.status };
        let code = next(status);
        if code == A::CONSTANTS.success && found() {
            // SAFETY: the library has filled it in.
            let status = unsafe { status.read_unaligned() };
            self.neighbours.has_taken(call.from.comm, (status.source(), status.tag()));
        }
        self.went(call.from.comm, code)
    }
}

impl<A: Abi> Preload<A> {
    /// A message of no group is received. One that a probe has found was taken by that.
    fn takes(&'static self, from: MessageSource<A>) {
        if let Some(envelope) = from.envelope() {
            self.replacement.uses(Way::In, envelope);
        }
    }

    /// A message is about to be sent: its number, where neighbours count.
    #[inline]
    fn sends(&'static self, to: Envelope<A>) -> Option<u64> {
        if to.is_of_nobody() { None } else { self.neighbours.sends(to) }
    }

    /// A message is about to be received: its number, where neighbours count.
    #[inline]
    fn counts(&'static self, from: MessageSource<A>) -> Option<u64> {
        let envelope = from.envelope().filter(|envelope| !envelope.is_of_nobody())?;
        self.neighbours.receives(envelope)
    }

    /// The same, and how the library tells which one it was where any will do: in the program's
    /// status, or in ours where it ignores that.
    #[inline]
    fn receives(
        &'static self,
        from: MessageSource<A>,
        (given, own): (*mut A::Status, *mut A::Status),
    ) -> (Option<u64>, Told<A>) {
        let ordinal = self.counts(from);
        let envelope = from.envelope();
        let is_any = ordinal.is_none() && envelope.is_some_and(|it| self.neighbours.awaits_any(it));
        let ignored = is_any && A::CONSTANTS.ignores_status(given);
        let status = if ignored { own } else { given };
        (ordinal, Told { status, is_any, comm: envelope.map(|envelope| envelope.comm) })
    }

    /// The library's answer to a call that was counted.
    #[inline]
    fn went(&'static self, comm: A::Comm, code: c_int) -> c_int {
        if code != A::CONSTANTS.success {
            self.neighbours.failed(comm);
        }
        code
    }

    /// The same of a receive.
    ///
    /// # Safety
    /// The library has filled in the status if it has succeeded.
    #[inline]
    unsafe fn came(&'static self, told: Told<A>, code: c_int) -> c_int {
        let Some(comm) = told.comm else { return code };
        if told.is_any {
            // SAFETY: the caller's promise. Open MPI hands over arrays of Fortran integers.
            let status =
                (code == A::CONSTANTS.success).then(|| unsafe { told.status.read_unaligned() });
            self.neighbours.has_any(comm, status.map(|status| (status.source(), status.tag())));
        }
        self.ended(comm, code)
    }

    /// The library's answer to a receive: one that was too short has got its message.
    #[inline]
    fn ended(&'static self, comm: A::Comm, code: c_int) -> c_int {
        if code != A::CONSTANTS.success
            && self.mpi().error_class(code) != Some(A::CONSTANTS.err_truncate)
        {
            self.neighbours.failed(comm);
        }
        code
    }

    /// The same of a receive that goes on.
    ///
    /// # Safety
    /// The library has made the request if it has succeeded.
    #[inline]
    unsafe fn comes_later(
        &'static self,
        told: Told<A>,
        code: c_int,
        request: *const A::Request,
    ) -> c_int {
        let Some(comm) = told.comm else { return code };
        if told.is_any && code == A::CONSTANTS.success {
            // SAFETY: the caller's promise.
            self.hold(unsafe { *request }, Held::Any(comm));
        }
        self.went(comm, code)
    }
}

/// How the library tells of a receive.
struct Told<A: Abi> {
    status: *mut A::Status,
    /// Which message it gets is not known before.
    is_any: bool,
    /// A matched message does not name it.
    comm: Option<A::Comm>,
}
