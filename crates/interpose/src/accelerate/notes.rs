//! What a thread has to know in every call, in one place: to find the memory of a thread costs as
//! much as to look at it.

use std::cell::Cell;

use crate::accelerate::plain::PlainHandles;
use crate::accelerate::rest::Rest;

/// The notes of one thread.
pub(crate) struct Notes {
    pub plain: PlainHandles,
    pub rest: Rest,
    /// Completions matter to the [round](crate::accelerate::rounds) of the thread.
    pub watches: Cell<bool>,
    /// The round is native and nobody wants its time.
    pub is_left_alone: Cell<bool>,
}

thread_local! {
    static NOTES: Notes = const {
        Notes {
            plain: PlainHandles::new(),
            rest: Rest::new(),
            watches: Cell::new(false),
            is_left_alone: Cell::new(false),
        }
    };
}

/// Looks into those of this thread. Nothing of them is ever dropped, so they are there to its end.
#[inline]
pub(crate) fn notes<T>(look: impl FnOnce(&Notes) -> T) -> T {
    NOTES.with(look)
}
