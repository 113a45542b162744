//! Persistent messages (MPI 4.1, section 3.9) whose strategy is found out: the program's request
//! is the library's own and native. In a round that goes another way a request of ours is started
//! in its place, its stand-in, which is made when it is first wanted. Calls that complete, ask
//! for, cancel or free the program's request then do that to the stand-in
//! ([`Held::StandIn`](crate::accelerate::pending::Held)).

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use commloom_mpi::Abi;
use commloom_trace::Mode;

use crate::accelerate::departure::Departure;
use crate::accelerate::engine::Engine;
use crate::accelerate::landing::Landing;
use crate::accelerate::message::Message;
use crate::accelerate::part::Part;
use crate::accelerate::pending::{Held, Pending};
use crate::accelerate::persistent::{Persistent, Work};
use crate::accelerate::rounds::Lap;
use crate::accelerate::stand_in::StandIn;
use crate::accelerate::strategy::{Elements, NOT_SLOWER};
use crate::runtime::calls::Envelope;
use crate::runtime::sync::lock;

/// Strategies besides native.
const OTHERS: usize = 2;

/// How the request of a persistent message is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Initiation {
    Send(Mode),
    Receive,
}

/// A persistent message of the program.
pub(crate) struct RepeatedMessage<A: Abi> {
    message: Arc<Message<A>>,
    initiation: Initiation,
    buffer: *mut c_void,
    envelope: Envelope<A>,
    others: Mutex<Others<A>>,
}

struct Others<A: Abi> {
    /// The program has freed its handle: no request can be made for it any more.
    comm_is_gone: bool,
    /// By strategy; the inner one is `None` where there is none.
    made: [Option<Option<Arc<StandIn<A>>>>; OTHERS],
}

// SAFETY: the pointer is only used by whoever starts or completes the request, which MPI allows in
// any one thread.
unsafe impl<A: Abi> Send for RepeatedMessage<A> {}
// SAFETY: the pointer is used by one thread at a time, as MPI demands; the rest is behind a lock.
unsafe impl<A: Abi> Sync for RepeatedMessage<A> {}

impl<A: Abi> RepeatedMessage<A> {
    pub fn new(
        message: Arc<Message<A>>,
        initiation: Initiation,
        buffer: *mut c_void,
        envelope: Envelope<A>,
    ) -> Self {
        let others = Mutex::new(Others { comm_is_gone: false, made: [None, None] });
        RepeatedMessage { message, initiation, buffer, envelope, others }
    }

    fn part(&self) -> Part {
        match self.initiation {
            Initiation::Send(_) => Part::Sent,
            Initiation::Receive => Part::Received,
        }
    }

    /// The program starts it: what is started in its place, if anything, and its place in the
    /// round.
    ///
    /// # Safety
    /// As for `MPI_Start`: the request is inactive, a send's buffer can be read.
    pub unsafe fn start(
        &self,
        engine: &'static Engine<A>,
        pending: &Pending<A>,
    ) -> (Option<Arc<StandIn<A>>>, Lap) {
        let (message, part) = (&self.message, self.part());
        let (way, lap) = message.way_of_round(part);
        let other = match message.challenger_of(way) {
            None => None,
            Some(_) if message.refused_by_gpu(self.buffer).is_some() => None,
            Some(_) if part == Part::Received && pending.frees_receives() => None,
            Some(other) => self.other(engine, way, other),
        };
        // SAFETY: the caller's promise.
        let other = other.filter(|other| unsafe { other.prepare() });
        match &other {
            None => message.tally.native(NOT_SLOWER, message.size()),
            Some(other) if other.moved().is_none() => message.tally.substituted(message.size()),
            Some(_) => {}
        }
        (other, lap)
    }

    /// The stand-in of a way, made when it is first asked for.
    fn other(&self, engine: &'static Engine<A>, way: u8, index: usize) -> Option<Arc<StandIn<A>>> {
        let mut others = lock(&self.others);
        if others.made[index].is_none() {
            if others.comm_is_gone {
                return None;
            }
            others.made[index] = Some(self.make(engine, way).map(Arc::new));
        }
        others.made[index].clone().flatten()
    }

    fn make(&self, engine: &'static Engine<A>, way: u8) -> Option<StandIn<A>> {
        let (message, mut buffer) = (&self.message, self.buffer);
        let (count, datatype, work) = match message.elements_in::<c_int>(way, self.part()) {
            Elements::Own(_) => return None,
            Elements::Other(count, datatype) => (count, datatype, None),
            Elements::Packed(count, datatype) => {
                let packed = engine.pool.get(message.bytes())?;
                let comm = Some(self.envelope.comm);
                let message = message.clone();
                let work = match self.initiation {
                    Initiation::Send(_) => {
                        let departure = Departure::new(packed, message, self.buffer);
                        buffer = departure.place().cast_mut();
                        Work::Send(departure)
                    }
                    Initiation::Receive => {
                        let mut landing = Landing::new(packed, message, self.buffer, comm);
                        buffer = landing.place();
                        Work::Receive(landing)
                    }
                };
                (count, datatype, Some(work))
            }
        };
        let moved = work.map(|work| Arc::new(Persistent::new(work)));
        let mut request = engine.mpi().handles.request_null;
        let (Envelope { rank, tag, comm }, own) = (self.envelope, &engine.mpi().own);
        let send = match self.initiation {
            Initiation::Send(Mode::Standard) => Some(own.send_init),
            Initiation::Send(Mode::Buffered) => Some(own.bsend_init),
            Initiation::Send(Mode::Synchronous) => Some(own.ssend_init),
            Initiation::Send(Mode::Ready) => Some(own.rsend_init),
            Initiation::Receive => None,
        };
        let new = &raw mut request;
        // SAFETY: the library has taken rank, tag and communicator for the program's request, and
        // the communicator is still there. The buffer holds the elements: the program's by its own
        // call, ours by the size of the message.
        let code = unsafe {
            match send {
                Some(send) => send(buffer, count, datatype, rank, tag, comm, new),
                None => (own.recv_init)(buffer, count, datatype, rank, tag, comm, new),
            }
        };
        if code == <A as Abi>::CONSTANTS.success {
            return Some(StandIn::new(request, moved));
        }
        moved.inspect(|moved| moved.done(engine));
        None
    }

