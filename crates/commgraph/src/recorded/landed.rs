//! Where messages have come to, and whether anybody has passed on what came there.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of addresses, by their starts: the end, and whether the bytes were passed on or summed
/// up.
#[derive(Debug, Default)]
pub(super) struct Landed(BTreeMap<u64, (u64, bool)>);

impl Landed {
    /// A message comes here.
    pub fn add(&mut self, range: &Range<u64>, used: bool) {
        if !range.is_empty() {
            let known = self.0.entry(range.start).or_insert((range.end, used));
            *known = (known.0.max(range.end), known.1 && used);
        }
    }

    /// Whether something has come here before.
    pub fn any(&self, range: &Range<u64>) -> bool {
        self.within(range).next().is_some()
    }

    /// Whether something has come here that nobody passed on.
    pub fn unused(&self, range: &Range<u64>) -> bool {
        self.within(range).any(|used| !used)
    }

    /// Ranges that overlap are rare, so the last ones that begin before the end tell.
    fn within(&self, range: &Range<u64>) -> impl Iterator<Item = bool> {
        let start = range.start;
        let before = self.0.range(..range.end).rev();
        before.take_while(move |(_, (end, _))| *end > start).map(|(_, (_, used))| *used)
    }
}
