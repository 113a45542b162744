//! The calls that complete requests or tell that they are complete (MPI 4.1, sections 3.7.3 to
//! 3.7.6), written once for all who look after requests: a [`Watcher`] is told which of them a
//! call has completed, and where their statuses are.

use std::convert::Infallible;
use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::runtime::statuses::{Answer, Tells};

/// The effect of a call on requests that are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It completes them.
    Completes,
    /// It tells that they are, and leaves them as they are (MPI 4.1, section 3.7.6). From then on
    /// the program may use their buffers.
    Asks,
}

/// A call that asks for requests: they, and room for their statuses.
#[derive(Debug, Clone, Copy)]
pub struct RequestCall<A: Abi> {
    /// Its effect on them.
    pub effect: Effect,
    /// So many requests.
    pub requests: (c_int, *mut A::Request),
    /// Room for so many statuses, or `MPI_STATUS_IGNORE`.
    pub statuses: (c_int, *mut A::Status),
    /// How it tells of errors.
    pub tells: Tells,
}

/// Whether a call of the families `MPI_Test` and `MPI_Request_get_status` says that it has found
/// something; those of `MPI_Wait` have no flag, and always have.
#[derive(Debug, Clone, Copy)]
pub struct Flag(pub Option<*mut c_int>);

impl Flag {
    /// Says it.
    ///
    /// # Safety
    /// As the MPI call: the flag can be written.
    unsafe fn raise(self) {
        if let Some(flag) = self.0 {
            // SAFETY: the flag is the caller's promise.
            unsafe { *flag = 1 };
        }
    }

    /// Whether the library has said it.
    ///
    /// # Safety
    /// As the MPI call, which has returned.
    unsafe fn is_raised(self) -> bool {
        // SAFETY: the flag is the caller's promise.
        self.0.is_none_or(|flag| unsafe { *flag } != 0)
    }
}

/// The library's function, with the requests and the place for their statuses.
pub type Next<'a, A> = &'a dyn Fn(*mut <A as Abi>::Request, *mut <A as Abi>::Status) -> c_int;

/// Who looks after the requests of the program: the accelerator, or the recorder in its place.
pub trait Watcher<A: Abi>: Copy {
    /// Requests that are complete although the library does not know it.
    type Replaced: Replaced<A>;

    /// Whether nothing is to be done in this call.
    fn passes(self) -> bool;

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

    /// One call for requests: `next` gets the requests, and the place for the statuses. `place`
    /// says where among them the status of the request at a position is after the call, which has
    /// answered so; `None` if the call has not completed it.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn completes(
        self,
        call: RequestCall<A>,
        next: Next<'_, A>,
        place: &dyn Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int;

    /// `MPI_Request_free`.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn frees(self, request: *mut A::Request, next: impl FnOnce() -> c_int) -> c_int;
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

/// A call for one request: `MPI_Wait`, `MPI_Test` and `MPI_Request_get_status`.
///
/// # Safety
/// As the MPI call.
#[inline(always)] // One look where nothing is to be done.
pub unsafe fn one<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, request): (Effect, *mut A::Request),
    flag: Flag,
    status: *mut A::Status,
    next: impl Fn(*mut A::Request, *mut A::Status) -> c_int,
) -> c_int {
    if watcher.passes() {
        return next(request, status);
    }
    // SAFETY: as the MPI call.
    unsafe { watched_one(watcher, (effect, request), flag, status, &next) }
}

/// [`one`], where something may be to be done: one instance for all calls of this shape.
///
/// # Safety
/// As the MPI call.
unsafe fn watched_one<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, request): (Effect, *mut A::Request),
    flag: Flag,
    status: *mut A::Status,
    next: Next<'_, A>,
) -> c_int {
    let (requests, statuses) = ((1, request), (1, status));
    // SAFETY: one request and one status, as in the MPI call.
    unsafe {
        if let Some(replaced) = watcher.replaced(request, 1) {
            flag.raise();
            replaced.first(request, status, effect == Effect::Completes);
            return A::CONSTANTS.success;
        }
        let call = RequestCall { effect, requests, statuses, tells: Tells::Code };
        watcher.completes(call, next, &|_, _| flag.is_raised().then_some(0))
    }
}

/// A call for all requests: `MPI_Waitall`, `MPI_Testall` and `MPI_Request_get_status_all`.
///
/// # Safety
/// As the MPI call.
#[inline(always)] // One look where nothing is to be done.
pub unsafe fn all<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, count, requests): (Effect, c_int, *mut A::Request),
    flag: Flag,
    statuses: *mut A::Status,
    next: impl Fn(*mut A::Request, *mut A::Status) -> c_int,
) -> c_int {
    if watcher.passes() {
        return next(requests, statuses);
    }
    // SAFETY: as the MPI call.
    unsafe { watched_all(watcher, (effect, count, requests), flag, statuses, &next) }
}

