//! Requests that commloom has something to do for when they complete.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use commloom_mpi::{Abi, Status};

use crate::accelerate::beside::Beside;
use crate::accelerate::departure::Departure;
use crate::accelerate::engine::Engine;
use crate::accelerate::exchange::Exchange;
use crate::accelerate::file_reading::FileReading;
use crate::accelerate::landing::Landing;
use crate::accelerate::persistent::{Persistent, Work};
use crate::accelerate::stand_in::StandIn;
use crate::runtime::outcome::{Cut, Outcome};
use crate::runtime::sync::lock;

/// State of ours that waits for a request.
pub(crate) enum Held<A: Abi> {
    /// Packed bytes that the library still reads.
    Send(Departure<A>),
    /// Packed bytes that the library still writes.
    Receive(Landing<A>),
    /// A receive of the program's own elements, whose message may come beside it.
    Beside(Beside<A>),
    /// A receive of any message, which is counted when it is known.
    Any(A::Comm),
    /// The record of a persistent request, until the request is freed.
    Persistent(Arc<Persistent<A>>),
    /// The request that was started in the place of a persistent one, until it completes.
    StandIn(Arc<StandIn<A>>),
    /// A collective that the library still works on.
    Collective(Box<Exchange<A>>),
    /// Packed bytes of a file that the library still reads.
    FileRead(FileReading<A>),
}

/// The table. A request is taken out of it *before* the library may complete it, and put back if
/// it did not: as soon as a request is complete, another thread may get the same handle.
/// Persistent requests stay in: their handles live until the program frees them.
pub(crate) struct Pending<A: Abi> {
    /// Entries of the table; read without a lock, so that programs without any pay one load. Never
    /// too small: it changes under the lock of the table. If another thread could take an entry
    /// out before it is counted, a third one would see none for a moment and complete a receive
    /// without us.
    len: AtomicUsize,
    held: Mutex<Option<Table<A>>>,
    /// Freed receives, and collectives: the program wants their data as soon as it can know of
    /// them.
    pub freed_receives: Orphans<A>,
    /// Freed sends, whose packed bytes the library still reads.
    pub freed_sends: Orphans<A>,
    /// The program has freed a receive that was under way, and may do it again.
    pub frees_receives: AtomicBool,
}

/// Requests that the program has freed while they were under way.
pub(crate) struct Orphans<A: Abi> {
    /// How many there are, also while a thread has them out; read without a lock.
    count: AtomicUsize,
    list: Mutex<List<A>>,
    /// The thread that had them out is done.
    back: Condvar,
}

struct List<A: Abi> {
    entries: Vec<(A::Request, Held<A>)>,
    /// A thread has them out.
    out: bool,
}

