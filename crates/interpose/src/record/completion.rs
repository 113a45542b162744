//! Records which requests complete, and what the program gets to know of them; a call that
//! completes a request later says nothing new then.

use std::convert::Infallible;
use std::ffi::c_int;

use commloom_mpi::Abi;

use super::recorder::{Inside, Recorder};
use crate::runtime::completion::{Effect, Next, RequestCall, Watcher};
use crate::runtime::statuses::{Answer, Statuses};

impl<A: Abi> Watcher<A> for &'static Recorder<A> {
    type Replaced = Infallible;

    #[inline]
    fn passes(self) -> bool {
        false
    }

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
        call: RequestCall<A>,
        next: Next<'_, A>,
        place: &dyn Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        let RequestCall { effect, requests: (count, requests), statuses, .. } = call;
        let Some(inside) = self.enter() else { return next(requests, statuses.1) };
        // SAFETY: so many requests, as in the MPI call.
        let Some(before) = (unsafe { inside.under_way(requests, count) }) else {
            return next(requests, statuses.1);
        };
        let mut room = Statuses::new::<A>(statuses.1, statuses.0);
        let code = next(requests, room.as_mut_ptr());
        let answer = Answer::of(self.runtime, code);
        let null = self.runtime.mpi().handles.request_null;
        for (position, &request) in before.iter().enumerate() {
            let Some(at) = place(position, &answer) else { continue };
            // SAFETY: `next` has filled in the statuses that have places.
            let status = answer.status(|| unsafe { room.get(at) });
            // SAFETY: inside the array. Where the call has failed, a request that is gone has
            // failed.
            let is_gone =
                || effect == Effect::Completes && unsafe { *requests.add(position) } == null;
            if status.is_some() || is_gone() {
                inside.shield(|| {
                    let done = match effect {
                        Effect::Completes => inside.lock().requests.complete(request)?,
                        Effect::Asks => inside.lock().requests.told(request)?,
                    };
                    // SAFETY: what was received is in the program's buffer.
                    unsafe { inside.completes(done, status.as_ref()) }
                });
            }
        }
        code
    }

    /// The program will not know when it is complete.
    unsafe fn frees(self, request: *mut A::Request, next: impl FnOnce() -> c_int) -> c_int {
        let Some(inside) = self.enter() else { return next() };
        // SAFETY: one request, as in the MPI call.
        let Some(before) = (unsafe { inside.under_way(request, 1) }) else { return next() };
        // Taken out before: afterwards the handle may be another's.
        let taken = inside.lock().requests.remove(before[0]);
        let code = next();
        if code != A::CONSTANTS.success
            && let Some(entry) = taken
        {
            inside.lock().requests.insert(before[0], entry);
        }
        code
    }
}

impl<A: Abi> Inside<A> {
    /// The requests of a call, before the library changes them; `None` where nothing is known of
    /// any.
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
        // SAFETY: so many are the caller's promise. Open MPI hands over arrays that are aligned as
        // Fortran's integers.
        Some((0..count).map(|at| unsafe { requests.add(at).read_unaligned() }).collect())
    }
}
