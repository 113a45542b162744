//! What requests complete is recorded, and so is what the program gets to know of them; a call
//! that completes a request later says nothing new then.

use std::convert::Infallible;
use std::ffi::c_int;

use commloom_mpi::Abi;

use super::recorder::{Inside, Recorder};
use crate::runtime::completion::Watcher;
use crate::runtime::statuses::{Answer, Statuses, Tells};

impl<A: Abi> Watcher<A> for &'static Recorder<A> {
    type Replaced = Infallible;

    #[inline]
    unsafe fn replaced(self, _: *const A::Request, _: c_int) -> Option<Infallible> {
        None
    }

    #[inline]
    unsafe fn all_are_replaced(self, _: *const A::Request, _: c_int, _: *mut A::Status) -> bool {
        false
    }

    unsafe fn completes(
        self,
        (count, requests): (c_int, *mut A::Request),
        (room, statuses, _): (c_int, *mut A::Status, Tells),
        call: impl FnOnce(*mut A::Status) -> c_int,
        place: impl Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        // SAFETY: the arrays are those of the MPI call.
        unsafe {
            let Some(inside) = self.enter() else { return call(statuses) };
            let Some(before) = inside.under_way(requests, count) else { return call(statuses) };
            let mut room = Statuses::new::<A>(statuses, room);
            let code = call(room.as_mut_ptr());
            let answer = Answer::of(self.runtime, code);
            let null = self.runtime.mpi().handles.request_null;
            for (position, &request) in before.iter().enumerate() {
                let Some(at) = place(position, &answer) else { continue };
                let status = answer.status(|| room.get(at));
                // Where the call has failed, a request that is gone has failed.
                if status.is_some() || *requests.add(position) == null {
                    inside.finish(request, status.as_ref());
                }
            }
            code
        }
    }

    unsafe fn asks(
        self,
        (count, requests): (c_int, *const A::Request),
        (room, statuses, _): (c_int, *mut A::Status, Tells),
        call: impl FnOnce(*mut A::Status) -> c_int,
        place: impl Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        // SAFETY: the arrays are those of the MPI call.
        unsafe {
            let Some(inside) = self.enter() else { return call(statuses) };
            let Some(before) = inside.under_way(requests, count) else { return call(statuses) };
            let mut room = Statuses::new::<A>(statuses, room);
            let code = call(room.as_mut_ptr());
            let answer = Answer::of(self.runtime, code);
            for (position, &request) in before.iter().enumerate() {
                let status = answer.status(|| room.get(place(position, &answer)?));
                inside.shield(|| {
                    let status = status.as_ref()?;
                    let done = inside.lock().requests.told(request)?;
                    inside.completes(done, Some(status))
                });
            }
            code
        }
    }

    /// The program will not know when it is complete.
    unsafe fn frees(
        self,
        next: unsafe extern "C" fn(*mut A::Request) -> c_int,
        request: *mut A::Request,
    ) -> c_int {
        // SAFETY: the request is that of the MPI call.
        unsafe {
            let Some(inside) = self.enter() else { return next(request) };
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
