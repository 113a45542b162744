//! Replaces the messages of persistent requests by collective operations while the program runs, where that was asked for
//! (`COMMLOOM_REPLACE`). What is replaced and why that is safe: docs/replace.md.
//!
//! ```text
//! MPI_Init        ─► shared: memory that all processes map        communicators: numbers for communicators
//! MPI_Send_init.. ─► message: what it says, once and for all      channels: who uses which peers and tags
//! MPI_Startall    ─► start: the group ─ group: what now? ─► ballot: do all do the same? ─► commgraph, on MPI
//!                        └─ no ─► the library, as the program has it
//! MPI_Wait, ...   ─► told: requests that were replaced are complete, and say so
//! ```
//!
//! A group is what one `MPI_Startall` starts. Everything happens inside that call: either all processes of the
//! communicator are in theirs at the same time, and then all of them run the collective operation there; or the
//! messages go as the program has them, at once. Nothing is held back.

mod ballot;
mod channels;
mod communicators;
mod group;
mod message;
mod open;
mod region;
mod report;
mod shared;
mod start;
mod told;

use std::ffi::{c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use commloom_mpi::{Abi, Mpi};
use rustc_hash::FxHashMap;

use crate::config::Replace as Settings;
use crate::gpu::Gpus;
use crate::state::{Preload, lock};
use channels::{Channel, Channels, Owner, Wild};
use communicators::Comm;
use group::Reason;
use message::{Brings, Known, Message, message};
use region::Regions;
use shared::Shared;
use start::Exchange;

pub(crate) use channels::Way;
pub(crate) use region::{Expected, Sends, Waits};
pub(crate) use told::stop;

/// Messages that are remembered: past that, requests belong to no group.
const MESSAGES: usize = 1 << 16;

/// Everything that is known where groups are replaced.
pub(crate) struct Replace<A: Abi> {
    mpi: &'static Mpi<A>,
    gpus: &'static Gpus,
    /// `MPI_Finalize` was called. Sessions may go on, without any of this.
    has_ended: AtomicBool,
    settings: Settings,
    shared: Shared,
    /// A duplicate of `MPI_COMM_WORLD`, for communicators of our own.
    world: A::Comm,
    /// The key under which a communicator has its number.
    keyval: c_int,
    /// Replaced requests whose completion the program does not know yet; read without the lock.
    waiting: AtomicUsize,
    /// Whether calls of completion are timed.
    timing: AtomicBool,
    /// What starting and completing took since the group in trial was started, in nanoseconds.
    spent: AtomicU64,
    /// Whether the calls of a region are followed; read without the lock.
    in_region: AtomicBool,
    inner: Mutex<Inner<A>>,
}

/// What the lock guards. It is not held during a call of the library.
struct Inner<A: Abi> {
    comms: FxHashMap<usize, Comm<A>>,
    requests: FxHashMap<A::Request, Known>,
    messages: Vec<Message>,
    serials: FxHashMap<Message, usize>,
    channels: Channels,
    groups: Vec<Exchange<A>>,
    /// By the messages, in the order of the call. `None`: they can be no group.
    by_messages: FxHashMap<Vec<usize>, Option<usize>>,
    /// The same by the requests: only a short cut, forgotten when one is made or freed.
    by_requests: FxHashMap<Box<[A::Request]>, usize>,
    /// Replaced, and not told yet: what the last call has started, as long as nobody has asked for a part of it.
    fresh: Vec<A::Request>,
    /// The others.
    told: FxHashMap<A::Request, Brings>,
    /// The group in trial, and how many others were started since it was.
    turn: Option<(usize, u32)>,
    regions: Regions<A>,
    /// The number of `MPI_COMM_WORLD`.
    world: Option<usize>,
}

impl<A: Abi> Preload<A> {
    /// The state of replacement, where it was asked for and is possible.
    #[inline]
    pub(crate) fn replace(&'static self) -> Option<&'static Replace<A>> {
        self.replace.get().filter(|replace| !replace.has_ended.load(Ordering::Acquire))
    }

    /// Messages of no group use this channel.
    #[inline]
    pub(crate) fn uses(&'static self, way: Way, comm: A::Comm, peer: c_int, tag: c_int) {
        if let Some(replace) = self.replace() {
            self.shield(|| replace.uses(way, comm, peer, tag));
        }
    }

    /// The program has made a persistent request.
    pub(crate) fn prepares<N: crate::count::CallCount>(
        &'static self,
        way: Way,
        (buffer, count, datatype): (*const c_void, N, A::Datatype),
        (comm, peer, tag): (A::Comm, c_int, c_int),
        (code, request): (c_int, *const A::Request),
    ) {
        if let Some(replace) = self.replace()
            && code == A::CONSTANTS.success
        {
            self.shield(|| {
                // SAFETY: the library has written it.
                let request = unsafe { *request };
                replace.prepares(way, (buffer, count.wide(), datatype), (comm, peer, tag), request);
            });
        }
    }

    /// The program frees a request.
    pub(crate) fn forgets(&'static self, request: A::Request) {
        if let Some(replace) = self.replace() {
            replace.tell(request);
            let mut inner = replace.lock();
            inner.requests.remove(&request);
            inner.by_requests.clear();
        }
    }
}

/// Where a message goes, or from where one is taken.
enum Place {
    One(Channel),
    Several(Wild),
}

impl<A: Abi> Replace<A> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner<A>> {
        lock(&self.inner)
    }

    /// `None` where nothing on the communicator is ever replaced.
    fn place(&self, way: Way, comm: A::Comm, peer: c_int, tag: c_int) -> Option<Place> {
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

    fn uses(&self, way: Way, comm: A::Comm, peer: c_int, tag: c_int) {
        if peer == A::CONSTANTS.proc_null {
            return;
        }
        match self.place(way, comm, peer, tag) {
            Some(Place::One(channel)) => self.lock().uses(channel),
            Some(Place::Several(wild)) => self.lock().uses_wildly(wild),
            None => {}
        }
    }

    fn prepares(
        &self,
        way: Way,
        (buffer, count, datatype): (*const c_void, i64, A::Datatype),
        (comm, peer, tag): (A::Comm, c_int, c_int),
        request: A::Request,
    ) {
        let known = match self.place(way, comm, peer, tag) {
            None => None,
            Some(Place::Several(wild)) => Some(Known::Wild(wild)),
            Some(Place::One(channel)) => {
                let message = message(self.mpi, channel, buffer, count, datatype)
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

    fn nanoseconds(&self) -> Duration {
        Duration::from_nanos(self.spent.swap(0, Ordering::Relaxed))
    }
}

impl<A: Abi> Inner<A> {
    fn uses(&mut self, channel: Channel) {
        if let Some(owner) = self.channels.used(channel) {
            self.spoil(owner);
        }
    }

    fn uses_wildly(&mut self, wild: Wild) {
        for owner in self.channels.used_wildly(wild) {
            self.spoil(owner);
        }
    }

    fn spoil(&mut self, owner: Owner) {
        match owner {
            Owner::Group(group) => {
                if let Some(exchange) = self.groups.get_mut(group) {
                    exchange.group.leave(Reason::Shared);
                }
            }
            Owner::Region(region) => self.leave(region, Reason::Shared),
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
