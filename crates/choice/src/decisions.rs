//! [`Decisions`]: which ways the exchanges of a program were found to be faster in, from one run
//! to the next.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// So many decisions are kept of a program.
const MOST: usize = 1024;
/// The first line of a file of them.
const HEAD: &str = "# commloom decisions, version 1";

/// A kind of exchange, by numbers that are the same in every run of a program: its name, and the
/// side of it.
pub type ExchangeKind = (u64, u64);

/// The ways that kinds of exchange were found to be fastest in. What stayed native is known for
/// one run, and not written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decisions {
    ways: BTreeMap<ExchangeKind, u8>,
}

impl Decisions {
    /// None yet.
    #[must_use]
    pub const fn new() -> Decisions {
        Decisions { ways: BTreeMap::new() }
    }

    /// The way of this kind, if it was found to be faster than native.
    #[must_use]
    pub fn way(&self, kind: ExchangeKind) -> Option<u8> {
        self.ways.get(&kind).copied().filter(|way| *way != 0)
    }

    /// This way is fastest, native (0) perhaps.
    pub fn decide(&mut self, kind: ExchangeKind, way: u8) {
        if self.ways.len() < MOST || self.ways.contains_key(&kind) {
            self.ways.insert(kind, way);
        }
    }

    /// Of kinds of which this run has found out nothing, what an earlier one has, as long as there
    /// is room.
    pub fn keep(&mut self, earlier: &Decisions) {
        for (kind, way) in &earlier.ways {
            if !self.ways.contains_key(kind) {
                self.decide(*kind, *way);
            }
        }
    }

    /// Whether nothing was found to be faster.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ways.values().all(|way| *way == 0)
    }
}

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\n# kind of exchange, side, way")?;
        for ((name, side), way) in self.ways.iter().filter(|(_, way)| **way != 0) {
            writeln!(f, "{name:016x} {side} {way}")?;
        }
        Ok(())
    }
}

impl FromStr for Decisions {
    /// The number of the line that cannot be read.
    type Err = usize;

    fn from_str(text: &str) -> Result<Decisions, usize> {
        if text.lines().next() != Some(HEAD) {
            return Err(1);
        }
        let mut decisions = Decisions::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let (kind, way) = row(line).ok_or(at + 1)?;
            decisions.decide(kind, way);
        }
        Ok(decisions)
    }
}

fn row(line: &str) -> Option<(ExchangeKind, u8)> {
    let mut words = line.split(' ');
    let name = u64::from_str_radix(words.next()?, 16).ok()?;
    let (side, way) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    words.next().is_none().then_some(((name, side), way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_as_they_are_written() {
        let mut decisions = Decisions::new();
        for name in 0..2 * MOST as u64 {
            decisions.decide((name << 40, name % 2), u8::try_from(1 + name % 3).unwrap());
        }
        assert_eq!(decisions.ways.len(), MOST);
        assert_eq!(decisions.way((1 << 40, 1)), Some(2));
        assert_eq!(decisions.to_string().parse(), Ok(decisions.clone()));
        decisions.decide((1 << 40, 1), 0);
        assert_eq!(decisions.way((1 << 40, 1)), None);
        assert_eq!(decisions.to_string().lines().count(), 2 + MOST - 1);
    }

    #[test]
    fn what_this_run_has_found_goes_before_what_an_earlier_one_has() {
        let mut earlier = Decisions::new();
        (0..MOST as u64).for_each(|name| earlier.decide((name, 0), 1));
        let mut now = Decisions::new();
        assert!(now.is_empty());
        now.decide((3, 0), 0);
        assert!(now.is_empty());
        now.decide((4, 0), 2);
        now.decide((1 << 60, 0), 2);
        now.keep(&earlier);
        let ways = [3, 4, 5, 1 << 60].map(|name| now.way((name, 0)));
        assert_eq!(ways, [None, Some(2), Some(1), Some(2)]);
        assert_eq!(now.ways.len(), MOST);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert_eq!("".parse::<Decisions>(), Err(1));
        for line in ["", "x 0 1", "1 0", "1 0 256", "1 0 1 2", "1  0 1"] {
            assert_eq!(format!("{HEAD}\n{line}\n").parse::<Decisions>(), Err(2), "{line:?}");
        }
    }
}
