//! Time in which a thread makes what it will use again: buffers, datatypes. Whoever measures a
//! call can tell what it will not cost the next time.

use std::cell::Cell;
use std::time::Instant;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

/// Makes something that is kept.
pub fn making<T>(work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    let spent = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
    MADE.set(MADE.get().saturating_add(spent));
    result
}

/// The nanoseconds that this thread has spent so.
pub fn made() -> u64 {
    MADE.get()
}
