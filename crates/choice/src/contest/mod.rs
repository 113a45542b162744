//! [`Contest`]: which of some ways an exchange of messages takes least time in, found out while
//! the program runs, at a cost that is bounded.
//!
//! The first way, native, stays until another one was measured to be faster. A try of another way
//! is taken only when the time that exchanges have taken so far pays for what it costs: 5 % of it
//! among the first 100, 1 % later. Tries come in pairs with the way that stands, in random order,
//! so that drift favours none of them, and are compared by their [ranks](Pairs::answer). One that
//! is clearly faster stays, if it is still faster when it stands; one that looks slower, or is not
//! clearly faster after some pairs, waits until a few times as many exchanges have passed. Close
//! calls are native. Three tries that are far from all times of the way that stands are enough.
//!
//! The time of an exchange is that of its messages, and what the process waits for another one
//! that comes later. Whoever is the last does not wait: the shorter half of the times says more
//! than all of them.
//!
//! Processes wait for each other: one of them alone is hardly faster than the slowest, and often
//! slower than all of them natively. So they try the same way in the same exchanges, without a
//! message between them: the number of the exchange says which way is due, which of a pair comes
//! first, and [when](next_return) ways that were put off are tried again. Best of all they know
//! what the same exchange took in each of them, and decide by that: then what one decides all do,
//! in the same exchange ([`Contest::next_common_step`]). Where they do not, whatever a process
//! decides by its own times costs it company, so there is little of it: a phase that has begun
//! goes on unless it is clear; one whose way looks better is followed by another one, in which
//! those who are not sure yet meet those who are; and those who are turn back where nobody
//! follows.

mod account;
mod decide;

use std::collections::VecDeque;

use crate::samples::{FEW, FEW_AGAIN, Interval, Pairs, Samples, to_float};
use crate::step::{Pending, Step, Took};
use crate::trial::{Place, Trial, next_return, roll};

/// Ways that are compared: native, and three others.
const WAYS: usize = 4;
/// Which share of the time of the first exchanges, and of later ones, tries may cost.
const SHARE: [f64; 2] = [0.05, 0.01];
/// So many are the first.
const FIRST: u64 = 100;
/// The cost of the first try of a way, at least, for all that is known; in usual times.
const FIRST_STAKE: f64 = 1.0;
/// The cost of further tries of a way, at least.
const LEAST_STAKE: f64 = 0.1;
/// Two samples of so many times the usual time, and that of their partners, end a trial, if no
/// usual one took as long. One may be due to another process that has its first try of the way.
const BAD: f64 = 2.0;
/// The first exchange in a way, without what it has made, ends a trial of the first phase if it
/// took so many usual times: there is little yet that pays for more.
const BAD_AT_ONCE: f64 = 1.5;
/// A way that has won and was not better when it stood is tried again so many exchanges later,
/// twice as many each time.
const SOON: u64 = 4;
/// Of the way that stands, one exchange of so many is timed, and the next ones while times are
/// far from the usual one. Exchanges that the program did not ask about do not count.
const GLANCE: u64 = 16;
/// Far times in a row that say that they have changed, and by which factor.
const GLANCES: u32 = 4;
const CHANGED: f64 = 1.5;
/// Of another way than native, such a change is not the machine's alone.
const BROKEN: f64 = 3.0;
/// Exchanges with other messages than those that were measured, in a row, after which the new ones
/// count.
const OTHERS: u32 = 8;
/// Tries in a row with other messages than those that were measured, after which a trial is over.
const UNANSWERED: u32 = 3;
/// Native is tried again when there have been half as many exchanges again, times what it has
/// taken of the usual time (not more than so much), but at most so many: what was decided by few
/// may be wrong, and it costs nothing that a program without commloom would not pay.
const MOST_TIMES: f64 = 8.0;
/// Those exchanges.
const RETURN: u64 = 1000;
/// How far the credit may be overdrawn while a trial goes on, in usual times: who stops before the
/// others makes what they try a mixture. A way that is slower has lost long before.
const DEBT: f64 = 4.0;
/// The most that trying may cost at once, in usual times: credit of a long time is not spent on
/// one bad hour.
const SAVINGS: f64 = 16.0;

