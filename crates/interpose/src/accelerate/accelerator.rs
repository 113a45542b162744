//! [`Accelerator`]: what is known of the program's datatypes and requests.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use commloom_mpi::Abi;

use crate::accelerate::engine::Engine;
use crate::accelerate::files::Files;
use crate::accelerate::keyval::Keyval;
use crate::accelerate::layouts::Layouts;
use crate::accelerate::pending::Pending;
use crate::accelerate::repeated::Repeated;
use crate::accelerate::rounds;
use crate::accelerate::windows::Windows;
use crate::node::present::Present;

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
    pub(crate) windows: Windows,
    /// The program is in a region in which it is left alone.
    paused: AtomicBool,
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
            windows: Windows::new(),
            paused: AtomicBool::new(false),
        }
    }

    /// Bytes that are kept for later messages: buffers, plans, and layouts that no handle has at
    /// present. Bounded, and no leak.
    pub fn kept(&self) -> u64 {
        let bytes = self.pool.bytes() + self.plans.bytes() + self.layouts.idle_bytes();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// Puts that this process has left for their targets to take.
    pub fn put_aside(&self) -> u64 {
        self.neighbours.sharing().map_or(0, Present::posted)
    }

    /// Messages whose bytes this process has put into memory of another one.
    pub fn sent_beside(&self) -> u64 {
        self.neighbours.sent()
    }
}

impl<A: Abi> Accelerator<A> {
    /// Whether a message that is started now is left alone, and nobody counts it.
    #[inline]
    pub(crate) fn leaves_alone(&self) -> bool {
        self.is_paused() || rounds::is_left_alone() && !self.unseen().is_enabled()
    }

    /// Whether the program is in a region in which it is left alone. What was begun outside of it
    /// is ended as it was begun.
    #[inline]
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// A region of the program begins, in which it is left alone or not.
    pub(crate) fn pauses(&self, is_paused: bool) {
        self.paused.store(is_paused, Ordering::Relaxed);
    }
}

/// A layer has what those below it have.
impl<A: Abi> Deref for Accelerator<A> {
    type Target = Engine<A>;

    fn deref(&self) -> &Engine<A> {
        &self.engine
    }
}
