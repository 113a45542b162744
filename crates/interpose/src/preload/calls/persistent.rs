//! Persistent requests (MPI 4.1, section 3.9): those of point-to-point messages are made here,
//! those of collectives in [`super::collectives`]; all of them are started here.

use std::ffi::c_int;
use std::sync::Arc;

use commloom_mpi::Abi;
use commloom_trace::Mode;

use crate::accelerate::incoming::Incoming;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::persistent::Work;
use crate::accelerate::repeated::{Initiation, RepeatedMessage};
use crate::accelerate::rounds::{self, Lap};
use crate::accelerate::stand_in::StandIn;
use crate::preload::state::Preload;
use crate::replace::Way;
use crate::runtime::calls::{IncomingMessage, MessageData, OutgoingMessage, PersistentLayer};
use crate::runtime::count::CallCount;

impl<A: Abi> PersistentLayer<A> for &'static Preload<A> {
    unsafe fn send_init<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let (out, tried) = Outgoing::persistent(self, message.data, message.to.rank);
        let code = next(out.arguments(message.data));
        let held = |departure| Held::persistent(Work::Send(departure));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { out.wait_for(self, code, request, held) };
        // A buffered send is copied to a buffer of the program anyway; and Open MPI 4.1 sends
        // something else from the second start on, where it is long.
        let may = code == A::CONSTANTS.success && message.mode != Mode::Buffered;
        if let Some(tried) = tried.filter(|_| may) {
            let (initiation, buffer) = (Initiation::Send(message.mode), message.data.buffer);
            let repeated = RepeatedMessage::new(tried, initiation, buffer, message.to);
            // SAFETY: `next` has made the request.
            self.repeated.insert(self, unsafe { *request }, Arc::new(repeated));
        }
        self.replacement.prepares(Way::Out, message.data, message.to, (code, request));
        if code == A::CONSTANTS.success && !message.to.is_of_nobody() {
            // SAFETY: `next` has made the request.
            self.neighbours.prepares(unsafe { *request }, true, message.to);
        }
        code
    }

    unsafe fn recv_init<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let (mut incoming, tried) = Incoming::persistent(self, message);
        let code = next(incoming.arguments(message.data));
        let held = |landing| Held::persistent(Work::Receive(landing));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { incoming.wait_for(self, code, request, held) };
        if code == A::CONSTANTS.success {
            // SAFETY: `next` has made the request.
            self.repeated.reused(self, unsafe { *request });
        }
        if let Some(from) = message.from.envelope() {
            if let Some(tried) = tried.filter(|_| code == A::CONSTANTS.success) {
                let (initiation, buffer) = (Initiation::Receive, message.data.buffer);
                let repeated = RepeatedMessage::new(tried, initiation, buffer, from);
                // SAFETY: `next` has made the request.
                self.repeated.insert(self, unsafe { *request }, Arc::new(repeated));
            }
            self.replacement.prepares(Way::In, message.data, from, (code, request));
            if code == A::CONSTANTS.success && !from.is_of_nobody() {
                // SAFETY: `next` has made the request.
                self.neighbours.prepares(unsafe { *request }, false, from);
            }
        }
        code
    }

    unsafe fn start(
        self,
        requests: (c_int, *mut A::Request),
        next: impl FnOnce(*mut A::Request) -> c_int,
    ) -> c_int {
        // SAFETY: the requests are those of the program's call, which are inactive.
        let as_it_is = || unsafe { counting(self, requests, |it| starting(self, it, next)) };
        // SAFETY: the same requests.
        unsafe { self.replacement.start_together(requests, as_it_is) }
    }
}

/// Counts the messages of so many requests, which `call` starts.
///
/// # Safety
/// As the MPI call.
unsafe fn counting<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *mut A::Request),
    call: impl FnOnce((c_int, *mut A::Request)) -> c_int,
) -> c_int {
    if !state.neighbours.is_on() || requests.is_null() {
        return call((count, requests));
    }
    let number = usize::try_from(count).unwrap_or(0);
    // SAFETY: so many, by the call.
    let given = Vec::from_iter((0..number).map(|at| unsafe { *requests.add(at) }));
    given.iter().for_each(|&request| state.neighbours.starts(request));
    let code = call((count, requests));
    if code != A::CONSTANTS.success {
        state.neighbours.end();
    }
    for (at, before) in given.into_iter().enumerate() {
        // SAFETY: inside the array.
        let now = unsafe { *requests.add(at) };
        if before != now {
            state.neighbours.renames(before, now);
        }
    }
    code
}

