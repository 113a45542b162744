//! One offer: a receive that waits for a certain message, and the memory for its packed bytes.
//!
//! ```text
//!         publish            claim             fill
//! FREE ────────────► OPEN ────────────► TAKEN ──────► FILLED
//!   ▲                 │ withdraw          │ give up     │ settled
//!   └─────────────────┴───────────────────┴─────────────┘
//! ```
//!
//! The receiver publishes, withdraws and settles; one sender, always the same, does the rest. Each
//! publication has a number of its own in the same word as the state, so that nobody takes an
//! offer for another one that was there a moment ago.

use std::sync::atomic::{AtomicU64, Ordering};

/// The bits of the word that are the state; the others are the number of the publication.
const STATE: u64 = 3;
const FREE: u64 = 0;
const OPEN: u64 = 1;
const TAKEN: u64 = 2;
const FILLED: u64 = 3;

/// Which message is meant: the sender is the one whose offers these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The communicator, by the number that all agree on.
    pub comm: u64,
    pub tag: u64,
    /// Among the sender's messages to this receiver with this communicator and tag.
    pub ordinal: u64,
}

/// Offers of a process for another one at once.
pub(super) const OFFERS: usize = 64;

impl Wanted {
    /// Where its offer stands: those of one stream one after the other.
    pub fn place(self) -> usize {
        let mixed = (self.comm ^ self.tag.rotate_left(40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let first = (mixed >> 32).wrapping_add(self.ordinal);
        usize::try_from(first).unwrap_or(0) % OFFERS
    }
}

/// Bytes of the receiver's memory, from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub start: u64,
    pub bytes: u64,
}

/// One offer in shared memory. Every bit pattern is one, and zeros are none.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(super) struct Offer {
    state: AtomicU64,
    comm: AtomicU64,
    tag: AtomicU64,
    ordinal: AtomicU64,
    start: AtomicU64,
    bytes: AtomicU64,
    length: AtomicU64,
}

/// The fate of an offer whose receive is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The message was an ordinary one. Nobody can take the offer any more.
    Ordinary,
    /// So many packed bytes are in the memory.
    Filled(u64),
    /// The sender is still at it. A message that was complete before cannot have been the one.
    Disturbed,
}

impl Offer {
    /// The receiver offers memory for a message; the number of this publication. `None` where the
    /// place is in use.
    pub fn publish(&self, wanted: Wanted, room: Extent) -> Option<u64> {
        let before = self.state.load(Ordering::Acquire);
        if before & STATE != FREE {
            return None;
        }
        let number = (before & !STATE).wrapping_add(STATE + 1);
        self.comm.store(wanted.comm, Ordering::Relaxed);
        self.tag.store(wanted.tag, Ordering::Relaxed);
        self.ordinal.store(wanted.ordinal, Ordering::Relaxed);
        self.start.store(room.start, Ordering::Relaxed);
        self.bytes.store(room.bytes, Ordering::Relaxed);
        self.state.store(number | OPEN, Ordering::Release);
        Some(number)
    }

    /// The sender takes the offer, if it is for this message and has room for so many bytes.
    pub fn claim(&self, wanted: Wanted, bytes: u64) -> Option<(u64, Extent)> {
        let state = self.state.load(Ordering::Acquire);
        if state & STATE != OPEN {
            return None;
        }
        let read = |field: &AtomicU64| field.load(Ordering::Relaxed);
        let found =
            Wanted { comm: read(&self.comm), tag: read(&self.tag), ordinal: read(&self.ordinal) };
        let room = Extent { start: read(&self.start), bytes: read(&self.bytes) };
        if found != wanted || bytes > room.bytes {
            return None;
        }
        let number = state & !STATE;
        // Where this succeeds nobody has published since the fields were read.
        let taken =
            self.state.compare_exchange(state, number | TAKEN, Ordering::AcqRel, Ordering::Acquire);
        taken.is_ok().then_some((number, room))
    }

    /// The sender has put so many bytes there.
    pub fn fill(&self, number: u64, length: u64) {
        self.length.store(length, Ordering::Relaxed);
        self.state.store(number | FILLED, Ordering::Release);
    }

