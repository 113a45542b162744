//! Where replacement begins: after `MPI_Init`, by all processes of `MPI_COMM_WORLD` together.

use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::{SystemTime, UNIX_EPOCH};

use commloom_mpi::{Abi, Mpi};
use rustc_hash::FxHashMap;

use super::ballot::MAX_VOTERS;
use super::channels::Channels;
use super::region::Regions;
use super::shared::Shared;
use super::{Inner, Replace};
use crate::state::Preload;

/// Where memory is shared.
const FOLDER: &str = "/dev/shm";
/// Bytes of the message that tells where it is: a stamp, and the process that made it.
const MESSAGE: usize = 16;

impl<A: Abi> Preload<A> {
    /// The library is initialized, and nothing of the program's has been sent yet. Collective over `MPI_COMM_WORLD`: all of
    /// its processes have the same settings, as `commloom exec --replace` sees to.
    pub(crate) fn begin_to_replace(&'static self) {
        let config = self.config();
        let Some(settings) = config.replace.filter(|_| !config.off && config.trace.is_none())
        else {
            return;
        };
        // A tool behind us comes in once more as `PMPI_Init`.
        if self.replace().is_some() {
            return;
        }
        let mpi = self.mpi();
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
            regions: Regions::default(),
            world: None,
        };
        let replace = Replace {
            mpi,
            settings,
            shared,
            world,
            keyval,
            waiting: AtomicUsize::new(0),
            timing: AtomicBool::new(false),
            spent: AtomicU64::new(0),
            in_region: AtomicBool::new(false),
            inner: Mutex::new(inner),
        };
        let _ = self.replace.set(replace);
        self.identify(mpi.handles.comm_world);
    }
}

/// The memory, a communicator of our own, and a key for attributes; `None` at every process if one of them lacks something.
fn common<A: Abi>(mpi: &'static Mpi<A>) -> Option<(Shared, A::Comm, c_int)> {
    let world = mpi.handles.comm_world;
    let mine = mpi.rank(world).ok()?;
    let size = u64::try_from(mpi.size(world).ok()?).ok()?;
    let mut message = [0_u8; MESSAGE];
    let mut made: Option<(PathBuf, Option<Shared>)> = None;
    if mine == 0 {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let stamp = u64::try_from(since_1970.as_nanos() % (1 << 63)).unwrap_or(0) | 1;
        let process = u64::from(std::process::id());
        message[..8].copy_from_slice(&stamp.to_ne_bytes());
        message[8..].copy_from_slice(&process.to_ne_bytes());
        let path = path(stamp, process);
        let shared = Shared::create(&path, stamp).ok();
        made = Some((path, shared));
    }
    let count = c_int::try_from(MESSAGE).ok()?;
    let (at, byte) = (message.as_mut_ptr().cast(), mpi.handles.byte);
    // SAFETY: so many bytes can be written there; all processes are in this function.
    let code = unsafe { (mpi.own.bcast)(at, count, byte, 0, world) };
    mpi.check("MPI_Bcast", code).ok()?;
    let (stamp, process) = message.split_at(8);
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
    let shared = match &made {
        Some((_, shared)) => *shared,
        None => Shared::open(&path(number(stamp), number(process)), number(stamp)).ok(),
    };
    // Two threads could vote at once, and run two operations on one communicator in another order than elsewhere.
    let threads = mpi.query_thread().is_ok_and(|level| level != A::CONSTANTS.thread_multiple);
    let keyval = super::communicators::keyval(mpi);
    let possible = shared.is_some() && threads && keyval.is_some() && size <= MAX_VOTERS;
    let everywhere = everywhere(mpi, world, possible);
    if let Some((path, _)) = made {
        // All have opened it. A name that stays is a small file, not worse.
        let _ = std::fs::remove_file(path);
    }
    if !everywhere {
        return None;
    }
    let mut own = mpi.handles.comm_null;
    // SAFETY: the place is writable; all processes are here.
    let code = unsafe { (mpi.own.comm_dup)(world, &raw mut own) };
    mpi.check("MPI_Comm_dup", code).ok()?;
    Some((shared?, own, keyval?))
}

fn path(stamp: u64, process: u64) -> PathBuf {
    Path::new(FOLDER).join(format!("commloom-{process}-{stamp:x}"))
}

/// Whether all processes say so. Collective.
pub(super) fn everywhere<A: Abi>(mpi: &Mpi<A>, comm: A::Comm, mine: bool) -> bool {
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