/// More exchanges than so many should not be left alone at once: they would go on when it is time
/// to try something.
pub const LONGEST_REST: u32 = 32;

/// Exchanges of so many nanoseconds are tried at from the first phase on. A program has fewer of
/// them, and what the first ones pay for (connections, first touches of memory) is little of them.
const LONG: f64 = 1e6;

/// So many exchanges later all processes have told what an exchange took: one that exchanges with
/// this one two later, and those that it exchanges with another one later.
const LAG: u64 = 4;

/// The ways of one kind of exchange.
#[derive(Debug, Clone)]
pub struct Contest {
    ways: [Known; WAYS],
    /// The way that stands.
    standing: u8,
    /// Exchanges since their content is what it is, and before.
    exchanges: u64,
    before: u64,
    /// Those that were asked about.
    asked: u64,
    /// The credit of tries by now, in nanoseconds.
    credit: f64,
    /// Tries so far, and what they have cost.
    tries: u64,
    spent: f64,
    /// Times in which trials were kept account of.
    accounts: Samples,
    trial: Option<Trial>,
    probation: Option<Probation>,
    /// The cost of the first exchange in a way, at least, in nanoseconds: as expected, and as
    /// measured.
    beginning: f64,
    began: Option<u64>,
    /// Glances in a row that were far from the usual time, and the least of them in usual times.
    changed: u32,
    changed_to: f64,
    /// The content of the exchanges that were measured, and how many in a row had another one.
    content: u64,
    others: u32,
    /// Whether other processes tell what the same exchange took there, and what they may not have
    /// told yet.
    is_common: bool,
    pending: VecDeque<Pending>,
    /// Trials so far: the number of the one that goes on.
    trials: u32,
    /// The way that an earlier run has found, unless it has lost in this one.
    earlier: Option<u8>,
    dice: u64,
}

/// One way.
#[derive(Debug, Clone, Default)]
struct Known {
    /// The cost of one try at worst, as expected, in usual times; `None`: it is not to be tried.
    /// Of native nobody asks.
    stake: Option<f64>,
    /// From which exchange on it may be tried.
    from: u64,
    samples: Samples,
    /// Tries, and the way that stands.
    pairs: Pairs,
    /// A try of it was bad since it was put off last.
    was_bad: bool,
    /// How often it has won and was not better when it stood.
    reverts: u32,
    /// Exchanges that went so.
    taken: u64,
}

/// A way that has won has to win once more while it stands: what was measured together with other
/// processes does not hold if they have decided otherwise.
#[derive(Debug, Clone)]
struct Probation {
    /// The way that it has won over.
    over: u8,
    /// It ends with this phase.
    phase: u64,
    samples: Samples,
}

/// The measurements of a contest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContestVerdict {
    /// The way that stands.
    pub way: u8,
    /// All exchanges, and those that went in that way.
    pub exchanges: [u64; 2],
    /// Exchanges that were tries of another way.
    pub tries: u64,
    /// Their cost beyond that of the way that stood, in nanoseconds.
    pub spent: f64,
    /// Times of an exchange in nanoseconds: native, and in the way that stands.
    pub times: [Option<Interval>; 2],
}

impl Contest {
    /// Of native and other ways, in the order in which they are to be tried. Of each, how many
    /// times the native time it is expected to take; what is not expected to be tried is none.
    #[must_use]
    pub fn new(expected: [Option<f64>; WAYS - 1], seed: u64) -> Contest {
        let mut ways: [Known; WAYS] = Default::default();
        for (way, expected) in ways[1..].iter_mut().zip(expected) {
            // What is known may be of another machine: the worst case is at least twice the time.
            way.stake = expected.map(|times| (times - 1.0).max(FIRST_STAKE));
            // Whatever is likely to be lost waits for what may be won.
            if way.stake.is_some_and(|stake| stake > FIRST_STAKE) {
                way.from = next_return(FIRST);
            }
        }
        Contest {
            ways,
            standing: 0,
            exchanges: 0,
            before: 0,
            asked: 0,
            credit: 0.0,
            tries: 0,
            spent: 0.0,
            accounts: Samples::default(),
            trial: None,
            probation: None,
            beginning: 0.0,
            began: None,
            changed: 0,
            changed_to: f64::INFINITY,
            content: 0,
            others: 0,
            is_common: false,
            pending: VecDeque::new(),
            trials: 0,
            earlier: None,
            dice: seed | 1,
        }
    }

