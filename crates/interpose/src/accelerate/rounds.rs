//! Rounds: what a program exchanges between two completions, as one thing that is timed.
//!
//! A round begins with the first message of a derived datatype that a thread starts after it has
//! completed something, and consists of all that it starts until it completes something again. A
//! blocking call is a round of its own, unless requests are under way. All messages of a round
//! go the same [way](commloom_choice::Contest); its time is what the thread spends in the calls
//! that start and complete them, because packing takes time in one call and saves it in another.
//! What commloom does before it knows the way of a message is part of that in other ways than
//! native: rounds that stay native are left alone in the end, and pay nothing for it. When as many
//! requests are complete as it has started, its time is over: what the program waits
//! for after that is something else.

use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use commloom_choice::{Contest, Step, Took};
use rustc_hash::FxBuildHasher;

use crate::accelerate::history;
use crate::accelerate::notes::notes;
use crate::accelerate::part::Part;
pub(crate) use crate::accelerate::rest::CallEnd;
use crate::node::board::{ExchangeOnNode, board};
use crate::runtime::floating::apart;
use crate::runtime::making::made;
use crate::runtime::sync::lock;

/// The ways of rounds that begin with one kind of message. Threads share it.
pub(crate) type SharedContest = Arc<NamedContest>;

/// A contest that has the same name in other processes with equal exchanges.
#[derive(Debug)]
pub(crate) struct NamedContest {
    name: u64,
    side: u64,
    contest: Mutex<Contest>,
    /// The way that was found to be fastest, when that was told last.
    told: AtomicU8,
}

impl NamedContest {
    pub fn lock(&self) -> MutexGuard<'_, Contest> {
        lock(&self.contest)
    }

    /// The next step, by the times of all processes that have told them.
    fn next_step(&self, stands_for: u32) -> Step {
        let board = board();
        self.lock().next_common_step(stands_for, |number, here| {
            board.map_or(Some(here), |board| board.mean(self.exchange(number)))
        })
    }

    /// Tells the other processes what an exchange took here.
    fn tell(&self, step: Step, took: Took) {
        if let Some(board) = board() {
            board.tell(self.exchange(step.number), took);
        }
    }

    /// Tells the next run of the program what this one has found.
    fn keep(&self, found: Option<u8>) {
        if let Some(way) = found
            && self.told.swap(way, Ordering::Relaxed) != way
        {
            history::found((self.name, self.side), way);
        }
    }

    fn exchange(&self, number: u64) -> ExchangeOnNode {
        ExchangeOnNode { contest: self.name, number, side: self.side }
    }
}

/// A way of a round: each message as is expected to be fastest for it.
pub(crate) const AS_EXPECTED: u8 = 1;
/// A way of a round: all that can be is packed.
pub(crate) const ALL_PACKED: u8 = 2;
/// A way of a round: all that can be goes as an equivalent datatype.
pub(crate) const ALL_SUBSTITUTED: u8 = 3;

/// Whether some message of a round is packed, and whether one goes as an equivalent datatype: as
/// is expected to be fastest for it, and in its other way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RoundWays {
    pub expected: [bool; 2],
    pub other: [bool; 2],
}

impl RoundWays {
    fn join(&mut self, message: RoundWays) {
        for way in 0..2 {
            self.expected[way] |= message.expected[way];
            self.other[way] |= message.other[way];
        }
    }

    /// The ways that differ from the expected one: where that is different for some messages than
    /// for others, it is neither of them.
    fn offered(self) -> impl Iterator<Item = u8> {
        let is_mixed = self.expected == [true; 2];
        let ways = [ALL_PACKED, ALL_SUBSTITUTED].into_iter().zip(self.other);
        ways.filter(move |(_, is_other)| is_mixed || *is_other).map(|(way, _)| way)
    }
}

/// A message, as rounds see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundMessage {
    /// Tells kinds of messages apart.
    pub kind: u64,
    pub ways: RoundWays,
    /// Not every round need be seen.
    pub may_rest: bool,
}

/// The round of one thread.
struct CurrentRound {
    /// `None` before the first one.
    contest: Option<SharedContest>,
    step: Step,
    /// Its messages: a sum, because their order may vary.
    content: u64,
    ways: RoundWays,
    spent: Duration,
    /// The time of the looks at its messages, which native rounds do without.
    looked: Duration,
    /// The time in which trials were kept account of, before it.
    counted: Duration,
    /// The time that the thread had spent with [making](crate::runtime::making) when it began.
    made: u64,
    /// A call of it is under way.
    since: Option<Instant>,
    /// Requests that it has started, and that are not complete for all that is known.
    open: usize,
    /// The next start begins another round.
    is_over: bool,
    /// Rounds since the last one that nobody has looked at.
    unseen: u32,
    /// Whether rounds may go by unseen.
    may_rest: bool,
}

