//! Persistent requests: what they do is kept when they are made, and each start is an operation.

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;

use super::point_to_point::mode;
use super::recorder::{Inside, Recorder};
use super::requests::{Entry, Receive, Template, UnderWay};
use crate::runtime::count::CallCount;
use crate::runtime::prototypes::{Irecv, Isend};

/// `MPI_Send_init` and its modes.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn send_init<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    name: &'static str,
    next: Isend<A, N>,
    buffer: *const c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let call = || next(buffer, count, datatype, destination, tag, comm, request);
        // Outside of a region too: it may be started within one.
        let Some(inside) = recorder.enter() else { return call() };
        let code = call();
        if code == A::CONSTANTS.success {
            let send = || {
                inside.send(mode(name), (buffer, count.wide(), datatype), destination, tag, comm)
            };
            let template = inside.shield(send).map(Template::Send);
            inside.keep_template(*request, template);
        }
        code
    }
}

/// `MPI_Recv_init`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn recv_init<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: Irecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let call = || next(buffer, count, datatype, source, tag, comm, request);
        // Outside of a region too: it may be started within one.
        let Some(inside) = recorder.enter() else { return call() };
        let code = call();
        if code == A::CONSTANTS.success {
            let receive = || inside.receive((buffer, count.wide(), datatype), source, tag, comm);
            let template = inside.shield(receive).map(Template::Receive);
            inside.keep_template(*request, template);
        }
        code
    }
}

/// `MPI_Start`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn start<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on; one request.
    unsafe { starting(recorder, (1, request), || next(request)) }
}

/// `MPI_Startall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn startall<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(c_int, *mut A::Request) -> c_int,
    count: c_int,
    requests: *mut A::Request,
) -> c_int {
    // SAFETY: passed on; `count` requests.
    unsafe { starting(recorder, (count, requests), || next(count, requests)) }
}

/// Records what so many requests do, and starts them by `call`.
///
/// # Safety
/// As the MPI call.
unsafe fn starting<A: Abi>(
    recorder: &'static Recorder<A>,
    (count, requests): (c_int, *const A::Request),
    call: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = recorder.enter_active() else { return call() };
        let Some(handles) = inside.under_way(requests, count) else { return call() };
        let started: Vec<(A::Request, UnderWay)> = handles
            .into_iter()
            .filter_map(|request| Some((request, inside.shield(|| inside.starts(request))?)))
            .collect();
        let code = call();
        for (request, now) in started {
            if code == A::CONSTANTS.success {
                inside.lock().requests.started(request, now);
            } else if let UnderWay::Receive(..) = now {
                inside.shield(|| inside.completes(now, None));
            }
        }
        code
    }
}

impl<A: Abi> Inside<A> {
    pub(super) fn keep_template(&self, request: A::Request, template: Option<Template>) {
        if let Some(template) = template {
            self.lock().requests.insert(request, Entry::Persistent(template, None));
        }
    }

    /// Records that a request is started.
    ///
    /// # Safety
    /// The buffer of a send can be read.
    unsafe fn starts(&self, request: A::Request) -> Option<UnderWay> {
        let template = self.lock().requests.template(request)?.clone();
        match template {
            // SAFETY: passed on.
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
