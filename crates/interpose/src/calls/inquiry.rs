//! `MPI_Request_get_status` and its family (MPI 4.1, section 3.7.6): they tell that a request is complete
//! and leave it as it is. From then on the program may use the buffer, so what arrived is put there now.

use std::ffi::c_int;

use commloom_mpi::Abi;

use super::completion::{only, place};
use crate::complete::{Claimed, Statuses, Tells};
use crate::state::Preload;

/// `MPI_Request_get_status`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(A::Request, *mut c_int, *mut A::Status) -> c_int,
    request: A::Request,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        if let Some((replace, told)) = state.told(&raw const request, 1) {
            *flag = 1;
            told.first(replace, &raw const request, status, false);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(request, flag, statuses);
        let room = (1, status, Tells::Code);
        asking(state, (1, &raw const request), room, call, |_| (*flag != 0).then_some(0))
    }
}

/// `MPI_Request_get_status_all`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_all<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(c_int, *const A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *const A::Request,
    flag: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        let told = state.told(requests, count);
        let call = |statuses| next(count, requests, flag, statuses);
        let (given, room) = ((count, requests), (count, statuses, Tells::Statuses));
        let code = asking(state, given, room, call, |at| (*flag != 0).then_some(at));
        if let Some((replace, told)) = told.filter(|_| *flag != 0) {
            told.all(replace, requests, statuses, false);
        }
        code
    }
}

/// `MPI_Request_get_status_any`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_any<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(
        c_int,
        *const A::Request,
        *mut c_int,
        *mut c_int,
        *mut A::Status,
    ) -> c_int,
    count: c_int,
    requests: *const A::Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, one status: of the one that is complete.
    unsafe {
        if let Some((replace, told)) = state.told(requests, count) {
            *flag = 1;
            *index = told.first(replace, requests, status, false);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, index, flag, statuses);
        asking(state, (count, requests), (1, status, Tells::Code), call, |at| {
            if *flag == 0 { None } else { only(at, *index) }
        })
    }
}

/// `MPI_Request_get_status_some`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_some<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(
        c_int,
        *const A::Request,
        *mut c_int,
        *mut c_int,
        *mut A::Status,
    ) -> c_int,
    count: c_int,
    requests: *const A::Request,
    completed: *mut c_int,
    indices: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, indices and statuses.
    unsafe {
        if let Some((replace, told)) = state.told(requests, count) {
            *completed = told.some(replace, requests, (indices, statuses), false);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, completed, indices, statuses);
        asking(state, (count, requests), (count, statuses, Tells::Statuses), call, |at| {
            place(at, *completed, indices)
        })
    }
}

/// One call that asks: `call` gets the place for the statuses. `place` says where among them the status
/// of the request at a position is after the call; `None` if the request is not said to be complete.
///
/// # Safety
/// As the MPI call: so many requests, and room for so many statuses or `MPI_STATUS_IGNORE`.
unsafe fn asking<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *const A::Request),
    (room, statuses, tells): (c_int, *mut A::Status, Tells),
    call: impl FnOnce(*mut A::Status) -> c_int,
    place: impl Fn(usize) -> Option<usize>,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(claimed) = Claimed::take(state, requests, count) else { return call(statuses) };
        let mut statuses = Statuses::new::<A>(statuses, room);
        let code = call(statuses.as_mut_ptr());
        claimed.deliver(state, code, (&mut statuses, tells), place)
    }
}
