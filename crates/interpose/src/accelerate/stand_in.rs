//! [`StandIn`]: a persistent request that is started in the place of the program's.

use std::sync::{Arc, Mutex};

use commloom_mpi::Abi;

use crate::accelerate::engine::Engine;
use crate::accelerate::persistent::Persistent;
use crate::runtime::sync::lock;

/// A persistent request of ours.
pub(crate) struct StandIn<A: Abi> {
    request: Mutex<A::Request>,
    /// `None`: an equivalent datatype in the program's buffer.
    moved: Option<Arc<Persistent<A>>>,
}

impl<A: Abi> StandIn<A> {
    /// Of a request that was just made. Where nothing is moved, it has an equivalent datatype in
    /// the program's buffer.
    pub fn new(request: A::Request, moved: Option<Arc<Persistent<A>>>) -> Self {
        StandIn { request: Mutex::new(request), moved }
    }

    pub fn request(&self) -> A::Request {
        *lock(&self.request)
    }

    /// The library has given it this handle.
    pub fn is_now(&self, request: A::Request) {
        *lock(&self.request) = request;
    }

    /// Its record, where it has a buffer of ours.
    pub fn moved(&self) -> Option<&Arc<Persistent<A>>> {
        self.moved.as_ref()
    }

    /// Whether it can be started now: packs what it sends.
    ///
    /// # Safety
    /// As for `MPI_Start`.
    pub unsafe fn prepare(&self) -> bool {
        let Some(moved) = &self.moved else { return true };
        // SAFETY: the caller's promise.
        let prepared = unsafe { moved.start() }.is_some();
        if !prepared {
            moved.not_started();
        }
        prepared
    }

    /// Frees it. `engine` gets the buffer back.
    pub fn free(&self, engine: &Engine<A>) {
        let mut request = self.request();
        // SAFETY: a request of ours that is inactive, and nobody uses the handle afterwards.
        unsafe { (engine.mpi().own.request_free)(&raw mut request) };
        if let Some(moved) = &self.moved {
            moved.done(engine);
        }
    }
}
