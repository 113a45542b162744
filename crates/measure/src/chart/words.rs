//! Times as words.

use crate::statistics::Summary;

/// A time with three digits and a unit: `1.25 ms`.
#[must_use]
pub fn time(microseconds: f64) -> String {
    let (size, unit) = unit(microseconds);
    format!("{} {unit}", three_digits(microseconds / size))
}

/// From the smallest to the largest median, in the unit of the mean: `1.21 to 1.34`.
#[must_use]
pub fn range(summary: &Summary) -> String {
    let (size, _) = unit(summary.mean);
    format!("{} to {}", three_digits(summary.min / size), three_digits(summary.max / size))
}

/// The unit of so many microseconds.
fn unit(microseconds: f64) -> (f64, &'static str) {
    match microseconds {
        us if us < 1000.0 => (1.0, "µs"),
        us if us < 1e6 => (1000.0, "ms"),
        _ => (1e6, "s"),
    }
}

fn three_digits(x: f64) -> String {
    match x {
        x if x < 10.0 => format!("{x:.2}"),
        x if x < 100.0 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    }
}
