//! [`Runtime`]: what every layer needs of the process that it is in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use commloom_choice::Model;
use commloom_mpi::{Abi, Mpi};
use commloom_plan::Target;

use crate::runtime::callers::Callers;
use crate::runtime::config::Config;
use crate::runtime::floating::apart;
use crate::runtime::gpu::Gpus;
use crate::runtime::lives::Lives;
use crate::runtime::measured::Measured;
use crate::runtime::say;

/// The library behind us, the settings, and what both say of the machine.
pub struct Runtime<A: Abi> {
    mpi: OnceLock<Mpi<A>>,
    config: OnceLock<Config>,
    target: OnceLock<Target>,
    measured: OnceLock<Measured>,
    /// Which memory is not the processor's.
    pub(crate) gpus: Gpus,
    /// Who commits datatypes.
    pub(crate) callers: Callers,
    /// When the library lives.
    pub(crate) lives: Lives<A>,
    /// Failures of our own code that were contained.
    pub(crate) failures: AtomicU64,
}

impl<A: Abi> Runtime<A> {
    /// Nothing is known yet.
    pub(crate) const fn new() -> Self {
        Runtime {
            mpi: OnceLock::new(),
            config: OnceLock::new(),
            target: OnceLock::new(),
            measured: OnceLock::new(),
            gpus: Gpus::new(),
            callers: Callers::new(),
            lives: Lives::new(),
            failures: AtomicU64::new(0),
        }
    }

    /// The MPI library behind us. Where there is none, nothing can be forwarded: the process ends
    /// with a message that says so.
    pub fn mpi(&self) -> &Mpi<A> {
        self.mpi.get_or_init(|| {
            // SAFETY: handles are passed through from the program, which answers for them; calls
            // of our own happen inside calls of the program, between its MPI_Init and
            // MPI_Finalize.
            unsafe { Mpi::next() }.unwrap_or_else(|error| {
                if self.config().speaks() {
                    say::text(&format!(
                        "commloom: the preloaded library for {} cannot work in this process: \
                         {error}\n\
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

    pub(crate) fn model(&self) -> &Model {
        &self.measured().model
    }

    /// The model of the library, and where it is from.
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

    /// Whether this process says what all of them know: the first one, or each where there is
    /// none.
    pub(crate) fn speaks_for_all(&self) -> bool {
        if let Some(started) = self.config().started {
            return started.rank == 0;
        }
        let mpi = self.mpi();
        let is_running = mpi.initialized().unwrap_or(false) && !mpi.finalized().unwrap_or(true);
        !is_running || mpi.rank(mpi.handles.comm_world).is_ok_and(|rank| rank == 0)
    }

    /// Runs our own code. `None` where it failed: then the caller leaves the call to the library.
    pub(crate) fn shield<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let result = apart(|| catch_unwind(AssertUnwindSafe(work)).ok());
        if result.is_none() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        result
    }
}
