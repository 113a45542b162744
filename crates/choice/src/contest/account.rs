//! Times that come to a [`Contest`].

use super::{BAD, BAD_AT_ONCE, BROKEN, CHANGED, Contest, FIRST_STAKE, GLANCES, OTHERS};
use crate::samples::{FEW, Pairs, Samples, to_float, to_whole};
use crate::step::{Step, Took};

impl Contest {
    /// The time of an exchange is there, of all processes that have told it.
    pub(super) fn account(&mut self, step: Step, Took { all, made, counted }: Took, content: u64) {
        self.account_for_accounts(counted);
        if !self.is_same(content) {
            return;
        }
        let time = all.max(1);
        let usual = self.usual();
        let trial = self.trial.as_mut().filter(|_| step.trial == Some(self.trials));
        if step.way == self.standing {
            if let Some(trial) = trial {
                trial.partner = Some(time);
            }
            self.ways[usize::from(step.way)].samples.push(time);
            if let Some(probation) = &mut self.probation {
                probation.samples.push(time);
            } else {
                self.glance(time, usual);
            }
        } else if let Some(trial) = trial {
            let more = (to_float(time) - usual).max(0.0);
            trial.unanswered = 0;
            let (is_cold, phase) = (std::mem::replace(&mut trial.is_cold, false), trial.phase);
            if !is_cold {
                (trial.tried, trial.charged) = (Some(time), more);
            }
            self.tries += 1;
            self.charge(step.way, more);
            if is_cold {
                let more = to_whole(more);
                self.began = Some(self.began.map_or(more, |began| began.min(more)));
                // The next one may cost as much, but for what is made already.
                let way = &mut self.ways[usize::from(step.way)];
                let again = to_float(time.saturating_sub(made));
                way.stake = Some((again / usual - 1.0).clamp(0.1, FIRST_STAKE));
                if phase == 0 && again > BAD_AT_ONCE * usual {
                    self.put_off(step.way, again / usual);
                }
                return;
            }
            self.ways[usize::from(step.way)].samples.push(time);
        }
        self.pair_up();
    }

    /// Accounts have cost as much as they usually do: one that took longer was held up by other
    /// work, and as long as that takes nothing could be tried.
    fn account_for_accounts(&mut self, nanoseconds: u64) {
        let all = |accounts: &Samples| accounts.median.unwrap_or(0.0) * to_float(accounts.pushed());
        let before = all(&self.accounts);
        self.accounts.push(nanoseconds);
        let more = all(&self.accounts) - before;
        self.spent += more;
        self.credit -= more;
    }

    /// A try has cost so many nanoseconds. One of native costs nothing that a program without
    /// commloom would not pay.
    ///
    /// Also what other work on the machine made of it: not to charge for tries that took no longer
    /// than native now and then does, also when that is seen later, found 93 instead of 91 % of
    /// faster ways where one exchange of 5 to 30 is held up (10,000 libraries), and trying cost
    /// up to 7.8 instead of 4.6 % of 2000 exchanges where it wins nothing.
    fn charge(&mut self, way: u8, nanoseconds: f64) {
        self.spent += nanoseconds;
        if way != 0 {
            self.credit -= nanoseconds;
        }
    }

    /// Both times of a pair are there, perhaps.
    fn pair_up(&mut self) {
        let usual = self.usual();
        let longest = self.samples(self.standing).iter().copied().max().unwrap_or(0);
        let Some(trial) = &mut self.trial else { return };
        let (Some(tried), Some(partner)) = (trial.tried, trial.partner) else { return };
        (trial.tried, trial.partner) = (None, None);
        let (way, charged) = (trial.way, trial.charged);
        let pairs = &mut self.ways[usize::from(way)].pairs;
        let before = pairs.cost();
        pairs.push(tried, partner);
        // What both took longer than usual is not the fault of the try, nor is what one of many
        // did; what it saves pays for others.
        let cost = (pairs.cost() - before) * usual;
        self.charge(way, cost - charged);
        let is_bad = tried > longest && to_float(tried) > BAD * usual.max(to_float(partner));
        let was_bad = &mut self.ways[usize::from(way)].was_bad;
        if is_bad && way != 0 && std::mem::replace(was_bad, true) {
            self.lost(way);
        } else {
            self.judge(way, false);
        }
    }

    /// Whether an exchange consists of what the measured ones did.
    pub(super) fn is_same(&mut self, content: u64) -> bool {
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
            self.before += std::mem::take(&mut self.exchanges);
            (self.others, self.standing) = (0, 0);
            self.forget();
        }
        false
    }

    /// A time of the way that stands: whether it is still the usual one. Where the machine has
    /// become another one, the ways are compared again, native first.
    fn glance(&mut self, time: u64, usual: f64) {
        if self.samples(self.standing).len() <= FEW {
            return;
        }
        let times = to_float(time) / usual;
        if (1.0 / CHANGED..CHANGED).contains(&times) {
            (self.changed, self.changed_to) = (0, f64::INFINITY);
            return;
        }
        self.changed += 1;
        self.changed_to = self.changed_to.min(times);
        if self.changed >= GLANCES {
            if self.changed_to > BROKEN {
                self.standing = 0;
            }
            self.forget();
        }
    }

    /// Drops the measurements, which do not hold any more.
    fn forget(&mut self) {
        (self.changed, self.changed_to) = (0, f64::INFINITY);
        (self.trial, self.probation) = (None, None);
        for way in &mut self.ways {
            way.samples.clear();
            way.pairs = Pairs::default();
            way.from = 0;
        }
    }
}
