//! Blocking and non-blocking sends and receives, probes, and what a program asks of a status.
//!
//! `MPI_Isendrecv` and partitioned communication are not recorded; see book/src/how-to/record.md.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};
use commloom_trace::Action;

use super::messages::in_world;
use super::recorder::{Inside, Recorder};
use super::requests::{Entry, Probed, Receive, Send, UnderWay};
use crate::runtime::calls::{
    Envelope, IncomingMessage, MessageData, MessageLayer, MessageSource, OutgoingMessage, ProbeCall,
};
use crate::runtime::count::CallCount;
use crate::runtime::statuses::Statuses;

impl<A: Abi> Inside<A> {
    /// Whether a message has a peer at all.
    fn is_peer(rank: c_int) -> bool {
        rank != A::CONSTANTS.proc_null
    }

    pub(super) fn has_pending(&self) -> bool {
        self.recorder.pending.load(std::sync::atomic::Ordering::Acquire) > 0
    }

    /// A message to be sent; `None` where there is none, or the library will refuse it.
    pub(super) fn send<N: CallCount>(&self, message: OutgoingMessage<A, N>) -> Option<Send> {
        let OutgoingMessage { mode, data, to: Envelope { rank, tag, comm } } = message;
        if !Self::is_peer(rank) {
            return None;
        }
        let communicator = self.communicator(comm)?;
        let to = in_world(&communicator, rank)?;
        Some(Send { mode, to, tag, communicator, data: self.data(data)? })
    }

    /// A message to be received, likewise. The handle of one that was found is another's after
    /// the call.
    ///
    /// # Safety
    /// Such a handle can be read.
    pub(super) unsafe fn receive<N: CallCount>(
        &self,
        message: IncomingMessage<A, N>,
    ) -> Option<Receive> {
        let Probed { communicator, from, tag } = match message.from {
            MessageSource::Any(envelope) => self.probed(envelope)?,
            MessageSource::Matched(handle) => {
                // SAFETY: the handle is the caller's promise.
                let found = self.lock().messages.remove(unsafe { &*handle });
                found.filter(|_| self.active)?
            }
        };
        Some(Receive { from, tag, communicator, data: self.data(message.data)? })
    }

    /// Source and tag, which may be wildcards.
    fn probed(&self, Envelope { rank, tag, comm }: Envelope<A>) -> Option<Probed> {
        if !Self::is_peer(rank) {
            return None;
        }
        let communicator = self.communicator(comm)?;
        let from = match rank {
            any if any == A::CONSTANTS.any_source => None,
            rank => Some(in_world(&communicator, rank)?),
        };
        Some(Probed { communicator, from, tag: (tag != A::CONSTANTS.any_tag).then_some(tag) })
    }

    /// Records that a message is sent.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn begins_send<N: CallCount>(&self, message: OutgoingMessage<A, N>) -> Option<UnderWay> {
        self.shield(|| {
            let send = self.send(message)?;
            // SAFETY: the buffer is the caller's promise.
            unsafe { self.sends(&send) }.map(UnderWay::Send)
        })
    }

    /// Records that a message is to be received.
    ///
    /// # Safety
    /// As for [`Inside::receive`].
    unsafe fn begins_receive<N: CallCount>(
        &self,
        message: IncomingMessage<A, N>,
    ) -> Option<UnderWay> {
        // SAFETY: the handle is the caller's promise.
        self.shield(|| self.posted(unsafe { self.receive(message) }?))
    }

    /// After a blocking call that returned `code`.
    ///
    /// # Safety
    /// The library has written the status if it succeeded; the buffer of a receive can be read.
    unsafe fn returns(&self, done: Option<UnderWay>, code: c_int, status: Option<A::Status>) {
        if let Some(done) = done {
            let status = status.filter(|_| code == A::CONSTANTS.success);
            // SAFETY: the buffer is the caller's promise.
            self.shield(|| unsafe { self.completes(done, status.as_ref()) });
        }
    }

    /// After a call that made a request and returned `code`.
    ///
    /// # Safety
    /// The library has written the request if it succeeded.
    unsafe fn waits(&self, now: Option<UnderWay>, code: c_int, request: *const A::Request) {
        let Some(now) = now else { return };
        if code == A::CONSTANTS.success {
            // SAFETY: written by the call that has succeeded.
            let request = unsafe { *request };
            self.lock().requests.insert(request, Entry::Once(now));
        } else {
            // SAFETY: nothing has come, and no buffer is read.
            unsafe { self.returns(Some(now), code, None) };
        }
    }

    /// Records the message that a probe has found: whether the probe waits for one, and takes it.
    fn finds(&self, probed: &Probed, (waits, takes): (bool, bool), status: &A::Status) {
        let Probed { communicator, from, tag } = probed.clone();
        let found = self.came(status, &communicator).filter(|_| self.active);
        if let Some(found) = found {
            let site = self.site();
            let action = Action::Probed { from, tag, communicator, waits, takes, found };
            self.lock().push(site, action);
        }
    }
}

