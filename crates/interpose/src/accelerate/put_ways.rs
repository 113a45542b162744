//! How puts into one window go: what is faster for one window is not for another one, and epochs
//! of one kind take longer than others.

use commloom_mpi::Abi;
use rustc_hash::FxHashMap;

use crate::accelerate::epochs::Epoch;
use crate::accelerate::message::Message;
use crate::accelerate::part::Part;
use crate::accelerate::rounds::{ALL_SUBSTITUTED, Lap, RoundWays, SharedContest};

/// The time of a put that goes aside as expected, in native times. It only says what a first try
/// may cost.
const ASIDE: f64 = 0.5;
/// Kinds of puts that are remembered at once.
const KINDS: usize = 256;

/// The contests of puts into one window, by the message's address and whether fences end them.
/// Another message may come to that address: then its contest starts with times of the old one.
#[derive(Default)]
pub(crate) struct PutWays(FxHashMap<(usize, bool), SharedContest>);

impl PutWays {
    /// Whether a put of this message goes aside, and its place in the round.
    pub fn goes_aside<A: Abi>(&mut self, message: &Message<A>, epoch: Epoch) -> (bool, Lap) {
        let ways = RoundWays { expected: [true, false], other: [false; 2] };
        let key = (std::ptr::from_ref(message).addr(), matches!(epoch, Epoch::Fenced(_)));
        let contest = || {
            // There are a few, or each message has another type, and nothing is ever decided.
            if self.0.len() >= KINDS {
                self.0.clear();
            }
            let new = || message.contest(Part::Put, [Some(ASIDE), None, None]);
            self.0.entry(key).or_insert_with(new).clone()
        };
        let (way, lap) = message.way_by(Part::Put, ways, contest);
        (way != 0 && way != ALL_SUBSTITUTED, lap)
    }
}
