//! Numbers of communicators that all their members agree on without a message (MPI 4.1, section 7.4).
//!
//! Making a communicator is collective: all members of the one that it is made of make the same calls in the same order.
//! So its number is a hash of its parent's number, how many were made of that before, and its members, which tell the
//! parts of a split from each other. Where only the new members call (`MPI_Comm_create_group`, `MPI_Intercomm_create`), those
//! with the same members and tag are counted instead.
//!
//! Not known are those of `MPI_Comm_idup_with_info`, of sessions and of programs that were spawned: their numbers are
//! [private](Communicator::PRIVATE).

use std::ffi::c_int;
use std::hash::Hasher;

use commloom_mpi::Abi;
use commloom_trace::Communicator;
use twox_hash::XxHash3_64;

use super::{Inner, Inside};
use crate::state::Preload;

/// What tells a communicator that is made from others.
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

/// What the number of a communicator is made of, besides its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Seed {
    parent: u64,
    tag: Option<c_int>,
    /// How many there were before; `None` where that is counted by the members.
    nth: Option<u64>,
}

impl Seed {
    /// The number of a communicator with these members; `nth` where the seed has none.
    fn number(self, [members, remote]: [&[u32]; 2], nth: u64) -> u64 {
        // Both sides of an intercommunicator have the same number.
        let groups = if remote.is_empty() || members < remote {
            [members, remote]
        } else {
            [remote, members]
        };
        let mut hasher = XxHash3_64::new();
        hasher.write(&self.parent.to_le_bytes());
        hasher.write(&self.tag.map_or([0xff; 8], |tag| i64::from(tag).to_le_bytes()));
        hasher.write(&self.nth.unwrap_or(nth).to_le_bytes());
        for group in groups {
            hasher.write(&group.len().to_le_bytes());
            group.iter().for_each(|rank| hasher.write(&rank.to_le_bytes()));
        }
        // 0 is the world.
        let hash = (hasher.finish() & !Communicator::PRIVATE).max(1);
        hash | (self.parent & Communicator::PRIVATE)
    }
}

/// Runs a call that makes a communicator, and records that.
///
/// # Safety
/// As the MPI call, which writes `new`.
pub unsafe fn making<A: Abi>(
    state: &'static Preload<A>,
    maker: Maker<A::Comm>,
    new: *mut A::Comm,
    call: impl FnOnce() -> c_int,
) -> c_int {
    let Some(inside) = state.enter() else { return call() };
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
            if new != state.mpi().handles.comm_null {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_differ_by_all_that_tells_communicators_apart() {
        let seed = Seed { parent: 0, tag: None, nth: Some(0) };
        let numbers = [
            seed.number([&[0, 1], &[]], 0),
            seed.number([&[1, 0], &[]], 0),
            seed.number([&[0], &[1]], 0),
            Seed { nth: Some(1), ..seed }.number([&[0, 1], &[]], 0),
            Seed { parent: 5, ..seed }.number([&[0, 1], &[]], 0),
            Seed { tag: Some(0), nth: None, ..seed }.number([&[0, 1], &[]], 0),
            Seed { tag: Some(0), nth: None, ..seed }.number([&[0, 1], &[]], 1),
        ];
        for (i, number) in numbers.iter().enumerate() {
            assert!(!numbers[..i].contains(number) && number & Communicator::PRIVATE == 0);
        }
        assert_eq!(seed.number([&[1], &[0]], 0), numbers[2], "seen from the other side");
        let private = Seed { parent: Communicator::PRIVATE | 3, ..seed };
        assert_ne!(private.number([&[0, 1], &[]], 0) & Communicator::PRIVATE, 0);
    }
}
