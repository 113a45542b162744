//! Outcomes of requests as the calls of completion tell them: by a return code, and by statuses.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};

use crate::runtime::outcome::{Cut, Outcome};
use crate::runtime::process::Runtime;

/// The meaning of a return code for the requests of the call.
pub enum Answer {
    /// Those that are complete have succeeded.
    Success,
    /// `MPI_ERR_IN_STATUS`: each status says it.
    Mixed,
    /// The same of all, or nothing.
    Failure(c_int),
}

impl Answer {
    pub(crate) fn of<A: Abi>(runtime: &Runtime<A>, code: c_int) -> Answer {
        if code == A::CONSTANTS.success {
            Answer::Success
        } else if runtime.mpi().error_class(code) == Some(A::CONSTANTS.err_in_status) {
            Answer::Mixed
        } else {
            Answer::Failure(code)
        }
    }

    /// Whether the library has filled in the statuses of all requests, also of those that are
    /// pending.
    #[must_use]
    pub fn is_in_statuses(&self) -> bool {
        matches!(self, Answer::Mixed)
    }

    /// A status, if its request has succeeded.
    pub(crate) fn status<S: Status>(&self, status: impl FnOnce() -> Option<S>) -> Option<S> {
        match self {
            Answer::Success => status(),
            Answer::Mixed => status().filter(|status| status.error() == 0),
            Answer::Failure(_) => None,
        }
    }

    /// Of a request that the library has set to `MPI_REQUEST_NULL`. Zero is `MPI_SUCCESS` in every
    /// ABI (MPI 4.1, section 9.4).
    pub(crate) fn of_request<A: Abi>(
        &self,
        runtime: &Runtime<A>,
        status: impl FnOnce() -> Option<A::Status>,
    ) -> Outcome<A::Status> {
        match self {
            Answer::Success => status().map_or(Outcome::Failed, Outcome::Arrived),
            Answer::Mixed => match status() {
                Some(status) if status.error() == 0 => Outcome::Arrived(status),
                Some(status) => Outcome::of_error(runtime, status.error()),
                None => Outcome::Failed,
            },
            Answer::Failure(code) => Outcome::of_error(runtime, *code),
        }
    }

    /// Of a persistent one, if it is complete; `alone` says whether an error of the call is its
    /// own.
    pub(crate) fn of_persistent<A: Abi>(
        &self,
        runtime: &Runtime<A>,
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
                let class = runtime.mpi().error_class(status.error());
                (class != Some(A::CONSTANTS.err_pending))
                    .then(|| Outcome::of_error(runtime, status.error()))
            }
            Answer::Failure(code) => match Outcome::of_error(runtime, *code) {
                Outcome::Truncated if alone => Some(Outcome::Truncated),
                _ => None,
            },
        }
    }
}

/// How a call tells of errors of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tells {
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

    /// Gives the code for the program of a call that returned `code` and completed receives, at
    /// these positions, that the library would have failed. `places` are those of the statuses
    /// that it has written.
    ///
    /// # Safety
    /// As for [`Statuses::get`].
    pub unsafe fn fail<A: Abi<Status = S>>(
        &mut self,
        runtime: &Runtime<A>,
        (code, tells): (c_int, Tells),
        cuts: &[(usize, Cut<A>)],
        places: impl Iterator<Item = Option<usize>>,
    ) -> c_int {
        let Some(&(_, first)) = cuts.first() else { return code };
        let constants = A::CONSTANTS;
        if tells == Tells::Code {
            return first.raise(runtime, first.class);
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
        first.raise(runtime, constants.err_in_status)
    }

    /// The status at a place.
    ///
    /// # Safety
    /// The library has written it.
    pub unsafe fn get(&self, place: usize) -> Option<S> {
        if self.own.is_empty() {
            // SAFETY: the program's array is as long as the call demands. Open MPI hands over
            // arrays of Fortran integers, which are aligned to four bytes.
            (!self.given.is_null()).then(|| unsafe { self.given.add(place).read_unaligned() })
        } else {
            self.own.get(place).copied()
        }
    }
}