impl<A: Abi> Recorder<A> {
    /// Lets a call in that receives a message. One that was found is forgotten wherever that is.
    fn enter_receive(&'static self, from: MessageSource<A>) -> Option<Inside<A>> {
        self.enter().filter(|inside| inside.active || from.envelope().is_none())
    }
}

impl<A: Abi> MessageLayer<A> for &'static Recorder<A> {
    unsafe fn send<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let Some(inside) = self.enter_active() else { return next(message.data) };
        // SAFETY: the call sends the program's buffer, which can be read until it returns.
        let sent = unsafe { inside.begins_send(message) };
        let code = next(message.data);
        // SAFETY: a send has no buffer that is read now.
        unsafe { inside.returns(sent, code, Some(A::Status::empty())) };
        code
    }

    unsafe fn isend<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let Some(inside) = self.enter_active() else { return next(message.data) };
        // SAFETY: the call sends the program's buffer, which can be read until it completes.
        let sent = unsafe { inside.begins_send(message) };
        let code = next(message.data);
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { inside.waits(sent, code, request) };
        code
    }

    unsafe fn recv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        let Some(inside) = self.enter_receive(message.from) else {
            return next(message.data, status);
        };
        // SAFETY: the handle of the program's call, if it has one.
        let come = unsafe { inside.begins_receive(message) };
        let mut statuses = Statuses::new::<A>(status, 1);
        let code = next(message.data, statuses.as_mut_ptr());
        // SAFETY: `next` has filled in the status if it succeeded, and the buffer with it.
        unsafe { inside.returns(come, code, statuses.get(0)) };
        code
    }

    unsafe fn irecv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let Some(inside) = self.enter_receive(message.from) else { return next(message.data) };
        // SAFETY: the handle of the program's call, if it has one.
        let come = unsafe { inside.begins_receive(message) };
        let code = next(message.data);
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { inside.waits(come, code, request) };
        code
    }

    unsafe fn sendrecv<N: CallCount>(
        self,
        (sent, received): (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        let Some(inside) = self.enter_active() else {
            return next(sent.data, received.data, status);
        };
        // SAFETY: the call sends the program's buffer, which can be read until it returns; it
        // receives by an envelope.
        let (gone, come) = unsafe { (inside.begins_send(sent), inside.begins_receive(received)) };
        let mut statuses = Statuses::new::<A>(status, 1);
        let code = next(sent.data, received.data, statuses.as_mut_ptr());
        // SAFETY: `next` has filled in the status if it succeeded, and the buffer with it.
        unsafe {
            inside.returns(come, code, statuses.get(0));
            inside.returns(gone, code, Some(A::Status::empty()));
        }
        code
    }

    unsafe fn probe(
        self,
        call: ProbeCall<A>,
        next: impl FnOnce(*mut A::Status) -> c_int,
        found: impl FnOnce() -> bool,
    ) -> c_int {
        let ProbeCall { from, waits, message, status } = call;
        let Some(inside) = self.enter() else { return next(status) };
        let mut statuses = Statuses::new::<A>(status, 1);
        let code = next(statuses.as_mut_ptr());
        if code == A::CONSTANTS.success && found() {
            inside.shield(|| {
                let probed = inside.probed(from)?;
                // SAFETY: the call has found a message, and has written its status.
                let status = unsafe { statuses.get(0) };
                inside.finds(&probed, (waits, message.is_some()), &status?);
                // SAFETY: the call has found a message, and has written its handle.
                let message = message.map(|message| unsafe { *message })?;
                inside.lock().messages.insert(message, probed)
            });
        }
        code
    }

    unsafe fn counts(self, status: *const A::Status, next: impl FnOnce() -> c_int) -> c_int {
        let code = next();
        let Some(inside) = self.enter_active() else { return code };
        if code == A::CONSTANTS.success && !status.is_null() {
            inside.shield(|| {
                // SAFETY: the library has read the status, and has not refused it. Open MPI hands
                // over those of Fortran, which are aligned as its integers.
                let status = unsafe { status.read_unaligned() };
                let source = u32::try_from(status.source()).ok()?;
                let bytes = inside.runtime.mpi().status_bytes(&status).ok().flatten()?;
                let site = inside.site();
                let action = Action::Counted { source, tag: status.tag(), bytes };
                inside.lock().push(site, action)
            });
        }
        code
    }
}
