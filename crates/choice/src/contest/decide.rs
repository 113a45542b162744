//! Decisions of a [`Contest`]: which way is tried, and which one stands.

use super::{
    Contest, FIRST, FIRST_STAKE, LEAST_STAKE, MOST_TIMES, Probation, RETURN, SAVINGS, SOON,
};
use crate::samples::{Answer, FEW, MOST, Pairs, Samples, to_float, to_whole};
use crate::trial::{Place, Trial, is_joint_at, next_return};

impl Contest {
    /// Whether what the exchanges have taken pays for a try of a way, as far as is known.
    pub(super) fn affords(&self, way: u8) -> bool {
        // What a program without commloom would do needs no credit.
        if way == 0 {
            return true;
        }
        let known = &self.ways[usize::from(way)];
        let beginning = if known.taken == 0 { self.beginning } else { 0.0 };
        let pays = |stake: f64| {
            self.credit >= ((stake - FIRST_STAKE).clamp(0.0, SAVINGS) * self.usual()).max(beginning)
        };
        known.stake.is_some_and(pays)
    }

    /// Whether a way may be tried by then.
    pub(super) fn may_try(&self, way: u8, then: u64) -> bool {
        let known = &self.ways[usize::from(way)];
        way != self.standing && known.from <= then && self.affords(way)
    }

    /// The way to try in this phase, if there is one: native, when it is time, or the one whose
    /// turn it is.
    pub(super) fn challenger(&mut self, phase: u64) -> Option<Trial> {
        let native = Some(0).filter(|way| self.may_try(*way, self.exchanges));
        // One that looks better goes on: other processes may have decided for it already.
        let is_promising = |way: &u8| self.ways[usize::from(*way)].pairs.are_promising();
        let promising = (1..self.ways()).find(is_promising);
        let offered = || (1..self.ways()).filter(|way| self.is_offered(*way));
        // Nobody can pay for a try of short exchanges before the second phase.
        let turn = if self.is_long() { phase } else { phase.saturating_sub(1) };
        let turn = usize::try_from(turn).unwrap_or(0) % offered().count().max(1);
        let due = match phase {
            0 => offered().find(|way| self.is_long() && self.ways[usize::from(*way)].from == 0),
            _ => offered().nth(turn),
        };
        let again = self.earlier.filter(|way| self.may_try(*way, self.exchanges));
        let way = native.or(promising).or(again).or(due)?;
        if !self.may_try(way, self.exchanges) {
            // The next turn of it would find this process alone.
            let known = &mut self.ways[usize::from(way)];
            if way != self.standing && known.from <= self.exchanges && self.exchanges > FIRST {
                known.from = next_return(self.exchanges + 1);
            }
            return None;
        }
        let known = &mut self.ways[usize::from(way)];
        if known.pairs.count() == 0 {
            known.samples.clear();
        }
        // While others try native by themselves too, it does not look slower than what stands.
        let is_joint = way == 0 || self.is_common || is_joint_at(self.exchanges);
        self.trials += 1;
        Some(Trial { way, phase, is_joint, is_cold: true, ..Trial::default() })
    }

    /// Decides between a way on trial and the one that stands, if that is clear. That it has lost
    /// is said when the phase is over, when the other processes say so.
    pub(super) fn judge(&mut self, way: u8, is_over: bool) {
        let pairs = &self.ways[usize::from(way)].pairs;
        let standing = self.samples(self.standing);
        // A close call is native.
        let is_close = way == 0 && pairs.count() >= MOST && pairs.times() < 1.0;
        match pairs.answer() {
            Answer::Faster => self.won(way, pairs.times()),
            _ if is_close => self.won(way, pairs.times()),
            Answer::Open if self.earlier == Some(way) && pairs.confirm(standing) => {
                self.won(way, pairs.times());
            }
            Answer::Open if way != 0 && pairs.are_obvious(standing) => {
                self.won(way, pairs.times());
            }
            Answer::NotFaster => self.lost(way),
            Answer::Open if way == 0 && pairs.are_hopeless(standing) => self.lost(way),
            Answer::Open if is_over && pairs.count() >= FEW && !pairs.are_promising() => {
                self.lost(way);
            }
            Answer::Open if way != 0 && pairs.look_slower() => self.lost(way),
            Answer::Open => {}
        }
    }

    /// The way on trial takes so many times the time of the one that stood.
    fn won(&mut self, way: u8, times: f64) {
        let over = std::mem::replace(&mut self.standing, way);
        self.put_off(over, 1.0 / times);
        if way != 0 {
            let phase = Place::of(self.exchanges).phase + 1;
            self.probation = Some(Probation { over, phase, samples: Samples::default() });
        }
        // They were compared with another one.
        self.ways.iter_mut().for_each(|way| way.pairs = Pairs::default());
    }

    /// Whether the way that stands is still better than the one that it has won over.
    pub(super) fn confirm(&mut self, probation: &Probation) {
        let known = |samples: &Samples| samples.median.filter(|_| samples.all().len() >= FEW);
        let over = known(&self.ways[usize::from(probation.over)].samples);
        if let (Some(now), Some(over)) = (known(&probation.samples), over)
            && now > over
        {
            let way = std::mem::replace(&mut self.standing, probation.over);
            self.earlier = None;
            let known = &mut self.ways[usize::from(way)];
            known.from = next_return(self.exchanges + (SOON << known.reverts.min(8)));
            known.reverts += 1;
        }
    }

    /// The way on trial was not better.
    pub(super) fn lost(&mut self, way: u8) {
        let tried = self.ways[usize::from(way)].samples.median.unwrap_or(0.0);
        self.put_off(way, tried / self.usual());
    }

    /// The trial is over, and a way that takes so many usual times is tried again when there have
    /// been two and a half times as many exchanges or somewhat later, native after half as many
    /// again, and the later the more a try of it costs. Rejected: four times as many. As much is
    /// found in simulations, and exchanges 100 to 400 lose 1 instead of 1.5 % where nothing is to
    /// be won; but of halos of 16 kB under Open MPI that can take 0.7 of the native time, 36 of 90
    /// instead of 11 of 18 were found in some 400 exchanges.
    pub(super) fn put_off(&mut self, way: u8, times: f64) {
        let more = to_float(self.exchanges) / 2.0 * times.clamp(1.0, MOST_TIMES);
        let from = match way {
            0 => next_return(self.exchanges.saturating_add(to_whole(more).min(RETURN))),
            _ => next_return(self.exchanges.saturating_mul(5) / 2),
        };
        self.earlier = self.earlier.filter(|earlier| *earlier != way);
        let way = &mut self.ways[usize::from(way)];
        way.from = from;
        way.stake = Some((times - 1.0).max(LEAST_STAKE));
        way.pairs = Pairs::default();
        way.was_bad = false;
        self.trial = None;
    }
}
