//! Rest: exchanges that nobody looks at.
//!
//! A look at an exchange that stays native costs a tenth of a microsecond, some per cent of a
//! short one. Where the last ones of a thread have all been native, untimed, and of contests that
//! have nothing to try, a few of the next ones are left alone: a call of theirs costs one load.
//! How many is drawn by chance, so that no kind of exchange hides behind a period of the program.
//! The next look [stands for](commloom_choice::Contest::next_step) those that were left alone.

use std::cell::Cell;

use commloom_choice::LONGEST_REST;

/// How a call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// With what it was to do.
    Done,
    /// With a request for it.
    Started,
}

/// So many exchanges in a row have to be settled first.
const CALM: u32 = 8;

/// The rest of one thread.
pub(crate) struct Rest {
    /// Exchanges that are still left alone.
    left: Cell<u32>,
    /// The current one of them has requests under way.
    is_open: Cell<bool>,
    /// Exchanges in a row that were settled.
    calm: Cell<u32>,
    dice: Cell<u32>,
}

impl Rest {
    pub const fn new() -> Self {
        Rest {
            left: Cell::new(0),
            is_open: Cell::new(false),
            calm: Cell::new(0),
            dice: Cell::new(0x9E37_79B9),
        }
    }

    /// A message is about to be started. Whether nobody looks at it.
    #[inline]
    pub fn starts(&self, end: CallEnd) -> bool {
        let left = self.left.get();
        if left == 0 {
            return false;
        }
        match end {
            CallEnd::Started => self.is_open.set(true),
            CallEnd::Done if self.is_open.get() => {}
            CallEnd::Done => self.left.set(left - 1),
        }
        true
    }

    /// A call is about to complete requests. Whether nobody looks at it.
    #[inline]
    pub fn completes(&self) -> bool {
        let left = self.left.get();
        if left == 0 {
            return false;
        }
        if self.is_open.replace(false) {
            self.left.set(left - 1);
        }
        true
    }

    /// An exchange is over that was looked at. How many of the next ones nobody looks at.
    pub fn after(&self, settled: bool) -> u32 {
        let calm = if settled { self.calm.get().saturating_add(1) } else { 0 };
        self.calm.set(calm);
        if calm < CALM {
            return 0;
        }
        // Marsaglia, Xorshift RNGs, 2003.
        let mut dice = self.dice.get();
        dice ^= dice << 13;
        dice ^= dice >> 17;
        dice ^= dice << 5;
        self.dice.set(dice);
        let left = 1 + (dice >> 8) % LONGEST_REST;
        self.left.set(left);
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calm_threads_rest_and_all_exchanges_count() {
        let rest = Rest::new();
        for _ in 1..CALM {
            assert_eq!(rest.after(true), 0);
            assert!(!rest.starts(CallEnd::Started) && !rest.completes());
        }
        let left = rest.after(true);
        assert!((1..=LONGEST_REST).contains(&left));
        for number in 0..left {
            if number % 2 == 0 {
                assert!(rest.starts(CallEnd::Started) && rest.starts(CallEnd::Started));
                // Blocking, while requests are under way.
                assert!(rest.starts(CallEnd::Done));
                assert!(rest.completes());
            } else {
                assert!(rest.starts(CallEnd::Done));
            }
        }
        assert!(!rest.starts(CallEnd::Started) && !rest.completes());
        assert_eq!(rest.after(false), 0);
        assert_eq!(rest.after(true), 0, "calm begins anew");
    }

    #[test]
    fn how_long_varies() {
        let rest = Rest::new();
        let lengths: std::collections::HashSet<u32> = (0..100).map(|_| rest.after(true)).collect();
        assert!(lengths.len() > 10, "{lengths:?}");
    }
}
