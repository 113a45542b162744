//! Order statistics of a few samples.

/// Median of samples, and between which two values half of them lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// How many samples.
    pub samples: usize,
    /// A quarter of the samples is below it.
    pub low: f64,
    /// Half of the samples are below it.
    pub median: f64,
    /// A quarter of the samples is above it.
    pub high: f64,
}

impl Quartiles {
    /// Of at least one sample; `None` without any. Not-a-number samples sort last.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Quartiles> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [low, median, high] = [1, 2, 3].map(|quarters| quartile(&sorted, quarters));
        Some(Quartiles { samples: sorted.len(), low: low?, median: median?, high: high? })
    }

    /// Third quartile minus first quartile.
    #[must_use]
    pub fn range(&self) -> f64 {
        self.high - self.low
    }
}

/// The value below which `quarters` fourths of the sorted samples lie, between neighbours by
/// linear interpolation (type 7 of Hyndman and Fan, the default of R and NumPy).
fn quartile(sorted: &[f64], quarters: usize) -> Option<f64> {
    let position = (sorted.len().checked_sub(1)?) * quarters;
    let (below, fourths) = (position / 4, position % 4);
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    Some(low + (high - low) * [0.0, 0.25, 0.5, 0.75][fourths])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_agree_with_numpy() {
        // numpy.percentile([1, 2, 4, 8, 16, 32], [25, 50, 75]) = [2.5, 6, 14]
        let found = Quartiles::of(&[8.0, 1.0, 32.0, 2.0, 16.0, 4.0]).unwrap();
        assert_eq!(found, Quartiles { samples: 6, low: 2.5, median: 6.0, high: 14.0 });
        assert_eq!(found.range(), 11.5);
    }

    #[test]
    fn one_sample_has_no_spread_and_none_has_no_median() {
        let one = Quartiles { samples: 1, low: 3.0, median: 3.0, high: 3.0 };
        assert_eq!(Quartiles::of(&[3.0]), Some(one));
        assert_eq!(Quartiles::of(&[]), None);
    }
}
