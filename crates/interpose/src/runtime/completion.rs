//! The calls that complete requests (MPI 4.1, sections 3.7.3 to 3.7.5), written once for all who
//! look after requests: a [`Watcher`] is told which of them a call has completed, and where their
//! statuses are.

use std::convert::Infallible;
use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::runtime::statuses::{Answer, Tells};

/// Who looks after the requests of the program: the accelerator, or the recorder in its place.
pub trait Watcher<A: Abi>: Copy {
    /// Requests that are complete although the library does not know it.
    type Replaced: Replaced<A>;

    /// Those among these requests; `None` where there is none.
    ///
    /// # Safety
    /// As the MPI call: so many requests.
    unsafe fn replaced(self, requests: *const A::Request, count: c_int) -> Option<Self::Replaced>;

    /// Whether all of them are such requests. Then the program knows it from now on.
    ///
    /// # Safety
    /// As the MPI call: so many requests and statuses.
    unsafe fn all_are_replaced(
        self,
        requests: *const A::Request,
        count: c_int,
        statuses: *mut A::Status,
    ) -> bool;

    /// One call of completion: `call` gets the place for the statuses. `place` says where among
    /// them the status of the request at a position is after the call, which has answered so;
    /// `None` if the call has not completed it.
    ///
    /// # Safety
    /// As the MPI call: so many requests, and room for so many statuses or `MPI_STATUS_IGNORE`.
    unsafe fn completes(
        self,
        requests: (c_int, *mut A::Request),
        statuses: (c_int, *mut A::Status, Tells),
        call: impl FnOnce(*mut A::Status) -> c_int,
        place: impl Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int;

    /// The same for a call that tells which requests are complete, and leaves them as they are.
    ///
    /// # Safety
    /// As for [`Watcher::completes`].
    unsafe fn asks(
        self,
        requests: (c_int, *const A::Request),
        statuses: (c_int, *mut A::Status, Tells),
        call: impl FnOnce(*mut A::Status) -> c_int,
        place: impl Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int;

    /// `MPI_Request_free`.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn frees(
        self,
        next: unsafe extern "C" fn(*mut A::Request) -> c_int,
        request: *mut A::Request,
    ) -> c_int;
}

/// Requests of a call that are complete although the library does not know it. `tell` is whether
/// they are complete for the program from now on.
pub trait Replaced<A: Abi> {
    /// The statuses of all of them, each at its position.
    ///
    /// # Safety
    /// As the MPI call: the arrays are as long as the positions say.
    unsafe fn all(&self, requests: *const A::Request, statuses: *mut A::Status, tell: bool);

    /// The first of them, with its status; where it is.
    ///
    /// # Safety
    /// As the MPI call: one status.
    unsafe fn first(
        &self,
        requests: *const A::Request,
        status: *mut A::Status,
        tell: bool,
    ) -> c_int;

    /// All of them in front of the arrays of `MPI_Waitsome`; how many.
    ///
    /// # Safety
    /// As the MPI call: room for as many indices and statuses as there are requests.
    unsafe fn some(
        &self,
        requests: *const A::Request,
        arrays: (*mut c_int, *mut A::Status),
        tell: bool,
    ) -> c_int;
}

/// Nothing is ever replaced.
impl<A: Abi> Replaced<A> for Infallible {
    unsafe fn all(&self, _: *const A::Request, _: *mut A::Status, _: bool) {
        match *self {}
    }

    unsafe fn first(&self, _: *const A::Request, _: *mut A::Status, _: bool) -> c_int {
        match *self {}
    }