/// [`all`], where something may be to be done: one instance for all calls of this shape.
///
/// # Safety
/// As the MPI call.
unsafe fn watched_all<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, count, requests): (Effect, c_int, *mut A::Request),
    flag: Flag,
    statuses: *mut A::Status,
    next: Next<'_, A>,
) -> c_int {
    let tell = effect == Effect::Completes;
    // SAFETY: `count` requests and statuses, as in the MPI call.
    unsafe {
        if tell && watcher.all_are_replaced(requests, count, statuses) {
            flag.raise();
            return A::CONSTANTS.success;
        }
        let replaced = watcher.replaced(requests, count);
        let (asked, room) = ((count, requests), (count, statuses));
        let tells = Tells::Statuses;
        let call = RequestCall { effect, requests: asked, statuses: room, tells };
        // MPICH and Intel MPI tell of a failure while other requests are pending.
        let code = watcher.completes(call, next, &|at, answer| {
            (flag.is_raised() || answer.is_in_statuses()).then_some(at)
        });
        if let Some(replaced) = replaced.filter(|_| flag.is_raised()) {
            replaced.all(requests, statuses, tell);
        }
        code
    }
}

/// A call for any one of the requests: `MPI_Waitany`, `MPI_Testany` and
/// `MPI_Request_get_status_any`.
///
/// # Safety
/// As the MPI call.
#[inline(always)] // One look where nothing is to be done.
pub unsafe fn any<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, count, requests): (Effect, c_int, *mut A::Request),
    (index, flag): (*mut c_int, Flag),
    status: *mut A::Status,
    next: impl Fn(*mut A::Request, *mut A::Status) -> c_int,
) -> c_int {
    if watcher.passes() {
        return next(requests, status);
    }
    // SAFETY: as the MPI call.
    unsafe { watched_any(watcher, (effect, count, requests), (index, flag), status, &next) }
}

/// [`any`], where something may be to be done: one instance for all calls of this shape.
///
/// # Safety
/// As the MPI call.
unsafe fn watched_any<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, count, requests): (Effect, c_int, *mut A::Request),
    (index, flag): (*mut c_int, Flag),
    status: *mut A::Status,
    next: Next<'_, A>,
) -> c_int {
    // SAFETY: `count` requests and one status, of the one that is complete, as in the MPI call.
    unsafe {
        if let Some(replaced) = watcher.replaced(requests, count) {
            flag.raise();
            *index = replaced.first(requests, status, effect == Effect::Completes);
            return A::CONSTANTS.success;
        }
        let (requests, statuses) = ((count, requests), (1, status));
        let call = RequestCall { effect, requests, statuses, tells: Tells::Code };
        watcher.completes(call, next, &|at, _| {
            let is_it = flag.is_raised() && usize::try_from(*index) == Ok(at);
            is_it.then_some(0)
        })
    }
}

/// A call for those of the requests that are complete: `MPI_Waitsome`, `MPI_Testsome` and
/// `MPI_Request_get_status_some`.
///
/// # Safety
/// As the MPI call.
#[inline(always)] // One look where nothing is to be done.
pub unsafe fn some<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, count, requests): (Effect, c_int, *mut A::Request),
    (completed, indices): (*mut c_int, *mut c_int),
    statuses: *mut A::Status,
    next: impl Fn(*mut A::Request, *mut A::Status) -> c_int,
) -> c_int {
    if watcher.passes() {
        return next(requests, statuses);
    }
    // SAFETY: as the MPI call.
    unsafe {
        watched_some(watcher, (effect, count, requests), (completed, indices), statuses, &next)
    }
}

/// [`some`], where something may be to be done: one instance for all calls of this shape.
///
/// # Safety
/// As the MPI call.
unsafe fn watched_some<A: Abi, W: Watcher<A>>(
    watcher: W,
    (effect, count, requests): (Effect, c_int, *mut A::Request),
    (completed, indices): (*mut c_int, *mut c_int),
    statuses: *mut A::Status,
    next: Next<'_, A>,
) -> c_int {
    // SAFETY: `count` requests, indices and statuses, as in the MPI call.
    unsafe {
        if let Some(replaced) = watcher.replaced(requests, count) {
            let tell = effect == Effect::Completes;
            *completed = replaced.some(requests, (indices, statuses), tell);
            return A::CONSTANTS.success;
        }
        let (requests, statuses) = ((count, requests), (count, statuses));
        let call = RequestCall { effect, requests, statuses, tells: Tells::Statuses };
        watcher.completes(call, next, &|at, _| {
            // MPI_UNDEFINED is negative in every ABI.
            let completed = usize::try_from(*completed).ok()?;
            let indices = std::slice::from_raw_parts(indices, completed);
            indices.iter().position(|&index| usize::try_from(index) == Ok(at))
        })
    }
}
