//! [`Recorder`]: what is known of the process that is recorded, and the way into a recorded call.

use std::cell::{Cell, OnceCell};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use commloom_layout::Type;
use commloom_mpi::Abi;
use commloom_trace::{Action, Communicator, Header, Site};
use rustc_hash::FxHashMap;

use super::attention::Attention;
use super::caller::Arrival;
use super::contents::Contents;
use super::held::Held;
use super::layout::Layout;
use super::numbers::Seed;
use super::output::Output;
use super::requests::{Probed, Requests};
use super::watch::Watch;
use crate::runtime::at_exit::{self, Ends};
use crate::runtime::callers::Place;
use crate::runtime::config::Trace;
use crate::runtime::files::FileLayer;
use crate::runtime::process::Runtime;
use crate::runtime::sync::lock;

/// Records one process.
pub struct Recorder<A: Abi> {
    pub(super) runtime: &'static Runtime<A>,
    pub(super) settings: Trace,
    /// Nothing more is recorded.
    pub(super) ended: AtomicBool,
    /// Whether the program is where it is recorded.
    pub(super) active: AtomicBool,
    /// Requests that stand for something.
    pub(super) pending: AtomicUsize,
    /// Messages have come, and the program may have added them to something.
    pub(super) watches: AtomicBool,
    pub(super) keyvals: OnceLock<Keyvals>,
    pub(super) inner: OnceLock<Mutex<Inner<A>>>,
}

/// The state behind the lock.
pub(crate) struct Inner<A: Abi> {
    pub(super) output: Output,
    pub(super) requests: Requests<A>,
    /// Messages that a probe has found.
    pub(super) messages: FxHashMap<A::Message, Probed>,
    pub(super) comms: FxHashMap<A::Comm, Arc<Communicator>>,
    /// Communicators that were made, and not looked at yet.
    pub(super) promised: FxHashMap<A::Comm, Seed>,
    /// How many were made alike.
    pub(super) made: FxHashMap<(Seed, u64), u64>,
    /// Communicators of which is not known how they were made.
    pub(super) unknown: u64,
    pub(super) datatypes: FxHashMap<A::Datatype, Arc<Layout>>,
    pub(super) layouts: FxHashMap<Type, Arc<Layout>>,
    pub(super) names: FxHashMap<&'static str, Arc<str>>,
    /// By return address; `None` for those within the MPI library, as for its Fortran functions.
    pub(super) sites: FxHashMap<usize, Option<Arc<Site>>>,
    pub(super) contents: Contents,
    pub(super) attention: Attention,
    pub(super) held: Held,
    pub(super) watch: Watch,
    /// Processes in the world.
    pub(super) ranks: usize,
    /// The thread that made the first call.
    thread: usize,
    /// Whether another one has made one.
    has_threads: bool,
    pub(super) scratch: Vec<u8>,
}

impl<A: Abi> Ends for Recorder<A> {
    /// Writes what is not written yet. Another thread may still be in a call: then its events are
    /// lost.
    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        if let Some(Ok(mut inner)) = self.inner.get().map(Mutex::try_lock) {
            inner.turn_ends(None);
            inner.output.end();
        }
    }
}

