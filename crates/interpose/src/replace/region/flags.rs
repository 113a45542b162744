//! One word of shared memory for each message of a region, with which its two ends agree, in every run of the region anew,
//! whether the message is left out.
//!
//! ```text
//! older run ─ receiver: in MPI_Recv ──────► Expected ─ sender: same bytes ──► LeftOut    nothing is sent
//!     │    └─ receiver: after MPI_Irecv ──► Posted ─── sender: same bytes ──► LeftOut    an empty message is sent
//!     │                                        └────── receiver: MPI_Cancel ► Withdrawn
//!     └─ sender: nobody waits yet, or other bytes ──────────────────────────► Sent       the message is sent
//! ```
//!
//! The word is changed by compare-and-swap only. So a message is left out only if its receive was called before, and what
//! the sender decides stands.

use std::sync::atomic::{AtomicU64, Ordering};

/// A word, on a cache line of its own. Zeros are one that nobody has used.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Flag(AtomicU64);

/// A run of a region; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run(pub u64);

const EXPECTED: u64 = 1;
const POSTED: u64 = 2;
const WITHDRAWN: u64 = 3;
const LEFT_OUT: u64 = 4;
const SENT: u64 = 5;
/// Bits of these.
const BITS: u32 = 3;

/// How a receive waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// In a call that returns when it knows what the sender has decided. The library does not know of it.
    InCall,
    /// In the library.
    Posted,
}

/// What a sender does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sends {
    /// The message.
    All,
    /// A message without content: the library's receive waits for one.
    Empty,
    Nothing,
}

/// What a receiver finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decided {
    NotYet,
    LeftOut,
    Sent,
}

impl Flag {
    /// The receive is called. `false` where the sender has sent the message already.
    pub fn announce(&self, run: Run, waits: Waits) -> bool {
        let state = match waits {
            Waits::InCall => EXPECTED,
            Waits::Posted => POSTED,
        };
        self.change(run, |now| now.is_none().then_some(state)).is_ok()
    }

    /// The receive is taken back; `false` where the sender was faster.
    pub fn withdraw(&self, run: Run) -> bool {
        self.change(run, |now| (now == Some(POSTED)).then_some(WITHDRAWN)).is_ok()
    }

    /// Whether the receive waits.
    pub fn is_awaited(&self, run: Run) -> bool {
        matches!(self.state(run), Some(EXPECTED | POSTED))
    }

    /// The sender's decision: once in a run. `same` is whether the message says what the receiver has already.
    pub fn decide(&self, run: Run, same: bool) -> Sends {
        let next = |now: Option<u64>| match now {
            Some(EXPECTED | POSTED) if same => Some(LEFT_OUT),
            Some(LEFT_OUT | SENT) => None,
            _ => Some(SENT),
        };
        match self.change(run, next) {
            Ok((Some(EXPECTED), LEFT_OUT)) => Sends::Nothing,
            Ok((Some(POSTED), LEFT_OUT)) => Sends::Empty,
            Ok(_) | Err(_) => Sends::All,
        }
    }

    /// What the sender has decided.
    pub fn decided(&self, run: Run) -> Decided {
        match self.state(run) {
            Some(LEFT_OUT) => Decided::LeftOut,
            Some(SENT) => Decided::Sent,
            _ => Decided::NotYet,
        }
    }

    /// The state in this run; `None` where nobody has come yet.
    fn state(&self, run: Run) -> Option<u64> {
        of(self.0.load(Ordering::Acquire), run)
    }

    /// Changes the state, if `next` gives another one: what it was, and what it is now.
    fn change(
        &self,
        run: Run,
        next: impl Fn(Option<u64>) -> Option<u64>,
    ) -> Result<(Option<u64>, u64), u64> {
        let mut before = None;
        let changed = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
            before = of(word, run);
            next(before).map(|state| run.0 << BITS | state)
        });
        changed.map(|_| (before, next(before).unwrap_or(SENT)))
    }
}

fn of(word: u64, run: Run) -> Option<u64> {
    (word >> BITS == run.0).then_some(word & ((1 << BITS) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run = Run(7);

    #[test]
    fn a_message_is_left_out_only_where_its_receive_waits_and_its_bytes_are_the_same() {
        let flag = Flag::default();
        assert_eq!(flag.decide(RUN, true), Sends::All, "nobody waits");
        assert!(!flag.announce(RUN, Waits::InCall), "it was sent");
        assert_eq!(flag.decided(RUN), Decided::Sent);
        for (waits, left_out) in [(Waits::InCall, Sends::Nothing), (Waits::Posted, Sends::Empty)] {
            for same in [true, false] {
                let flag = Flag(AtomicU64::new(Run(6).0 << BITS | LEFT_OUT));
                assert!(!flag.is_awaited(RUN), "that was another run");
                assert!(flag.announce(RUN, waits) && flag.is_awaited(RUN));
                assert_eq!(flag.decided(RUN), Decided::NotYet);
                assert_eq!(flag.decide(RUN, same), if same { left_out } else { Sends::All });
                let decided = if same { Decided::LeftOut } else { Decided::Sent };
                assert_eq!(flag.decided(RUN), decided);
                assert_eq!(flag.decide(RUN, false), Sends::All, "what is decided stands");
                assert_eq!(flag.decided(RUN), decided);
            }
        }
    }

    #[test]
    fn who_takes_back_a_receive_gets_the_message() {
        let flag = Flag::default();
        assert!(!flag.withdraw(RUN), "there is none");
        assert!(flag.announce(RUN, Waits::Posted) && flag.withdraw(RUN) && !flag.withdraw(RUN));
        assert_eq!(flag.decide(RUN, true), Sends::All);
        let late = Flag::default();
        assert!(late.announce(RUN, Waits::Posted));
        assert_eq!(late.decide(RUN, true), Sends::Empty);
        assert!(!late.withdraw(RUN), "an empty message is on its way");
    }

    /// Sender and receiver at the same time, in many runs: both know the same of each.
    #[test]
    fn both_ends_agree() {
        const RUNS: u64 = 20_000;
        let flag = Flag::default();
        let turn = AtomicU64::new(0);
        // Nobody begins a run before the other has ended the one before.
        let meet = |run: u64| {
            turn.fetch_add(1, Ordering::AcqRel);
            while turn.load(Ordering::Acquire) < 2 * run {
                std::thread::yield_now();
            }
        };
        let (sent, received) = std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                let decide = |run| {
                    meet(run);
                    flag.decide(Run(run), run % 3 != 0)
                };
                (1..=RUNS).map(decide).collect::<Vec<_>>()
            });
            let receive = |run: u64| {
                meet(run);
                let waits = if run.is_multiple_of(2) { Waits::InCall } else { Waits::Posted };
                if !flag.announce(Run(run), waits)
                    || run.is_multiple_of(5) && flag.withdraw(Run(run))
                {
                    return Sends::All;
                }
                loop {
                    match (flag.decided(Run(run)), waits) {
                        (Decided::NotYet, _) => std::thread::yield_now(),
                        (Decided::Sent, _) => return Sends::All,
                        (Decided::LeftOut, Waits::InCall) => return Sends::Nothing,
                        (Decided::LeftOut, Waits::Posted) => return Sends::Empty,
                    }
                }
            };
            let received: Vec<_> = (1..=RUNS).map(receive).collect();
            (sender.join().expect("no failure"), received)
        });
        assert_eq!(sent, received);
    }
}
