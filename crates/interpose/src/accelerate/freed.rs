//! Requests that something waits for, as the calls of the program make and free them.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use commloom_mpi::{Abi, Status};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::pending::{Held, Orphans};
use crate::runtime::outcome::Outcome;

thread_local! {
    /// This thread has orphans out. The library may call an error handler of the program
    /// meanwhile, which calls MPI.
    static LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// How long `MPI_Finalize` waits for messages of freed receives.
const LAST_MESSAGES: Duration = Duration::from_millis(50);

impl<A: Abi> Accelerator<A> {
    /// Remembers what waits for a request.
    pub(crate) fn hold(&self, request: A::Request, held: Held<A>) {
        if let Some(older) = self.pending.insert(request, held) {
            // SAFETY: complete, see `insert`.
            unsafe { older.superseded(self) };
        }
        self.finish_freed_sends();
    }

    /// `MPI_Request_free` of a request that something waits for: the program lets go of it, we
    /// keep the request until it completes.
    pub(crate) fn adopt(&self, request: A::Request, held: Held<A>) {
        if held.receives() {
            self.pending.frees_receives.store(true, Ordering::Relaxed);
            self.pending.freed_receives.add(request, held);
        } else {
            self.pending.freed_sends.add(request, held);
        }
    }

    /// The library has freed a persistent request of the program, or the one that was started in
    /// its place, which is the program's end too: Open MPI does so where its message was too long.
    ///
    /// # Safety
    /// It is complete, and nobody uses its handle any more.
    pub(crate) unsafe fn has_lost(&self, mut request: A::Request, held: Held<A>) {
        self.pending.remove(request);
        if let Some(moved) = held.moved() {
            moved.done(self);
        }
        let Held::StandIn(lost) = held else { return };
        let Some(repeated) = self.repeated.remove(request) else { return };
        repeated.loses(self, &lost);
        // SAFETY: the program's own request, inactive since its stand-in was started; the program
        // is told that it is gone.
        unsafe { (self.mpi().own.request_free)(&raw mut request) };
    }

    /// Gives back the buffers of freed sends that are complete by now.
    pub(crate) fn finish_freed_sends(&self) {
        if !self.pending.freed_sends.is_empty() {
            self.finish_freed(&self.pending.freed_sends);
        }
    }

    /// After a call of the program, before it goes on: the call may have told it that messages of
    /// freed receives have arrived. Then the library had them when the call returned, and so they
    /// are complete.
    #[inline]
    pub fn deliver_freed(&self) {
        if self.pending.has_freed_receives() {
            self.finish_freed(&self.pending.freed_receives);
        }
    }

    /// Finishes freed requests that are complete by now.
    #[cold]
    fn finish_freed(&self, orphans: &Orphans<A>) {
        if LOOKING.try_with(|looking| looking.replace(true)).unwrap_or(true) {
            return;
        }
        let (mut left, mut finished) = (Vec::new(), 0);
        for (mut request, held) in orphans.take() {
            let mut flag = 0;
            let mut status = A::Status::empty();
            // SAFETY: the request is ours alone since the program freed it. MPI_Test would fail
            // for a message that is too long, and the error handler of the program be called; with
            // Open MPI this call does not.
            let code = unsafe {
                (self.mpi().own.request_get_status)(request, &raw mut flag, &raw mut status)
            };
            let success = code == A::CONSTANTS.success;
            if success && flag == 0 {
                left.push((request, held));
                continue;
            }
            finished += 1;
            let mut outcome = match status.error() {
                _ if !success => Outcome::of_error(self, code),
                // Open MPI has the code of the request there, others what was there before.
                0 => Outcome::Arrived(status),
                error => Outcome::of_error(self, error),
            };
            // SAFETY: complete; and nobody uses the handle afterwards.
            unsafe {
                (self.mpi().own.request_free)(&raw mut request);
                held.finish(self, &mut outcome);
            }
        }
        orphans.put_back(left, finished);
        // A thread that is ending has no such variable any more, and did not come here.
        let _ = LOOKING.try_with(|looking| looking.set(false));
    }

    /// Before the library ends: what is under way has a moment to arrive. The rest goes to the
    /// library, which completes it in `MPI_Finalize`; those bytes are never reused.
    pub(crate) fn let_go_of_freed(&self) {
        let start = Instant::now();
        loop {
            self.deliver_freed();
            self.finish_freed_sends();
            if !self.pending.has_freed_receives() || start.elapsed() > LAST_MESSAGES {
                break;
            }
            std::thread::yield_now();
        }
        for orphans in [&self.pending.freed_receives, &self.pending.freed_sends] {
            let all = orphans.take();
            let number = all.len();
            for (mut request, held) in all {
                // SAFETY: the request is ours alone, and nobody uses the handle afterwards.
                unsafe { (self.mpi().own.request_free)(&raw mut request) };
                std::mem::forget(held);
            }
            orphans.put_back(Vec::new(), number);
        }
    }
}
