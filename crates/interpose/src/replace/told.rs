//! Requests that were replaced: complete when `MPI_Startall` returns, though the program does not
//! know yet. The library has not started them, so that it takes them for inactive. Here the calls
//! of completion tell the program what it would have been told of the messages (MPI 4.1, sections
//! 3.7.3 to 3.7.6 and 3.9).

use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::time::Instant;

use commloom_mpi::Abi;

use super::message::Brings;
use super::replacement::{Inner, Replace, Replacement};
use crate::runtime::completion::Replaced;

/// The replaced requests among those of a call, by their positions.
pub struct Told<A: Abi> {
    replace: &'static Replace<A>,
    by_position: Vec<(usize, Brings)>,
}

impl<A: Abi> Replacement<A> {
    /// The replaced ones among these requests; `None` where there is none.
    ///
    /// # Safety
    /// As the MPI call: so many requests.
    #[inline]
    pub(crate) unsafe fn told(
        &'static self,
        requests: *const A::Request,
        count: c_int,
    ) -> Option<Told<A>> {
        let replace = self.get()?;
        if replace.waiting.load(Ordering::Acquire) == 0 || requests.is_null() {
            return None;
        }
        // SAFETY: there are `count` requests.
        unsafe { replace.find(requests, count) }
    }

    /// `MPI_Waitall` and `MPI_Testall` for exactly the requests that the last `MPI_Startall` has
    /// replaced: nothing is left to do.
    ///
    /// # Safety
    /// As the MPI call: so many requests and statuses.
    #[inline]
    pub(crate) unsafe fn tells_all(
        &'static self,
        requests: *const A::Request,
        count: c_int,
        statuses: *mut A::Status,
    ) -> bool {
        let (Some(replace), Ok(count)) = (self.get(), usize::try_from(count)) else {
            return false;
        };
        if replace.waiting.load(Ordering::Acquire) == 0 || requests.is_null() {
            return false;
        }
        // SAFETY: there are `count` requests and statuses.
        unsafe { replace.tell_all(std::slice::from_raw_parts(requests, count), statuses) }
    }

    /// When a call of starting or completing began, while a group is tried.
    #[inline]
    pub(crate) fn clock(&'static self) -> Option<(&'static Replace<A>, Instant)> {
        let replace = self.get()?;
        replace.timing.load(Ordering::Relaxed).then(|| (replace, Instant::now()))
    }
}

