//! Persistent requests (MPI 4.1, section 3.9): those of point-to-point messages are made here,
//! those of collectives in [`super::collectives`]; all of them are started here.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::accelerate::incoming::Incoming;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::persistent::Work;
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
        let out = Outgoing::persistent(self, message.data, message.to.rank);
        let code = next(out.arguments(message.data));
        let held = |departure| Held::persistent(Work::Send(departure));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { out.wait_for(self, code, request, held) };
        self.replacement.prepares(Way::Out, message.data, message.to, (code, request));
        code
    }

    unsafe fn recv_init<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        let mut incoming = Incoming::persistent(self, message);
        let code = next(incoming.arguments(message.data));
        let held = |landing| Held::persistent(Work::Receive(landing));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { incoming.wait_for(self, code, request, held) };
        if let Some(from) = message.from.envelope() {
            self.replacement.prepares(Way::In, message.data, from, (code, request));
        }
        code
    }

    unsafe fn start(
        self,
        requests: (c_int, *mut A::Request),
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        // SAFETY: the requests are those of the program's call, which are inactive.
        let as_it_is = || unsafe { starting(self, requests, next) };
        // SAFETY: the same requests.
        unsafe { self.replacement.start_together(requests, as_it_is) }
    }
}

/// Packs what so many requests send and starts them by `call`. Where packing failed none is
/// started, because the library would send what was packed the last time.
///
/// # Safety
/// As the MPI call.
unsafe fn starting<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *mut A::Request),
    call: impl FnOnce() -> c_int,
) -> c_int {
    if state.pending.is_empty() || requests.is_null() {
        return call();
    }
    state.finish_freed_sends();
    let ours: Vec<_> = (0..usize::try_from(count).unwrap_or(0))
        // SAFETY: inside the array.
        .filter_map(|i| state.pending.persistent(unsafe { *requests.add(i) }))
        .collect();
    // SAFETY: the requests are inactive.
    let packed = ours.iter().all(|persistent| unsafe { persistent.start() }.is_some());
    let code = if packed {
        call()
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
        ours.iter().for_each(|persistent| persistent.start_failed());
    }
    code
}