/// Packs what so many requests send and starts them by `call`, or others in their places. Where
/// packing failed none is started, because the library would send what was packed the last time.
///
/// Afterwards a request may have another handle: Open MPI gives a persistent send a new one where
/// the last message has not left the library's buffers yet.
///
/// # Safety
/// As the MPI call.
unsafe fn starting<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *mut A::Request),
    call: impl FnOnce(*mut A::Request) -> c_int,
) -> c_int {
    if requests.is_null() || state.pending.is_empty() && state.repeated.is_empty() {
        return call(requests);
    }
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: so many, by the call.
    let given = Vec::from_iter((0..count).map(|at| unsafe { *requests.add(at) }));
    if state.starts_pass() {
        let code = call(requests);
        // SAFETY: so many, by the call.
        unsafe { follow_renamed(state, requests, &given) };
        return code;
    }
    state.finish_freed_sends();
    // Inactive, so that nobody else looks for them meanwhile.
    let ours = |at: usize| Some((at, state.pending.take_persistent(given[at])?));
    let ours = Vec::from_iter((0..count).filter_map(ours));
    let mut started = given.clone();
    // SAFETY: the requests are inactive.
    let packed = ours.iter().all(|(_, persistent)| unsafe { persistent.start() }.is_some());
    let code = if packed {
        let (mut lap, mut others) = (Lap::NONE, Vec::new());
        for (at, request) in started.iter_mut().enumerate() {
            // SAFETY: the request is inactive.
            let (other, its) = unsafe { stand_in(state, *request) };
            lap = lap.or(its);
            if let Some(other) = other {
                *request = other.request();
                others.push((at, other));
            }
        }
        let code = call(started.as_mut_ptr());
        for (at, other) in others {
            other.is_now(std::mem::replace(&mut started[at], given[at]));
            state.hold(given[at], Held::StandIn(other));
        }
        // SAFETY: so many, by the call.
        unsafe {
            requests.copy_from_nonoverlapping(started.as_ptr(), count);
            follow_renamed(state, requests, &given);
        }
        lap.started(count);
        code
    } else {
        let mpi = state.mpi();
        let code = A::CONSTANTS.err_intern;
        // The handler decides whether the program ends. What it returns changes nothing. A program
        // that has only sessions has no such communicator.
        if mpi.initialized().unwrap_or(false) && !mpi.finalized().unwrap_or(true) {
            let _ = mpi.call_errhandler(mpi.handles.comm_world, code);
        }
        code
    };
    if code != A::CONSTANTS.success {
        ours.iter().for_each(|(_, persistent)| persistent.start_failed());
    }
    for (at, persistent) in ours {
        state.hold(started[at], Held::Persistent(persistent));
    }
    code
}

/// Follows requests to which the library has given other handles.
///
/// # Safety
/// As many requests as there were handles before.
unsafe fn follow_renamed<A: Abi>(
    state: &'static Preload<A>,
    requests: *const A::Request,
    before: &[A::Request],
) {
    for (at, &before) in before.iter().enumerate() {
        // SAFETY: inside the array.
        let now = unsafe { *requests.add(at) };
        if before != now {
            state.repeated.rename(state, before, now);
        }
    }
}

/// The stand-in to be started for a request, and its place in the round.
///
/// # Safety
/// As for `MPI_Start`.
unsafe fn stand_in<A: Abi>(
    state: &'static Preload<A>,
    request: A::Request,
) -> (Option<Arc<StandIn<A>>>, Lap) {
    if state.repeated.is_empty() || state.leaves_alone() {
        return (None, Lap::NONE);
    }
    rounds::looks();
    match state.repeated.get(request) {
        // SAFETY: the caller's promise.
        Some(repeated) => unsafe { repeated.start(state, &state.pending) },
        None => (None, Lap::NONE),
    }
}