    /// The first exchange in a way costs at least so many nanoseconds more, for all that is known:
    /// it makes buffers and datatypes, however short the message.
    #[must_use]
    pub fn beginning_costs(self, nanoseconds: u64) -> Contest {
        Contest { beginning: to_float(nanoseconds), ..self }
    }

    /// Processes with equal exchanges decide by the same times, those of a few exchanges ago, and
    /// so all in the same way at the same exchange: [`Contest::next_common_step`].
    #[must_use]
    pub fn in_common(self) -> Contest {
        Contest { is_common: true, ..self }
    }

    /// An earlier run of the same program has found that this way is faster. It is tried before
    /// all others, as soon as the usual time is known at all, and fewer pairs say that it still
    /// is: it stands after some 20 exchanges in place of 40.
    #[must_use]
    pub fn remembers(mut self, way: u8) -> Contest {
        if let Some(known) = self.ways.get_mut(usize::from(way)).filter(|_| way != 0) {
            (known.stake, known.from) = (Some(LEAST_STAKE), 0);
            self.earlier = Some(way);
        }
        self
    }

    /// The least that the first exchange in a way has cost here, in nanoseconds.
    #[must_use]
    pub fn began(&self) -> Option<u64> {
        self.began
    }

    /// A way besides native of which nothing is known is worth a try as well.
    pub fn offer(&mut self, way: u8) {
        match self.ways.get_mut(usize::from(way)) {
            Some(known) if way != 0 && known.stake.is_none() => known.stake = Some(FIRST_STAKE),
            _ => {}
        }
    }

    /// Whether a way is worth a try.
    #[must_use]
    pub fn is_offered(&self, way: u8) -> bool {
        self.ways.get(usize::from(way)).is_some_and(|way| way.stake.is_some())
    }

    /// The next exchange, which stands for so many: others like it may have been left alone since
    /// the last one.
    pub fn next_step(&mut self, stands_for: u32) -> Step {
        self.next_common_step(stands_for, |_, took| Some(took))
    }

    /// The same. `common` says of an exchange by its number, and by what it took here, what it
    /// took in all processes that have told so. An exchange of which nobody knows does not count.
    #[must_use]
    pub fn next_common_step(
        &mut self,
        stands_for: u32,
        common: impl Fn(u64, Took) -> Option<Took>,
    ) -> Step {
        let number = self.exchanges() + u64::from(stands_for);
        let until = number.saturating_sub(LAG);
        while let Some(&past) = self.pending.front().filter(|past| past.step.number <= until) {
            self.pending.pop_front();
            if let Some(took) = common(past.step.number, past.took) {
                self.account(past.step, took, past.content);
            }
        }
        self.asked += 1;
        self.exchanges += u64::from(stands_for);
        let mut step = self.step(f64::from(stands_for));
        step.number = number;
        self.ways[usize::from(step.way)].taken += u64::from(stands_for);
        let soon = self.exchanges + u64::from(LONGEST_REST);
        let tries = self.trial.is_some() || (1..self.ways()).any(|way| self.may_try(way, soon));
        let is_calm = self.exchanges > FIRST && !self.is_doubtful() && !tries;
        step.settled = is_calm && step.way == 0;
        step
    }

