//! Analysis of the samples: ratios inside rounds, and who was best.

use commloom_measure::statistics::{self, Quartiles};

use crate::cell::{Cell, Outcome};
use crate::contender::Who;

/// A cell counts as lost when commloom is slower beyond noise: when in three quarters of the
/// rounds the other was faster.
const LOST: f64 = 1.0;

/// How many times longer one takes than the other: quartiles of the ratios inside rounds.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Ratio {
    /// `one` divided by `other`, over the rounds in which both were measured.
    pub fn of(one: &Outcome, other: &Outcome) -> Ratio {
        let ratios: Vec<f64> = one.samples.iter().zip(&other.samples).map(|(x, y)| x / y).collect();
        let of = Quartiles::of(&ratios);
        let [low, median, high] = of.map_or([f64::NAN; 3], |of| [of.low, of.median, of.high]);
        Ratio { low, median, high }
    }

    /// Whether the divisor was slower beyond noise.
    pub fn is_lost(&self) -> bool {
        self.high < LOST
    }
}

impl Who {
    pub fn is_hand(&self) -> bool {
        matches!(self, Who::Hand { .. })
    }

    pub fn is_mpi(&self) -> bool {
        matches!(self, Who::Mpi(_))
    }

    /// Somebody who does the same work.
    pub fn is_rival(&self) -> bool {
        self.is_hand() || self.is_mpi()
    }
}

impl Cell {
    /// commloom, with the description that a program would use.
    pub fn ours(&self) -> &Outcome {
        self.commloom().next().expect("commloom is in every cell")
    }

    /// commloom with every description.
    pub fn commloom(&self) -> impl Iterator<Item = &Outcome> {
        self.results.iter().filter(|o| o.who == Who::Commloom)
    }

    /// Those who were measured and did nothing wrong.
    pub fn measured(&self, wanted: impl Fn(&Who) -> bool) -> impl Iterator<Item = &Outcome> {
        self.results.iter().filter(move |o| wanted(&o.who) && !o.samples.is_empty())
    }

    /// The fastest of some, and how many times longer than commloom it takes.
    pub fn best(&self, wanted: impl Fn(&Who) -> bool) -> Option<(&Outcome, Ratio)> {
        let compared = self.measured(wanted).map(|o| (o, Ratio::of(o, self.ours())));
        compared.min_by(|x, y| x.1.median.total_cmp(&y.1.median))
    }

    /// The fastest loop or library.
    pub fn rival(&self) -> Option<(&Outcome, Ratio)> {
        self.best(Who::is_rival)
    }

    /// For every description that library `number` took: how many times longer than commloom it
    /// takes with the same.
    pub fn by_description(&self, number: usize) -> impl Iterator<Item = f64> {
        let same = |theirs: &Outcome| {
            let ours = self.commloom().find(|o| o.description == theirs.description)?;
            Some(Ratio::of(theirs, ours).median)
        };
        self.measured(move |who| *who == Who::Mpi(number)).filter_map(same)
    }

    /// The time of commloom's slowest description divided by that of its fastest.
    pub fn spread(&self) -> f64 {
        let medians = self.commloom().map(Outcome::middle);
        let (low, high) =
            medians.fold((f64::MAX, 0f64), |(low, high), t| (low.min(t), high.max(t)));
        high / low
    }

    /// Bytes in a run, on average.
    pub fn run(&self) -> f64 {
        self.bytes as f64 / self.runs.max(1) as f64
    }
}

/// The geometric mean, and of how many numbers.
pub fn counted_mean(numbers: impl IntoIterator<Item = f64>) -> (f64, usize) {
    let numbers: Vec<f64> = numbers.into_iter().collect();
    let mean = statistics::geometric_mean(numbers.iter().copied());
    (mean.unwrap_or(f64::NAN), numbers.len())
}
