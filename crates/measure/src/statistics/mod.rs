//! Statistics of samples: [`median`], [`Quartiles`], [`geometric_mean`], [`slope`]; and what a few
//! launches say about the ratio of two times.
//!
//! ```text
//! samples of a launch ─ median ─► one time per launch ─┬─ Summary: mean, minimum, maximum
//!                                                      └─ Ratio: estimate and interval
//! ```
//!
//! Summaries are those of section 2.3.3 of the paper.
//!
//! One launch of an MPI program is one observation, not one sample: what `mpirun` draws (places of
//! processes, pages, the speed of the machine) is the same for all samples of a launch (Hunold,
//! Carpen-Amarie and Träff, EuroMPI/ASIA 2014). Launches are few, five in the paper. What follows
//! from that:
//!
//! - **Ratios are taken inside a launch** ([`Ratio::paired`]). A machine that is slow in one
//!   launch is slow for both sides. What is left over is as likely to make one side slower as the
//!   other, since cases run in random order: log ratios of equal cases are symmetric about 0,
//!   whatever their distribution.
//! - **The interval inverts a rank test**: Wilcoxon's signed ranks for pairs, Mann and Whitney's
//!   rank sums for launches without partners. Both know their error exactly, for every
//!   distribution and every number of launches.
//! - **Bootstraps were rejected**: with five launches the percentile bootstrap covers some 80 %
//!   where it promises 95 %, and resampling within launches adds nothing, since the launches are
//!   what varies.
//! - **An end of an interval is trusted when it is wrong at most once in 32** ([`MAX_ERROR`]),
//!   which is the best that five launches can show: there the interval reaches from the smallest
//!   to the largest ratio. Fewer launches have an interval too, and no verdict rests on it.

mod best;
mod quartiles;
mod rank;
mod ratio;
mod summary;
mod trend;

pub use best::against_best;
pub use quartiles::Quartiles;
pub use ratio::{MAX_ERROR, Ratio};
pub use summary::{Summary, geometric_mean, median};
pub use trend::slope;

use std::collections::BTreeMap;

/// Median times by launch number, in microseconds.
pub type Medians = BTreeMap<u32, f64>;
