//! Where replacement begins: after `MPI_Init`, by all processes of `MPI_COMM_WORLD` together.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use commloom_guard::NAME;
use commloom_mpi::{Abi, Mpi};
use rustc_hash::FxHashMap;

use super::ballot::MAX_VOTERS;
use super::channels::Channels;
use super::comm::keyval;
use super::replacement::{Inner, Replace, Replacement};
use super::shared::Shared;
use crate::runtime::process::Runtime;

/// Where memory is shared.
const FOLDER: &str = "/dev/shm";

impl<A: Abi> Replacement<A> {
    /// The library is initialized, and nothing of the program's has been sent yet. Collective over
    /// `MPI_COMM_WORLD`: all of its processes have the same settings, as `commloom exec --replace`
    /// sees to.
    pub fn begin(&'static self, runtime: &'static Runtime<A>) {
        let config = runtime.config();
        let Some(settings) = config.replace.filter(|_| !config.off && config.trace.is_none())
        else {
            return;
        };
        // A tool behind us comes in once more as `PMPI_Init`.
        if self.get().is_some() {
            return;
        }
        let mpi = runtime.mpi();
        let Some((shared, world, keyval)) = common(mpi) else { return };
        let inner = Inner {
            comms: FxHashMap::default(),
            requests: FxHashMap::default(),
            messages: Vec::new(),
            serials: FxHashMap::default(),
            channels: Channels::default(),
            groups: Vec::new(),
            by_messages: FxHashMap::default(),
            by_requests: FxHashMap::default(),
            fresh: Vec::new(),
            told: FxHashMap::default(),
            turn: None,
        };
        let replace = Replace {
            runtime,
            mpi,
            gpus: &runtime.gpus,
            has_ended: AtomicBool::new(false),
            settings,
            shared,
            world,
            keyval,
            waiting: AtomicUsize::new(0),
            timing: AtomicBool::new(false),
            spent: AtomicU64::new(0),
            inner: Mutex::new(inner),
        };
        self.set(replace);
        self.identify(mpi.handles.comm_world);
    }
}

/// The memory, a communicator of our own, and a key for attributes; `None` at every process if one
/// of them lacks something.
fn common<A: Abi>(mpi: &'static Mpi<A>) -> Option<(Shared, A::Comm, c_int)> {
    let world = mpi.handles.comm_world;
    let mine = mpi.rank(world).ok()?;
    let size = u64::try_from(mpi.size(world).ok()?).ok()?;
    let mut message = [0_u8; NAME];
    let made = if mine == 0 { Shared::create(Path::new(FOLDER)).ok() } else { None };
    if let Some((_, shareable)) = &made {
        message = shareable.name;
    }
    let count = c_int::try_from(NAME).ok()?;
    let (at, byte) = (message.as_mut_ptr().cast(), mpi.handles.byte);
    // SAFETY: so many bytes can be written there; all processes are in this function.
    let code = unsafe { (mpi.own.bcast)(at, count, byte, 0, world) };
    mpi.check("MPI_Bcast", code).ok()?;
    let shared = match &made {
        Some((shared, _)) => Some(*shared),
        // Zeros are no name.
        None => Shared::open(Path::new(FOLDER), message).ok(),
    };
    // Two threads could vote at once, and run two operations on one communicator in another order
    // than elsewhere.
    let threads = mpi.query_thread().is_ok_and(|level| level != A::CONSTANTS.thread_multiple);
    let keyval = keyval(mpi);
    let possible = shared.is_some() && threads && keyval.is_some() && size <= MAX_VOTERS;
    let everywhere = everywhere(mpi, world, possible);
    // All have opened it: from here on it has no name.
    drop(made);
    if !everywhere {
        return None;
    }
    let mut own = mpi.handles.comm_null;
    // SAFETY: the place is writable; all processes are here.
    let code = unsafe { (mpi.own.comm_dup)(world, &raw mut own) };
    mpi.check("MPI_Comm_dup", code).ok()?;
    Some((shared?, own, keyval?))
}

/// Whether all processes say so. Collective.
fn everywhere<A: Abi>(mpi: &Mpi<A>, comm: A::Comm, mine: bool) -> bool {
    let (mine, mut all) = (c_int::from(mine), 0);
    let (Some(int), Some(min)) =
        (mpi.handles.datatype("MPI_INT"), mpi.handles.operation("MPI_MIN"))
    else {
        return false;
    };
    let (from, into) = ((&raw const mine).cast(), (&raw mut all).cast());
    // SAFETY: one number in each buffer; all processes are in this function.
    let code = unsafe { (mpi.own.allreduce)(from, into, 1, int, min, comm) };
    code == A::CONSTANTS.success && all == 1
}
