//! Completion of requests: where something of ours waits for them, it is finished.
//! Where nothing does, the call goes straight to the library. Requests that were replaced are not
//! the library's: see `replace::told`.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::accelerate::complete::Claimed;
use crate::accelerate::pending::Held;
use crate::accelerate::rounds;
use crate::preload::state::Preload;
use crate::replace::{Told, stop};
use crate::runtime::completion::{Effect, Next, RequestCall, Watcher};
use crate::runtime::statuses::{Answer, Statuses};

impl<A: Abi> Watcher<A> for &'static Preload<A> {
    type Replaced = Told<A>;

    #[inline]
    fn passes(self) -> bool {
        self.completions_pass()
    }

    #[inline]
    unsafe fn replaced(self, requests: *const A::Request, count: c_int) -> Option<Told<A>> {
        // SAFETY: the requests are the caller's promise.
        unsafe { self.replacement.told(requests, count) }
    }

    #[inline]
    unsafe fn all_are_replaced(
        self,
        requests: *const A::Request,
        count: c_int,
        statuses: *mut A::Status,
    ) -> bool {
        // SAFETY: requests and statuses are the caller's promise.
        unsafe { self.replacement.tells_all(requests, count, statuses) }
    }

    unsafe fn completes(
        self,
        call: RequestCall<A>,
        next: Next<'_, A>,
        place: &dyn Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        let RequestCall { effect, requests: (count, requests), statuses, tells } = call;
        let lap = rounds::completing();
        let clock = match effect {
            Effect::Completes => self.replacement.clock(),
            Effect::Asks => None,
        };
        // SAFETY: so many requests, as in the MPI call.
        let Some(mut claimed) = (unsafe { Claimed::take(self, requests, count) }) else {
            let code = next(requests, statuses.1);
            rounds::completed(lap, || completed(count, place));
            stop(clock);
            return code;
        };
        let mut room = Statuses::new::<A>(statuses.1, statuses.0);
        let code = next(claimed.asked(), room.as_mut_ptr());
        let told = (&mut room, tells);
        // SAFETY: the arrays are there until the call returns, and `next` has filled them in.
        let code = unsafe {
            match effect {
                Effect::Completes => claimed.settle(self, code, told, place),
                Effect::Asks => claimed.deliver(self, code, told, place),
            }
        };
        rounds::completed(lap, || completed(count, place));
        stop(clock);
        code
    }

    /// The program lets go of a request that we still have to finish. An inactive persistent one
    /// is freed at once.
    unsafe fn frees(self, request: *mut A::Request, next: impl FnOnce() -> c_int) -> c_int {
        if request.is_null() {
            return next();
        }
        // SAFETY: where the program gives a pointer, a handle is there; MPI reads it too.
        let freed = unsafe { *request };
        self.replacement.forgets(freed);
        self.neighbours.forgets(freed);
        if self.repeated.is_empty() && self.pending.is_empty() {
            return next();
        }
        let repeated = self.repeated.remove(freed);
        // Before the library gives the handle to another request.
        let held = self.pending.remove(freed);
        if let Some(repeated) = repeated {
            let started = match held {
                Some(Held::StandIn(other)) => Some(other),
                None => None,
                // The library has freed the persistent one, and given its handle to this one.
                Some(held) => {
                    repeated.freed(self, None);
                    // SAFETY: the request is the program's.
                    return unsafe { self.lets_go(request, held, next) };
                }
            };
            let code = next();
            if code == A::CONSTANTS.success {
                let goes_on = repeated.freed(self, started.as_ref());
                goes_on.into_iter().for_each(|(request, held)| self.adopt(request, held));
            } else {
                self.repeated.insert(self, freed, repeated);
                started.into_iter().for_each(|other| self.hold(freed, Held::StandIn(other)));
            }
            return code;
        }
        match held {
            None => next(),
            // SAFETY: the request is the program's.
            Some(held) => unsafe { self.lets_go(request, held, next) },
        }
    }
}

/// How many of so many requests a call has completed.
fn completed(count: c_int, place: &dyn Fn(usize, &Answer) -> Option<usize>) -> usize {
    let all = 0..usize::try_from(count).unwrap_or(0);
    all.filter(|at| place(*at, &Answer::Success).is_some()).count()
}

impl<A: Abi> Preload<A> {
    /// The program lets go of a request that something waits for.
    ///
    /// # Safety
    /// As for `MPI_Request_free`.
    unsafe fn lets_go(
        &self,
        request: *mut A::Request,
        held: Held<A>,
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        // SAFETY: a handle is there, by the call.
        let freed = unsafe { *request };
        match held {
            Held::Persistent(persistent) if !persistent.is_active() => {
                let code = next();
                if code == A::CONSTANTS.success {
                    persistent.done(self);
                } else {
                    self.hold(freed, Held::Persistent(persistent));
                }
                code
            }
            held => {
                self.adopt(freed, held);
                // SAFETY: the handle that the library would have overwritten.
                unsafe { *request = self.mpi().handles.request_null };
                A::CONSTANTS.success
            }
        }
    }
}