thread_local! {
    /// A recorded call of this thread is under way.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A number that no other thread has while this one lives.
fn thread() -> usize {
    INSIDE.try_with(|inside| std::ptr::from_ref(inside).addr()).unwrap_or_default()
}

/// A call of the program that is recorded.
pub(crate) struct Inside<A: Abi> {
    pub runtime: &'static Runtime<A>,
    pub recorder: &'static Recorder<A>,
    /// Whether new operations are recorded here. The others are completed all the same.
    pub active: bool,
    /// Where the call returns to.
    caller: Option<usize>,
    /// Where the stack of the program ends.
    stack: u64,
    /// Who called, once that was asked.
    site: OnceCell<Option<Arc<Site>>>,
}

impl<A: Abi> Drop for Inside<A> {
    fn drop(&mut self) {
        let _ = INSIDE.try_with(|inside| inside.set(false));
    }
}

impl<A: Abi> Recorder<A> {
    /// Lets a call of the program in; `None` where nothing of it is recorded.
    pub(crate) fn enter(&'static self) -> Option<Inside<A>> {
        let Arrival { caller, stack } = Arrival::here();
        if self.ended.load(Ordering::Acquire) || at_exit::is_forked() {
            return None;
        }
        if INSIDE.try_with(|inside| inside.replace(true)).unwrap_or(true) {
            return None;
        }
        let active = self.active.load(Ordering::Relaxed);
        let (runtime, site) = (self.runtime, OnceCell::new());
        let inside = Inside { runtime, recorder: self, active, caller, stack, site };
        if self.inner.get().is_none() && runtime.shield(|| self.open()).flatten().is_none() {
            return None;
        }
        if self.watches.load(Ordering::Acquire) {
            inside.looks();
        }
        Some(inside)
    }

    /// The same for calls that make new operations.
    pub(super) fn enter_active(&'static self) -> Option<Inside<A>> {
        self.enter().filter(|inside| inside.active)
    }
}

impl<A: Abi> Recorder<A> {
    pub(crate) fn new(runtime: &'static Runtime<A>, settings: Trace) -> Recorder<A> {
        let active = AtomicBool::new(!settings.regions);
        Recorder {
            runtime,
            settings,
            ended: AtomicBool::new(false),
            active,
            pending: AtomicUsize::new(0),
            watches: AtomicBool::new(false),
            keyvals: OnceLock::new(),
            inner: OnceLock::new(),
        }
    }

    /// Makes the file; `None` where MPI is not initialized.
    fn open(&'static self) -> Option<()> {
        let mpi = self.runtime.mpi();
        if !mpi.initialized().unwrap_or(false) || mpi.finalized().unwrap_or(true) {
            return None;
        }
        let world = mpi.handles.comm_world;
        let number = |n: i32| u32::try_from(n).ok();
        let (rank, ranks) = (number(mpi.rank(world).ok()?)?, number(mpi.size(world).ok()?)?);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let program = std::env::current_exe().unwrap_or_default();
        let library = mpi.library_version().unwrap_or_default();
        let header = Header {
            rank,
            ranks,
            program: program.to_string_lossy().into_owned(),
            library: library.lines().next().unwrap_or_default().to_owned(),
            started: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
        };
        self.keyvals.get_or_init(|| Keyvals::new(self));
        let speaks = self.runtime.config().speaks_here();
        let mut is_new = false;
        self.inner.get_or_init(|| {
            is_new = true;
            Mutex::new(Inner {
                output: Output::new(&self.settings.folder, &header, self.settings.limit, speaks),
                requests: Requests::default(),
                messages: FxHashMap::default(),
                comms: FxHashMap::default(),
                promised: FxHashMap::default(),
                made: FxHashMap::default(),
                unknown: 0,
                datatypes: FxHashMap::default(),
                layouts: FxHashMap::default(),
                names: FxHashMap::default(),
                sites: FxHashMap::default(),
                // A quarter is for pictures of memory.
                contents: Contents::new(self.settings.memory / 4 * 3),
                attention: Attention::new(self.settings.all_content),
                held: Held::new(self.settings.memory > 0),
                watch: Watch::new(rank, self.settings.memory / 4),
                ranks: usize::try_from(ranks).unwrap_or(usize::MAX),
                thread: thread(),
                has_threads: false,
                scratch: Vec::new(),
            })
        });
        if is_new {
            at_exit::add(self);
        }
        Some(())
    }
}

impl<A: Abi> Inside<A> {
    pub(super) fn lock(&self) -> Locked<'_, A> {
        // It is there: `enter` has made it.
        let inner = self.recorder.inner.get().expect("a recorder that was opened");
        let mut inner = lock(inner);
        inner.watch.stack = self.stack;
        Locked { recorder: self.recorder, inner }
    }

    /// Our own work. `None` where it failed, or where there was nothing to do.
    pub(super) fn shield<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        self.runtime.shield(work).flatten()
    }

    /// Who called.
    pub(super) fn site(&self) -> Option<Arc<Site>> {
        let found = || self.caller.and_then(|address| self.site_at(address));
        self.site.get_or_init(|| found().or_else(|| self.site_on_stack())).clone()
    }

    fn site_at(&self, address: usize) -> Option<Arc<Site>> {
        if let Some(known) = self.lock().sites.get(&address) {
            return known.clone();
        }
        let site = self.runtime.callers.place(address).map(site);
        self.lock().sites.insert(address, site.clone());
        site
    }

    /// The first frame that is neither ours nor the MPI library's.
    fn site_on_stack(&self) -> Option<Arc<Site>> {
        let (address, place) = self.runtime.callers.frame()?;
        self.lock().sites.entry(address).or_insert_with(|| Some(site(place))).clone()
    }
}

fn site(place: Place) -> Arc<Site> {
    Arc::new(Site { module: place.module.to_string(), offset: place.offset })
}

/// The lock. When it goes, the recorder knows whether there is anything more to do.
pub(super) struct Locked<'r, A: Abi> {
    recorder: &'r Recorder<A>,
    inner: MutexGuard<'r, Inner<A>>,
}

impl<A: Abi> std::ops::Deref for Locked<'_, A> {
    type Target = Inner<A>;

    fn deref(&self) -> &Inner<A> {
        &self.inner
    }
}

impl<A: Abi> std::ops::DerefMut for Locked<'_, A> {
    fn deref_mut(&mut self) -> &mut Inner<A> {
        &mut self.inner
    }
}

impl<A: Abi> Drop for Locked<'_, A> {
    fn drop(&mut self) {
        self.recorder.pending.store(self.inner.requests.len(), Ordering::Release);
        self.recorder.watches.store(self.inner.watch.is_armed(), Ordering::Release);
        if !self.inner.output.is_open() {
            self.recorder.ended.store(true, Ordering::Release);
        }
    }
}

impl<A: Abi> Inner<A> {
    /// Records an event; its number.
    pub(super) fn push(&mut self, site: Option<Arc<Site>>, action: Action) -> Option<u64> {
        if !self.has_threads && self.thread != thread() {
            self.has_threads = true;
            self.output.push(None, Action::Threads);
        }
        self.output.push(site, action)
    }

    /// A text that events share.
    pub(super) fn name(&mut self, name: &'static str) -> Arc<str> {
        self.names.entry(name).or_insert_with(|| name.into()).clone()
    }
}

/// Attribute keys of this recorder; `None` where the library makes none: then nothing is
/// remembered.
pub(crate) struct Keyvals {
    pub comm: Option<c_int>,
    pub datatype: Option<c_int>,
}

impl<A: Abi> Recorder<A> {
    /// Runs in a callback of the library, which has freed something.
    pub(super) fn forget(&self, what: impl FnOnce(&mut Inner<A>)) {
        self.runtime.shield(|| {
            if let Some(inner) = self.inner.get() {
                what(&mut lock(inner));
            }
        });
    }
}

/// Accesses to files are not recorded.
impl<A: Abi> FileLayer<A> for &'static Recorder<A> {}
