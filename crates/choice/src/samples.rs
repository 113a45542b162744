//! Times of exchanges: the last ones of a way, and pairs of two ways; how far they are apart.

use commloom_measure::statistics::median;

/// So many times of a way are kept.
const KEPT: usize = 12;
/// A trial that has not won after so many pairs is over.
pub(crate) const MOST: usize = 24;
/// So many there have to be before anything is said of them.
pub(crate) const FEW: usize = 5;
/// The same of a way that an earlier run has found to be faster, or that is far from the other.
pub(crate) const FEW_AGAIN: usize = 3;
/// How far sums of ranks are apart to be clear, in standard deviations: five samples of each way
/// of which all of one are below all of the other.
const CLEAR: f64 = 2.5;
/// The same of more pairs. Who asks for more misses what processes find together: one of them is
/// not sure, and the others have to turn back.
const CLEAR_OF_MANY: f64 = 1.9;
/// So many pairs are more.
const MANY: usize = 8;
/// The same of all times and of their shorter halves together: what five pairs and more of equal
/// ways reach in one of 200 cases, and in three of 100 (20,000 orders drawn for each number).
const CLEAR_WITH_HALVES: [f64; 2] = [4.7, 3.9];
/// How much faster a way has to be. What wins by less in a trial loses it again where the
/// program's caches are in another state than in the exchanges that were tried: with 0.97,
/// ping-pongs of runs of 40 bytes under Open MPI were decided so while they followed each other at
/// once, and took 12 % longer once the program touched its memory between them.
const FASTER: f64 = 0.95;
/// A way that looks as good after a phase goes on in the next one.
const PROMISING: f64 = 0.95;
/// A way that looks as bad after so many pairs has lost.
const SLOWER: (f64, usize) = (1.25, 3);
/// So far from all times of the way that stands nobody needs a test.
const OBVIOUS: f64 = 1.4;
/// Native is tried again to be sure: it has lost after so many such pairs.
const NATIVE_LOST: usize = 2;

/// The last times in nanoseconds. They take memory when there are any: a program may have
/// thousands of kinds of exchange of which nothing is ever tried.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    times: Vec<u64>,
    count: usize,
    /// Asked for in every exchange, so kept.
    pub median: Option<f64>,
}

/// The times of a try and of the way that stands, one soon after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs {
    tried: Vec<u64>,
    partners: Vec<u64>,
}

/// The verdict of pairs on the way that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Faster,
    NotFaster,
    Open,
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

impl Pairs {
    pub fn push(&mut self, tried: u64, partner: u64) {
        if self.count() < MOST {
            self.tried.push(tried);
            self.partners.push(partner);
        }
    }

    pub fn count(&self) -> usize {
        self.tried.len()
    }

    /// How many times its partner's time a try takes.
    pub fn ratios(&self) -> impl Iterator<Item = f64> + Clone {
        self.tried.iter().zip(&self.partners).map(|(a, b)| to_float(*a) / to_float(*b))
    }

    /// The same of the usual time, which is that of the shorter half.
    pub fn times(&self) -> f64 {
        let usual = |times: &[u64]| median(shorter_half(times).into_iter().map(to_float));
        let both = usual(&self.tried).zip(usual(&self.partners));
        both.map_or(1.0, |(tried, partner)| tried / partner)
    }

    /// Compares the times by ranks, which a late partner or an interrupt does not mislead: those
    /// of all times (Mann and Whitney, 1947), which need few, and those of the pairs' ratios
    /// (Wilcoxon, 1945), which do not mind that the whole machine is slower for a while.
    pub fn answer(&self) -> Answer {
        if self.count() < FEW {
            return Answer::Open;
        }
        let ranks = apart(&self.tried, &self.partners);
        let halves = ranks + apart(&shorter_half(&self.tried), &shorter_half(&self.partners));
        let [of_few, of_many] = CLEAR_WITH_HALVES;
        let is_clear_of_many =
            || ranks.min(self.signed_ranks()) <= -CLEAR_OF_MANY || halves <= -of_many;
        let is_clear =
            ranks <= -CLEAR || halves <= -of_few || self.count() >= MANY && is_clear_of_many();
        if is_clear && self.times() < FASTER {
            Answer::Faster
        } else if self.count() >= MOST || ranks >= CLEAR {
            Answer::NotFaster
        } else {
            Answer::Open
        }
    }

    /// Whether they look as an earlier run has found them: all tries took less than the way that
    /// stands ever did.
    pub fn confirm(&self, standing: &[u64]) -> bool {
        self.count() >= FEW_AGAIN && self.are_below(standing, 1.0) && self.are_better()
    }

