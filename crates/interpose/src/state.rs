//! [`Preload`]: all state of one preloaded library.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};

use commloom_choice::Model;
use commloom_mpi::{Abi, Mpi};
use commloom_plan::{PlanCache, Target};

use crate::callers::Callers;
use crate::config::Config;
use crate::layouts::Layouts;
use crate::measured::Measured;
use crate::pending::Pending;
use crate::pool::Pool;
use crate::record::Keyval;
use crate::recording::Recorder;
use crate::replace::Replace;
use crate::tally::Tally;

/// Memory of the plans that are kept for later messages.
const PLAN_BYTES: usize = 16 << 20;

/// The state behind the exported functions of one preload. Lives as a static.
pub struct Preload<A: Abi> {
    mpi: OnceLock<Mpi<A>>,
    config: OnceLock<Config>,
    /// Where a trace is wanted.
    pub(crate) recorder: OnceLock<Option<Recorder<A>>>,
    /// Where groups are replaced.
    pub(crate) replace: OnceLock<Replace<A>>,
    target: OnceLock<Target>,
    measured: OnceLock<Measured>,
    pub(crate) keyval: Keyval,
    /// Moves on whenever a handle may have changed its meaning: caches look at it.
    pub(crate) epoch: AtomicU64,
    pub(crate) pool: Pool,
    /// Who commits datatypes.
    pub(crate) callers: Callers,
    pub(crate) pending: Pending<A>,
    /// Handles of ours that nobody uses any more; freed outside MPI's callbacks.
    retired: Mutex<Vec<A::Datatype>>,
    pub(crate) layouts: Layouts<A>,
    /// Of messages in normal form: descriptions and counts that mean the same share one.
    pub(crate) plans: PlanCache,
    /// Messages of types of which nothing is known.
    unseen: OnceLock<Tally>,
    /// Failures of our own code that were contained.
    pub(crate) failures: AtomicU64,
    /// What is done before the library ends.
    pub(crate) finalizing: Once,
}

impl<A: Abi> Preload<A> {
    /// Without any state yet.
    #[must_use]
    pub const fn new() -> Self {
        Preload {
            mpi: OnceLock::new(),
            config: OnceLock::new(),
            recorder: OnceLock::new(),
            replace: OnceLock::new(),
            target: OnceLock::new(),
            measured: OnceLock::new(),
            keyval: Keyval::new(),
            epoch: AtomicU64::new(0),
            pool: Pool::new(),
            callers: Callers::new(),
            pending: Pending::new(),
            retired: Mutex::new(Vec::new()),
            layouts: Layouts::new(),
            plans: PlanCache::new(PLAN_BYTES),
            unseen: OnceLock::new(),
            failures: AtomicU64::new(0),
            finalizing: Once::new(),
        }
    }

    /// The MPI library behind us. Where there is none, nothing can be forwarded: the process ends
    /// with a message that says so.
    pub fn mpi(&self) -> &Mpi<A> {
        self.mpi.get_or_init(|| {
            // SAFETY: handles are passed through from the program, which answers for them; calls of
            // our own happen inside calls of the program, between its MPI_Init and MPI_Finalize.
            unsafe { Mpi::next() }.unwrap_or_else(|error| {
                eprintln!(
                    "commloom: the preloaded library for {} cannot work in this process: {error}\n\
                     commloom: start the program without it, or let `commloom exec` choose",
                    A::KIND
                );
                std::process::abort()
            })
        })
    }

    pub(crate) fn config(&self) -> &Config {
        self.config.get_or_init(Config::from_environment)
    }

    pub(crate) fn target(&self) -> &Target {
        self.target.get_or_init(commloom_pack::detect)
    }

    pub(crate) fn unseen(&self) -> &Tally {
        self.unseen.get_or_init(|| Tally::new(self.config().report.is_some()))
    }

    pub(crate) fn model(&self) -> &Model {
        &self.measured().model
    }

    /// What is known of the library, and from where.
    pub(crate) fn measured(&self) -> &Measured {
        self.measured.get_or_init(|| {
            let version = self.mpi().library_version().unwrap_or_default();
            Measured::of(A::KIND, &version, self.config())
        })
    }

    /// Bytes that are kept for later messages: buffers and plans. Bounded, and no leak.
    pub fn kept(&self) -> u64 {
        u64::try_from(self.pool.bytes() + self.plans.bytes()).unwrap_or(u64::MAX)
    }

    /// Runs our own code. `None` where it failed: then the caller leaves the call to the library.
    pub(crate) fn shield<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
        if result.is_none() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// Gives up a handle of ours. May be called inside a callback of the library. When that ends, all of
    /// them are freed already.
    pub(crate) fn retire(&self, datatype: A::Datatype) {
        if !self.finalizing.is_completed() {
            lock(&self.retired).push(datatype);
        }
    }

    /// Frees what was given up.
    pub(crate) fn free_retired(&self) {
        let retired = std::mem::take(&mut *lock(&self.retired));
        for datatype in retired {
            // A handle that MPI does not take back is lost, not worse.
            let _ = self.mpi().type_free(datatype);
        }
    }
}

impl<A: Abi> Default for Preload<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Locks. A panic of ours under a lock was contained and counted; the data are still used, because
/// every critical section leaves them consistent after each step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
