//! Against the best of several.

use super::ratio::logarithm;
use super::{Medians, Ratio, median};

/// How many times as long the series with this index takes as the best of all (itself too).
///
/// The least of several noisy medians is too small: whoever compares with it finds violations
/// among equals. So the best is chosen for every launch anew, by the other launches. Among eight
/// equal series the lower end is then above 1 in some 5 % of all cases (1/32 among two); among
/// four, chosen by all launches, it would be in 6 % and more. `None` where there is no such
/// series, or no launch with two positive times. O(launches x series) medians.
#[must_use]
pub fn against_best(of: usize, all: &[&Medians]) -> Option<Ratio> {
    let target = all.get(of)?;
    let ratio = |(launch, &time): (&u32, &f64)| {
        // Where there are no other launches, no verdict rests on what is chosen by this one.
        let others = |m: &&&Medians| {
            let others =
                || m.iter().filter(|(k, _)| *k != launch).filter_map(|(_, &t)| logarithm(t));
            median(others()).or_else(|| median(m.values().filter_map(|&t| logarithm(t))))
        };
        let present = all.iter().filter(|m| m.get(launch).copied().and_then(logarithm).is_some());
        let ranked = present.filter_map(|m| Some((others(&m)?, m)));
        let (_, best) = ranked.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(logarithm(time)? - logarithm(*best.get(launch)?)?)
    };
    Ratio::of_logarithms(&target.iter().filter_map(ratio).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_chosen_by_the_other_launches() {
        let slow: Medians = (0..5).map(|k| (k, 3.0)).collect();
        let fast: Medians = (0..5).map(|k| (k, 1.0)).collect();
        // Fastest in one launch only.
        let lucky: Medians = (0..5).map(|k| (k, if k == 2 { 0.1 } else { 2.0 })).collect();
        let all = [&slow, &lucky, &fast];
        let ratio = against_best(0, &all).expect("five launches");
        assert!((ratio.low - 3.0).abs() < 1e-12 && (ratio.high - 3.0).abs() < 1e-12, "{ratio:?}");
        assert_eq!(against_best(2, &all).expect("five launches").estimate, 1.0);
        assert_eq!(against_best(3, &all), None);
    }

    #[test]
    fn one_launch_has_a_ratio_and_no_verdict() {
        let [a, b] = [6.0, 3.0].map(|t| Medians::from([(0, t)]));
        let ratio = against_best(0, &[&a, &b]).expect("a launch");
        assert!((ratio.estimate - 2.0).abs() < 1e-12 && !ratio.is_trusted(), "{ratio:?}");
    }
}
