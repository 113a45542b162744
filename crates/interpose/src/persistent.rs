//! Persistent requests (MPI 4.1, section 3.9). The library's request stands for a packed buffer that
//! lives as long as the request: a send is packed whenever it is started, a receive is unpacked whenever
//! it completes.

use std::sync::Mutex;

use commloom_mpi::Abi;

use crate::exchange::Exchange;
use crate::incoming::Landing;
use crate::outgoing::Departure;
use crate::state::{Preload, lock};

/// What a persistent request moves.
pub(crate) enum Work<A: Abi> {
    Send(Departure<A>),
    Receive(Landing<A>),
    Collective(Box<Exchange<A>>),
}

/// What the program has done with a persistent request. Where a start has failed, a request may be
/// inactive in spite of it: then it completes at once with an empty status, which brings nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Not started, or complete.
    Inactive,
    Active,
    /// Active, but nothing is to be unpacked any more: the program knows that it is complete
    /// (`MPI_Request_get_status`) and may have changed the buffer since.
    Delivered,
}

/// What hangs on one persistent request.
pub(crate) struct Persistent<A: Abi>(Mutex<(Phase, Option<Work<A>>)>);

impl<A: Abi> Persistent<A> {
    /// Of a request that was just made.
    pub fn new(work: Work<A>) -> Self {
        Persistent(Mutex::new((Phase::Inactive, Some(work))))
    }

    /// Without anything to move.
    #[cfg(test)]
    pub fn idle() -> Self {
        Persistent(Mutex::new((Phase::Inactive, None)))
    }

    /// The request is about to be started: packs what it sends. `None` where that failed; the request must
    /// not be started then, for it would send something else.
    ///
    /// # Safety
    /// As for `MPI_Start`: the request is inactive, a send's buffer can be read.
    pub unsafe fn start(&self) -> Option<()> {
        let (_, mut work) = self.take(Phase::Active);
        let done = match &mut work {
            // SAFETY: passed on.
            Some(Work::Send(departure)) => unsafe { departure.pack() },
            Some(Work::Receive(landing)) => {
                landing.count();
                Some(())
            }
            Some(Work::Collective(exchange)) => {
                exchange.count();
                // SAFETY: passed on.
                unsafe { exchange.pack() }
            }
            None => None,
        };
        self.put(work);
        done
    }

    /// The library has refused to start it, or one that was to be started with it. The status of a
    /// collective cannot tell that it brings nothing.
    pub fn start_failed(&self) {
        let mut inner = lock(&self.0);
        if let (phase @ Phase::Active, Some(Work::Collective(_))) = &mut *inner {
            *phase = Phase::Delivered;
        }
    }

    /// The request is complete, with this status, and inactive from now on.
    ///
    /// # Safety
    /// The buffer of a receive can be written.
    pub unsafe fn complete(&self, state: &Preload<A>, status: &A::Status) {
        // SAFETY: passed on.
        unsafe { self.finish(state, status, Phase::Inactive) }
    }

    /// The program gets to know that the request is complete, but it stays active.
    ///
    /// # Safety
    /// The buffer of a receive can be written.
    pub unsafe fn deliver(&self, state: &Preload<A>, status: &A::Status) {
        if self.is_active() {
            // SAFETY: passed on.
            unsafe { self.finish(state, status, Phase::Delivered) }
        }
    }

    unsafe fn finish(&self, state: &Preload<A>, status: &A::Status, next: Phase) {
        let (phase, work) = self.take(next);
        match &work {
            // SAFETY: passed on.
            Some(Work::Receive(landing)) if phase == Phase::Active => unsafe {
                landing.unpack(state, status);
            },
            // SAFETY: passed on.
            Some(Work::Collective(exchange)) if phase == Phase::Active => unsafe {
                exchange.unpack();
            },
            _ => {}
        }
        self.put(work);
    }

    /// Whether the library may still use the packed bytes.
    pub fn is_active(&self) -> bool {
        lock(&self.0).0 != Phase::Inactive
    }

    /// Gives the buffer back: the request is gone.
    pub fn done(&self, state: &Preload<A>) {
        match self.take(Phase::Inactive).1 {
            Some(Work::Send(departure)) => departure.done(state),
            Some(Work::Receive(landing)) => landing.done(state),
            Some(Work::Collective(exchange)) => exchange.done(state),
            None => {}
        }
    }

    /// Takes the work out, because no lock may be held while it is done. MPI allows one thread at a
    /// time to use a request; another one would find nothing to do.
    fn take(&self, next: Phase) -> (Phase, Option<Work<A>>) {
        let mut inner = lock(&self.0);
        (std::mem::replace(&mut inner.0, next), inner.1.take())
    }

    fn put(&self, work: Option<Work<A>>) {
        lock(&self.0).1 = work;
    }
}