thread_local! {
    static CURRENT: RefCell<CurrentRound> = const {
        RefCell::new(CurrentRound {
            contest: None,
            step: Step { way: 0, timed: false, settled: false, number: 0, trial: None },
            content: 0,
            ways: RoundWays { expected: [false; 2], other: [false; 2] },
            spent: Duration::ZERO,
            looked: Duration::ZERO,
            counted: Duration::ZERO,
            made: 0,
            since: None,
            open: 0,
            is_over: true,
            unseen: 0,
            may_rest: false,
        })
    };
}

/// A call that belongs to a round, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) struct Lap(bool);

impl Lap {
    /// Of a call of which nothing is to be found out.
    pub const NONE: Lap = Lap(false);

    /// Of a call that both may belong to.
    pub fn or(self, other: Lap) -> Lap {
        Lap(self.0 || other.0)
    }

    /// The call returns.
    #[inline]
    pub fn done(self, end: CallEnd) {
        self.started(usize::from(end == CallEnd::Started));
    }

    /// The call returns, and has started so many requests.
    #[inline]
    pub fn started(self, requests: usize) {
        if self.0 {
            with_current(|round| round.called(requests), ());
        }
    }
}

/// The way of a message that is about to be started, in a call that belongs to the round from now
/// on; `contest` is that of rounds that begin with this kind.
pub(crate) fn way(
    RoundMessage { kind, ways, may_rest }: RoundMessage,
    contest: impl FnOnce() -> SharedContest,
) -> (u8, Lap) {
    // Whatever follows is the work of trials, and no look.
    let look = notes(|notes| notes.looks_since.take()).map(|since| (since, Instant::now()));
    with_current(
        |round| {
            if round.is_over {
                round.may_rest = may_rest;
                apart(|| round.begin(contest()));
            }
            round.content = round.content.wrapping_add(kind.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            round.ways.join(ways);
            if round.step.timed && round.since.is_none() {
                let now = Instant::now();
                if let Some((since, until)) = look {
                    round.looked += until - since;
                    round.counted += now - until;
                }
                round.since = Some(now);
            }
            (round.step.way, Lap(true))
        },
        (0, Lap::NONE),
    )
}

/// A look begins at a message whose way may be asked for. Whatever asks for one begins so: what is
/// left of a look that ended without would count as time of the next.
#[inline]
pub(crate) fn looks() {
    notes(|notes| notes.looks_since.set(notes.times.get().then(Instant::now)));
}

/// Whether a message that is started now is part of a round that is left alone. Then nothing need
/// be known of it: most messages of most programs are such.
#[inline]
pub(crate) fn is_left_alone() -> bool {
    notes(|notes| notes.is_left_alone.get())
}

/// A call returns that may have begun a round.
pub(crate) fn returns(end: CallEnd) {
    if notes(|notes| notes.watches.get()) {
        with_current(|round| Lap(round.since.is_some() || !round.is_over), Lap::NONE).done(end);
    }
}

/// A call is about to complete requests.
#[inline]
pub(crate) fn completing() -> Lap {
    if !notes(|notes| notes.watches.get()) {
        return Lap::NONE;
    }
    with_current(
        |round| {
            let watches = round.watches();
            if watches && round.step.timed && round.since.is_none() {
                round.since = Some(Instant::now());
            }
            Lap(watches)
        },
        Lap::NONE,
    )
}

/// The call has completed what it could: so many requests.
#[inline]
pub(crate) fn completed(lap: Lap, requests: impl FnOnce() -> usize) {
    if lap.0 {
        let requests = requests();
        with_current(
            |round| {
                round.open = round.open.saturating_sub(requests);
                round.ends();
            },
            (),
        );
    }
}

/// Others have so much more to do because of the round.
pub(crate) fn others_spend(time: Duration) {
    with_current(
        |round| {
            if round.step.timed {
                round.spent += time;
            }
        },
        (),
    );
}

/// A seed for each contest: processes and kinds draw the order of their tries for themselves.
pub(crate) fn seed() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed) << 32 | u64::from(std::process::id());
    number.wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// The least that the first round in a way has cost in this process, in nanoseconds; before one
