//! The number of each message among those that MPI keeps in order (MPI 4.1, section 3.5): those
//! from one process to another in one communicator with one tag. Both ends count, the sender its
//! sends and the receiver its receives, so that both know which message a receive gets without
//! asking the other.
//!
//! It costs every send and receive of a program some nanoseconds. A table of fixed size, in which
//! nothing is ever moved: what finds no place in it is not counted, now and later.

use std::sync::atomic::{AtomicU64, Ordering};

/// Entries; a power of two.
const ENTRIES: usize = 1 << 14;
/// An entry is at most so many places behind its own.
const NEAR: usize = 8;

/// Messages that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stream {
    /// Which communicator, by a number that is not 0.
    pub comm: u32,
    /// Rank of the other end.
    pub rank: u32,
    pub tag: u32,
    /// Whether this process sends.
    pub is_out: bool,
}

#[derive(Debug, Default)]
struct Entry {
    comm_and_rank: AtomicU64,
    tag_and_way: AtomicU64,
    count: AtomicU64,
}

/// The counts. MPI calls of a process come one after the other (its thread level is below
/// `MPI_THREAD_MULTIPLE`), so that no entry is changed by two threads at once.
#[derive(Debug)]
pub(super) struct Ordinals(Box<[Entry]>);

impl Ordinals {
    pub fn new() -> Ordinals {
        Ordinals((0..ENTRIES).map(|_| Entry::default()).collect())
    }

    /// Counts one message of the stream: how many there were before. `None` where they are not
    /// counted.
    #[inline]
    pub fn next(&self, stream: Stream) -> Option<u64> {
        let comm_and_rank = u64::from(stream.comm) << 32 | u64::from(stream.rank);
        let tag_and_way = u64::from(stream.tag) << 1 | u64::from(stream.is_out);
        let mixed = comm_and_rank.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ tag_and_way.wrapping_mul(0xD1B5_4A32_D192_ED03);
        let first = usize::try_from(mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50).ok()?;
        for at in first..first + NEAR {
            let entry = &self.0[at % ENTRIES];
            let found = entry.comm_and_rank.load(Ordering::Relaxed);
            if found == 0 {
                entry.tag_and_way.store(tag_and_way, Ordering::Relaxed);
                entry.comm_and_rank.store(comm_and_rank, Ordering::Relaxed);
            } else if found != comm_and_rank
                || entry.tag_and_way.load(Ordering::Relaxed) != tag_and_way
            {
                continue;
            }
            let count = entry.count.load(Ordering::Relaxed);
            entry.count.store(count + 1, Ordering::Relaxed);
            return Some(count);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_is_counted_is_counted_from_its_first_message_on() {
        let ordinals = Ordinals::new();
        let mut random = fastrand::Rng::with_seed(9);
        let mut oracle: HashMap<(u32, u32, u32, bool), u64> = HashMap::new();
        let mut uncounted = 0;
        for _ in 0..400_000 {
            let key = (random.u32(1..5), random.u32(0..40), random.u32(0..100), random.bool());
            let (comm, rank, tag, is_out) = key;
            let count = oracle.entry(key).or_default();
            match ordinals.next(Stream { comm, rank, tag, is_out }) {
                Some(next) => assert_eq!(next, *count, "{key:?}"),
                None => uncounted += 1,
            }
            *count += 1;
        }
        assert!(uncounted > 0, "more streams than entries");
    }
}
