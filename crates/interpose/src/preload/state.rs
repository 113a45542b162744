//! [`Preload`]: the layers of one preloaded library, put together.

use std::ops::Deref;
use std::sync::{Once, OnceLock};

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::record::Recorder;
use crate::replace::Replacement;

/// The state behind the exported functions of one preload. Lives as a static.
pub struct Preload<A: Abi> {
    accelerator: Accelerator<A>,
    /// Where a trace is wanted.
    recorder: OnceLock<Option<Recorder<A>>>,
    /// Where groups of persistent requests are replaced.
    pub(crate) replacement: Replacement<A>,
    /// Messages of the last report for all ranks.
    pub(crate) reported: OnceLock<u64>,
    /// This process will write a report of its own.
    pub(crate) own_report: Once,
    /// The library's version text, for that.
    pub(crate) version: OnceLock<String>,
    /// Messages to the user when the library begins.
    pub(crate) beginning: Once,
    pub(crate) alone: Once,
}

impl<A: Abi> Preload<A> {
    /// Without any state yet.
    #[must_use]
    pub const fn new() -> Self {
        Preload {
            accelerator: Accelerator::new(),
            recorder: OnceLock::new(),
            replacement: Replacement::new(),
            reported: OnceLock::new(),
            own_report: Once::new(),
            version: OnceLock::new(),
            beginning: Once::new(),
            alone: Once::new(),
        }
    }

    /// Whether calls go to the library as they are.
    #[doc(hidden)]
    #[inline]
    pub fn is_off(&'static self) -> bool {
        self.config().off
    }

    /// The recorder, where a trace is wanted. It takes all calls then.
    #[doc(hidden)]
    #[inline]
    pub fn recorder(&'static self) -> Option<&'static Recorder<A>> {
        let made = || self.config().trace.clone().map(|trace| Recorder::new(self, trace));
        self.recorder.get_or_init(made).as_ref()
    }
}

impl<A: Abi> Default for Preload<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// A layer has what those below it have.
impl<A: Abi> Deref for Preload<A> {
    type Target = Accelerator<A>;

    fn deref(&self) -> &Accelerator<A> {
        &self.accelerator
    }
}
