//! The calls that complete requests (MPI 4.1, sections 3.7.3 to 3.7.6), all by one rule: what waits
//! for the requests is taken out of the table, the library does its work, and then every request
//! that the library has set to `MPI_REQUEST_NULL` is finished with its status; the others go back.
//! Persistent requests keep their handles: whether one is complete is told by flag, index or code.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};

use crate::incoming::Cut;
use crate::pending::Held;
use crate::state::Preload;

/// How a receive has ended.
#[derive(Debug)]
pub(crate) enum Outcome<S> {
    /// With this status.
    Arrived(S),
    /// The message was longer than the receive.
    Truncated,
    /// With another error.
    Failed,
}

impl<S: Status> Outcome<S> {
    /// By the error code of the receive.
    pub fn of_error<A: Abi<Status = S>>(state: &Preload<A>, code: c_int) -> Self {
        if state.mpi().error_class(code) == Some(A::CONSTANTS.err_truncate) {
            Outcome::Truncated
        } else {
            Outcome::Failed
        }
    }
}

/// The requests of one call that something waits for, by position.
pub(crate) struct Claimed<A: Abi> {
    requests: *const A::Request,
    count: usize,
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
        state.finish_freed_sends();
        let count = usize::try_from(count).ok()?;
        // SAFETY: inside the array.
        let requests_of = (0..count).map(|i| unsafe { *requests.add(i) });
        let entries = state.pending.take_all(requests_of);
        (!entries.is_empty()).then_some(Claimed { requests, count, entries })
    }

    /// Finishes what is complete after the call returned `code`, and gives the code for the program. `place` says where among the statuses that of the
    /// request at a position is, if the call has completed it and filled one in; after other errors than
    /// `MPI_ERR_IN_STATUS` it only tells which request a call has completed that completes one of several.
    ///
    /// # Safety
    /// The array is still there; the buffers of completed receives can be written.
    pub unsafe fn settle(
        self,
        state: &Preload<A>,
        code: c_int,
        (statuses, tells): (&mut Statuses<A::Status>, Tells),
        place: impl Fn(usize) -> Option<usize>,
    ) -> c_int {
        let answer = Answer::of(state, code);
        // SAFETY: the library has written those that have places.
        let status_of =
            |statuses: &Statuses<_>, position| unsafe { statuses.get(place(position)?) };
        let (requests, count) = (self.requests, self.count);
        let mut cuts = Vec::new();
        for (position, request, mut held) in self.entries {
            if let Held::Persistent(persistent) = held {
                let status = || status_of(statuses, position);
                // An error of a call that completes one of several is that of the one at its index.
                let alone = count == 1 || tells == Tells::Code && place(position).is_some();
                if let Some(outcome) = answer.of_persistent(state, alone, status) {
                    // SAFETY: the request is complete; the program's buffer is writable until the call returns.
                    let cut = unsafe { persistent.complete(state, &outcome) };
                    cuts.extend(cut.map(|cut| (position, cut)));
                }
                continue;
            }
            // SAFETY: inside the array.
            let now = unsafe { *requests.add(position) };
            if now != state.mpi().handles.request_null {
                put_back(state, request, held);
                continue;
            }
            let outcome = answer.of_request(state, || status_of(statuses, position));
            // SAFETY: the library has completed the request.
            unsafe {
                if let (Held::Expected(expected), Outcome::Arrived(status)) = (&mut held, &outcome)
                    && let (Some(other), Some(place)) =
                        (expected.completed(state, status), place(position))
                {
                    statuses.set(place, other);
                }
                cuts.extend(held.finish(state, &outcome).map(|cut| (position, cut)));
            }
        }
        // SAFETY: the library has written those that have places.
        unsafe { statuses.fail(state, (code, tells), &cuts, (0..count).map(place)) }
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
        (statuses, tells): (&mut Statuses<A::Status>, Tells),
        place: impl Fn(usize) -> Option<usize>,
    ) -> c_int {
        let answer = Answer::of(state, code);
        // SAFETY: the library has written those that have places.
        let status_of =
            |statuses: &Statuses<_>, position| unsafe { statuses.get(place(position)?) };
        let count = self.count;
        let mut cuts = Vec::new();
        for (position, request, held) in self.entries {
            let status = || status_of(statuses, position);
            // Whoever completes a receive gets to know how it went: it stays there.
            let held = match held {
                Held::Persistent(persistent) => {
                    if let Some(outcome) = answer.of_persistent(state, count == 1, status) {
                        // SAFETY: complete; the program's buffer is writable until the call returns.
                        let cut = unsafe { persistent.deliver(state, &outcome) };
                        cuts.extend(cut.map(|cut| (position, cut)));
                    }
                    continue;
                }
                Held::Receive(mut landing) => {
                    if let Some(outcome) = answer.of_persistent(state, count == 1, status) {
                        // SAFETY: complete; the program's buffer is writable until the call returns.
                        let cut = unsafe { landing.ended(state, &outcome) };
                        cuts.extend(cut.map(|cut| (position, cut)));
                    }
                    put_back(state, request, Held::Receive(landing));
                    continue;
                }
                held => held,
            };
            match (held, answer.status(status)) {
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
                (held, Some(status)) => unsafe {
                    held.finish(state, &Outcome::Arrived(status));
                },
                (held, None) => put_back(state, request, held),
            }
        }
        // SAFETY: the library has written those that have places.
        unsafe { statuses.fail(state, (code, tells), &cuts, (0..count).map(place)) }
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
    /// The same of all, or nothing.
    Failure(c_int),
}

