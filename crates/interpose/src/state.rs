//! [`Preload`]: all state of one preloaded library.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};

use commloom_choice::Model;
use commloom_mpi::{Abi, AbiKind, Mpi};
use commloom_plan::{PlanCache, Target};

use crate::callers::Callers;
use crate::config::Config;
use crate::gpu::Gpus;
use crate::incoming::When;
use crate::layouts::Layouts;
use crate::lives::Lives;
use crate::made::MadeTypes;
use crate::measured::Measured;
use crate::pending::Pending;
use crate::pool::Pool;
use crate::record::Keyval;
use crate::recording::Recorder;
use crate::replace::Replace;
use crate::say;
use crate::tally::Tally;

/// Memory of the plans that are kept for later messages.
const PLAN_BYTES: usize = 2 << 20;

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
    /// Which memory is not the processor's.
    pub(crate) gpus: Gpus,
    /// Who commits datatypes.
    pub(crate) callers: Callers,
    pub(crate) pending: Pending<A>,
    /// Datatypes of ours.
    pub(crate) made: MadeTypes<A>,
    /// When the library lives.
    pub(crate) lives: Lives<A>,
    pub(crate) layouts: Layouts<A>,
    /// Of messages in normal form: descriptions and counts that mean the same share one.
    pub(crate) plans: PlanCache,
    /// Messages of types of which nothing is known.
    unseen: OnceLock<Tally>,
    /// Failures of our own code that were contained.
    pub(crate) failures: AtomicU64,
    /// Messages of the last report for all ranks.
    pub(crate) reported: OnceLock<u64>,
    /// This process will write a report of its own.
    pub(crate) own_report: Once,
    /// What the library says of itself, for that.
    pub(crate) version: OnceLock<String>,
    /// What is said when the library begins.
    pub(crate) beginning: Once,
    pub(crate) alone: Once,
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
            gpus: Gpus::new(),
            callers: Callers::new(),
            pending: Pending::new(),
            made: MadeTypes::new(),
            lives: Lives::new(),
            layouts: Layouts::new(),
            plans: PlanCache::new(PLAN_BYTES),
            unseen: OnceLock::new(),
            failures: AtomicU64::new(0),
            reported: OnceLock::new(),
            own_report: Once::new(),
            version: OnceLock::new(),
            beginning: Once::new(),
            alone: Once::new(),
        }
    }

    /// The MPI library behind us. Where there is none, nothing can be forwarded: the process ends
    /// with a message that says so.
    pub fn mpi(&self) -> &Mpi<A> {
        self.mpi.get_or_init(|| {
            // SAFETY: handles are passed through from the program, which answers for them; calls of
            // our own happen inside calls of the program, between its MPI_Init and MPI_Finalize.
            unsafe { Mpi::next() }.unwrap_or_else(|error| {
                if self.config().speaks() {
                    say::text(&format!(
                        "commloom: the preloaded library for {} cannot work in this process: {error}\n\
                         commloom: start the program without it, or let `commloom exec` choose\n",
                        A::KIND
                    ));
                }
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
            let measured = Measured::of(A::KIND, &version, self.config());
            if let Some(refused) = &measured.refused
                && self.speaks_for_all()
            {
                say::text(&format!("commloom: {refused}; times of messages are built in\n"));
            }
            measured
        })
    }

    /// The error class of a receive whose message ends inside a basic element; `None` where that is no error. It is asked
    /// after such a message only.
    pub(crate) fn error_inside_element(&self, when: When) -> Option<c_int> {
        let version = self.mpi().library_version().unwrap_or_default();
        match A::KIND {
            _ if version.contains("Open MPI") => None,
            AbiKind::OpenMpi => None,
            _ if version.contains("Intel") && when == When::InCall => Some(A::CONSTANTS.err_type),
            AbiKind::Mpich | AbiKind::Standard => Some(A::CONSTANTS.err_truncate),
        }
    }

    /// Whether this process says what all of them know: the first one, or each where there is none.
    pub(crate) fn speaks_for_all(&self) -> bool {
        if let Some(started) = self.config().started {
            return started.rank == 0;
        }
        let mpi = self.mpi();
        let is_running = mpi.initialized().unwrap_or(false) && !mpi.finalized().unwrap_or(true);
        !is_running || mpi.rank(mpi.handles.comm_world).is_ok_and(|rank| rank == 0)
    }

    /// Bytes that are kept for later messages: buffers, plans, and layouts that no handle has at present.
    /// Bounded, and no leak.
    pub fn kept(&self) -> u64 {
        let bytes = self.pool.bytes() + self.plans.bytes() + self.layouts.idle_bytes();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// Runs our own code. `None` where it failed: then the caller leaves the call to the library.
    pub(crate) fn shield<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
        if result.is_none() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        result
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
