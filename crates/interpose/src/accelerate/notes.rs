//! State of a thread that every call needs, in one place: to find the memory of a thread costs as
//! much as to look at it.

use std::cell::Cell;
use std::time::Instant;

use crate::accelerate::rest::Rest;

/// Entries of the table of one thread.
const ENTRIES: usize = 32;

/// Bits of handles, and the epoch in which each was plain.
pub(crate) struct PlainHandles([Cell<(usize, u64)>; ENTRIES]);

impl PlainHandles {
    pub const fn new() -> Self {
        PlainHandles([const { Cell::new((0, u64::MAX)) }; ENTRIES])
    }

    #[inline]
    pub fn entry(&self, bits: usize) -> &Cell<(usize, u64)> {
        let hash = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.0[hash >> (usize::BITS - ENTRIES.trailing_zeros())]
    }
}

/// The notes of one thread.
pub(crate) struct Notes {
    pub plain: PlainHandles,
    pub rest: Rest,
    /// Completions matter to the [round](crate::accelerate::rounds) of the thread.
    pub watches: Cell<bool>,
    /// The round is native and nobody wants its time.
    pub is_left_alone: Cell<bool>,
    /// The time of the round is wanted, or that of the next one may be.
    pub times: Cell<bool>,
    /// When the look at the current call has begun.
    pub looks_since: Cell<Option<Instant>>,
}

thread_local! {
    static NOTES: Notes = const {
        Notes {
            plain: PlainHandles::new(),
            rest: Rest::new(),
            watches: Cell::new(false),
            is_left_alone: Cell::new(false),
            times: Cell::new(false),
            looks_since: Cell::new(None),
        }
    };
}

/// Looks into those of this thread. Nothing of them is ever dropped, so they are there to its end.
#[inline]
pub(crate) fn notes<T>(look: impl FnOnce(&Notes) -> T) -> T {
    NOTES.with(look)
}
