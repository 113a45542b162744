//! `MPI_Wait`, `MPI_Test` and their families, and `MPI_Request_free`: what they complete is recorded. The rules of when a
//! request is complete are those of [`calls::completion`](crate::calls::completion).

use std::ffi::c_int;

use commloom_mpi::Abi;

use super::Inside;
use crate::calls::completion::{only, place};
use crate::complete::{Answer, Statuses};
use crate::state::Preload;

/// `MPI_Wait`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn wait<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(*mut A::Request, *mut A::Status) -> c_int,
    request: *mut A::Request,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        let call = |statuses| next(request, statuses);
        completing(state, (1, request), (1, status), call, |_| Some(0))
    }
}

/// `MPI_Test`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn test<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(*mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    request: *mut A::Request,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        let call = |statuses| next(request, flag, statuses);
        completing(state, (1, request), (1, status), call, |_| (*flag != 0).then_some(0))
    }
}

/// `MPI_Waitall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitall<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        let call = |statuses| next(count, requests, statuses);
        completing(state, (count, requests), (count, statuses), call, Some)
    }
}

/// `MPI_Testall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testall<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    flag: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        let call = |statuses| next(count, requests, flag, statuses);
        completing(state, (count, requests), (count, statuses), call, |at| {
            (*flag != 0).then_some(at)
        })
    }
}

/// `MPI_Waitany`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitany<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    index: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, one status: of the one that completed.
    unsafe {
        let call = |statuses| next(count, requests, index, statuses);
        completing(state, (count, requests), (1, status), call, |at| only(at, *index))
    }
}

/// `MPI_Testany`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn testany<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
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
        let call = |statuses| next(count, requests, index, flag, statuses);
        completing(state, (count, requests), (1, status), call, |at| {
            if *flag == 0 { None } else { only(at, *index) }
        })
    }
}

/// `MPI_Waitsome`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn waitsome<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
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
        let call = |statuses| next(count, requests, completed, indices, statuses);
        completing(state, (count, requests), (count, statuses), call, |at| {
            place(at, *completed, indices)
        })
    }
}

/// `MPI_Testsome`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn testsome<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
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
        let call = |statuses| next(count, requests, completed, indices, statuses);
        completing(state, (count, requests), (count, statuses), call, |at| {
            place(at, *completed, indices)
        })
    }
}

/// One call of completion: `call` gets the place for the statuses. `place` says where among them the status of the
/// request at a position is after the call; `None` if the call has not completed it.
///
/// # Safety
/// As the MPI call: so many requests, and room for so many statuses or `MPI_STATUS_IGNORE`.
unsafe fn completing<A: Abi>(
    state: &'static Preload<A>,
    (count, requests): (c_int, *mut A::Request),
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
        let null = state.mpi().handles.request_null;
        for (position, &request) in before.iter().enumerate() {
            let Some(at) = place(position) else { continue };
            let status = answer.status(|| room.get(at));
            // Where the call has failed, a request that is gone has failed.
            if status.is_some() || *requests.add(position) == null {
                inside.finish(request, status.as_ref());
            }
        }
        code
    }
}

impl<A: Abi> Inside<A> {
    /// The requests of a call, before the library changes them; `None` where nothing is known of any.
    ///
    /// # Safety
    /// `requests` points to `count` requests.
    pub(super) unsafe fn under_way(
        &self,
        requests: *const A::Request,
        count: c_int,
    ) -> Option<Vec<A::Request>> {
        if !self.has_pending() || requests.is_null() {
            return None;
        }
        let count = usize::try_from(count).ok()?;
        // SAFETY: passed on. Open MPI hands over arrays that are aligned as Fortran's integers.
        Some((0..count).map(|at| unsafe { requests.add(at).read_unaligned() }).collect())
    }

    /// A request is complete; without a status it has failed.
    ///
    /// # Safety
    /// The buffer of a receive can be read.
    unsafe fn finish(&self, request: A::Request, status: Option<&A::Status>) {
        self.shield(|| {
            let done = self.lock().requests.complete(request)?;
            // SAFETY: passed on.
            unsafe { self.completes(done, status) }
        });
    }
}

/// `MPI_Request_free`: the program will not know when it is complete.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_free<A: Abi>(
    state: &'static Preload<A>,
    _name: &'static str,
    next: unsafe extern "C" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = state.enter() else { return next(request) };
        let Some(before) = inside.under_way(request, 1) else { return next(request) };
        // Taken out before: afterwards the handle may be another's.
        let taken = inside.lock().requests.remove(before[0]);
        let code = next(request);
        if code != A::CONSTANTS.success
            && let Some(entry) = taken
        {
            inside.lock().requests.insert(before[0], entry);
        }
        code
    }
}
