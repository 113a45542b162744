//! The memory of a process as the graph sees it: an address and how often its contents were made
//! anew.
//!
//! The same address holds one thing after the other. Where the bytes that are sent did not come
//! from elsewhere and are not those that were sent before, they are a new *version*, at an address
//! of its own far away (2^48 bytes), so that neighbours stay neighbours.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes between two versions of an address. Programs have smaller addresses; others are turned
/// away.
pub(super) const VERSION: u64 = 1 << 48;
/// Versions that fit into an address.
const VERSIONS: u64 = 1 << 15;

/// A stretch of memory that was sent or received.
#[derive(Debug, Clone, Copy)]
struct KnownVersion {
    end: u64,
    version: u64,
}

/// Which version each address has.
#[derive(Debug, Default)]
pub(super) struct Memory {
    known: BTreeMap<u64, KnownVersion>,
    versions: u64,
}

/// A stretch and its version; none where nobody has touched it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub range: Range<u64>,
    pub version: Option<u64>,
}

/// How far a version is from the first.
pub(super) fn shift(version: u64) -> u64 {
    version * VERSION
}

/// The address that the program has for one of a graph.
#[must_use]
pub fn program_address(address: u64) -> u64 {
    address % VERSION
}

impl Memory {
    /// The stretches of a range, in order.
    pub fn stretches(&self, range: Range<u64>) -> Vec<Stretch> {
        let before = self.known.range(..range.start).next_back().map(|(start, _)| *start);
        let (mut at, mut out) = (range.start, Vec::new());
        let mut push = |range: Range<u64>, version| {
            if !range.is_empty() {
                out.push(Stretch { range, version });
            }
        };
        for (&from, known) in self.known.range(before.unwrap_or(range.start)..range.end) {
            let (from, to) = (from.max(at), known.end.min(range.end));
            if to > from {
                push(at..from, None);
                push(from..to, Some(known.version));
                at = to;
            }
        }
        push(at..range.end, None);
        out
    }

    /// From now on all of the range has this version.
    pub fn set(&mut self, range: Range<u64>, version: u64) {
        if range.is_empty() {
            return;
        }
        let overlapping: Vec<(u64, KnownVersion)> = {
            let before = self.known.range(..range.start).next_back();
            let before = before.filter(|(_, k)| k.end > range.start).map(|(s, k)| (*s, *k));
            let within = self.known.range(range.clone()).map(|(s, k)| (*s, *k));
            before.into_iter().chain(within).collect()
        };
        for (start, known) in overlapping {
            self.known.remove(&start);
            if start < range.start {
                self.known.insert(start, KnownVersion { end: range.start, ..known });
            }
            if known.end > range.end {
                self.known.insert(range.end, known);
            }
        }
        self.known.insert(range.start, KnownVersion { end: range.end, version });
    }

    /// A version that nothing has had. After some ten thousand the last one is used again: then
    /// messages are taken for sources of one address, which makes less of them than there may be.
    pub fn fresh(&mut self) -> u64 {
        self.versions = (self.versions + 1).min(VERSIONS - 1);
        self.versions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One version for each byte.
    #[test]
    fn stretches_are_those_of_a_table_of_bytes() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (mut memory, mut table) = (Memory::default(), [None; 64]);
            for _ in 0..20 {
                let start = rng.u64(0..60);
                let range = start..start + rng.u64(0..=4);
                let bytes =
                    usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
                let found: Vec<Option<u64>> = memory
                    .stretches(range.clone())
                    .into_iter()
                    .flat_map(|s| s.range.map(move |_| s.version))
                    .collect();
                assert_eq!(found, table[bytes.clone()], "seed {seed}, {range:?}");
                let version = rng.u64(0..3);
                memory.set(range, version);
                table[bytes].fill(Some(version));
            }
        }
    }
}
