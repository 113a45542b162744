//! The cost of communication, by the LogGP model.
//!
//! Alexandrov, Ionescu, Schauser, Scheiman: "LogGP: Incorporating Long Messages into the LogP
//! Model" (SPAA'95). The constants are given or measured; what schedules cost follows from them
//! alone.

mod calls;
mod predict;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use calls::{Blocks, call};
pub use predict::predict;

/// A time.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
pub struct Seconds(pub f64);

impl Seconds {
    /// Whether it is no longer than another time, but for rounding.
    pub(crate) fn is_at_most(self, other: Seconds) -> bool {
        self.0 <= other.0 * (1.0 + 1e-9)
    }
}

impl fmt::Display for Seconds {
    /// With a unit that suits: `1.25 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            t if t < 1e-3 => (t * 1e6, "us"),
            t if t < 1.0 => (t * 1e3, "ms"),
            t => (t, "s"),
        };
        write!(f, "{value:.2} {unit}")
    }
}

/// A machine in the LogGP model; times in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogGp {
    /// L: from the sender's network to the receiver's.
    pub latency: f64,
    /// o: what a message costs the processor of the sender, and again that of the receiver.
    pub overhead: f64,
    /// g: between two messages of one process.
    pub gap: f64,
    /// G: for each byte of a long message.
    pub per_byte: f64,
    /// For each byte that a process copies in its memory.
    pub copy_per_byte: f64,
    /// For each byte of a contribution that it adds.
    pub reduce_per_byte: f64,
}

impl Default for LogGp {
    /// A cluster of today: 1 us and 10 GB/s between two processes, memory at the same rate.
    fn default() -> LogGp {
        LogGp {
            latency: 1.0e-6,
            overhead: 0.3e-6,
            gap: 0.3e-6,
            per_byte: 1.0e-10,
            copy_per_byte: 1.0e-10,
            reduce_per_byte: 2.0e-10,
        }
    }
}

impl LogGp {
    /// A message of so many bytes from start to end: 2 o + L + n G.
    #[must_use]
    pub fn message(&self, bytes: f64) -> f64 {
        2.0 * self.overhead + self.latency + bytes * self.per_byte
    }

    /// The machine with the constants of the network that measurements show: half round trips by
    /// message length in bytes, the time that starting a message takes, and the time between
    /// messages of a flood. A straight line is put through the half round trips, weighted so that
    /// relative errors are least. `None` with fewer than two lengths.
    #[must_use]
    pub fn measured(
        self,
        half_round_trips: &[(f64, f64)],
        overhead: f64,
        gap: f64,
    ) -> Option<LogGp> {
        let mut sums = [0.0_f64; 5];
        for (bytes, time) in half_round_trips.iter().filter(|(_, time)| *time > 0.0) {
            let weight = 1.0 / (time * time);
            let terms = [1.0, *bytes, bytes * bytes, *time, bytes * time];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
        }
        let [n, x, xx, y, xy] = sums;
        let spread = n * xx - x * x;
        if spread <= 0.0 {
            return None;
        }
        let per_byte = ((n * xy - x * y) / spread).max(0.0);
        let start = ((y - per_byte * x) / n).max(0.0);
        let overhead = overhead.clamp(0.0, start / 2.0);
        let latency = start - 2.0 * overhead;
        Some(LogGp { latency, overhead, gap: gap.max(0.0), per_byte, ..self })
    }
}

/// A count as a number of the model.
pub(crate) fn float(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    // Past 2^53 bytes a relative error of 1e-16 does not matter.
    let n = n as f64;
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_give_the_constants_that_made_them() {
        let machine =
            LogGp { latency: 2e-6, overhead: 0.5e-6, per_byte: 3e-10, ..LogGp::default() };
        let lengths = [0.0, 100.0, 1e4, 1e6];
        let times: Vec<_> = lengths.iter().map(|n| (*n, machine.message(*n))).collect();
        let found = LogGp::default().measured(&times, 0.5e-6, 0.3e-6).expect("several lengths");
        assert!((found.latency / machine.latency - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.per_byte / machine.per_byte - 1.0).abs() < 1e-9, "{found:?}");
        assert_eq!(LogGp::default().measured(&times[..1], 0.0, 0.0), None);
    }
}