/// has been measured, some mappings of memory.
static BEGINNING: AtomicU64 = AtomicU64::new(FIRST_MAPPINGS);
/// Some mappings of memory, in nanoseconds.
const FIRST_MAPPINGS: u64 = 20_000;

/// A contest of a kind of round of which nothing is known, that begins with so many bytes. The
/// first of them in one process is taken for the first in another, and so on: where that is wrong,
/// they decide by times that say nothing.
pub(crate) fn contest(expected: [Option<f64>; 3], (bytes, part): (u64, Part)) -> SharedContest {
    // Kinds that share a counter are told apart by their bytes and parts.
    static KINDS: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];
    let hash = |of: (u64, usize, u64)| FxBuildHasher.hash_one(of);
    let kind = usize::try_from(hash((bytes, part.index(), 0)) >> 32).unwrap_or(0) % KINDS.len();
    let number = KINDS[kind].fetch_add(1, Ordering::Relaxed);
    // Sending and receiving are the sides of one exchange.
    let (part, side) = match part {
        Part::Received => (Part::Sent, 1),
        part => (part, 0),
    };
    let name = hash((bytes, part.index(), number));
    let earlier = history::earlier((name, side));
    let contest = Contest::new(expected, seed()).remembers(earlier.unwrap_or(0));
    let contest = match board() {
        // What only this process has measured is nothing to decide by.
        Some(_) => contest.beginning_costs(FIRST_MAPPINGS).in_common(),
        None => contest.beginning_costs(BEGINNING.load(Ordering::Relaxed)),
    };
    let told = AtomicU8::new(earlier.unwrap_or(0));
    Arc::new(NamedContest { name, side, contest: Mutex::new(contest), told })
}

/// `otherwise` where the thread ends, or is here already.
fn with_current<T>(work: impl FnOnce(&mut CurrentRound) -> T, otherwise: T) -> T {
    let done = CURRENT.try_with(|current| current.try_borrow_mut().ok().map(|mut r| work(&mut r)));
    done.ok().flatten().unwrap_or(otherwise)
}

impl CurrentRound {
    fn begin(&mut self, contest: SharedContest) {
        if let Some(last) = &self.contest {
            if self.step.timed {
                let looked = if self.step.way == 0 { Duration::ZERO } else { self.looked };
                let nanoseconds =
                    |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                let took = Took {
                    all: nanoseconds(self.spent + looked),
                    made: made().saturating_sub(self.made),
                    counted: nanoseconds(self.counted),
                };
                last.tell(self.step, took);
                let found = {
                    let mut last = last.lock();
                    self.ways.offered().for_each(|way| last.offer(way));
                    last.took(self.step, took, self.content);
                    if let Some(cost) = last.began() {
                        BEGINNING.fetch_min(cost, Ordering::Relaxed);
                    }
                    last.settled()
                };
                last.keep(found);
            } else if self.step.way != 0 {
                last.lock().went(self.content);
            }
        }
        self.step = contest.next_step(1 + std::mem::take(&mut self.unseen));
        self.contest = Some(contest);
        (self.content, self.since, self.made) = (0, None, made());
        (self.spent, self.looked, self.counted) = Default::default();
        self.ways = RoundWays::default();
        (self.open, self.is_over) = (0, false);
        self.tell();
    }

    fn called(&mut self, started: usize) {
        self.open += started;
        if self.open == 0 {
            return self.ends();
        }
        self.stop_clock();
        self.tell();
    }

    fn stop_clock(&mut self) {
        if let Some(since) = self.since.take() {
            self.spent += since.elapsed();
        }
    }

    /// Whatever starts now begins another round.
    fn ends(&mut self) {
        self.stop_clock();
        if !self.is_over {
            self.is_over = true;
            if self.may_rest {
                self.unseen = notes(|notes| notes.rest.after(self.step.settled));
            }
        }
        self.tell();
    }

    fn tell(&self) {
        let is_native = self.step.way == 0 && !self.step.timed;
        notes(|notes| {
            notes.watches.set(self.watches());
            notes.is_left_alone.set(!self.is_over && is_native);
            notes.times.set(self.is_over || self.step.timed);
        });
    }

    /// Whether completions matter to it.
    fn watches(&self) -> bool {
        self.contest.is_some() && (!self.is_over || self.step.timed && self.open > 0)
    }
}

#[cfg(test)]
mod tests;
