//! How all processes of a communicator agree, in memory that they share, and nobody waits longer
//! than he wants.
//!
//! A [`Ballot`] is one word that is changed by compare-and-swap only, so that every change has its
//! place in one order:
//!
//! ```text
//! word = epoch (20 bits) | motion (32 bits) | votes (12 bits)
//! ```
//!
//! - To vote is to add one vote to the epoch, or to open it with the first one.
//! - The vote that makes the number of voters full *carries* the motion. No later change can undo
//!   that.
//! - Who has waited for long enough moves the word on to the next epoch: the motion has *failed*,
//!   for everyone. The compare-and-swap tells him if it was carried in the same moment.
//!
//! So everyone who voted in an epoch learns the same result: consensus with compare-and-swap
//! (Herlihy, "Wait-free synchronization", TOPLAS 1991). A process votes at most once in an epoch,
//! because it learns the result before it votes again; a motion that was carried has therefore the
//! votes of all.
//!
//! Who looks late finds a later epoch. Then [`Ballot::carried`] tells: no later epoch can be
//! carried without his vote, so the last one that was is his, or his has failed. Epochs count
//! modulo 2^20; those that others can open while one process sleeps are a few for each of them,
//! because they give up ([`super::group::MISSES`]).

use std::sync::atomic::{AtomicU64, Ordering};

/// Most voters.
pub(crate) const MAX_VOTERS: u64 = (1 << VOTE_BITS) - 1;
/// Rounds are below this.
pub(crate) const MAX_ROUNDS: u32 = 1 << 28;

const VOTE_BITS: u32 = 12;
const MOTION_BITS: u32 = 32;
const EPOCHS: u64 = 1 << (64 - MOTION_BITS - VOTE_BITS);

/// The subject of a vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Motion {
    /// How often the messages were sent as the program has them. Who has sent them more often than
    /// another cannot replace them together with it.
    pub round: u32,
    pub action: Action,
}

/// The action of all processes once a motion is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Action {
    /// Compile the messages, and run what comes of it.
    Compile = 1,
    /// Run it.
    Run = 2,
    /// Compare the times, then run it or leave it for good.
    Judge = 3,
}

impl Motion {
    fn bits(self) -> u64 {
        u64::from(self.round) << 4 | u64::from(self.action as u8)
    }
}

/// The word, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    epoch: u64,
    motion: u64,
    votes: u64,
}

impl Word {
    fn of(bits: u64) -> Word {
        Word {
            epoch: bits >> (MOTION_BITS + VOTE_BITS),
            motion: bits >> VOTE_BITS & ((1 << MOTION_BITS) - 1),
            votes: bits & MAX_VOTERS,
        }
    }

    fn bits(self) -> u64 {
        self.epoch << (MOTION_BITS + VOTE_BITS) | self.motion << VOTE_BITS | self.votes
    }

    fn after(self) -> Word {
        Word { epoch: (self.epoch + 1) % EPOCHS, motion: 0, votes: 0 }
    }
}

/// A place to vote, on a cache line of its own. Zeros are one that nobody has used.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Ballot {
    word: AtomicU64,
    /// One more than the last epoch that was carried, once the next one is open.
    carried: AtomicU64,
    /// Rounds below this have failed.
    failed: AtomicU64,
}

impl Ballot {
    /// Votes, and waits for the other voters while `patience` says so. Whether the motion was
    /// carried: the same answer to all who voted with this one. Who gets `false` may not have
    /// voted at all.
    ///
    /// Every process has one vote: it may not vote from two threads at once.
    pub fn vote(&self, voters: u64, motion: Motion, patience: impl FnMut() -> bool) -> bool {
        self.join(voters, motion).is_some_and(|epoch| self.result(epoch, voters, patience))
    }

