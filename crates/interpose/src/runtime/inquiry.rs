//! `MPI_Request_get_status` and its family (MPI 4.1, section 3.7.6): they tell that a request is
//! complete and leave it as it is. From then on the program may use the buffer. As in
//! [`completion`](crate::runtime::completion), written once.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::runtime::completion::{Replaced, Watcher, only, place};
use crate::runtime::statuses::{Answer, Tells};

/// `MPI_Request_get_status`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(A::Request, *mut c_int, *mut A::Status) -> c_int,
    request: A::Request,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        if let Some(replaced) = watcher.replaced(&raw const request, 1) {
            *flag = 1;
            replaced.first(&raw const request, status, false);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(request, flag, statuses);
        let room = (1, status, Tells::Code);
        let place = |_, _: &Answer| (*flag != 0).then_some(0);
        watcher.asks((1, &raw const request), room, call, place)
    }
}

/// `MPI_Request_get_status_all`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_all<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(c_int, *const A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *const A::Request,
    flag: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        let replaced = watcher.replaced(requests, count);
        let call = |statuses| next(count, requests, flag, statuses);
        let (given, room) = ((count, requests), (count, statuses, Tells::Statuses));
        let code = watcher.asks(given, room, call, |at, answer| {
            (*flag != 0 || answer.is_in_statuses()).then_some(at)
        });
        if let Some(replaced) = replaced.filter(|_| *flag != 0) {
            replaced.all(requests, statuses, false);
        }
        code
    }
}

/// `MPI_Request_get_status_any`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_any<A: Abi, W: Watcher<A>>(
    watcher: W,
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
        if let Some(replaced) = watcher.replaced(requests, count) {
            *flag = 1;
            *index = replaced.first(requests, status, false);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, index, flag, statuses);
        watcher.asks((count, requests), (1, status, Tells::Code), call, |at, _| {
            if *flag == 0 { None } else { only(at, *index) }
        })
    }
}

/// `MPI_Request_get_status_some`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_get_status_some<A: Abi, W: Watcher<A>>(
    watcher: W,
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
        if let Some(replaced) = watcher.replaced(requests, count) {
            *completed = replaced.some(requests, (indices, statuses), false);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, completed, indices, statuses);
        watcher.asks((count, requests), (count, statuses, Tells::Statuses), call, |at, _| {
            place(at, *completed, indices)
        })
    }
}