impl<A: Abi> Orphans<A> {
    const fn new() -> Self {
        let list = Mutex::new(List { entries: Vec::new(), out: false });
        Orphans { count: AtomicUsize::new(0), list, back: Condvar::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    pub fn add(&self, request: A::Request, held: Held<A>) {
        self.count.fetch_add(1, Ordering::AcqRel);
        lock(&self.list).entries.push((request, held));
    }

    /// Takes all of them out. If another thread has them out, what it finds complete shall be
    /// there before this one goes on, and what became complete after it looked shall not be
    /// missed.
    pub fn take(&self) -> Vec<(A::Request, Held<A>)> {
        let mut list = lock(&self.list);
        while list.out {
            list = self.back.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
        list.out = true;
        std::mem::take(&mut list.entries)
    }

    /// Puts back those that are not complete.
    pub fn put_back(&self, left: Vec<(A::Request, Held<A>)>, finished: usize) {
        let mut list = lock(&self.list);
        list.entries.extend(left);
        list.out = false;
        self.count.fetch_sub(finished, Ordering::AcqRel);
        drop(list);
        self.back.notify_all();
    }
}

type Table<A> = HashMap<<A as Abi>::Request, Held<A>, BuildHasherDefault<HandleHasher>>;

/// A multiplication: handles are small integers or addresses, and nobody attacks with them. The
/// default hasher costs as much as the rest of the bookkeeping of a message.
#[derive(Default)]
struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_i32(&mut self, handle: i32) {
        self.write_u64(u64::from(handle.cast_unsigned()));
    }

    fn write_usize(&mut self, handle: usize) {
        self.write_u64(u64::try_from(handle).unwrap_or(0));
    }

    fn write_u64(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The table takes its bucket from the low bits and a tag from the high ones.
        self.0 = product ^ (product >> 32);
    }
}

impl<A: Abi> Pending<A> {
    pub const fn new() -> Self {
        Pending {
            len: AtomicUsize::new(0),
            held: Mutex::new(None),
            freed_receives: Orphans::new(),
            freed_sends: Orphans::new(),
            frees_receives: AtomicBool::new(false),
        }
    }

    /// Whether no call of completion has anything to do for us.
    pub fn is_empty(&self) -> bool {
        self.len.load(Ordering::Acquire) == 0
    }

    /// Whether later receives are better left alone: their requests may be freed, and their data
    /// shall come without a call that completes them.
    pub fn frees_receives(&self) -> bool {
        self.frees_receives.load(Ordering::Relaxed)
    }

    /// Whether there are freed receives.
    #[inline]
    pub fn has_freed_receives(&self) -> bool {
        !self.freed_receives.is_empty()
    }

    /// Remembers. Returns what the table held for the same handle: MPICH gives one handle to all
    /// sends that were complete at once, so the older one is complete.
    #[must_use]
    pub fn insert(&self, request: A::Request, held: Held<A>) -> Option<Held<A>> {
        let mut table = lock(&self.held);
        let old = table.get_or_insert_default().insert(request, held);
        if old.is_none() {
            self.len.fetch_add(1, Ordering::AcqRel);
        }
        old
    }

    /// Takes out what waits for a request, for good.
    pub fn remove(&self, request: A::Request) -> Option<Held<A>> {
        let removed = lock(&self.held).as_mut()?.remove(&request);
        if removed.is_some() {
            self.len.fetch_sub(1, Ordering::AcqRel);
        }
        removed
    }

    /// The library has ended, and its requests with it: their handles mean nothing any more.
    /// Buffers that the program has left under way are lost, because nobody knows who may still
    /// look at them.
    pub fn abandon(&self, engine: &Engine<A>) {
        let held = lock(&self.held).take().unwrap_or_default();
        self.len.fetch_sub(held.len(), Ordering::AcqRel);
        for held in held.into_values() {
            match held {
                Held::Persistent(persistent) if !persistent.is_active() => persistent.done(engine),
                held => std::mem::forget(held),
            }
        }
    }

    /// Takes out what hangs on a persistent request, which is inactive. A stand-in of the last
    /// time goes: a call has failed, and nobody knew that it was complete.
    pub fn take_persistent(&self, request: A::Request) -> Option<Arc<Persistent<A>>> {
        let mut table = lock(&self.held);
        let Entry::Occupied(entry) = table.as_mut()?.entry(request) else { return None };
        if !entry.get().is_persistent() {
            return None;
        }
        self.len.fetch_sub(1, Ordering::AcqRel);
        match entry.remove() {
            Held::Persistent(persistent) => Some(persistent),
            _ => None,
        }
    }

    /// The stand-in that was started for a persistent request.
    pub fn stand_in(&self, request: A::Request) -> Option<Arc<StandIn<A>>> {
        match lock(&self.held).as_ref()?.get(&request)? {
            Held::StandIn(other) => Some(other.clone()),
            Held::Send(_)
            | Held::Receive(_)
            | Held::Beside(_)
            | Held::Any(_)
            | Held::Collective(_)
            | Held::FileRead(_)
            | Held::Persistent(_) => None,
        }
    }

    /// Takes back all offers that nobody has taken; the requests of the others.
    pub fn taken_offers(&self) -> Vec<A::Request> {
        let held = lock(&self.held);
        let beside = held.iter().flatten().filter_map(|(request, held)| match held {
            Held::Beside(beside) if beside.is_taken() => Some(*request),
            _ => None,
        });
        beside.collect()
    }

    /// Takes out what waits for any of these requests, with their positions.
    pub fn take_all(
        &self,
        requests: impl ExactSizeIterator<Item = A::Request>,
    ) -> Vec<(usize, A::Request, Held<A>)> {
        let mut held = lock(&self.held);
        let Some(table) = held.as_mut() else { return Vec::new() };
        let mut taken = Vec::with_capacity(requests.len().min(table.len()));
        let before = table.len();
        for (position, request) in requests.enumerate() {
            let Entry::Occupied(entry) = table.entry(request) else { continue };
            let held = match entry.get() {
                Held::Persistent(persistent) => Held::Persistent(persistent.clone()),
                Held::StandIn(other) => Held::StandIn(other.clone()),
                Held::Send(_)
                | Held::Receive(_)
                | Held::Beside(_)
                | Held::Any(_)
                | Held::Collective(_)
                | Held::FileRead(_) => entry.remove(),
            };
            taken.push((position, request, held));
        }
        self.len.fetch_sub(before - table.len(), Ordering::AcqRel);
        taken
    }
}

impl<A: Abi> Held<A> {
    /// Of a persistent request that was just made.
    pub fn persistent(work: Work<A>) -> Self {
        Held::Persistent(Arc::new(Persistent::new(work)))
    }

    /// Whether the request stays when it completes.
    pub fn is_persistent(&self) -> bool {
        matches!(self, Held::Persistent(_) | Held::StandIn(_))
    }

    /// The record of a persistent request, or of one in its place, with a buffer of ours.
    pub fn moved(&self) -> Option<&Persistent<A>> {
        match self {
            Held::Persistent(persistent) => Some(persistent),
            Held::StandIn(other) => other.moved().map(|persistent| &**persistent),
            Held::Send(_)
            | Held::Receive(_)
            | Held::Beside(_)
            | Held::Any(_)
            | Held::Collective(_)
            | Held::FileRead(_) => None,
        }
    }

    /// The request is complete and gone, and has ended like this; afterwards the outcome has the
    /// status for the program. Tells as [`Landing::ended`].
    ///
    /// # Safety
    /// The library has let go of the packed bytes; the program's buffer can be written.
    pub unsafe fn finish(
        self,
        engine: &Engine<A>,
        outcome: &mut Outcome<A::Status>,
    ) -> Option<Cut<A>> {
        let mut cut = None;
        match self {
            Held::Send(departure) => departure.done(engine),
            Held::Receive(mut landing) => {
                // SAFETY: both are the caller's promise.
                cut = unsafe { landing.ended(engine, outcome) };
                if let Some(comm) = landing.any() {
                    has_any(engine, comm, outcome);
                }
                landing.done(engine);
            }
            Held::Any(comm) => has_any(engine, comm, outcome),
            Held::Beside(mut beside) => {
                // SAFETY: both are the caller's promise.
                cut = unsafe { beside.ended(engine, outcome) };
                beside.done(engine);
            }
            Held::Persistent(persistent) => {
                // SAFETY: both are the caller's promise.
                cut = unsafe { persistent.complete(engine, outcome) };
                persistent.done(engine);
            }
            // It stays, and is told when the program completes its own request.
            Held::StandIn(_) => {}
            Held::Collective(exchange) => {
                if matches!(outcome, Outcome::Arrived(_)) {
                    // SAFETY: it has succeeded; the buffer is the caller's promise.
                    unsafe { exchange.unpack() };
                }
                exchange.done(engine);
            }
            Held::FileRead(reading) => {
                if let Outcome::Arrived(status) = outcome {
                    // SAFETY: it has succeeded; the buffer is the caller's promise.
                    unsafe { reading.arrived(engine, status) };
                }
                reading.done(engine);
            }
        }
        cut
    }

    /// Whether data of the program wait for it.
    pub fn receives(&self) -> bool {
        match self {
            Held::Send(_) => false,
            Held::Receive(_)
            | Held::Beside(_)
            | Held::Any(_)
            | Held::Collective(_)
            | Held::FileRead(_) => true,
            Held::Persistent(_) | Held::StandIn(_) => {
                self.moved().is_some_and(|persistent| persistent.receives())
            }
        }
    }

    /// The library has given the handle of the request again while we held something for it: it
    /// was complete at once, see [`Pending::insert`].
    ///
    /// # Safety
    /// The library has let go of the packed bytes; the program's buffer can be written.
    pub unsafe fn superseded(self, engine: &Engine<A>) {
        match self {
            Held::Collective(exchange) => {
                // SAFETY: complete; the buffer is the caller's promise.
                unsafe { exchange.unpack() };
                exchange.done(engine);
            }
            Held::FileRead(reading) => {
                // SAFETY: complete; the buffer is the caller's promise.
                unsafe { reading.all_arrived() };
                reading.done(engine);
            }
            held => {
                // SAFETY: both are the caller's promise.
                unsafe { held.finish(engine, &mut Outcome::Failed) };
            }
        }
    }
}

/// Counts the message that a receive of any has got.
fn has_any<A: Abi>(engine: &Engine<A>, comm: A::Comm, outcome: &Outcome<A::Status>) {
    let got = match outcome {
        Outcome::Arrived(status) => Some((status.source(), status.tag())),
        Outcome::Truncated | Outcome::Failed => None,
    };
    engine.neighbours.has_any(comm, got);
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_mpi::{Mpich, RawHandle};

    #[test]
    fn a_table_with_an_entry_never_looks_empty_while_others_come_and_go() {
        let pending = Pending::<Mpich>::new();
        let held = || Held::Persistent(Arc::new(Persistent::idle()));
        let request = <Mpich as Abi>::Request::from_bits;
        assert!(pending.insert(request(1), held()).is_none());
        // Handles that several threads share, as MPICH gives them for sends that are complete.
        let come_and_go = || {
            for _ in 0..2_000_000 {
                let older = pending.insert(request(2), held());
                drop((older, pending.remove(request(2))));
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..3).map(|_| scope.spawn(come_and_go)).collect();
            while !others.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                assert!(!pending.is_empty());
            }
        });
        assert!(pending.remove(request(1)).is_some());
        drop(pending.remove(request(2)));
        assert!(pending.is_empty());
    }
}
