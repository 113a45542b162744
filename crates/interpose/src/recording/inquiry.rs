//! `MPI_Request_get_status` and its family: from then on the program knows what has come. Recorded as complete now; the
//! call that completes the request later says nothing new.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::calls::completion::{only, place};
use crate::complete::{Answer, Statuses};
use crate::state::Preload;

/// `MPI_Request_get_status`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(A::Request, *mut c_int, *mut A::Status) -> c_int,
    request: A::Request,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        let call = |statuses| next(request, flag, statuses);
        asking(state, (1, &raw const request), (1, status), call, |_| (*flag != 0).then_some(0))
    }
}

/// `MPI_Request_get_status_all`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_all<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(c_int, *const A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *const A::Request,
    flag: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        let call = |statuses| next(count, requests, flag, statuses);
        asking(state, (count, requests), (count, statuses), call, |at| (*flag != 0).then_some(at))
    }
}

/// `MPI_Request_get_status_any`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn request_get_status_any<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
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
        let call = |statuses| next(count, requests, index, flag, statuses);
        asking(state, (count, requests), (1, status), call, |at| {
            if *flag == 0 { None } else { only(at, *index) }
        })
    }
}

/// `MPI_Request_get_status_some`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn request_get_status_some<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
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
        let call = |statuses| next(count, requests, completed, indices, statuses);
        asking(state, (count, requests), (count, statuses), call, |at| {
            place(at, *completed, indices)
        })
    }
}

/// One call that asks: `call` gets the place for the statuses. `place` says where among them the status of the request
/// at a position is after the call; `None` if the request is not said to be complete.
///
/// # Safety
/// As the MPI call: so many requests, and room for so many statuses or `MPI_STATUS_IGNORE`.
unsafe fn asking<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *const A::Request),
    (room, statuses): (c_int, *mut A::Status),
    call: impl FnOnce(*mut A::Status) -> c_int,
    place: impl Fn(usize) -> Option<usize>,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = state.enter() else { return call(statuses) };
        let Some(before) = inside.under_way(requests, count) else { return call(statuses) };
        let mut room = Statuses::new::<A>(statuses, room);
        let code = call(room.as_mut_ptr());
        let answer = Answer::of(state, code);
        for (position, &request) in before.iter().enumerate() {
            let status = answer.status(|| room.get(place(position)?));
            inside.shield(|| {
                let status = status.as_ref()?;
                let done = inside.lock().requests.told(request)?;
                inside.completes(done, Some(status))
            });
        }
        code
    }
}
