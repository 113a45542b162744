//! Numbers of communicators that all their members agree on without a message (MPI 4.1, section
//! 7.4).
//!
//! Making a communicator is collective: all members of the one that it is made of make the same
//! calls in the same order. So its number is a hash of its parent's number, how many were made of
//! that before, and its members, which tell the parts of a split from each other. Where only the
//! new members call (`MPI_Comm_create_group`, `MPI_Intercomm_create`), those with the same members
//! and tag are counted instead.
//!
//! Not known are those of `MPI_Comm_idup_with_info`, of sessions and of programs that were
//! spawned: their numbers are [private](Communicator::PRIVATE).

use std::ffi::c_int;

use commloom_mpi::Abi;
use commloom_trace::Communicator;

use super::numbers::Seed;
use super::recorder::{Inner, Inside, Recorder};

/// The origin of a communicator that is made, which tells it from others.
#[derive(Debug, Clone, Copy)]
pub enum Maker<C> {
    /// It is made by all members of this one.
    Of(C),
    /// It will be.
    Later(C),
    /// It is made by its own members, which are in this one, with this tag.
    Among(C, c_int),
    /// It joins two groups, with this tag.
    Between(c_int),
}

/// Runs a call that makes a communicator, and records that.
///
/// # Safety
/// As the MPI call, which writes `new`.
pub unsafe fn making<A: Abi>(
    recorder: &'static Recorder<A>,
    maker: Maker<A::Comm>,
    new: *mut A::Comm,
    call: impl FnOnce() -> c_int,
) -> c_int {
    let Some(inside) = recorder.enter() else { return call() };
    // Counted before, and whatever becomes of the call: so do the others.
    let seed = inside.shield(|| inside.seed(maker));
    let code = call();
    if let Some(seed) = seed.filter(|_| code == A::CONSTANTS.success) {
        inside.shield(|| {
            // SAFETY: the library has written it.
            let new = unsafe { *new };
            let mut inner = inside.lock();
            // A handle of one that was freed may come again.
            inner.comms.remove(&new);
            if new != recorder.runtime.mpi().handles.comm_null {
                inner.promised.insert(new, seed);
            }
            drop(inner);
            match maker {
                Maker::Later(_) => None,
                _ => inside.communicator(new),
            }
        });
    }
    code
}

impl<A: Abi> Inside<A> {
    fn seed(&self, maker: Maker<A::Comm>) -> Option<Seed> {
        match maker {
            Maker::Of(comm) | Maker::Later(comm) => {
                let parent = self.communicator(comm)?.number;
                let nth = self.lock().count((Seed { parent, tag: None, nth: None }, 0));
                Some(Seed { parent, tag: None, nth: Some(nth) })
            }
            Maker::Among(comm, tag) => {
                let parent = self.communicator(comm)?.number;
                Some(Seed { parent, tag: Some(tag), nth: None })
            }
            Maker::Between(tag) => Some(Seed { parent: 0, tag: Some(tag), nth: None }),
        }
    }
}

impl<A: Abi> Inner<A> {
    /// How many were made like this before.
    fn count(&mut self, like: (Seed, u64)) -> u64 {
        let count = self.made.entry(like).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// The number of a communicator that is met first.
    pub(super) fn number_of(&mut self, comm: A::Comm, members: &[u32], remote: &[u32]) -> u64 {
        let Some(seed) = self.promised.remove(&comm) else {
            self.unknown += 1;
            return self.unknown | Communicator::PRIVATE;
        };
        let groups = [members, remote];
        let nth = match seed.nth {
            Some(nth) => nth,
            None => self.count((seed, seed.number(groups, 0))),
        };
        seed.number(groups, nth)
    }
}