    /// Adds a vote; in which epoch.
    fn join(&self, voters: u64, motion: Motion) -> Option<u64> {
        let (wanted, round) = (motion.bits(), u64::from(motion.round));
        loop {
            let now = Word::of(self.word.load(Ordering::Acquire));
            if round < self.failed.load(Ordering::Acquire) {
                return None;
            }
            let theirs = now.motion >> 4;
            let next = if now.votes == voters {
                // That one is done, and its result is known to us.
                self.carried.store(now.epoch + 1, Ordering::Release);
                Word { motion: wanted, votes: 1, ..now.after() }
            } else if now.votes == 0 {
                Word { motion: wanted, votes: 1, ..now }
            } else if now.motion == wanted {
                Word { votes: now.votes + 1, ..now }
            } else {
                // Others are at something else. Those who are not ahead of us wait in vain.
                if theirs <= round {
                    self.fail(now);
                }
                if theirs < round {
                    continue;
                }
                return None;
            };
            if self.exchange(now, next) {
                return Some(next.epoch);
            }
        }
    }

    fn result(&self, epoch: u64, voters: u64, mut patience: impl FnMut() -> bool) -> bool {
        loop {
            let now = Word::of(self.word.load(Ordering::Acquire));
            if now.epoch != epoch {
                return self.carried.load(Ordering::Acquire) == epoch + 1;
            }
            if now.votes == voters {
                return true;
            }
            if !patience() && self.fail(now) {
                return false;
            }
        }
    }

    /// Moves on from an epoch that was not carried; `false` where it has changed meanwhile.
    fn fail(&self, now: Word) -> bool {
        let moved = self.exchange(now, now.after());
        if moved {
            self.failed.fetch_max((now.motion >> 4) + 1, Ordering::AcqRel);
        }
        moved
    }

    fn exchange(&self, now: Word, next: Word) -> bool {
        let (now, next) = (now.bits(), next.bits());
        self.word.compare_exchange(now, next, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Small steps of a generator; no test needs more.
    fn random(seed: &mut u64) -> u64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    #[test]
    fn words_come_apart_as_they_were_put_together() {
        let motion = Motion { round: MAX_ROUNDS - 1, action: Action::Judge };
        let word = Word { epoch: EPOCHS - 1, motion: motion.bits(), votes: MAX_VOTERS };
        assert_eq!(Word::of(word.bits()), word);
        assert_eq!(word.after(), Word { epoch: 0, motion: 0, votes: 0 });
    }

    #[test]
    fn who_is_alone_gets_no_majority_and_does_not_wait_for_ever() {
        let ballot = Ballot::default();
        let motion = Motion { round: 2, action: Action::Run };
        let mut left = 10;
        let patience = || {
            left -= 1;
            left > 0
        };
        assert!(!ballot.vote(2, motion, patience));
        assert!(!ballot.vote(2, motion, || panic!("a round that has failed is over")));
        assert!(ballot.vote(1, Motion { round: 3, ..motion }, || panic!("all have voted")));
    }

    #[test]
    fn another_action_of_the_same_round_fails_at_once() {
        let ballot = Ballot::default();
        let run = Motion { round: 7, action: Action::Run };
        assert!(ballot.join(2, run).is_some());
        assert!(!ballot.vote(2, Motion { action: Action::Judge, ..run }, || panic!("no wait")));
        assert!(!ballot.result(0, 2, || panic!("the result is there")));
    }

    /// Processes that vote, or leave it, or lose patience, as they like: how often something was
    /// carried in a round is the same for all of them.
    #[test]
    fn all_voters_learn_the_same_results() {
        const VOTERS: u64 = 4;
        for seed in 0..6 {
            let ballot = Ballot::default();
            let voter = |who: u64| {
                let mut random_state = seed * 1000 + who;
                let mut carried: BTreeMap<u32, u32> = BTreeMap::new();
                let mut round = 0;
                for _ in 0..3000 {
                    let dice = random(&mut random_state) % 1000;
                    let patience_of = random(&mut random_state) % 3000;
                    if dice == 0 {
                        round += 1;
                        continue;
                    }
                    let mut polls = 0;
                    let patience = || {
                        polls += 1;
                        if polls % 16 == 0 {
                            std::thread::yield_now();
                        }
                        polls < patience_of
                    };
                    match ballot.vote(VOTERS, Motion { round, action: Action::Run }, patience) {
                        true => *carried.entry(round).or_default() += 1,
                        false => round += 1,
                    }
                }
                carried
            };
            let results: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..VOTERS).map(|who| scope.spawn(move || voter(who))).collect();
                threads.into_iter().map(|t| t.join().expect("no voter fails")).collect()
            });
            assert!(results.iter().all(|result| *result == results[0]), "seed {seed}: {results:?}");
        }
    }
}
