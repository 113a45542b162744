//! Persistent requests (MPI 4.1, section 3.9): those of point-to-point messages are made here, those of
//! collectives in [`super::collectives`]; all of them are started here.

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;

use crate::accelerate::incoming::Incoming;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::persistent::Work;
use crate::preload::state::Preload;
use crate::replace::Way;
use crate::runtime::count::CallCount;
use crate::runtime::prototypes::{Irecv, Isend};

/// `MPI_Send_init` and its modes.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn send_init<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Isend<A, N>,
    buffer: *const c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    let out = Outgoing::persistent(state, buffer, count, datatype, destination);
    let (b, c, d) = out.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = next(b, c, d, destination, tag, comm, request);
        out.wait_for(state, code, request, |departure| Held::persistent(Work::Send(departure)));
        let (message, place) = ((buffer, count, datatype), (comm, destination, tag));
        state.replacement.prepares(Way::Out, message, place, (code, request));
        code
    }
}

/// `MPI_Recv_init`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn recv_init<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Irecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    let mut incoming = Incoming::persistent(state, buffer, count, datatype, (source, Some(comm)));
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = next(b, c, d, source, tag, comm, request);
        incoming.wait_for(state, code, request, |landing| Held::persistent(Work::Receive(landing)));
        let (message, place) = ((buffer.cast_const(), count, datatype), (comm, source, tag));
        state.replacement.prepares(Way::In, message, place, (code, request));
        code
    }
}

/// `MPI_Start`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn start<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on; one request.
    unsafe {
        let as_it_is = || starting(state, (1, request), || next(request));
        state.replacement.start_together((1, request), as_it_is)
    }
}

/// `MPI_Startall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn startall<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(c_int, *mut A::Request) -> c_int,
    count: c_int,
    requests: *mut A::Request,
) -> c_int {
    // SAFETY: passed on; `count` requests.
    unsafe {
        let as_it_is = || starting(state, (count, requests), || next(count, requests));
        state.replacement.start_together((count, requests), as_it_is)
    }
}

/// Packs what so many requests send and starts them by `call`. Where packing failed none is started,
/// because the library would send what was packed the last time.
///
/// # Safety
/// As the MPI call.
unsafe fn starting<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *const A::Request),
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
        // The handler decides whether the program ends. What it returns changes nothing. A program that has
        // only sessions has no such communicator.
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