    /// The sender sends an ordinary message in spite of it.
    pub fn give_up(&self, number: u64) {
        self.state.store(number | FREE, Ordering::Release);
    }

    /// The receiver takes it back, if nobody has taken it; whether that is so.
    pub fn withdraw(&self, number: u64) -> bool {
        let taken_back = self.state.compare_exchange(
            number | OPEN,
            number | FREE,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        taken_back.is_ok() || self.state.load(Ordering::Acquire) == number | FREE
    }

    /// The receive is complete.
    pub fn fate(&self, number: u64) -> Fate {
        if self.withdraw(number) {
            return Fate::Ordinary;
        }
        match self.state.load(Ordering::Acquire) {
            state if state == number | FILLED => Fate::Filled(self.length.load(Ordering::Relaxed)),
            state if state == number | TAKEN => Fate::Disturbed,
            // Given up, and published again since.
            _ => Fate::Ordinary,
        }
    }

    /// The receiver has the bytes.
    pub fn settle(&self, number: u64) {
        self.state.store(number | FREE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Extent = Extent { start: 4096, bytes: 100 };

    fn wanted(ordinal: u64) -> Wanted {
        Wanted { comm: 1, tag: 7, ordinal }
    }

    #[test]
    fn a_message_that_fits_is_filled_and_others_stay_ordinary() {
        let offer = Offer::default();
        let number = offer.publish(wanted(5), ROOM).unwrap();
        assert_eq!(offer.publish(wanted(6), ROOM), None, "in use");
        assert_eq!(offer.claim(wanted(4), 100), None, "another message");
        assert_eq!(offer.claim(wanted(5), 101), None, "too long");
        assert_eq!(offer.claim(wanted(5), 80), Some((number, ROOM)));
        assert_eq!(offer.claim(wanted(5), 80), None, "taken");
        assert!(!offer.withdraw(number));
        assert_eq!(offer.fate(number), Fate::Disturbed);
        offer.fill(number, 80);
        assert_eq!(offer.fate(number), Fate::Filled(80));
        offer.settle(number);
        let next = offer.publish(wanted(6), ROOM).unwrap();
        assert_ne!(next, number);
        assert_eq!(offer.fate(number), Fate::Ordinary, "of an offer that is over");
        assert_eq!(offer.fate(next), Fate::Ordinary);
        assert_eq!(offer.claim(wanted(6), 1), None, "the receive is complete");
    }

    #[test]
    fn what_was_given_up_is_free_and_ordinary() {
        let offer = Offer::default();
        let number = offer.publish(wanted(1), ROOM).unwrap();
        let (taken, _) = offer.claim(wanted(1), 1).unwrap();
        offer.give_up(taken);
        assert_eq!(offer.fate(number), Fate::Ordinary);
        assert!(offer.publish(wanted(2), ROOM).is_some());
    }

    #[test]
    fn nobody_claims_an_offer_that_is_taken_back_and_each_message_goes_one_way() {
        let offer = Offer::default();
        let both = std::sync::Barrier::new(2);
        let (mut taken, mut ordinary) = (0, 0);
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                let mut claims = Vec::new();
                for ordinal in 0..200_000 {
                    if ordinal % 64 == 0 {
                        both.wait();
                    }
                    if let Some((number, _)) = offer.claim(wanted(ordinal), 8) {
                        offer.fill(number, ordinal);
                        claims.push(ordinal);
                    }
                }
                claims
            });
            let mut filled = Vec::new();
            for ordinal in 0..200_000 {
                if ordinal % 64 == 0 {
                    both.wait();
                }
                let number = offer.publish(wanted(ordinal), ROOM).unwrap();
                loop {
                    match offer.fate(number) {
                        Fate::Disturbed => std::hint::spin_loop(),
                        Fate::Ordinary => break ordinary += 1,
                        Fate::Filled(length) => {
                            assert_eq!(length, ordinal);
                            filled.push(ordinal);
                            break taken += 1;
                        }
                    }
                }
                offer.settle(number);
            }
            assert_eq!(sender.join().unwrap(), filled);
        });
        assert_eq!(taken + ordinary, 200_000);
    }
}
