//! One exchange, as a [`Contest`](crate::Contest) sees it: how it goes, and what it took.

/// How one exchange goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The way: 0 is native, others count from 1 on.
    pub way: u8,
    /// Its time is wanted: [`took`](crate::Contest::took).
    pub timed: bool,
    /// It is native, and nothing is being tried: so are the next ones, for all that is known.
    pub settled: bool,
    /// The number of the exchange, from 1 on.
    pub number: u64,
    /// The trial that it is part of a pair of.
    pub trial: Option<u32>,
}

/// The time of an exchange, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Took {
    /// All of it.
    pub all: u64,
    /// That part of it in which it made what later ones have.
    pub made: u64,
    /// The time besides that it took to keep account of trials.
    pub counted: u64,
}

/// The time of an exchange that other processes may still be at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    pub step: Step,
    pub took: Took,
    pub content: u64,
}
