//! Communicators by numbers that all of their processes agree on, without a message: the world is
//! 1, and what a call makes of a communicator follows from that one's number and from how many
//! such calls there were, because all of its processes make them in the same order (MPI 4.1,
//! section 6.4). Others, and those whose messages may overtake each other, are not known.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use crate::runtime::sync::lock;

/// The number of `MPI_COMM_WORLD`.
pub(super) const WORLD: u64 = 1;
/// Communicators that are known at once, at most.
const MOST: usize = 1024;

/// One communicator.
#[derive(Debug)]
pub(super) struct KnownComm {
    /// In this process, never given again.
    pub local: u32,
    /// In all of its processes.
    pub agreed: u64,
    /// World ranks by rank.
    pub members: Vec<Option<u32>>,
    /// Calls that made communicators of it.
    children: AtomicU32,
    /// Receives under way that take any message: which ones, is not known before they are over.
    any: AtomicU32,
    /// Its sends, and its receives, are counted.
    counts: [AtomicBool; 2],
}

/// Which end of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Send,
    Receive,
}

impl KnownComm {
    /// Whether messages of this end are counted.
    pub fn counts(&self, end: End) -> bool {
        self.of(end).load(Ordering::Relaxed)
    }

    /// They are not any more: the numbers would be wrong from now on.
    pub fn stop(&self, end: End) {
        self.of(end).store(false, Ordering::Relaxed);
    }

    /// A receive that takes any message is about to be posted.
    pub fn awaits_any(&self) {
        self.any.fetch_add(1, Ordering::Relaxed);
    }

    /// It is over, and its message counted.
    pub fn has_any(&self) {
        self.any.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether there are such receives.
    pub fn is_vague(&self) -> bool {
        self.any.load(Ordering::Relaxed) > 0
    }

    fn of(&self, end: End) -> &AtomicBool {
        match end {
            End::Send => &self.counts[0],
            End::Receive => &self.counts[1],
        }
    }

    /// A call makes another communicator of it; the number of that one.
    pub fn child(&self) -> u64 {
        let nth = self.children.fetch_add(1, Ordering::Relaxed);
        let mixed = (self.agreed ^ u64::from(nth).wrapping_add(1).rotate_left(32))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Neither the world nor nothing.
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1 << 63
    }
}

/// Those of this process, by handle.
#[derive(Debug)]
pub(super) struct KnownComms {
    all: Mutex<FxHashMap<usize, Arc<KnownComm>>>,
    /// The handle that was asked for last, and its number if it is known.
    last: AtomicUsize,
    last_local: AtomicU32,
    next: AtomicU32,
}

impl KnownComms {
    pub fn new() -> KnownComms {
        KnownComms {
            all: Mutex::default(),
            last: AtomicUsize::new(0),
            last_local: AtomicU32::new(0),
            next: AtomicU32::new(1),
        }
    }

    /// A communicator with this agreed number.
    pub fn add(&self, handle: usize, agreed: u64, members: Vec<Option<u32>>) {
        let counts = [AtomicBool::new(true), AtomicBool::new(true)];
        let local = self.next.fetch_add(1, Ordering::Relaxed);
        let children = AtomicU32::new(0);
        let mut all = lock(&self.all);
        if all.len() < MOST && local != 0 {
            let any = AtomicU32::new(0);
            let known = KnownComm { local, agreed, members, children, any, counts };
            all.insert(handle, Arc::new(known));
        }
        self.forget_last();
    }

    /// The handle means nothing any more; what it was.
    pub fn remove(&self, handle: usize) -> Option<Arc<KnownComm>> {
        let mut all = lock(&self.all);
        let removed = all.remove(&handle);
        self.forget_last();
        removed
    }

    fn forget_last(&self) {
        self.last.store(0, Ordering::Relaxed);
        self.last_local.store(0, Ordering::Relaxed);
    }

    /// The communicator of a handle.
    pub fn get(&self, handle: usize) -> Option<Arc<KnownComm>> {
        lock(&self.all).get(&handle).cloned()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<KnownComm>> {
        let all = lock(&self.all);
        all.values().cloned().collect()
    }

    /// The number in this process; 0 where nothing is known. Costs two loads for the handle that
    /// was asked for last.
    #[inline]
    pub fn local(&self, handle: usize) -> u32 {
        if self.last.load(Ordering::Relaxed) == handle && handle != 0 {
            return self.last_local.load(Ordering::Relaxed);
        }
        let local = self.get(handle).map_or(0, |known| known.local);
        self.last_local.store(local, Ordering::Relaxed);
        self.last.store(handle, Ordering::Relaxed);
        local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_agree_on_what_they_make_in_the_same_order_with_other_handles() {
        let (one, two) = (KnownComms::new(), KnownComms::new());
        one.add(11, WORLD, vec![Some(0), Some(1)]);
        two.add(99, WORLD, vec![Some(0), Some(1)]);
        let (mine, theirs) = (one.get(11).unwrap(), two.get(99).unwrap());
        let made: Vec<u64> = (0..4).map(|_| mine.child()).collect();
        assert_eq!(made, (0..4).map(|_| theirs.child()).collect::<Vec<_>>());
        one.add(12, made[0], vec![Some(0)]);
        let grandchild = one.get(12).unwrap().child();
        let mut all = made;
        all.extend([WORLD, grandchild]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6, "all different");
    }

    #[test]
    fn a_handle_that_comes_again_is_another_communicator() {
        let comms = KnownComms::new();
        comms.add(5, WORLD, vec![]);
        let first = comms.local(5);
        assert_eq!((comms.local(5), comms.local(6)), (first, 0));
        comms.remove(5);
        assert_eq!(comms.local(5), 0);
        comms.add(5, 77, vec![]);
        assert!(comms.local(5) > first);
        comms.get(5).unwrap().stop(End::Receive);
        let known = comms.get(5).unwrap();
        assert!(known.counts(End::Send) && !known.counts(End::Receive));
    }
}
