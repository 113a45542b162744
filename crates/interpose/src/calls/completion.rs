//! `MPI_Wait`, `MPI_Test` and their families, `MPI_Request_free` (MPI 4.1, sections 3.7.3 to 3.7.5). Where nothing of ours waits for any of the requests, the call
//! goes straight to the library. Requests that were replaced are not the library's: see `replace::told`.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::complete::{Claimed, Statuses, Tells};
use crate::pending::Held;
use crate::replace::stop;
use crate::state::Preload;

/// `MPI_Wait`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn wait<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut A::Request, *mut A::Status) -> c_int,
    request: *mut A::Request,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        if let Some((replace, told)) = state.told(request, 1) {
            told.first(replace, request, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(request, statuses);
        completing(state, (1, request), (1, status, Tells::Code), call, |_| Some(0))
    }
}

/// `MPI_Test`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn test<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    request: *mut A::Request,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        if let Some((replace, told)) = state.told(request, 1) {
            *flag = 1;
            told.first(replace, request, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(request, flag, statuses);
        completing(state, (1, request), (1, status, Tells::Code), call, |_| {
            (*flag != 0).then_some(0)
        })
    }
}

/// `MPI_Waitall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitall<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        if state.tells_all(requests, count, statuses) {
            return A::CONSTANTS.success;
        }
        let told = state.told(requests, count);
        let call = |statuses| next(count, requests, statuses);
        let code =
            completing(state, (count, requests), (count, statuses, Tells::Statuses), call, Some);
        if let Some((replace, told)) = told {
            told.all(replace, requests, statuses, true);
        }
        code
    }
}

/// `MPI_Testall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testall<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    flag: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        if state.tells_all(requests, count, statuses) {
            *flag = 1;
            return A::CONSTANTS.success;
        }
        let told = state.told(requests, count);
        let call = |statuses| next(count, requests, flag, statuses);
        let code =
            completing(state, (count, requests), (count, statuses, Tells::Statuses), call, |at| {
                (*flag != 0).then_some(at)
            });
        if let Some((replace, told)) = told.filter(|_| *flag != 0) {
            told.all(replace, requests, statuses, true);
        }
        code
    }
}

/// `MPI_Waitany`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitany<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    index: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, one status: of the one that completed.
    unsafe {
        if let Some((replace, told)) = state.told(requests, count) {
            *index = told.first(replace, requests, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, index, statuses);
        completing(state, (count, requests), (1, status, Tells::Code), call, |at| only(at, *index))
    }
}

/// `MPI_Testany`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testany<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(
        c_int,
        *mut A::Request,
        *mut c_int,
        *mut c_int,
        *mut A::Status,
    ) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, one status: of the one that completed.
    unsafe {
        if let Some((replace, told)) = state.told(requests, count) {
            *flag = 1;
            *index = told.first(replace, requests, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, index, flag, statuses);
        completing(state, (count, requests), (1, status, Tells::Code), call, |at| {
            if *flag == 0 { None } else { only(at, *index) }
        })
    }
}

/// `MPI_Waitsome`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitsome<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(
        c_int,
        *mut A::Request,
        *mut c_int,
        *mut c_int,
        *mut A::Status,
    ) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    completed: *mut c_int,
    indices: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, indices and statuses.
    unsafe {
        if let Some((replace, told)) = state.told(requests, count) {
            *completed = told.some(replace, requests, (indices, statuses), true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, completed, indices, statuses);
        completing(state, (count, requests), (count, statuses, Tells::Statuses), call, |at| {
            place(at, *completed, indices)
        })
    }
}

/// `MPI_Testsome`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testsome<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(
        c_int,
        *mut A::Request,
        *mut c_int,
        *mut c_int,
        *mut A::Status,
    ) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    completed: *mut c_int,
    indices: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, indices and statuses.
    unsafe {
        if let Some((replace, told)) = state.told(requests, count) {
            *completed = told.some(replace, requests, (indices, statuses), true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, completed, indices, statuses);
        completing(state, (count, requests), (count, statuses, Tells::Statuses), call, |at| {
            place(at, *completed, indices)
        })
    }
}

/// One call of completion: `call` gets the place for the statuses. `place` says where among them the
/// status of the request at a position is after the call; `None` if the call has not completed it.
///
/// # Safety
/// As the MPI call: so many requests, and room for so many statuses or `MPI_STATUS_IGNORE`.
unsafe fn completing<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *mut A::Request),
    (room, statuses, tells): (c_int, *mut A::Status, Tells),
    call: impl FnOnce(*mut A::Status) -> c_int,
    place: impl Fn(usize) -> Option<usize>,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let clock = state.clock();
        let Some(claimed) = Claimed::take(state, requests, count) else {
            let code = call(statuses);
            stop(clock);
            return code;
        };
        let mut statuses = Statuses::new::<A>(statuses, room);
        let code = call(statuses.as_mut_ptr());
        let code = claimed.settle(state, code, (&mut statuses, tells), place);
        stop(clock);
        code
    }
}

/// Where the status of the request at `position` stands, if that is the one that has completed.
pub(crate) fn only(position: usize, index: c_int) -> Option<usize> {
    (usize::try_from(index) == Ok(position)).then_some(0)
}

/// Where the status of the request at `position` stands among those of the completed ones.
///
/// # Safety
/// `indices` holds `completed` indices, unless that is `MPI_UNDEFINED`.
pub(crate) unsafe fn place(
    position: usize,
    completed: c_int,
    indices: *const c_int,
) -> Option<usize> {
    // MPI_UNDEFINED is negative in every ABI.
    let completed = usize::try_from(completed).ok()?;
    // SAFETY: passed on.
    let indices = unsafe { std::slice::from_raw_parts(indices, completed) };
    indices.iter().position(|&index| usize::try_from(index) == Ok(position))
}

/// `MPI_Request_free`: the program lets go of a request that we still have to finish. An inactive
/// persistent one is freed at once.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_free<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        if !request.is_null() {
            state.forgets(*request);
        }
        if state.pending.is_empty() || request.is_null() {
            return next(request);
        }
        let freed = *request;
        match state.pending.remove(freed) {
            None => next(request),
            Some(Held::Persistent(persistent)) if !persistent.is_active() => {
                let code = next(request);
                if code == A::CONSTANTS.success {
                    persistent.done(state);
                } else {
                    state.hold(freed, Held::Persistent(persistent));
                }
                code
            }
            Some(held) => {
                state.adopt(freed, held);
                *request = state.mpi().handles.request_null;
                A::CONSTANTS.success
            }
        }
    }
}
