//! Persistent requests (MPI 4.1, section 3.9) that move packed bytes. The library's request stands
//! for a packed buffer that lives as long as the request: a send is packed whenever it is started,
//! a receive is unpacked whenever it completes.

use std::sync::Mutex;

use commloom_mpi::Abi;

use crate::accelerate::departure::Departure;
use crate::accelerate::engine::Engine;
use crate::accelerate::exchange::Exchange;
use crate::accelerate::landing::Landing;
use crate::runtime::outcome::{Cut, Outcome};
use crate::runtime::sync::lock;

/// The communication of a persistent request, through a buffer of ours.
pub(crate) enum Work<A: Abi> {
    Send(Departure<A>),
    Receive(Landing<A>),
    Collective(Box<Exchange<A>>),
}

impl<A: Abi> Work<A> {
    /// Whether the memory of the program is a GPU's now.
    fn is_refused_by_gpu(&self) -> bool {
        match self {
            Work::Send(departure) => departure.is_refused_by_gpu(),
            Work::Receive(landing) => landing.is_refused_by_gpu(),
            Work::Collective(exchange) => exchange.is_refused_by_gpu(),
        }
    }
}

/// The state of a persistent request, as the program sees it. Where a start has failed, a request
/// may be inactive in spite of it: then it completes at once with an empty status, which brings
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Not started, or complete.
    Inactive,
    Active,
    /// Active, but nothing is to be unpacked any more: the program knows that it is complete
    /// (`MPI_Request_get_status`) and may have changed the buffer since.
    Delivered,
}

/// The record of one persistent request.
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

    /// The request is about to be started: packs what it sends. `None` where that failed; the
    /// request must not be started then, for it would send something else.
    ///
    /// # Safety
    /// As for `MPI_Start`: the request is inactive, a send's buffer can be read.
    pub unsafe fn start(&self) -> Option<()> {
        let (_, mut work) = self.take(Phase::Active);
        let refused = work.as_ref().is_some_and(Work::is_refused_by_gpu);
        let done = match &mut work {
            // The buffer has become another one since the request was made.
            _ if refused => None,
            // SAFETY: a send's buffer can be read while its request is inactive.
            Some(Work::Send(departure)) => unsafe { departure.pack() },
            Some(Work::Receive(landing)) => {
                landing.mark();
                landing.count();
                Some(())
            }
            Some(Work::Collective(exchange)) => {
                exchange.count();
                // SAFETY: what the collective sends can be read while its request is inactive.
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

    /// Another request was started in its place.
    pub fn not_started(&self) {
        lock(&self.0).0 = Phase::Inactive;
    }

    /// The request has ended like this, and is inactive from now on. Tells as [`Landing::ended`].
    ///
    /// # Safety
    /// The buffer of a receive can be written.
    pub unsafe fn complete(
        &self,
        engine: &Engine<A>,
        outcome: &Outcome<A::Status>,
    ) -> Option<Cut<A>> {
        // SAFETY: the buffer is the caller's promise.
        unsafe { self.finish(engine, outcome, Phase::Inactive) }
    }

    /// The program gets to know that the request is complete, but it stays active.
    ///
    /// # Safety
    /// The buffer of a receive can be written.
    pub unsafe fn deliver(
        &self,
        engine: &Engine<A>,
        outcome: &Outcome<A::Status>,
    ) -> Option<Cut<A>> {
        if !self.is_active() {
            return None;
        }
        // SAFETY: the buffer is the caller's promise.
        unsafe { self.finish(engine, outcome, Phase::Delivered) }
    }

    /// # Safety
    /// The buffer of a receive can be written.
    unsafe fn finish(
        &self,
        engine: &Engine<A>,
        outcome: &Outcome<A::Status>,
        next: Phase,
    ) -> Option<Cut<A>> {
        let (phase, mut work) = self.take(next);
        let mut cut = None;
        match &mut work {
            // SAFETY: the request is complete; the buffer is the caller's promise. What was
            // delivered is not unpacked again, but still judged.
            Some(Work::Receive(landing)) if phase != Phase::Inactive => unsafe {
                cut = landing.ended(engine, outcome);
            },
            Some(Work::Collective(exchange)) if phase == Phase::Active => {
                if matches!(outcome, Outcome::Arrived(_)) {
                    // SAFETY: the collective has succeeded; the buffer is the caller's promise.
                    unsafe { exchange.unpack() };
                }
            }
            _ => {}
        }
        self.put(work);
        cut
    }

    /// Whether it receives.
    pub fn receives(&self) -> bool {
        matches!(lock(&self.0).1, Some(Work::Receive(_) | Work::Collective(_)))
    }

    /// Whether the library may still use the packed bytes.
    pub fn is_active(&self) -> bool {
        lock(&self.0).0 != Phase::Inactive
    }

    /// Gives the buffer back: the request is gone.
    pub fn done(&self, engine: &Engine<A>) {
        match self.take(Phase::Inactive).1 {
            Some(Work::Send(departure)) => departure.done(engine),
            Some(Work::Receive(landing)) => landing.done(engine),
            Some(Work::Collective(exchange)) => exchange.done(engine),
            None => {}
        }
    }

    /// Takes the work out, because no lock may be held while it is done. MPI allows one thread at
    /// a time to use a request; another one would find nothing to do.
    fn take(&self, next: Phase) -> (Phase, Option<Work<A>>) {
        let mut inner = lock(&self.0);
        (std::mem::replace(&mut inner.0, next), inner.1.take())
    }

    fn put(&self, work: Option<Work<A>>) {
        lock(&self.0).1 = work;
    }
}
