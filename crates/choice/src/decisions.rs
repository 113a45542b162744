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

/// The ways that kinds of exchange were found to be faster in. Of what stayed native there is
/// nothing.
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
        self.ways.get(&kind).copied()
    }

    /// This way is fastest, native (0) perhaps.
    pub fn decide(&mut self, kind: ExchangeKind, way: u8) {
        if way == 0 {
            self.ways.remove(&kind);
        } else if self.ways.len() < MOST || self.ways.contains_key(&kind) {
            self.ways.insert(kind, way);
        }
    }
}

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\n# kind of exchange, side, way")?;
        for ((name, side), way) in &self.ways {
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
            decisions.decide((name << 40, name % 2), u8::try_from(name % 4).unwrap());
        }
        assert_eq!(decisions.ways.len(), MOST);
        assert_eq!((decisions.way((1 << 40, 1)), decisions.way((4 << 40, 0))), (Some(1), None));
        decisions.decide((1 << 40, 1), 0);
        assert_eq!(decisions.way((1 << 40, 1)), None);
        assert_eq!(decisions.to_string().parse(), Ok(decisions));
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert_eq!("".parse::<Decisions>(), Err(1));
        for line in ["", "x 0 1", "1 0", "1 0 256", "1 0 1 2", "1  0 1"] {
            assert_eq!(format!("{HEAD}\n{line}\n").parse::<Decisions>(), Err(2), "{line:?}");
        }
    }
}
