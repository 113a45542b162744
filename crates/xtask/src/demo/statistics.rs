//! Order statistics of a few samples.

use serde::{Deserialize, Serialize};

/// Middle and spread of samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many samples.
    pub samples: usize,
    /// Median.
    pub median: f64,
    /// Third quartile minus first quartile.
    pub interquartile_range: f64,
}

impl Spread {
    /// Of at least one sample; `None` without any. Not-a-number samples sort last.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Spread> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [q1, median, q3] = [1, 2, 3].map(|quarters| quartile(&sorted, quarters));
        Some(Spread { samples: samples.len(), median: median?, interquartile_range: q3? - q1? })
    }
}

/// The value below which `quarters` fourths of the sorted samples lie, between neighbours by linear interpolation
/// (type 7 of Hyndman and Fan, the default of R and NumPy).
fn quartile(sorted: &[f64], quarters: usize) -> Option<f64> {
    let position = (sorted.len().checked_sub(1)?) * quarters;
    let (below, fourths) = (position / 4, position % 4);
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    Some(low + (high - low) * [0.0, 0.25, 0.5, 0.75][fourths])
}

/// The mean of factors; `None` without any.
#[must_use]
pub fn geometric_mean(factors: &[f64]) -> Option<f64> {
    let count = u32::try_from(factors.len()).ok().filter(|&n| n > 0)?;
    Some((factors.iter().map(|f| f.ln()).sum::<f64>() / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_agree_with_numpy() {
        // numpy.percentile([1, 2, 4, 8, 16, 32], [25, 50, 75]) = [2.5, 6, 14]
        let spread = Spread::of(&[8.0, 1.0, 32.0, 2.0, 16.0, 4.0]).unwrap();
        assert_eq!(spread, Spread { samples: 6, median: 6.0, interquartile_range: 11.5 });
    }

    #[test]
    fn one_sample_has_no_spread_and_none_has_no_median() {
        let one = Spread { samples: 1, median: 3.0, interquartile_range: 0.0 };
        assert_eq!(Spread::of(&[3.0]), Some(one));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn twice_as_fast_and_half_as_fast_cancel() {
        assert!((geometric_mean(&[2.0, 0.5, 1.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
