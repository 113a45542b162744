//! Handles that nothing is known of, above all the predefined ones: the quick way out of a
//! collective. It costs one look into a table of the thread and no call of the library.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use commloom_mpi::{Abi, RawHandle};

use crate::accelerate::accelerator::Accelerator;

/// Entries of the table of one thread.
const ENTRIES: usize = 32;

thread_local! {
    /// Bits of the handle, and the epoch in which it was plain.
    static PLAIN: [Cell<(usize, u64)>; ENTRIES] = const { [const { Cell::new((0, u64::MAX)) }; ENTRIES] };
}

fn entry(bits: usize) -> usize {
    bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - ENTRIES.trailing_zeros())
}

impl<A: Abi> Accelerator<A> {
    /// Whether this handle was found to be plain, and no datatype came or went since.
    #[inline]
    pub(crate) fn is_plain(&self, datatype: A::Datatype) -> bool {
        let known = (datatype.to_bits(), self.epoch.load(Ordering::Acquire));
        PLAIN.try_with(|table| table[entry(known.0)].get() == known).unwrap_or(false)
    }

    /// Remembers that nothing was known of this handle in `epoch`.
    pub(crate) fn note_plain(&self, datatype: A::Datatype, epoch: u64) {
        let known = (datatype.to_bits(), epoch);
        // A thread that is ending has no table any more.
        let _ = PLAIN.try_with(|table| table[entry(known.0)].set(known));
    }
}