/// A call that was timed is over.
pub(crate) fn stop<A: Abi>(clock: Option<(&'static Replace<A>, Instant)>) {
    if let Some((replace, since)) = clock {
        let spent = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        replace.spent.fetch_add(spent, Ordering::Relaxed);
    }
}

impl<A: Abi> Replace<A> {
    /// # Safety
    /// As the MPI call: so many requests.
    unsafe fn find(&'static self, requests: *const A::Request, count: c_int) -> Option<Told<A>> {
        let mut inner = self.lock();
        inner.spread();
        let told = (0..usize::try_from(count).ok()?).filter_map(|position| {
            // SAFETY: inside the array.
            let request = unsafe { *requests.add(position) };
            Some((position, *inner.told.get(&request)?))
        });
        let by_position: Vec<_> = told.collect();
        (!by_position.is_empty()).then_some(Told { replace: self, by_position })
    }

    /// The program knows of it.
    pub(super) fn tell(&self, request: A::Request) {
        let mut inner = self.lock();
        inner.spread();
        if inner.told.remove(&request).is_some() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// The program frees a request.
    pub(super) fn forgets(&self, request: A::Request) {
        self.tell(request);
        let mut inner = self.lock();
        inner.requests.remove(&request);
        inner.by_requests.clear();
    }

    /// Requests that were replaced just now: all of one call.
    pub(super) fn completed(&self, requests: &[A::Request]) {
        let mut inner = self.lock();
        inner.spread();
        inner.fresh.extend_from_slice(requests);
        self.waiting.fetch_add(requests.len(), Ordering::AcqRel);
    }

    /// Whether these are the requests that were replaced just now, all of them: then the program
    /// knows of them.
    ///
    /// # Safety
    /// As the MPI call: room for as many statuses, or `MPI_STATUSES_IGNORE`.
    unsafe fn tell_all(&self, requests: &[A::Request], statuses: *mut A::Status) -> bool {
        let mut inner = self.lock();
        if requests.is_empty() || inner.fresh != requests {
            return false;
        }
        inner.fresh.clear();
        self.waiting.fetch_sub(requests.len(), Ordering::AcqRel);
        if !statuses.is_null() && !A::CONSTANTS.ignores_status(statuses) {
            let brings: Vec<_> = requests.iter().map(|request| inner.brings(*request)).collect();
            drop(inner);
            for (position, brings) in brings.into_iter().enumerate() {
                // SAFETY: there is a status for each request.
                unsafe { brings.write::<A>(self.mpi, statuses.add(position), true) };
            }
        }
        true
    }
}

impl<A: Abi> Inner<A> {
    /// Somebody asks for some of the requests that were replaced just now: from now on each is by
    /// itself.
    fn spread(&mut self) {
        for request in std::mem::take(&mut self.fresh) {
            let brings = self.brings(request);
            self.told.insert(request, brings);
        }
    }
}

impl<A: Abi> Replaced<A> for Told<A> {
    /// The statuses of all of them, each at its position; `tell` is whether they are complete for
    /// the program now.
    ///
    /// # Safety
    /// As the MPI call: the arrays are as long as the positions say.
    unsafe fn all(&self, requests: *const A::Request, statuses: *mut A::Status, tell: bool) {
        for (position, brings) in &self.by_position {
            // SAFETY: the arrays are as long as the positions say.
            unsafe {
                let place = at::<A>(statuses, *position);
                brings.write::<A>(self.replace.mpi, place, true);
                if tell {
                    self.replace.tell(*requests.add(*position));
                }
            }
        }
    }

    /// The first of them, with its status; where it is.
    ///
    /// # Safety
    /// As the MPI call: one status.
    unsafe fn first(
        &self,
        requests: *const A::Request,
        status: *mut A::Status,
        tell: bool,
    ) -> c_int {
        let Some((position, brings)) = self.by_position.first() else {
            return A::CONSTANTS.undefined;
        };
        // SAFETY: there is one status.
        unsafe {
            brings.write::<A>(self.replace.mpi, status, false);
            if tell {
                self.replace.tell(*requests.add(*position));
            }
        }
        c_int::try_from(*position).unwrap_or(A::CONSTANTS.undefined)
    }

    /// All of them in front of the arrays of `MPI_Waitsome`; how many.
    ///
    /// # Safety
    /// As the MPI call: room for as many indices and statuses as there are requests.
    unsafe fn some(
        &self,
        requests: *const A::Request,
        (indices, statuses): (*mut c_int, *mut A::Status),
        tell: bool,
    ) -> c_int {
        for (place, (position, brings)) in self.by_position.iter().enumerate() {
            // SAFETY: there is room for an index and a status of each request.
            unsafe {
                *indices.add(place) = c_int::try_from(*position).unwrap_or(c_int::MAX);
                brings.write::<A>(self.replace.mpi, at::<A>(statuses, place), true);
                if tell {
                    self.replace.tell(*requests.add(*position));
                }
            }
        }
        c_int::try_from(self.by_position.len()).unwrap_or(c_int::MAX)
    }
}

/// A place in an array of statuses, which the program may not want.
///
/// # Safety
/// As for the array.
unsafe fn at<A: Abi>(statuses: *mut A::Status, position: usize) -> *mut A::Status {
    match A::CONSTANTS.ignores_status(statuses) || statuses.is_null() {
        true => statuses,
        // SAFETY: the array is longer than the position.
        false => unsafe { statuses.add(position) },
    }
}