impl Answer {
    pub fn of<A: Abi>(state: &Preload<A>, code: c_int) -> Answer {
        if code == A::CONSTANTS.success {
            Answer::Success
        } else if state.mpi().error_class(code) == Some(A::CONSTANTS.err_in_status) {
            Answer::Mixed
        } else {
            Answer::Failure(code)
        }
    }

    /// A status, if its request has succeeded.
    pub fn status<S: Status>(&self, status: impl FnOnce() -> Option<S>) -> Option<S> {
        match self {
            Answer::Success => status(),
            Answer::Mixed => status().filter(|status| status.error() == 0),
            Answer::Failure(_) => None,
        }
    }

    /// Of a request that the library has set to `MPI_REQUEST_NULL`. Zero is `MPI_SUCCESS` in every ABI (MPI
    /// 4.1, section 9.4).
    fn of_request<A: Abi>(
        &self,
        state: &Preload<A>,
        status: impl FnOnce() -> Option<A::Status>,
    ) -> Outcome<A::Status> {
        match self {
            Answer::Success => status().map_or(Outcome::Failed, Outcome::Arrived),
            Answer::Mixed => match status() {
                Some(status) if status.error() == 0 => Outcome::Arrived(status),
                Some(status) => Outcome::of_error(state, status.error()),
                None => Outcome::Failed,
            },
            Answer::Failure(code) => Outcome::of_error(state, *code),
        }
    }

    /// Of a persistent one, if it is complete; `alone` says whether an error of the call is its own.
    fn of_persistent<A: Abi>(
        &self,
        state: &Preload<A>,
        alone: bool,
        status: impl FnOnce() -> Option<A::Status>,
    ) -> Option<Outcome<A::Status>> {
        match self {
            Answer::Success => status().map(Outcome::Arrived),
            Answer::Mixed => {
                let status = status()?;
                if status.error() == 0 {
                    return Some(Outcome::Arrived(status));
                }
                let class = state.mpi().error_class(status.error());
                (class != Some(A::CONSTANTS.err_pending))
                    .then(|| Outcome::of_error(state, status.error()))
            }
            Answer::Failure(code) => match Outcome::of_error(state, *code) {
                Outcome::Truncated if alone => Some(Outcome::Truncated),
                _ => None,
            },
        }
    }
}

/// How a call tells of errors of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// By its code: it completes at most one.
    Code,
    /// By `MPI_ERR_IN_STATUS` and the statuses.
    Statuses,
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

    /// Gives the code for the program of a call that returned `code` and completed receives, at these positions, that
    /// the library would have failed. `places` are those of the statuses that it has written.
    ///
    /// # Safety
    /// As for [`Statuses::get`].
    unsafe fn fail<A: Abi<Status = S>>(
        &mut self,
        state: &Preload<A>,
        (code, tells): (c_int, Tells),
        cuts: &[(usize, Cut<A>)],
        places: impl Iterator<Item = Option<usize>>,
    ) -> c_int {
        let Some(&(_, first)) = cuts.first() else { return code };
        let constants = A::CONSTANTS;
        if tells == Tells::Code {
            return first.raise(state, first.class);
        }
        for (position, place) in places.enumerate() {
            // SAFETY: the library has written it.
            let Some((place, mut status)) =
                place.and_then(|place| Some((place, unsafe { self.get(place) }?)))
            else {
                continue;
            };
            let cut = cuts.iter().find(|(cut, _)| *cut == position);
            // After success the errors in the statuses are not set.
            if cut.is_some() || code == constants.success {
                status.set_error(cut.map_or(constants.success, |(_, cut)| cut.class));
                // SAFETY: as for `get`.
                unsafe { self.set(place, status) };
            }
        }
        first.raise(state, constants.err_in_status)
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
