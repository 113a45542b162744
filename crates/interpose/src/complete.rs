//! The calls that complete requests (MPI 4.1, sections 3.7.3 to 3.7.6), all by one rule: what waits
//! for the requests is taken out of the table, the library does its work, and then every request
//! that the library has set to `MPI_REQUEST_NULL` is finished with its status; the others go back.
//! Persistent requests keep their handles: whether one is complete is told by flag, index or code.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};

use crate::pending::Held;
use crate::state::Preload;

/// The requests of one call that something waits for, by position.
pub(crate) struct Claimed<A: Abi> {
    requests: *const A::Request,
    entries: Vec<(usize, A::Request, Held<A>)>,
}

impl<A: Abi> Claimed<A> {
    /// Takes out what waits for `count` requests; `None` when there is nothing.
    ///
    /// # Safety
    /// `requests` points to `count` requests, as in the MPI call.
    pub unsafe fn take(
        state: &Preload<A>,
        requests: *const A::Request,
        count: c_int,
    ) -> Option<Self> {
        if state.pending.is_empty() || requests.is_null() {
            return None;
        }
        state.progress_orphans(false);
        let count = usize::try_from(count).ok()?;
        // SAFETY: inside the array.
        let requests_of = (0..count).map(|i| unsafe { *requests.add(i) });
        let entries = state.pending.take_all(requests_of);
        (!entries.is_empty()).then_some(Claimed { requests, entries })
    }

    /// Finishes what is complete after the call returned `code`. `place` says where among the statuses that of the
    /// request at a position is, if the call has completed it and filled one in; it is asked only after
    /// success or `MPI_ERR_IN_STATUS`.
    ///
    /// # Safety
    /// The array is still there; the buffers of completed receives can be written.
    pub unsafe fn settle(
        self,
        state: &Preload<A>,
        code: c_int,
        statuses: &mut Statuses<A::Status>,
        place: impl Fn(usize) -> Option<usize>,
    ) {
        let answer = Answer::of(state, code);
        // SAFETY: the library has written those that have places.
        let status_of =
            |statuses: &Statuses<_>, position| unsafe { statuses.get(place(position)?) };
        for (position, request, mut held) in self.entries {
            if let Held::Persistent(persistent) = held {
                if let Some(status) = answer.status(|| status_of(statuses, position)) {
                    // SAFETY: passed on.
                    unsafe { persistent.complete(state, &status) };
                }
                continue;
            }
            // SAFETY: inside the array.
            let now = unsafe { *self.requests.add(position) };
            if now != state.mpi().handles.request_null {
                put_back(state, request, held);
                continue;
            }
            let status = answer.status(|| status_of(statuses, position));
            // SAFETY: the library has completed the request.
            unsafe {
                if let (Held::Expected(expected), Some(status)) = (&mut held, &status)
                    && let (Some(other), Some(place)) =
                        (expected.completed(state, status), place(position))
                {
                    statuses.set(place, other);
                }
                held.finish(state, status.as_ref());
            }
        }
    }

    /// The same after a call that tells which requests are complete but leaves them to be completed:
    /// from now on the program may use their buffers.
    ///
    /// # Safety
    /// As for [`Claimed::settle`].
    pub unsafe fn deliver(
        self,
        state: &Preload<A>,
        code: c_int,
        statuses: &mut Statuses<A::Status>,
        place: impl Fn(usize) -> Option<usize>,
    ) {
        let answer = Answer::of(state, code);
        // SAFETY: the library has written those that have places.
        let status_of =
            |statuses: &Statuses<_>, position| unsafe { statuses.get(place(position)?) };
        for (position, request, held) in self.entries {
            let status = answer.status(|| status_of(statuses, position));
            match (held, status) {
                (Held::Persistent(persistent), Some(status)) => {
                    // SAFETY: passed on.
                    unsafe { persistent.deliver(state, &status) };
                }
                (Held::Persistent(_), None) => {}
                (Held::Expected(mut expected), Some(status)) => {
                    // SAFETY: passed on.
                    unsafe {
                        if let (Some(other), Some(place)) =
                            (expected.completed(state, &status), place(position))
                        {
                            statuses.set(place, other);
                        }
                    }
                    // The program completes it later, and wants the same status then.
                    put_back(state, request, Held::Expected(expected));
                }
                // SAFETY: the library has completed the request.
                (held, Some(status)) => unsafe { held.finish(state, Some(&status)) },
                (held, None) => put_back(state, request, held),
            }
        }
    }
}

/// The request is not complete yet.
fn put_back<A: Abi>(state: &Preload<A>, request: A::Request, held: Held<A>) {
    if let Some(other) = state.pending.insert(request, held) {
        // SAFETY: complete, see `Pending::insert`.
        unsafe { other.superseded(state) };
    }
}

/// What a return code says about the requests of the call.
pub(crate) enum Answer {
    /// Those that are complete have succeeded.
    Success,
    /// `MPI_ERR_IN_STATUS`: each status says it.
    Mixed,
    /// Nothing.
    Failure,
}

impl Answer {
    pub fn of<A: Abi>(state: &Preload<A>, code: c_int) -> Answer {
        if code == A::CONSTANTS.success {
            Answer::Success
        } else if state.mpi().error_class(code) == Some(A::CONSTANTS.err_in_status) {
            Answer::Mixed
        } else {
            Answer::Failure
        }
    }

    /// A status, if its request has succeeded. Zero is `MPI_SUCCESS` in every ABI (MPI 4.1, section
    /// 9.4).
    pub fn status<S: Status>(&self, status: impl FnOnce() -> Option<S>) -> Option<S> {
        match self {
            Answer::Success => status(),
            Answer::Mixed => status().filter(|status| status.error() == 0),
            Answer::Failure => None,
        }
    }
}

/// Room for statuses: the program's own, or ours where the program ignores them.
pub(crate) struct Statuses<S> {
    given: *mut S,
    own: Vec<S>,
}

impl<S: Status> Statuses<S> {
    /// For `count` statuses, which the program may want to ignore.
    pub fn new<A: Abi<Status = S>>(given: *mut S, count: c_int) -> Self {
        let ignored = A::CONSTANTS.ignores_status(given);
        let count = usize::try_from(count).unwrap_or(0);
        Statuses { given, own: if ignored { vec![S::empty(); count] } else { Vec::new() } }
    }

    /// Where the library writes.
    pub fn as_mut_ptr(&mut self) -> *mut S {
        if self.own.is_empty() { self.given } else { self.own.as_mut_ptr() }
    }

    /// Changes the status at a place, for the program.
    ///
    /// # Safety
    /// As for [`Statuses::get`].
    pub unsafe fn set(&mut self, place: usize, status: S) {
        if self.own.is_empty() && !self.given.is_null() {
            // SAFETY: as in `get`.
            unsafe { self.given.add(place).write_unaligned(status) };
        }
    }

    /// The status at a place.
    ///
    /// # Safety
    /// The library has written it.
    pub unsafe fn get(&self, place: usize) -> Option<S> {
        if self.own.is_empty() {
            // SAFETY: the program's array is as long as the call demands. Open MPI hands over arrays
            // of Fortran integers, which are aligned to four bytes.
            (!self.given.is_null()).then(|| unsafe { self.given.add(place).read_unaligned() })
        } else {
            self.own.get(place).copied()
        }
    }
}
