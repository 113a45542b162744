//! The ratio of two times, with an interval.

use super::{Medians, median, rank};

/// An end of an interval that is on the wrong side more often is not trusted: 1/32, what five
/// launches can show.
pub const MAX_ERROR: f64 = 1.0 / 32.0;

/// How many times as long one thing takes as another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Hodges and Lehmann's: the median of all pairwise estimates.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Observations: pairs of launches, or launches of the side with fewer.
    pub launches: usize,
    /// Probability that the lower end is above the true ratio, and as much that the upper end is
    /// below it.
    pub error: f64,
}

impl Ratio {
    /// Of `a` over `b`, launch by launch; launches of one side alone are left out. `None` where
    /// there is no pair of positive times. O(n^2 log n) time for n launches.
    #[must_use]
    pub fn paired(a: &Medians, b: &Medians) -> Option<Ratio> {
        let ratio = |(launch, a): (&u32, &f64)| Some(logarithm(*a)? - logarithm(*b.get(launch)?)?);
        Ratio::of_logarithms(&a.iter().filter_map(ratio).collect::<Vec<_>>())
    }

    /// Of `a` over `b`, where launches of the same number have nothing in common. `None` where a
    /// side has no positive time.
    #[must_use]
    pub fn unpaired(a: &Medians, b: &Medians) -> Option<Ratio> {
        let [a, b] = [a, b].map(|of| of.values().filter_map(|&t| logarithm(t)).collect::<Vec<_>>());
        let differences = a.iter().flat_map(|a| b.iter().map(move |b| a - b)).collect();
        let place = rank::rank_sums(a.len(), b.len(), MAX_ERROR);
        Ratio::of_estimates(differences, place, a.len().min(b.len()))
    }

    /// Of the logarithms of the ratios of launches.
    pub(super) fn of_logarithms(logarithms: &[f64]) -> Option<Ratio> {
        let averages = (0..logarithms.len())
            .flat_map(|k| logarithms[k..].iter().map(move |b| f64::midpoint(logarithms[k], *b)));
        let averages = averages.collect();
        let place = rank::signed_ranks(logarithms.len(), MAX_ERROR);
        Ratio::of_estimates(averages, place, logarithms.len())
    }

    fn of_estimates(mut all: Vec<f64>, place: rank::Place, launches: usize) -> Option<Ratio> {
        all.sort_by(f64::total_cmp);
        Some(Ratio {
            estimate: median(all.iter().copied())?.exp(),
            low: all.get(place.place - 1)?.exp(),
            high: all.get(all.len().checked_sub(place.place)?)?.exp(),
            launches,
            error: place.error,
        })
    }

    /// Whether there are launches enough for verdicts.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.error <= MAX_ERROR * (1.0 + 1e-9)
    }

    /// Whether the true ratio is above this factor, as far as the interval can tell.
    #[must_use]
    pub fn is_above(&self, factor: f64) -> bool {
        self.is_trusted() && self.low > factor
    }

    /// Whether the true ratio is below this factor, as far as the interval can tell.
    #[must_use]
    pub fn is_below(&self, factor: f64) -> bool {
        self.is_trusted() && self.high < factor
    }

    /// Probability that the interval contains the true ratio.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        (1.0 - 2.0 * self.error).max(0.0)
    }

    /// The ratio the other way round.
    #[must_use]
    pub fn inverse(&self) -> Ratio {
        let Ratio { estimate, low, high, .. } = *self;
        Ratio { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low, ..*self }
    }
}

/// Of a time that is one.
pub(super) fn logarithm(time: f64) -> Option<f64> {
    (time > 0.0 && time.is_finite()).then(|| time.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(times: &[f64]) -> Medians {
        (0..).zip(times.iter().copied()).collect()
    }

    #[test]
    fn five_pairs_reach_from_the_smallest_to_the_largest_ratio() {
        let slow = launches(&[2.0, 20.0, 3.0, 2.0, 4.0]);
        let fast = launches(&[1.0, 10.0, 1.0, 1.0, 1.0]);
        let ratio = Ratio::paired(&slow, &fast).expect("five pairs");
        assert!((ratio.low - 2.0).abs() < 1e-12 && (ratio.high - 4.0).abs() < 1e-12, "{ratio:?}");
        assert_eq!((ratio.launches, ratio.coverage()), (5, 0.9375));
        assert!(ratio.is_above(1.9) && !ratio.is_above(2.1));
        let inverse = Ratio::paired(&fast, &slow).expect("five pairs");
        assert!((inverse.high - ratio.inverse().high).abs() < 1e-12);
        assert!(inverse.is_below(0.51) && !inverse.is_below(0.49));
    }

    #[test]
    fn four_pairs_have_an_interval_and_no_verdict() {
        let ratio = Ratio::paired(&launches(&[9.0; 4]), &launches(&[1.0; 4])).expect("pairs");
        assert!(!ratio.is_trusted() && !ratio.is_above(1.1), "{ratio:?}");
        assert_eq!(ratio.coverage(), 0.875);
    }

    #[test]
    fn launches_without_partner_and_times_that_are_none_are_left_out() {
        let a = Medians::from([(0, 2.0), (1, 0.0), (2, f64::NAN), (3, 2.0), (4, 8.0)]);
        let b = Medians::from([(0, 1.0), (1, 1.0), (2, 1.0), (4, 4.0), (5, 1.0)]);
        let ratio = Ratio::paired(&a, &b).expect("two pairs");
        assert_eq!(ratio.launches, 2);
        assert_eq!(Ratio::paired(&a, &Medians::from([(9, 1.0)])), None);
        assert_eq!(Ratio::unpaired(&a, &Medians::new()), None);
    }

    #[test]
    fn launches_of_two_days_are_not_paired() {
        let [a, b] = [[3.0, 3.3, 3.6, 3.9], [1.0, 1.1, 1.2, 1.3]].map(|t| launches(&t));
        let ratio = Ratio::unpaired(&a, &b).expect("four launches each");
        assert!((ratio.estimate - 3.0).abs() < 0.01, "{ratio:?}");
        assert!((ratio.low - 2.5).abs() < 1e-12, "{ratio:?}");
        assert!(ratio.is_above(2.0));
        assert!(!Ratio::unpaired(&launches(&[9.0; 3]), &launches(&[1.0; 3])).unwrap().is_trusted());
    }
}
