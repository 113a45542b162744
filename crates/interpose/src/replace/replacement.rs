//! The state of [`Replacement`], and what every call of the program tells it.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use commloom_mpi::{Abi, Mpi};
use rustc_hash::FxHashMap;

use super::channels::{Channel, Channels, Way, Wild};
use super::comm::Comm;
use super::group::Reason;
use super::message::{Brings, Known, Message, message};
use super::runnable::RunnableGroup;
use super::shared::Shared;
use crate::runtime::calls::{Envelope, MessageData};
use crate::runtime::config::Replace as Settings;
use crate::runtime::count::CallCount;
use crate::runtime::gpu::Gpus;
use crate::runtime::process::Runtime;
use crate::runtime::sync::lock;

/// Messages that are remembered: past that, requests belong to no group.
const MESSAGES: usize = 1 << 16;

/// Everything that is known where groups are replaced.
pub(crate) struct Replace<A: Abi> {
    pub(super) runtime: &'static Runtime<A>,
    pub(super) mpi: &'static Mpi<A>,
    pub(super) gpus: &'static Gpus,
    /// `MPI_Finalize` was called. Sessions may go on, without any of this.
    pub(super) has_ended: AtomicBool,
    pub(super) settings: Settings,
    pub(super) shared: Shared,
    /// A duplicate of `MPI_COMM_WORLD`, for communicators of our own.
    pub(super) world: A::Comm,
    /// The key under which a communicator has its number.
    pub(super) keyval: c_int,
    /// Replaced requests whose completion the program does not know yet; read without the lock.
    pub(super) waiting: AtomicUsize,
    /// Whether calls of completion are timed.
    pub(super) timing: AtomicBool,
    /// Time of starting and completing since the group in trial was started, in nanoseconds.
    pub(super) spent: AtomicU64,
    pub(super) inner: Mutex<Inner<A>>,
}

/// The state behind the lock, which is not held during a call of the library.
pub(super) struct Inner<A: Abi> {
    pub comms: FxHashMap<usize, Comm<A>>,
    pub requests: FxHashMap<A::Request, Known>,
    pub messages: Vec<Message>,
    pub serials: FxHashMap<Message, usize>,
    pub channels: Channels,
    pub groups: Vec<RunnableGroup<A>>,
    /// By the messages, in the order of the call. `None`: they can be no group.
    pub by_messages: FxHashMap<Vec<usize>, Option<usize>>,
    /// The same by the requests: only a short cut, forgotten when one is made or freed.
    pub by_requests: FxHashMap<Box<[A::Request]>, usize>,
    /// Replaced, and not told yet: what the last call has started, as long as nobody has asked for
    /// a part of it.
    pub fresh: Vec<A::Request>,
    /// The others.
    pub told: FxHashMap<A::Request, Brings>,
    /// The group in trial, and how many others were started since it was.
    pub turn: Option<(usize, u32)>,
}

/// The layer that replaces groups of persistent requests. Where that was not asked for, or is not
/// possible, it is empty.
pub(crate) struct Replacement<A: Abi>(OnceLock<Replace<A>>);

impl<A: Abi> Replacement<A> {
    pub const fn new() -> Self {
        Replacement(OnceLock::new())
    }