    fn step(&mut self, stands_for: f64) -> Step {
        let standing = Step { way: self.standing, ..Step::default() };
        // The very first one pays for connections and caches.
        if self.asked == 1 || self.ways.iter().all(|way| way.stake.is_none()) {
            return standing;
        }
        let usual = self.usual();
        let share = if self.exchanges <= FIRST { SHARE[0] } else { SHARE[1] };
        let most = (SAVINGS * usual).max(self.beginning);
        self.credit = (self.credit + share * stands_for * usual).min(most);
        let few = if self.earlier.is_some() { FEW_AGAIN } else { FEW };
        if self.samples(self.standing).len() < few {
            return Step { timed: true, ..standing };
        }
        let place = Place::of(self.exchanges);
        let all_is_told = !self.is_common || place.is_later_than(LAG);
        if let Some(over) = self.trial.take_if(|t| t.phase != place.phase && all_is_told) {
            self.judge(over.way, true);
        }
        if let Some(over) = self.probation.take_if(|probation| probation.phase < place.phase) {
            self.confirm(&over);
        }
        if self.probation.is_some() {
            return Step { timed: true, ..standing };
        }
        let is_early = place.phase == 0 && self.earlier.is_none() && !self.is_long();
        if self.trial.is_none() && place.is_beginning() && !is_early {
            self.trial = self.challenger(place.phase);
        }
        let glance = self.is_doubtful() || self.asked.is_multiple_of(GLANCE);
        let (number, is_long) = (Some(self.trials), self.is_long());
        let in_pair = |way| Step { way, timed: true, trial: number, ..standing };
        let Some(trial) = &mut self.trial else {
            return Step { timed: glance, ..standing };
        };
        if let Some(way) = trial.due.take() {
            return in_pair(way);
        }
        // The first one in a way is worth waiting for where exchanges are long.
        let is_first = is_long && trial.is_cold;
        let is_untold = || self.pending.iter().any(|past| past.step.trial == number);
        if is_first && trial.unanswered == 1 && is_untold() {
            return Step { timed: glance, ..standing };
        }
        let untold = if self.is_common && !is_first { LAG } else { 0 };
        if u64::from(trial.unanswered) >= u64::from(UNANSWERED) + untold {
            let way = trial.way;
            // What they have cost nobody has told.
            self.credit -= f64::from(UNANSWERED) * usual;
            self.put_off(way, 1.0 + SAVINGS);
            return standing;
        }
        let affords = trial.way == 0 || self.credit > -DEBT * usual;
        if !affords || trial.phase != place.phase || !place.takes_pair(trial.is_joint) {
            return Step { timed: glance, ..standing };
        }
        trial.unanswered += 1;
        let order = if trial.is_joint { place.order() } else { roll(&mut self.dice) };
        let (first, second) = match order % 2 {
            0 => (trial.way, self.standing),
            _ => (self.standing, trial.way),
        };
        trial.due = Some(second);
        in_pair(first)
    }

    /// The time of an exchange, and what it consisted of: only equal ones are compared.
    pub fn took(&mut self, step: Step, took: Took, content: u64) {
        match self.is_common {
            true => self.pending.push_back(Pending { step, took, content }),
            false => self.account(step, took, content),
        }
    }

    /// An exchange that was not timed has gone in another way than native, and consisted of this.
    pub fn went(&mut self, content: u64) {
        self.is_same(content);
    }

    /// The measurements so far.
    #[must_use]
    pub fn verdict(&self) -> ContestVerdict {
        let way = &self.ways[usize::from(self.standing)];
        ContestVerdict {
            way: self.standing,
            exchanges: [self.exchanges(), way.taken],
            tries: self.tries,
            spent: self.spent,
            times: [self.ways[0].samples.interval(), way.samples.interval()],
        }
    }

    /// The way that stands.
    #[must_use]
    pub fn standing(&self) -> u8 {
        self.standing
    }

    /// The way that stands, where others have been tried.
    #[must_use]
    pub fn found(&self) -> Option<u8> {
        (self.tries > 0).then_some(self.standing)
    }

    /// The same, unless something is being tried.
    #[must_use]
    pub fn settled(&self) -> Option<u8> {
        self.found().filter(|_| self.trial.is_none() && self.probation.is_none())
    }

    /// How many exchanges there were.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.before + self.exchanges
    }

    /// The usual time of the way that stands; 0 where none is known.
    fn usual(&self) -> f64 {
        self.ways[usize::from(self.standing)].samples.median.unwrap_or(0.0)
    }

    /// Whether exchanges take so long that few of them are worth a try, of all processes at once.
    fn is_long(&self) -> bool {
        self.is_common && self.usual() > LONG
    }

    fn samples(&self, way: u8) -> &[u64] {
        self.ways[usize::from(way)].samples.all()
    }

    /// How many ways there are.
    fn ways(&self) -> u8 {
        u8::try_from(self.ways.len()).unwrap_or(0)
    }

    /// Whether the last exchange was not what they are for all that is known.
    fn is_doubtful(&self) -> bool {
        self.changed > 0 || self.others > 0
    }
}
