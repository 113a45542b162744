//! Persistent requests: what they do is kept when they are made, and each start is an operation.

use std::ffi::c_int;

use commloom_mpi::Abi;

use super::recorder::{Inside, Recorder};
use super::requests::{Entry, Receive, Template, UnderWay};
use crate::runtime::calls::{IncomingMessage, MessageData, OutgoingMessage, PersistentLayer};
use crate::runtime::count::CallCount;

impl<A: Abi> PersistentLayer<A> for &'static Recorder<A> {
    unsafe fn send_init<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let send = |inside: &Inside<A>| inside.send(message).map(Template::Send);
        // SAFETY: `next` makes the request of the program's call.
        unsafe { self.making(request, || next(message.data), send) }
    }

    unsafe fn recv_init<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        // SAFETY: the message has an envelope, and no handle.
        let receive =
            |inside: &Inside<A>| unsafe { inside.receive(message) }.map(Template::Receive);
        // SAFETY: `next` makes the request of the program's call.
        unsafe { self.making(request, || next(message.data), receive) }
    }

    unsafe fn start(
        self,
        (count, requests): (c_int, *mut A::Request),
        next: impl FnOnce(*mut A::Request) -> c_int,
    ) -> c_int {
        let Some(inside) = self.enter_active() else { return next(requests) };
        // SAFETY: the requests are those of the program's call.
        let Some(handles) = (unsafe { inside.under_way(requests, count) }) else {
            return next(requests);
        };
        let started: Vec<(usize, UnderWay)> = handles
            .iter()
            .enumerate()
            // SAFETY: the buffers of requests that are started can be read.
            .filter_map(|(at, &it)| Some((at, inside.shield(|| unsafe { inside.starts(it) })?)))
            .collect();
        let code = next(requests);
        for (at, &before) in handles.iter().enumerate() {
            // SAFETY: as many as before the call.
            let now = unsafe { requests.add(at).read_unaligned() };
            if now != before {
                inside.lock().requests.renamed(before, now);
            }
        }
        for (at, now) in started {
            // SAFETY: inside the array of the program's call.
            let request = unsafe { requests.add(at).read_unaligned() };
            if code == A::CONSTANTS.success {
                inside.lock().requests.started(request, now);
            } else if let UnderWay::Receive(..) = now {
                // SAFETY: nothing has come, and no buffer is read.
                inside.shield(|| unsafe { inside.completes(now, None) });
            }
        }
        code
    }
}

impl<A: Abi> Recorder<A> {
    /// Runs a call that makes a persistent request, and keeps what that will do. Outside of a
    /// region too: it may be started within one.
    ///
    /// # Safety
    /// `call` writes the request if it succeeds.
    pub(super) unsafe fn making(
        &'static self,
        request: *const A::Request,
        call: impl FnOnce() -> c_int,
        template: impl FnOnce(&Inside<A>) -> Option<Template>,
    ) -> c_int {
        let Some(inside) = self.enter() else { return call() };
        let code = call();
        if code == A::CONSTANTS.success
            && let Some(template) = inside.shield(|| template(&inside))
        {
            // SAFETY: the call has succeeded.
            let request = unsafe { *request };
            inside.lock().requests.insert(request, Entry::Persistent(template, None));
        }
        code
    }
}

impl<A: Abi> Inside<A> {
    /// Records that a request is started.
    ///
    /// # Safety
    /// The buffer of a send can be read.
    unsafe fn starts(&self, request: A::Request) -> Option<UnderWay> {
        let template = self.lock().requests.template(request)?.clone();
        match template {
            // SAFETY: the buffer is the caller's promise.
            Template::Send(send) => Some(UnderWay::Send(unsafe { self.sends(&send) }?)),
            Template::Receive(receive) => self.posted(receive),
            Template::Collective(collective) => {
                self.begins(collective);
                None
            }
        }
    }

    /// Records that a receive is posted.
    pub(super) fn posted(&self, receive: Receive) -> Option<UnderWay> {
        Some(UnderWay::Receive(self.receives(&receive)?, receive))
    }
}