    /// The state of replacement, where it was asked for and is possible.
    #[inline]
    pub(super) fn get(&'static self) -> Option<&'static Replace<A>> {
        self.even_over().filter(|replace| !replace.has_ended.load(Ordering::Acquire))
    }

    /// The same after `MPI_Finalize`.
    pub(super) fn even_over(&self) -> Option<&Replace<A>> {
        self.0.get()
    }

    /// From now on groups are replaced.
    pub(super) fn set(&self, replace: Replace<A>) {
        let _ = self.0.set(replace);
    }

    /// Messages of no group use this channel.
    #[inline]
    pub(crate) fn uses(&'static self, way: Way, envelope: Envelope<A>) {
        if let Some(replace) = self.get() {
            replace.runtime.shield(|| replace.uses(way, envelope));
        }
    }

    /// The program has made a persistent request.
    pub(crate) fn prepares<N: CallCount>(
        &'static self,
        way: Way,
        data: MessageData<A, N>,
        envelope: Envelope<A>,
        (code, request): (c_int, *const A::Request),
    ) {
        if let Some(replace) = self.get()
            && code == A::CONSTANTS.success
        {
            replace.runtime.shield(|| {
                // SAFETY: the library has written it.
                let request = unsafe { *request };
                replace.prepares(way, data, envelope, request);
            });
        }
    }

    /// The program frees a request.
    pub(crate) fn forgets(&'static self, request: A::Request) {
        if let Some(replace) = self.get() {
            replace.forgets(request);
        }
    }
}

/// Where a message goes, or from where one is taken.
enum Place {
    One(Channel),
    Several(Wild),
}

impl<A: Abi> Replace<A> {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<A>> {
        lock(&self.inner)
    }

    /// `None` where nothing on the communicator is ever replaced.
    fn place(&self, way: Way, envelope: Envelope<A>) -> Option<Place> {
        let Envelope { rank: peer, tag, comm } = envelope;
        let comm = self.number(comm)?;
        let (any_source, any_tag) = (A::CONSTANTS.any_source, A::CONSTANTS.any_tag);
        let is_wild = way == Way::In && (peer == any_source || tag == any_tag);
        Some(match is_wild && peer != A::CONSTANTS.proc_null {
            true => Place::Several(Wild {
                comm,
                source: (peer != any_source).then_some(peer),
                tag: (tag != any_tag).then_some(tag),
            }),
            false => Place::One(Channel { comm, way, peer, tag }),
        })
    }

    fn uses(&self, way: Way, envelope: Envelope<A>) {
        if envelope.rank == A::CONSTANTS.proc_null {
            return;
        }
        match self.place(way, envelope) {
            Some(Place::One(channel)) => self.lock().uses(channel),
            Some(Place::Several(wild)) => self.lock().uses_wildly(wild),
            None => {}
        }
    }

    fn prepares<N: CallCount>(
        &self,
        way: Way,
        data: MessageData<A, N>,
        envelope: Envelope<A>,
        request: A::Request,
    ) {
        let known = match self.place(way, envelope) {
            None => None,
            Some(Place::Several(wild)) => Some(Known::Wild(wild)),
            Some(Place::One(channel)) => {
                let message = message(self.mpi, channel, data)
                    .filter(|message| !message.is_of_gpu(self.gpus));
                Some(self.lock().known(channel, message))
            }
        };
        let mut inner = self.lock();
        inner.by_requests.clear();
        match known {
            Some(known) => inner.requests.insert(request, known),
            None => inner.requests.remove(&request),
        };
    }

    pub(super) fn nanoseconds(&self) -> Duration {
        Duration::from_nanos(self.spent.swap(0, Ordering::Relaxed))
    }
}

impl<A: Abi> Inner<A> {
    pub(super) fn uses(&mut self, channel: Channel) {
        if let Some(group) = self.channels.used(channel) {
            self.spoil(group);
        }
    }

    pub(super) fn uses_wildly(&mut self, wild: Wild) {
        for group in self.channels.used_wildly(wild) {
            self.spoil(group);
        }
    }

    fn spoil(&mut self, group: usize) {
        if let Some(exchange) = self.groups.get_mut(group) {
            exchange.group.leave(Reason::Shared);
        }
    }

    /// A message, by its number.
    fn known(&mut self, channel: Channel, message: Option<Message>) -> Known {
        let Some(message) = message else { return Known::Other(channel) };
        let brings = message.brings();
        if let Some(serial) = self.serials.get(&message) {
            return Known::Message(*serial, brings);
        }
        let serial = self.messages.len();
        if serial == MESSAGES || message.step().is_none() {
            return Known::Other(channel);
        }
        self.messages.push(message.clone());
        self.serials.insert(message, serial);
        Known::Message(serial, brings)
    }
}
