//! What a procedure reads and writes, in terms that its callers understand.

use std::collections::BTreeSet;

/// Memory outside of a procedure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    /// The content of an argument: what a pointer leads to, all of an array.
    Argument(usize),
    /// A variable that others see, by its name in the whole project.
    Global(String),
}

/// Some memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Regions {
    /// Everything that can be reached.
    pub all: bool,
    pub some: BTreeSet<Region>,
}

impl Regions {
    /// Adds other memory; whether that was news.
    pub fn extend(&mut self, other: Regions) -> bool {
        let before = (self.all, self.some.len());
        self.all |= other.all;
        self.some.extend(other.some);
        before != (self.all, self.some.len())
    }
}

/// What a procedure reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub reads: Regions,
    pub writes: Regions,
}