    unsafe fn some(&self, _: *const A::Request, _: (*mut c_int, *mut A::Status), _: bool) -> c_int {
        match *self {}
    }
}

/// `MPI_Wait`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn wait<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(*mut A::Request, *mut A::Status) -> c_int,
    request: *mut A::Request,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        if let Some(replaced) = watcher.replaced(request, 1) {
            replaced.first(request, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(request, statuses);
        watcher.completes((1, request), (1, status, Tells::Code), call, |_, _| Some(0))
    }
}

/// `MPI_Test`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn test<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(*mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    request: *mut A::Request,
    flag: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; one request and one status.
    unsafe {
        if let Some(replaced) = watcher.replaced(request, 1) {
            *flag = 1;
            replaced.first(request, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(request, flag, statuses);
        let place = |_, _: &Answer| (*flag != 0).then_some(0);
        watcher.completes((1, request), (1, status, Tells::Code), call, place)
    }
}

/// `MPI_Waitall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitall<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        if watcher.all_are_replaced(requests, count, statuses) {
            return A::CONSTANTS.success;
        }
        let replaced = watcher.replaced(requests, count);
        let call = |statuses| next(count, requests, statuses);
        let room = (count, statuses, Tells::Statuses);
        let code = watcher.completes((count, requests), room, call, |at, _| Some(at));
        if let Some(replaced) = replaced {
            replaced.all(requests, statuses, true);
        }
        code
    }
}

/// `MPI_Testall`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testall<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    flag: *mut c_int,
    statuses: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests and statuses.
    unsafe {
        if watcher.all_are_replaced(requests, count, statuses) {
            *flag = 1;
            return A::CONSTANTS.success;
        }
        let replaced = watcher.replaced(requests, count);
        let call = |statuses| next(count, requests, flag, statuses);
        let room = (count, statuses, Tells::Statuses);
        // MPICH and Intel MPI tell of a failure while other requests are pending.
        let code = watcher.completes((count, requests), room, call, |at, answer| {
            (*flag != 0 || answer.is_in_statuses()).then_some(at)
        });
        if let Some(replaced) = replaced.filter(|_| *flag != 0) {
            replaced.all(requests, statuses, true);
        }
        code
    }
}

/// `MPI_Waitany`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitany<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(c_int, *mut A::Request, *mut c_int, *mut A::Status) -> c_int,
    count: c_int,
    requests: *mut A::Request,
    index: *mut c_int,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on; `count` requests, one status: of the one that completed.
    unsafe {
        if let Some(replaced) = watcher.replaced(requests, count) {
            *index = replaced.first(requests, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, index, statuses);
        watcher
            .completes((count, requests), (1, status, Tells::Code), call, |at, _| only(at, *index))
    }
}

/// `MPI_Testany`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testany<A: Abi, W: Watcher<A>>(
    watcher: W,
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
        if let Some(replaced) = watcher.replaced(requests, count) {
            *flag = 1;
            *index = replaced.first(requests, status, true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, index, flag, statuses);
        watcher.completes((count, requests), (1, status, Tells::Code), call, |at, _| {
            if *flag == 0 { None } else { only(at, *index) }
        })
    }
}

/// `MPI_Waitsome`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn waitsome<A: Abi, W: Watcher<A>>(
    watcher: W,
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
        if let Some(replaced) = watcher.replaced(requests, count) {
            *completed = replaced.some(requests, (indices, statuses), true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, completed, indices, statuses);
        watcher.completes((count, requests), (count, statuses, Tells::Statuses), call, |at, _| {
            place(at, *completed, indices)
        })
    }
}

/// `MPI_Testsome`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn testsome<A: Abi, W: Watcher<A>>(
    watcher: W,
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
        if let Some(replaced) = watcher.replaced(requests, count) {
            *completed = replaced.some(requests, (indices, statuses), true);
            return A::CONSTANTS.success;
        }
        let call = |statuses| next(count, requests, completed, indices, statuses);
        watcher.completes((count, requests), (count, statuses, Tells::Statuses), call, |at, _| {
            place(at, *completed, indices)
        })
    }
}

/// `MPI_Request_free`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn request_free<A: Abi, W: Watcher<A>>(
    watcher: W,
    next: unsafe extern "C" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: the program's call, with its arguments.
    unsafe { watcher.frees(next, request) }
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
