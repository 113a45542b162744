//! Middle and spread of numbers.

use crate::float;

/// The middle of numbers, the mean of the two in the middle of an even count; `None` of none.
/// Not-a-number sorts last.
#[must_use]
pub fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let above = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(above);
    }
    Some(f64::midpoint(*sorted.get(sorted.len() / 2 - 1)?, above))
}

/// The mean of factors; `None` without any.
#[must_use]
pub fn geometric_mean(factors: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = factors.into_iter().map(f64::ln).collect();
    let count = float(logarithms.len());
    (count > 0.0).then(|| (logarithms.iter().sum::<f64>() / count).exp())
}

/// The plot of the medians of the launches in the paper: bars are means, error bars reach from
/// minimum to maximum (section 2.3.3). In microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many launches.
    pub launches: usize,
    /// Mean of the medians.
    pub mean: f64,
    /// Smallest median.
    pub min: f64,
    /// Largest median.
    pub max: f64,
    /// Median of the medians.
    pub median: f64,
}

impl Summary {
    /// Of one time per launch; `None` without launches.
    #[must_use]
    pub fn of(medians: impl IntoIterator<Item = f64>) -> Option<Summary> {
        let all: Vec<f64> = medians.into_iter().collect();
        Some(Summary {
            launches: all.len(),
            mean: all.iter().sum::<f64>() / float(all.len()),
            min: all.iter().copied().min_by(f64::total_cmp)?,
            max: all.iter().copied().max_by(f64::total_cmp)?,
            median: median(all)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 8.0]), Some(3.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn twice_as_fast_and_half_as_fast_cancel() {
        assert!((geometric_mean([2.0, 0.5, 1.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn a_summary_has_the_numbers_that_the_paper_plots() {
        let summary = Summary::of([4.0, 1.0, 1.0, 2.0]).expect("four launches");
        let expected = Summary { launches: 4, mean: 2.0, min: 1.0, max: 4.0, median: 1.5 };
        assert_eq!(summary, expected);
        assert_eq!(Summary::of([]), None);
    }
}
