//! [`Contest`]: which of some ways an exchange of messages takes least time in, found out while
//! the program runs, at a cost that is bounded.
//!
//! The first way, native, stays until another one was measured to be faster. A try of another way
//! is taken only when the time that exchanges have taken so far pays for its worst case: 5 % of it
//! among the first 100, 1 % later. Tries come in pairs with the way that stands, in random order,
//! so that neither drift nor the other processes' tries favour one of them, and are compared by
//! ranks (Mann and Whitney, 1947), which a late partner or an interrupt does not mislead. One that
//! is clearly faster stays; one that takes twice the time once, or is not clearly faster after
//! some pairs, waits until four times as many exchanges have passed. Close calls stay as they are.

use commloom_measure::statistics::median;

/// Ways that are compared: native, and two others.
const WAYS: usize = 3;
/// Which share of the time of the first exchanges, and of later ones, tries may cost.
const SHARE: [f64; 2] = [0.05, 0.01];
/// So many are the first.
const FIRST: u64 = 100;
/// Samples of the way that stands before another one is tried, and that a verdict takes at least.
const FEW: usize = 5;
/// Samples that are kept of a way; a try that has not won after so many is over.
const MANY: usize = 12;
/// How far sums of ranks are apart to be clear, in standard deviations: five samples of each way
/// of which all of one are below all of the other.
const CLEAR: f64 = 2.5;
/// The same where a try looks lost.
const LOST: f64 = 1.6;
/// How much faster a way has to be.
const FASTER: f64 = 0.97;
/// One sample of so many times the usual time ends a try, if no usual one took as long.
const BAD: f64 = 2.0;
/// Of the way that stands, one exchange of so many is timed, and the next ones while times are
/// far from the usual one.
const GLANCE: u64 = 16;
/// Far times in a row that say that they have changed, and by which factor.
const GLANCES: u32 = 4;
const CHANGED: f64 = 1.5;
/// Exchanges with other messages than those that were measured, in a row, after which the new ones
/// count.
const OTHERS: u32 = 8;
/// After so many exchanges at most native is tried again. It costs nothing that a program without
/// commloom would not pay.
const RETURN: u64 = 1000;
const RETURN_STAKE: f64 = 0.1;
/// The most that trying may cost at once, in usual times: credit of a long time is not spent on
/// one bad hour.
const SAVINGS: f64 = 16.0;

/// How one exchange goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The way: 0 is native, others count from 1 on.
    pub way: u8,
    /// Its time is wanted: [`Contest::took`].
    pub timed: bool,
}

/// The ways of one kind of exchange.
#[derive(Debug, Clone)]
pub struct Contest {
    ways: [Known; WAYS],
    /// The way that stands.
    standing: u8,
    exchanges: u64,
    /// The credit of tries by now, in nanoseconds.
    credit: f64,
    /// Tries so far, and what they have cost.
    tries: u64,
    spent: f64,
    trial: Option<Trial>,
    /// Glances in a row that were far from the usual time.
    changed: u32,
    /// The content of the exchanges that were measured, and how many in a row had another one.
    content: u64,
    others: u32,
    dice: u64,
}

/// One way.
#[derive(Debug, Clone, Default)]
struct Known {
    /// The cost of one try at worst, as expected, in usual times; `None`: it is not to be tried.
    stake: Option<f64>,
    /// From which exchange on it may be tried.
    from: u64,
    samples: Samples,
    /// Exchanges that went so.
    taken: u64,
}

/// A try under way.
#[derive(Debug, Clone, Copy)]
struct Trial {
    way: u8,
    /// The first exchange in a way pays for buffers that later ones have.
    is_cold: bool,
    /// The way that completes the pair that has begun.
    due: Option<u8>,
}

/// The last times in nanoseconds.
#[derive(Debug, Clone, Default)]
struct Samples {
    times: [u64; MANY],
    count: usize,
    /// Asked for in every exchange, so kept.
    median: Option<f64>,
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

/// A median, and the interval that has the true one in at least 15 of 16 cases (order statistics:
/// Conover, Practical Nonparametric Statistics, 1999, section 3.2); in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Its lower end.
    pub low: u64,
    /// The median.
    pub median: u64,
    /// Its upper end.
    pub high: u64,
}