    /// Whether so few are enough: all tries took far less.
    pub fn are_obvious(&self, standing: &[u64]) -> bool {
        self.count() >= FEW_AGAIN && self.are_below(standing, OBVIOUS)
    }

    fn are_below(&self, standing: &[u64], factor: f64) -> bool {
        let ends = self.tried.iter().max().zip(standing.iter().min());
        ends.is_some_and(|(longest, least)| to_float(*longest) * factor < to_float(*least))
    }

    /// Whether all tries, of native, took far longer than the way that stands ever did.
    pub fn are_hopeless(&self, standing: &[u64]) -> bool {
        let ends = self.tried.iter().min().zip(standing.iter().max());
        let is_far =
            |(least, longest): (&u64, &u64)| to_float(*least) > to_float(*longest) * OBVIOUS;
        self.count() >= NATIVE_LOST && ends.is_some_and(is_far)
    }

    /// Whether there are enough, and they look clearly better.
    pub fn are_promising(&self) -> bool {
        self.count() >= FEW && self.are_better()
    }

    fn are_better(&self) -> bool {
        self.times() < PROMISING
    }

    /// Whether there are enough to see that they are slower.
    pub fn look_slower(&self) -> bool {
        let (times, pairs) = SLOWER;
        self.count() >= pairs && self.times() > times
    }

    /// The cost of the tries beyond that of their partners, in usual times, as the usual pair
    /// says.
    pub fn cost(&self) -> f64 {
        to_float(self.count() as u64) * (self.times() - 1.0)
    }

    /// How far the signed ranks of the pairs' logarithms are from those of equal ways, in standard
    /// deviations: negative where the tries are shorter (Wilcoxon, 1945; counted by the means of
    /// any two, Tukey, 1949).
    pub fn signed_ranks(&self) -> f64 {
        let ratios = self.ratios();
        let above = ratios.clone().enumerate().flat_map(|(i, a)| {
            ratios.clone().take(i + 1).map(move |b| match (a * b).total_cmp(&1.0) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
        });
        let (above, n): (f64, f64) = (above.sum(), to_float(self.count() as u64));
        (above - n * (n + 1.0) / 4.0) / (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt()
    }
}

impl Samples {
    pub fn push(&mut self, time: u64) {
        match self.times.get_mut(self.count % KEPT) {
            Some(oldest) => *oldest = time,
            None => self.times.push(time),
        }
        self.count += 1;
        self.median = median(self.all().iter().copied().map(to_float));
    }

    pub fn all(&self) -> &[u64] {
        &self.times
    }

    /// How many there have been, also those that are gone.
    pub fn pushed(&self) -> u64 {
        self.count as u64
    }

    pub fn clear(&mut self) {
        self.times.clear();
        self.count = 0;
        self.median = None;
    }

    /// The median and its interval, where there are enough.
    pub fn interval(&self) -> Option<Interval> {
        let mut times = self.all().to_vec();
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
}

/// The shorter half of some times, in order.
fn shorter_half(times: &[u64]) -> Vec<u64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.truncate(times.len().div_ceil(2));
    times
}

/// How far the ranks of two sets of samples are apart, in standard deviations: negative where the
/// first are shorter (Mann and Whitney, 1947).
pub(crate) fn apart(a: &[u64], b: &[u64]) -> f64 {
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
pub(crate) fn to_float(n: u64) -> f64 {
    n as f64
}

/// A time in whole nanoseconds; what is none counts as none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub(crate) fn to_whole(nanoseconds: f64) -> u64 {
    nanoseconds.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_ranks_are_those_of_the_tables() {
        let mut pairs = Pairs::default();
        for i in 1..=8 {
            pairs.push(900 - i, 1000);
        }
        // The sum of the ranks above is 0 of 36; mean 18, variance 51.
        assert!((pairs.signed_ranks() + 18.0 / 51.0_f64.sqrt()).abs() < 1e-9);
        // One that is further above than all others are below, of rank 9: mean 22.5, variance
        // 71.25.
        pairs.push(5000, 1000);
        assert!((pairs.signed_ranks() - (9.0 - 22.5) / 71.25_f64.sqrt()).abs() < 1e-9);
        assert!(pairs.times() < 0.9);
    }

    #[test]
    fn sets_that_do_not_overlap_are_furthest_apart() {
        assert!((apart(&[1, 2, 3, 4, 5], &[6, 7, 8, 9, 10]) + 2.611).abs() < 1e-3);
        assert!(apart(&[1, 2, 3], &[1, 2, 3]).abs() < 1e-9);
    }
}
