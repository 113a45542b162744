//! Requests that commloom has something to do for when they complete.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use commloom_mpi::{Abi, Status};

use crate::exchange::Exchange;
use crate::incoming::Landing;
use crate::outgoing::Departure;
use crate::persistent::{Persistent, Work};
use crate::replace::Expected;
use crate::state::{Preload, lock};

/// What waits for a request.
pub(crate) enum Held<A: Abi> {
    /// Packed bytes that the library still reads.
    Send(Departure<A>),
    /// Packed bytes that the library still writes.
    Receive(Landing<A>),
    /// What a persistent request moves, until the request is freed.
    Persistent(Arc<Persistent<A>>),
    /// A collective that the library still works on.
    Collective(Box<Exchange<A>>),
    /// A receive of a region whose messages may be left out.
    Expected(Box<Expected>),
}

/// The table. A request is taken out of it *before* the library may complete it, and put back if it
/// did not: as soon as a request is complete, another thread may get the same handle. Persistent
/// requests stay in: their handles live until the program frees them.
pub(crate) struct Pending<A: Abi> {
    /// Entries in both tables; read without a lock, so that programs without any pay one load. Never
    /// too small: it changes under the lock of the table, and before an orphan is added. If another
    /// thread could take an entry out before it is counted, a third one would see none for a moment
    /// and complete a receive without us.
    len: AtomicUsize,
    held: Mutex<Option<Table<A>>>,
    /// Requests that the program has freed while they were under way.
    orphans: Mutex<Vec<(A::Request, Held<A>)>>,
    /// How many these are.
    orphaned: AtomicUsize,
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
            orphans: Mutex::new(Vec::new()),
            orphaned: AtomicUsize::new(0),
        }
    }

    /// Whether no call of completion has anything to do for us.
    pub fn is_empty(&self) -> bool {
        self.len.load(Ordering::Acquire) == 0
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

    /// What hangs on a persistent request.
    pub fn persistent(&self, request: A::Request) -> Option<Arc<Persistent<A>>> {
        match lock(&self.held).as_ref()?.get(&request)? {
            Held::Persistent(persistent) => Some(persistent.clone()),
            Held::Send(_) | Held::Receive(_) | Held::Collective(_) | Held::Expected(_) => None,
        }
    }

    /// A receive of a region.
    pub fn expected(&self, request: A::Request) -> Option<Expected> {
        match lock(&self.held).as_ref()?.get(&request)? {
            Held::Expected(expected) => Some(Expected::clone(expected)),
            Held::Send(_) | Held::Receive(_) | Held::Collective(_) | Held::Persistent(_) => None,
        }
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
                Held::Send(_) | Held::Receive(_) | Held::Collective(_) | Held::Expected(_) => {
                    entry.remove()
                }
            };
            taken.push((position, request, held));
        }
        self.len.fetch_sub(before - table.len(), Ordering::AcqRel);
        taken
    }
}

impl<A: Abi> Held<A> {
    /// What hangs on a persistent request that was just made.
    pub fn persistent(work: Work<A>) -> Self {
        Held::Persistent(Arc::new(Persistent::new(work)))
    }

    /// The request is complete and gone; `status` is its status if it succeeded.
    ///
    /// # Safety
    /// The library has let go of the packed bytes; the program's buffer can be written.
    pub unsafe fn finish(self, state: &Preload<A>, status: Option<&A::Status>) {
        match self {
            Held::Send(departure) => departure.done(state),
            Held::Receive(landing) => {
                if let Some(status) = status {
                    // SAFETY: passed on.
                    unsafe { landing.unpack(state, status) };
                }
                landing.done(state);
            }
            Held::Persistent(persistent) => {
                if let Some(status) = status {
                    // SAFETY: passed on.
                    unsafe { persistent.complete(state, status) };
                }
                persistent.done(state);
            }
            Held::Collective(exchange) => {
                if status.is_some() {
                    // SAFETY: passed on.
                    unsafe { exchange.unpack() };
                }
                exchange.done(state);
            }
            Held::Expected(mut expected) => {
                if let Some(status) = status {
                    // SAFETY: passed on. Who wants the status has asked before.
                    unsafe { expected.completed(state, status) };
                }
                expected.done(state);
            }
        }
    }

    /// The library has given the handle of the request again while we held something for it: it was
    /// complete at once, see [`Pending::insert`].
    ///
    /// # Safety
    /// As [`Held::finish`].
    pub unsafe fn superseded(self, state: &Preload<A>) {
        // SAFETY: passed on.
        unsafe {
            match self {
                Held::Collective(exchange) => {
                    exchange.unpack();
                    exchange.done(state);
                }
                held => held.finish(state, None),
            }
        }
    }
}

impl<A: Abi> Preload<A> {
    /// Remembers what waits for a request.
    pub(crate) fn hold(&self, request: A::Request, held: Held<A>) {
        if let Some(older) = self.pending.insert(request, held) {
            // SAFETY: complete, see `insert`.
            unsafe { older.superseded(self) };
        }
        self.progress_orphans(false);
    }

    /// `MPI_Request_free` of a request that something waits for: the program lets go of it, we keep
    /// the request until it completes.
    pub(crate) fn adopt(&self, request: A::Request, held: Held<A>) {
        self.pending.len.fetch_add(1, Ordering::AcqRel);
        self.pending.orphaned.fetch_add(1, Ordering::AcqRel);
        lock(&self.pending.orphans).push((request, held));
    }

    /// Finishes freed requests that are complete by now. At the `end` the others go to the library,
    /// which completes them in `MPI_Finalize`; their bytes are never reused.
    pub(crate) fn progress_orphans(&self, end: bool) {
        if self.pending.orphaned.load(Ordering::Acquire) == 0 {
            return;
        }
        let orphans = std::mem::take(&mut *lock(&self.pending.orphans));
        for (mut request, held) in orphans {
            let mut flag = 0;
            let mut status = A::Status::empty();
            // SAFETY: the request is ours alone since the program freed it.
            let code =
                unsafe { (self.mpi().own.test)(&raw mut request, &raw mut flag, &raw mut status) };
            let success = code == A::CONSTANTS.success;
            if success && flag == 0 && !end {
                lock(&self.pending.orphans).push((request, held));
                continue;
            }
            self.pending.len.fetch_sub(1, Ordering::AcqRel);
            self.pending.orphaned.fetch_sub(1, Ordering::AcqRel);
            if success && flag == 0 {
                // SAFETY: as above; nobody uses the handle afterwards.
                unsafe { (self.mpi().own.request_free)(&raw mut request) };
                std::mem::forget(held);
                continue;
            }
            if success && request != self.mpi().handles.request_null {
                // A persistent one, inactive now.
                // SAFETY: as above.
                unsafe { (self.mpi().own.request_free)(&raw mut request) };
            }
            // SAFETY: complete.
            unsafe { held.finish(self, success.then_some(&status)) };
        }
    }
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