impl Contest {
    /// Of native and other ways, in the order in which they are to be tried. Of each, how many
    /// times the native time it is expected to take; what is not expected to be tried is none.
    #[must_use]
    pub fn new(expected: [Option<f64>; WAYS - 1], seed: u64) -> Contest {
        let mut ways: [Known; WAYS] = Default::default();
        for (way, expected) in ways[1..].iter_mut().zip(expected) {
            // What is known may be of another machine: the worst case is at least twice the time.
            way.stake = expected.map(|times| (times - 1.0).max(1.0));
        }
        Contest {
            ways,
            standing: 0,
            exchanges: 0,
            credit: 0.0,
            tries: 0,
            spent: 0.0,
            trial: None,
            changed: 0,
            content: 0,
            others: 0,
            dice: seed | 1,
        }
    }

    /// The next exchange.
    pub fn next_step(&mut self) -> Step {
        self.exchanges += 1;
        let step = self.step();
        self.ways[usize::from(step.way)].taken += 1;
        step
    }

    fn step(&mut self) -> Step {
        let standing = Step { way: self.standing, timed: false };
        // The very first one pays for connections and caches.
        if self.exchanges == 1 || self.ways.iter().all(|way| way.stake.is_none()) {
            return standing;
        }
        let usual = self.usual();
        let share = if self.exchanges <= FIRST { SHARE[0] } else { SHARE[1] };
        self.credit = (self.credit + share * usual).min(SAVINGS * usual);
        if self.samples(self.standing).len() < FEW {
            return Step { timed: true, ..standing };
        }
        if self.trial.is_none() {
            self.trial = self.challenger();
        }
        let glance = self.changed > 0 || self.exchanges.is_multiple_of(GLANCE);
        let affords = self.trial.is_some_and(|trial| self.affords(trial.way));
        let Some(trial) = &mut self.trial else {
            return Step { timed: glance, ..standing };
        };
        if let Some(way) = trial.due.take() {
            return Step { way, timed: true };
        }
        if !affords {
            return Step { timed: glance, ..standing };
        }
        let (first, second) = match roll(&mut self.dice) % 2 {
            0 => (trial.way, self.standing),
            _ => (self.standing, trial.way),
        };
        trial.due = Some(second);
        Step { way: first, timed: true }
    }

    /// The time of an exchange in nanoseconds, and what it consisted of: only equal ones are
    /// compared.
    pub fn took(&mut self, step: Step, nanoseconds: u64, content: u64) {
        if !self.is_same(content) {
            return;
        }
        let time = nanoseconds.max(1);
        if step.way == self.standing {
            self.glance(time);
            self.ways[usize::from(step.way)].samples.push(time);
            return;
        }
        let Some(mut trial) = self.trial.filter(|trial| trial.way == step.way) else { return };
        let usual = self.usual();
        let more = (to_float(time) - usual).max(0.0);
        self.credit -= more;
        self.tries += 1;
        self.spent += more;
        let longest = self.samples(self.standing).iter().copied().max().unwrap_or(0);
        if trial.is_cold {
            trial.is_cold = false;
            self.trial = Some(trial);
            // The next one may cost as much.
            let way = &mut self.ways[usize::from(step.way)];
            way.stake = Some((to_float(time) / usual - 1.0).max(0.1));
            return;
        }
        self.ways[usize::from(step.way)].samples.push(time);
        if time > longest && to_float(time) > BAD * usual {
            self.lost(step.way);
        } else {
            self.judge(step.way);
        }
    }

