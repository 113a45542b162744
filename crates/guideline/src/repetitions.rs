//! How often an operation is repeated.

use std::time::Duration;

/// Repetitions in one launch by the data size (section 2.3.2).
#[must_use]
pub fn of_the_paper(bytes: u64) -> u32 {
    match bytes {
        0..=32_000 => 100,
        32_001..=320_000 => 50,
        _ => 20,
    }
}

/// Time that a series may take in one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Repetitions past it are left out ...
    pub budget: Duration,
    /// ... down to so many.
    pub least: u32,
}

impl Effort {
    /// A whole campaign: both modes, 5 launches, all tests take some minutes.
    pub const FULL: Effort = Effort { budget: Duration::from_millis(30), least: 5 };
    /// A look.
    pub const QUICK: Effort = Effort { budget: Duration::from_millis(4), least: 5 };

    /// Repetitions of an operation of which one takes about `once`.
    #[must_use]
    pub fn repetitions(&self, bytes: u64, once: Duration) -> u32 {
        let fit = self.budget.as_nanos() / once.as_nanos().max(1);
        let fit = u32::try_from(fit).unwrap_or(u32::MAX).max(self.least);
        fit.min(of_the_paper(bytes))
    }
}

/// Repetitions before those that are measured, of an operation of which one takes about `once`, on
/// a datatype with so many list entries.
///
/// Libraries and commloom change their ways with the first messages of a datatype. commloom looks
/// at it when its messages have cost as much as looking will, some 40 ns for each list entry: here
/// twice that.
#[must_use]
pub fn warm_up(list_entries: usize, once: Duration) -> u32 {
    const LEAST: u32 = 3;
    const MOST: u32 = 200;
    let entries = u64::try_from(list_entries).unwrap_or(u64::MAX);
    let patience = Duration::from_micros(20) + Duration::from_nanos(entries.saturating_mul(80));
    let times = u32::try_from(patience.as_nanos() / once.as_nanos().max(1)).unwrap_or(MOST);
    times.clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_messages_are_repeated_as_in_the_paper_and_slow_ones_less() {
        let effort = Effort::FULL;
        for (bytes, microseconds, expected) in [
            (3200, 3, 100),
            (32_000, 3, 100),
            (32_001, 3, 50),
            (320_001, 900, 20),
            (2_560_000, 4_000, 7),
            (2_560_000, 70_000, 5),
            (3200, 0, 100),
        ] {
            let once = Duration::from_micros(microseconds);
            assert_eq!(effort.repetitions(bytes, once), expected, "{bytes} {microseconds}");
        }
    }

    #[test]
    fn the_warm_up_lasts_until_commloom_has_looked() {
        let us = Duration::from_micros;
        assert_eq!(warm_up(0, us(1000)), 3);
        assert_eq!(warm_up(0, us(1)), 20);
        assert_eq!(warm_up(640_000, us(2000)), 25);
        assert_eq!(warm_up(usize::MAX, us(1)), 200);
    }
}