    /// The program has freed its request. `started` is what was started in its place and has not
    /// completed: it goes on as a request that was freed while it was active, which is the result.
    pub fn freed(
        &self,
        engine: &Engine<A>,
        started: Option<&Arc<StandIn<A>>>,
    ) -> Option<(A::Request, Held<A>)> {
        let mut goes_on = None;
        for other in self.take_made() {
            match other.moved() {
                Some(moved) if started.is_some_and(|started| Arc::ptr_eq(started, &other)) => {
                    goes_on = Some((other.request(), Held::Persistent(moved.clone())));
                }
                // One that is active without a buffer of ours completes as the program's would.
                _ => other.free(engine),
            }
        }
        goes_on
    }

    /// The library has freed a stand-in; the others go with it.
    pub fn loses(&self, engine: &Engine<A>, lost: &Arc<StandIn<A>>) {
        let left = self.take_made().filter(|other| !Arc::ptr_eq(lost, other));
        left.for_each(|other| other.free(engine));
    }

    /// The stand-ins that were made.
    fn take_made(&self) -> impl Iterator<Item = Arc<StandIn<A>>> {
        std::mem::take(&mut lock(&self.others).made).into_iter().flatten().flatten()
    }
}

struct Table<A: Abi> {
    by_request: HashMap<A::Request, Arc<RepeatedMessage<A>>>,
    /// Those whose handle another thread was given, until [`Repeated::rename`].
    displaced: Vec<(A::Request, Arc<RepeatedMessage<A>>)>,
}

/// The persistent messages of the program by their requests.
pub(crate) struct Repeated<A: Abi> {
    /// How many; read without a lock.
    len: AtomicUsize,
    table: Mutex<Option<Table<A>>>,
}

impl<A: Abi> Repeated<A> {
    pub const fn new() -> Self {
        Repeated { len: AtomicUsize::new(0), table: Mutex::new(None) }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len.load(Ordering::Acquire) == 0
    }

    /// In the place of a receive that had the same handle.
    pub fn insert(
        &self,
        engine: &Engine<A>,
        request: A::Request,
        message: Arc<RepeatedMessage<A>>,
    ) {
        self.reused(engine, request);
        self.with(|table| {
            let displaced = table.by_request.insert(request, message);
            table.displaced.extend(displaced.map(|displaced| (request, displaced)));
        });
    }

    /// The library has given this handle to another request. A receive that had it is gone: the
    /// library has freed it, because its message was too long. What stands in for it must not be
    /// started for the other.
    pub fn reused(&self, engine: &Engine<A>, request: A::Request) {
        if self.is_empty() {
            return;
        }
        let gone = self.with(|table| {
            let receives = table.by_request.get(&request)?.part() == Part::Received;
            receives.then(|| table.by_request.remove(&request))?
        });
        if let Some(gone) = gone {
            gone.freed(engine, None);
        }
    }

    pub fn get(&self, request: A::Request) -> Option<Arc<RepeatedMessage<A>>> {
        lock(&self.table).as_ref()?.by_request.get(&request).cloned()
    }

    pub fn remove(&self, request: A::Request) -> Option<Arc<RepeatedMessage<A>>> {
        if self.is_empty() {
            return None;
        }
        self.with(|table| table.by_request.remove(&request))
    }

    /// The library has given a request another handle.
    #[cold]
    pub fn rename(&self, engine: &Engine<A>, before: A::Request, now: A::Request) {
        let displaced = |table: &mut Table<A>| {
            let at = table.displaced.iter().position(|(request, _)| *request == before)?;
            Some(table.displaced.swap_remove(at).1)
        };
        let found =
            self.with(|table| displaced(table).or_else(|| table.by_request.remove(&before)));
        if let Some(message) = found {
            self.insert(engine, now, message);
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Table<A>) -> T) -> T {
        let mut table = lock(&self.table);
        let table = table
            .get_or_insert_with(|| Table { by_request: HashMap::new(), displaced: Vec::new() });
        let done = work(table);
        self.len.store(table.by_request.len() + table.displaced.len(), Ordering::Release);
        done
    }

    /// The program is about to free its handle of a communicator.
    #[cold]
    pub fn comm_goes(&self, comm: A::Comm) {
        for message in lock(&self.table).iter().flat_map(|table| table.by_request.values()) {
            if message.envelope.comm == comm {
                lock(&message.others).comm_is_gone = true;
            }
        }
    }

    /// The library is about to end, with what the program has not freed: its requests, and ours.
    pub fn end(&self) {
        std::mem::forget(lock(&self.table).take());
        self.len.store(0, Ordering::Release);
    }
}
