//! Handles that nothing is known of, above all the predefined ones: the quick way out of a call.
//! It costs one look into a table of the thread and no call of the library.

use std::sync::atomic::Ordering;

use commloom_mpi::{Abi, RawHandle};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::lossy::may_be_lossy;
use crate::accelerate::notes::{Notes, notes};
use crate::accelerate::rest::CallEnd;

impl<A: Abi> Accelerator<A> {
    /// Whether this handle was found to be plain, and no datatype came or went since.
    #[inline]
    pub(crate) fn is_plain(&self, datatype: A::Datatype) -> bool {
        notes(|notes| self.is_noted(notes, datatype))
    }

    #[inline]
    fn is_noted(&self, notes: &Notes, datatype: A::Datatype) -> bool {
        let known = (datatype.to_bits(), self.epoch.load(Ordering::Acquire));
        notes.plain.entry(known.0).get() == known
    }

    /// Whether nobody has to look at the messages of a call with these handles: nothing is known
    /// of them, or the thread [rests](crate::accelerate::rest). `end` is how the call ends.
    #[inline]
    pub(crate) fn passes<const N: usize>(&self, datatypes: [A::Datatype; N], end: CallEnd) -> bool {
        let pass = |notes: &Notes| {
            datatypes.iter().all(|&datatype| self.is_noted(notes, datatype))
                || !datatypes.iter().any(|&datatype| may_be_lossy::<A>(datatype))
                    && notes.rest.starts(end)
        };
        let config = self.config();
        config.is_brief && (config.no_pack && config.no_types || notes(pass)) || self.is_paused()
    }

    /// The same of a call that starts persistent messages.
    #[inline]
    pub(crate) fn starts_pass(&self) -> bool {
        let rests = || self.collective_passes(CallEnd::Started);
        self.pending.is_empty() && (self.repeated.is_empty() || rests())
    }

    /// The same of a collective that is not persistent.
    #[inline]
    pub(crate) fn collective_passes(&self, end: CallEnd) -> bool {
        self.config().is_brief && notes(|notes| notes.rest.starts(end)) || self.is_paused()
    }

    /// The same of a call that completes requests.
    #[inline]
    pub(crate) fn completions_pass(&self) -> bool {
        let pass = |notes: &Notes| notes.rest.completes() || !notes.watches.get();
        self.config().is_brief && notes(pass) && self.pending.is_empty()
    }

    /// Remembers that nothing was known of this handle in `epoch`.
    pub(crate) fn note_plain(&self, datatype: A::Datatype, epoch: u64) {
        let known = (datatype.to_bits(), epoch);
        notes(|notes| notes.plain.entry(known.0).set(known));
    }
}
