//! What is done when requests complete: where something of ours waits for them, it is finished.
//! Where nothing does, the call goes straight to the library. Requests that were replaced are not
//! the library's: see `replace::told`.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::accelerate::complete::Claimed;
use crate::accelerate::pending::Held;
use crate::preload::state::Preload;
use crate::replace::{Told, stop};
use crate::runtime::completion::Watcher;
use crate::runtime::statuses::{Answer, Statuses, Tells};

impl<A: Abi> Watcher<A> for &'static Preload<A> {
    type Replaced = Told<A>;

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
        (count, requests): (c_int, *mut A::Request),
        (room, statuses, tells): (c_int, *mut A::Status, Tells),
        call: impl FnOnce(*mut A::Status) -> c_int,
        place: impl Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        // SAFETY: the arrays are those of the MPI call.
        unsafe {
            let clock = self.replacement.clock();
            let Some(claimed) = Claimed::take(self, requests, count) else {
                let code = call(statuses);
                stop(clock);
                return code;
            };
            let mut statuses = Statuses::new::<A>(statuses, room);
            let code = call(statuses.as_mut_ptr());
            let code = claimed.settle(self, code, (&mut statuses, tells), place);
            stop(clock);
            code
        }
    }

    /// What arrived is put into the program's buffer now.
    unsafe fn asks(
        self,
        (count, requests): (c_int, *const A::Request),
        (room, statuses, tells): (c_int, *mut A::Status, Tells),
        call: impl FnOnce(*mut A::Status) -> c_int,
        place: impl Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        // SAFETY: the arrays are those of the MPI call.
        unsafe {
            let Some(claimed) = Claimed::take(self, requests, count) else {
                return call(statuses);
            };
            let mut statuses = Statuses::new::<A>(statuses, room);
            let code = call(statuses.as_mut_ptr());
            claimed.deliver(self, code, (&mut statuses, tells), place)
        }
    }

    /// The program lets go of a request that we still have to finish. An inactive persistent one
    /// is freed at once.
    unsafe fn frees(
        self,
        next: unsafe extern "C" fn(*mut A::Request) -> c_int,
        request: *mut A::Request,
    ) -> c_int {
        // SAFETY: passed on.
        unsafe {
            if !request.is_null() {
                self.replacement.forgets(*request);
            }
            if self.pending.is_empty() || request.is_null() {
                return next(request);
            }
            let freed = *request;
            match self.pending.remove(freed) {
                None => next(request),
                Some(Held::Persistent(persistent)) if !persistent.is_active() => {
                    let code = next(request);
                    if code == A::CONSTANTS.success {
                        persistent.done(self);
                    } else {
                        self.hold(freed, Held::Persistent(persistent));
                    }
                    code
                }
                Some(held) => {
                    self.adopt(freed, held);
                    *request = self.mpi().handles.request_null;
                    A::CONSTANTS.success
                }
            }
        }
    }
}
