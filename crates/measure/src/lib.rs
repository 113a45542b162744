//! The parts that all measurements of commloom share, whoever takes the samples: on which machine
//! ([`machine`]), when ([`date`]), what the samples say ([`statistics`]), and how that is drawn
//! ([`chart`]).
//!
//! Nothing here starts MPI, prints, or reads the environment of the process.
#![forbid(unsafe_code)]

pub mod chart;
pub mod date;
pub mod machine;
pub mod statistics;

/// A count as a factor; counts past 2^32 are none of samples.
fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
