//! How often each value occurred, and the highest count.

use crate::num::at;

/// Counts of ranks below a limit.
pub(super) struct Frequency {
    counts: Vec<usize>,
    most: usize,
}

impl Frequency {
    pub(super) fn new(limit: usize) -> Frequency {
        Frequency { counts: vec![0; limit], most: 0 }
    }

    pub(super) fn add(&mut self, rank: u32, times: usize) {
        let count = &mut self.counts[at(rank)];
        *count += times;
        self.most = self.most.max(*count);
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Forgets everything; `ranks` are those that occurred.
    pub(super) fn clear(&mut self, ranks: impl Iterator<Item = u32>) {
        for rank in ranks {
            self.counts[at(rank)] = 0;
        }
        self.most = 0;
    }
}