    /// The measurements so far.
    #[must_use]
    pub fn verdict(&self) -> ContestVerdict {
        let way = &self.ways[usize::from(self.standing)];
        ContestVerdict {
            way: self.standing,
            exchanges: [self.exchanges, way.taken],
            tries: self.tries,
            spent: self.spent,
            times: [interval(&self.ways[0].samples), interval(&way.samples)],
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

    /// How many exchanges there were.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// The usual time of the way that stands; 0 where none is known.
    fn usual(&self) -> f64 {
        self.ways[usize::from(self.standing)].samples.median.unwrap_or(0.0)
    }

    fn samples(&self, way: u8) -> &[u64] {
        self.ways[usize::from(way)].samples.all()
    }

    /// Whether what the exchanges have taken pays for a try of a way, as far as is known.
    fn affords(&self, way: u8) -> bool {
        let stake = self.ways[usize::from(way)].stake;
        stake.is_some_and(|stake| self.credit >= stake.min(SAVINGS) * self.usual())
    }

    /// The way to try now, if there is one.
    fn challenger(&mut self) -> Option<Trial> {
        let may = |way: &u8| {
            *way != self.standing
                && self.ways[usize::from(*way)].from <= self.exchanges
                && self.affords(*way)
        };
        let way = (0..u8::try_from(WAYS).unwrap_or(0)).find(may)?;
        self.ways[usize::from(way)].samples.clear();
        Some(Trial { way, is_cold: true, due: None })
    }

    /// Whether an exchange consists of what the measured ones did.
    fn is_same(&mut self, content: u64) -> bool {
        if self.content == 0 {
            self.content = content;
        }
        if content == self.content {
            self.others = 0;
            return true;
        }
        self.others += 1;
        if self.others >= OTHERS {
            self.content = content;
            self.others = 0;
            self.forget();
        }
        false
    }

    /// A time of the way that stands: whether it is still the usual one.
    fn glance(&mut self, time: u64) {
        let (time, usual) = (to_float(time), self.usual());
        if self.samples(self.standing).len() < FEW {
            return;
        }
        let far = time > CHANGED * usual || CHANGED * time < usual;
        self.changed = if far { self.changed + 1 } else { 0 };
        if self.changed >= GLANCES {
            self.forget();
            if time > usual {
                // Whether it is still the better one nobody knows.
                self.standing = 0;
            }
        }
    }

    /// Drops the measurements, which do not hold any more.
    fn forget(&mut self) {
        self.changed = 0;
        self.trial = None;
        for way in &mut self.ways {
            way.samples.clear();
            way.from = 0;
        }
    }

    /// Decides between the way on trial and the one that stands, if that is clear.
    fn judge(&mut self, way: u8) {
        let (tried, standing) = (self.samples(way), self.samples(self.standing));
        if tried.len() < FEW || standing.len() < FEW {
            return;
        }
        let apart = apart(tried, standing);
        let old = self.usual();
        let Some(new) = self.ways[usize::from(way)].samples.median else { return };
        if apart <= -CLEAR && new < FASTER * old {
            let loser = self.standing;
            self.standing = way;
            self.put_off(loser, old / new);
        } else if apart >= LOST || tried.len() >= MANY {
            self.lost(way);
        }
    }

    /// The way on trial was not better.
    fn lost(&mut self, way: u8) {
        let tried = self.ways[usize::from(way)].samples.median.unwrap_or(0.0);
        self.put_off(way, tried / self.usual());
    }

    /// The trial is over, and a way that takes so many usual times is tried again after four times
    /// as many exchanges.
    fn put_off(&mut self, way: u8, times: f64) {
        let later = self.exchanges.max(FIRST / 4).saturating_mul(3);
        let (later, stake) = match way {
            0 => (later.min(RETURN), RETURN_STAKE),
            _ => (later, (times - 1.0).max(0.1)),
        };
        let way = &mut self.ways[usize::from(way)];
        (way.from, way.stake) = (self.exchanges.saturating_add(later), Some(stake));
        self.trial = None;
    }
}

impl Samples {
    fn push(&mut self, time: u64) {
        self.times[self.count % MANY] = time;
        self.count += 1;
        self.median = median(self.all().iter().copied().map(to_float));
    }

    fn all(&self) -> &[u64] {
        &self.times[..self.count.min(MANY)]
    }

    fn clear(&mut self) {
        self.count = 0;
        self.median = None;
    }
}

fn interval(samples: &Samples) -> Option<Interval> {
    let mut times = samples.all().to_vec();
    times.sort_unstable();
    let last = times.len().checked_sub(1).filter(|last| *last >= FEW - 1)?;
    // So many of the shortest and of the longest are outside.
    let outside = match times.len() {
        0..=8 => 0,
        9..=11 => 1,
        _ => 2,
    };
    let median = times[last / 2].midpoint(times[times.len() / 2]);
    Some(Interval { low: times[outside], median, high: times[last - outside] })
}

/// How far the ranks of two sets of samples are apart, in standard deviations: negative where the
/// first are shorter (Mann and Whitney, 1947).
fn apart(a: &[u64], b: &[u64]) -> f64 {
    let half = |x: &u64, y: &u64| match x.cmp(y) {
        std::cmp::Ordering::Greater => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Less => 0,
    };
    let above: u64 = a.iter().map(|x| b.iter().map(|y| half(x, y)).sum::<u64>()).sum();
    let [n, m] = [a.len(), b.len()].map(|n| to_float(n as u64));
    (to_float(above) / 2.0 - n * m / 2.0) / (n * m * (n + m + 1.0) / 12.0).sqrt()
}

#[expect(clippy::cast_precision_loss, reason = "times and counts that are compared")]
fn to_float(n: u64) -> f64 {
    n as f64
}

/// The next random number (Marsaglia, Xorshift RNGs, 2003).
fn roll(dice: &mut u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    *dice >> 33
}
