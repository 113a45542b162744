//! [`Accelerator`]: what is known of the program's datatypes and requests.

use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use commloom_mpi::Abi;

use crate::accelerate::engine::Engine;
use crate::accelerate::files::Files;
use crate::accelerate::keyval::Keyval;
use crate::accelerate::layouts::Layouts;
use crate::accelerate::pending::Pending;
use crate::accelerate::repeated::Repeated;
use crate::accelerate::rounds;

/// The layer that makes messages of derived datatypes faster.
pub struct Accelerator<A: Abi> {
    engine: Engine<A>,
    pub(crate) keyval: Keyval,
    /// Moves on whenever a handle may have changed its meaning: caches look at it.
    pub(crate) epoch: AtomicU64,
    pub(crate) layouts: Layouts<A>,
    pub(crate) pending: Pending<A>,
    pub(crate) repeated: Repeated<A>,
    pub(crate) files: Files<A>,
}

impl<A: Abi> Accelerator<A> {
    pub(crate) const fn new() -> Self {
        Accelerator {
            engine: Engine::new(),
            keyval: Keyval::new(),
            epoch: AtomicU64::new(0),
            layouts: Layouts::new(),
            pending: Pending::new(),
            repeated: Repeated::new(),
            files: Files::new(),
        }
    }

    /// Bytes that are kept for later messages: buffers, plans, and layouts that no handle has at
    /// present. Bounded, and no leak.
    pub fn kept(&self) -> u64 {
        let bytes = self.pool.bytes() + self.plans.bytes() + self.layouts.idle_bytes();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl<A: Abi> Accelerator<A> {
    /// Whether a message that is started now is left alone, and nobody counts it.
    #[inline]
    pub(crate) fn leaves_alone(&self) -> bool {
        rounds::is_left_alone() && !self.unseen().is_enabled()
    }
}

/// A layer has what those below it have.
impl<A: Abi> Deref for Accelerator<A> {
    type Target = Engine<A>;

    fn deref(&self) -> &Engine<A> {
        &self.engine
    }
}
