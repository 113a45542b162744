//! [`Neighbours`]: the other processes of this machine, and what goes to them through memory that
//! both have mapped.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use commloom_mpi::{Abi, RawHandle};
use rustc_hash::FxHashMap;

use super::board;
use super::known::{End, KnownComms, WORLD};
use super::offers::{Extent, Fate, Offer, Wanted};
use super::ordinals::{Ordinals, Stream};
use super::present::{Met, Other, Present, enter};
use crate::runtime::calls::Envelope;
use crate::runtime::config::OnNode;
use crate::runtime::process::Runtime;
use crate::runtime::sync::lock;

/// Shorter messages are not worth an offer: what it costs is copied in the same time.
const SHORTEST: u64 = 4096;
/// Longer ones would take the memory of many.
const LONGEST: u64 = 16 << 20;

/// The neighbours of this process; none before MPI begins, and where there is no [`Room`].
pub(crate) struct Neighbours<A: Abi> {
    /// Messages are counted, and may go beside empty ones.
    is_on: AtomicBool,
    /// The library calls nobody else's code between ours and its own, and one thread at a time.
    is_in_turn: AtomicBool,
    met: OnceLock<Met>,
    present: OnceLock<Present>,
    counted: OnceLock<Counted>,
    /// Messages whose bytes this process has put into memory of another one.
    sent: AtomicU64,
    abi: PhantomData<fn() -> A>,
}

/// Messages, where they are counted.
struct Counted {
    shortest: u64,
    ordinals: Ordinals,
    comms: KnownComms,
    /// Persistent requests of messages, by handle: what each start sends or receives.
    repeated: Mutex<FxHashMap<usize, (End, usize, i32, i32)>>,
}

/// Memory for the packed bytes of a message that is about to be sent. Nobody else has it until
/// [`Neighbours::fill`].
pub(crate) struct Berth {
    offer: &'static Offer,
    number: u64,
    packed: NonNull<[u8]>,
}

/// A receive whose message may come beside an empty one.
pub(crate) struct Awaited {
    offer: &'static Offer,
    number: u64,
    room: Extent,
    packed: NonNull<[u8]>,
}

// SAFETY: shared memory is of no thread; whoever has the value is the only one in this process.
unsafe impl Send for Awaited {}

impl Berth {
    /// Where the bytes go.
    pub fn packed(&mut self) -> &mut [u8] {
        // SAFETY: inside the mapping, which is never taken back. The offer is taken, so that the
        // receiver does not look there, and nobody else has it.
        unsafe { self.packed.as_mut() }
    }

    /// They are not there: an ordinary message goes.
    pub fn give_up(self) {
        self.offer.give_up(self.number);
    }
}

/// How a receive has ended whose message could come beside an empty one.
pub(crate) enum Arrival<'a> {
    /// By an ordinary message.
    Ordinary,
    /// With these packed bytes.
    Beside(&'a [u8]),
    /// Against all that is known of messages: see [`Fate::Disturbed`].
    Disturbed,
}

impl Awaited {
    /// The receive is complete. From here on no sender takes the offer.
    pub fn arrival(&self) -> Arrival<'_> {
        match self.offer.fate(self.number) {
            Fate::Ordinary => Arrival::Ordinary,
            Fate::Disturbed => Arrival::Disturbed,
            Fate::Filled(length) => {
                // SAFETY: inside the mapping, which is never taken back. The sender has written it
                // before it said so, and does not come back until the offer is settled.
                let packed = unsafe { self.packed.as_ref() };
                let bytes = usize::try_from(length).ok().and_then(|length| packed.get(..length));
                bytes.map_or(Arrival::Disturbed, Arrival::Beside)
            }
        }
    }

    /// Takes the offer back; whether no sender has taken it.
    pub fn withdraw(&self) -> bool {
        self.offer.withdraw(self.number)
    }
}

impl<A: Abi> Neighbours<A> {
    pub const fn new() -> Self {
        Neighbours {
            is_on: AtomicBool::new(false),
            is_in_turn: AtomicBool::new(false),
            met: OnceLock::new(),
            present: OnceLock::new(),
            counted: OnceLock::new(),
            sent: AtomicU64::new(0),
            abi: PhantomData,
        }
    }

    /// MPI is about to begin: goes where the others are.
    pub fn enter(&'static self, runtime: &'static Runtime<A>) {
        let config = runtime.config();
        let elsewhere = config.trace.is_some() || config.replace.is_some();
        if config.off || elsewhere || self.met.get().is_some() {
            return;
        }
        let shortest = match config.on_node {
            OnNode::Alone => return,
            OnNode::Off => None,
            _ if config.no_pack => None,
            OnNode::Long => Some(SHORTEST),
            OnNode::All => Some(1),
        };
        let shares_memory = shortest.is_some() || config.puts_aside();
        // Where nothing is tried, there is nothing to agree on.
        if !shares_memory && config.force.is_some() {
            return;
        }
        if let Some((met, present)) = enter(config, shares_memory) {
            // Others have been here before, if there are any.
            let _ = self.met.set(met);
            let Some(present) = present else { return };
            let _ = self.present.set(present);
            if let Some(shortest) = shortest {
                let _ = self.counted.set(Counted {
                    shortest,
                    ordinals: Ordinals::new(),
                    comms: KnownComms::new(),
                    repeated: Mutex::default(),
                });
            }
        }
    }

    /// MPI has begun, and nothing of the program's has been sent yet.
    pub fn begin(&'static self, runtime: &'static Runtime<A>) {
        let Some(met) = self.met.get() else { return };
        // All are there.
        drop(lock(&met.door).take());
        let mpi = runtime.mpi();
        let world = mpi.handles.comm_world;
        let is_it = mpi.rank(world).ok().and_then(|rank| u32::try_from(rank).ok());
        if is_it != Some(met.rank) {
            return;
        }
        board::hang(met.room, met.seat);
        // Two threads could receive in another order than they are counted.
        let in_turn = mpi.query_thread().is_ok_and(|level| level != A::CONSTANTS.thread_multiple);
        if self.is_on() || !in_turn || !mpi.is_reached_directly() {
            return;
        }
        self.is_in_turn.store(true, Ordering::Release);
        let Some(counted) = self.counted.get() else { return };
        if let Ok(members) = mpi.members(world) {
            counted.comms.add(world.to_bits(), WORLD, members.local);
            self.is_on.store(true, Ordering::Release);
        }
    }

    /// This process among those that it shares memory with, where its calls are known to come one
    /// after the other.
    pub fn sharing(&self) -> Option<&Present> {
        self.is_in_turn.load(Ordering::Acquire).then(|| self.present.get()).flatten()
    }

    #[inline]
    fn counted(&self) -> Option<&Counted> {
        if self.is_on.load(Ordering::Relaxed) { self.counted.get() } else { None }
    }

    /// Whether this process has any.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// A message is about to be sent: how many went the same way before it.
    #[inline]
    pub fn sends(&self, to: Envelope<A>) -> Option<u64> {
        self.counted()?.counts(End::Send, to.comm.to_bits(), (to.rank, to.tag))
    }

    /// A receive is about to be posted: how many there were before it for the same messages.
    #[inline]
    pub fn receives(&self, from: Envelope<A>) -> Option<u64> {
        let envelope = (from.rank, from.tag);
        self.counted()?.counts(End::Receive, from.comm.to_bits(), envelope)
    }

    /// A receive is about to be posted that takes any message of this envelope, if that is so.
    /// Nothing is offered until [`Neighbours::has_any`] tells which one it was.
    #[inline]
    pub fn awaits_any(&self, from: Envelope<A>) -> bool {
        let is_any = from.rank == A::CONSTANTS.any_source || from.tag == A::CONSTANTS.any_tag;
        if !is_any || !self.is_on() {
            return false;
        }
        let known = self.counted().and_then(|counted| counted.comms.get(from.comm.to_bits()));
        known.inspect(|known| known.awaits_any()).is_some()
    }

    /// Such a receive has got this message; `None` where that cannot be told.
    pub fn has_any(&self, comm: A::Comm, got: Option<(i32, i32)>) {
        let known = self.counted().and_then(|counted| counted.comms.get(comm.to_bits()));
        let Some(known) = known else { return };
        match got {
            Some(envelope) => self.has_taken(comm, envelope),
            None => known.stop(End::Receive),
        }
        known.has_any();
    }

    /// A message is received that no receive was counted for.
    pub fn has_taken(&self, comm: A::Comm, (rank, tag): (i32, i32)) {
        self.receives(Envelope { rank, tag, comm });
    }

    /// A message may be received here that no receive is counted for.
    pub fn takes_unseen(&self, comm: A::Comm) {
        self.stop(comm, &[End::Receive]);
    }

    /// A call for messages of a communicator has failed: nobody knows whether they count.
    #[cold]
    pub fn failed(&self, comm: A::Comm) {
        self.stop(comm, &[End::Send, End::Receive]);
    }

    fn stop(&self, comm: A::Comm, ends: &[End]) {
        let known = self.counted().and_then(|counted| counted.comms.get(comm.to_bits()));
        if let Some(known) = known {
            ends.iter().for_each(|end| known.stop(*end));
        }
    }

    /// Messages are not what they were counted as, somewhere: nothing is offered or taken any
    /// more.
    pub fn end(&self) {
        let Some(counted) = self.counted() else { return };
        for known in counted.comms.all() {
            known.stop(End::Send);
            known.stop(End::Receive);
        }
    }

    /// A call of all processes of `parent` has made a communicator, or has failed to.
    pub fn makes(&self, runtime: &Runtime<A>, parent: A::Comm, new: Option<A::Comm>) {
        let Some(counted) = self.counted() else { return };
        let Some(parent) = counted.comms.get(parent.to_bits()) else { return };
        let agreed = parent.child();
        let mpi = runtime.mpi();
        if let Some(new) = new.filter(|new| *new != mpi.handles.comm_null)
            && parent.counts(End::Send)
            && let Ok(members) = mpi.members(new)
        {
            counted.comms.add(new.to_bits(), agreed, members.local);
        }
    }

    /// A communicator is about to go.
    pub fn loses(&self, comm: A::Comm) {
        let known = self.counted().and_then(|counted| counted.comms.remove(comm.to_bits()));
        // Its handle comes back as another one's before they are over.
        if known.is_some_and(|known| known.is_vague()) {
            self.end();
        }
    }

    /// A persistent request sends or receives, whenever it is started.
    pub fn prepares(&self, request: A::Request, is_out: bool, envelope: Envelope<A>) {
        let Some(counted) = self.counted() else { return };
        let end = if is_out { End::Send } else { End::Receive };
        let Envelope { rank, tag, comm } = envelope;
        lock(&counted.repeated).insert(request.to_bits(), (end, comm.to_bits(), rank, tag));
    }

    /// It is about to be started.
    pub fn starts(&self, request: A::Request) {
        let Some(counted) = self.counted() else { return };
        let found = lock(&counted.repeated).get(&request.to_bits()).copied();
        if let Some((end, comm, rank, tag)) = found
            && counted.counts(end, comm, (rank, tag)).is_none()
            && let Some(known) = counted.comms.get(comm)
        {
            known.stop(end);
        }
    }

    /// It has another handle now.
    pub fn renames(&self, before: A::Request, now: A::Request) {
        let Some(counted) = self.counted() else { return };
        let mut repeated = lock(&counted.repeated);
        if let Some(found) = repeated.remove(&before.to_bits()) {
            repeated.insert(now.to_bits(), found);
        }
    }

    /// The program frees a request.
    pub fn forgets(&self, request: A::Request) {
        if let Some(counted) = self.counted() {
            lock(&counted.repeated).remove(&request.to_bits());
        }
    }

    /// Memory for the packed bytes of the message with this number, if its receiver has offered
    /// it.
    pub fn claim(&self, to: Envelope<A>, ordinal: u64, bytes: u64) -> Option<Berth> {
        let present = self.present.get()?;
        let (other, wanted) = self.counted()?.wanted(present, End::Send, to, (ordinal, bytes))?;
        let memory = other.memory?;
        let offer = memory.offers(present.seat)?.get(wanted.place())?;
        let (number, room) = offer.claim(wanted, bytes)?;
        match memory.packed(Extent { bytes, ..room }) {
            Some(packed) => Some(Berth { offer, number, packed }),
            None => {
                offer.give_up(number);
                None
            }
        }
    }

    /// The packed bytes are there: an empty message goes in place of the program's.
    pub fn fill(&self, berth: Berth) {
        let length = u64::try_from(berth.packed.len()).unwrap_or(0);
        berth.offer.fill(berth.number, length);
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// Messages whose bytes went so.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Offers memory for the message with this number, which a receive is about to be posted for.
    pub fn offer(&self, from: Envelope<A>, ordinal: u64, bytes: u64) -> Option<Awaited> {
        let present = self.present.get()?;
        let about = (ordinal, bytes);
        let (other, wanted) = self.counted()?.wanted(present, End::Receive, from, about)?;
        let offer = present.mine.offers(other.seat)?.get(wanted.place())?;
        let start = lock(&present.slots).take(bytes)?;
        let room = Extent { start, bytes };
        let published = present
            .mine
            .packed(room)
            .and_then(|packed| Some((packed, offer.publish(wanted, room)?)));
        match published {
            Some((packed, number)) => Some(Awaited { offer, number, room, packed }),
            None => {
                lock(&present.slots).put(start, bytes);
                None
            }
        }
    }

    /// The receive is over, and the program has its bytes.
    pub fn settle(&self, awaited: &Awaited) {
        if let (Some(present), true) = (self.present.get(), self.is_over(awaited)) {
            lock(&present.slots).put(awaited.room.start, awaited.room.bytes);
        }
    }

    /// Frees the offer. Where a sender may still write there, the memory is never used again.
    fn is_over(&self, awaited: &Awaited) -> bool {
        match awaited.offer.fate(awaited.number) {
            Fate::Ordinary => true,
            Fate::Filled(_) => {
                awaited.offer.settle(awaited.number);
                true
            }
            Fate::Disturbed => false,
        }
    }
}

impl Counted {
    #[inline]
    fn counts(&self, end: End, handle: usize, (rank, tag): (i32, i32)) -> Option<u64> {
        let comm = self.comms.local(handle);
        if comm == 0 {
            return None;
        }
        match (u32::try_from(rank), u32::try_from(tag)) {
            (Ok(rank), Ok(tag)) => {
                self.ordinals.next(Stream { comm, rank, tag, is_out: end == End::Send })
            }
            // A wildcard.
            _ => None,
        }
    }

    /// The other end of a message of so many bytes, and what tells it from others, if it may go
    /// beside.
    fn wanted<A: Abi>(
        &self,
        present: &Present,
        end: End,
        Envelope { rank, tag, comm }: Envelope<A>,
        (ordinal, bytes): (u64, u64),
    ) -> Option<(Other, Wanted)> {
        if !(self.shortest..=LONGEST).contains(&bytes) {
            return None;
        }
        let known = self.comms.get(comm.to_bits()).filter(|known| known.counts(end))?;
        if end == End::Receive && known.is_vague() {
            return None;
        }
        let other = present.other(*known.members.get(usize::try_from(rank).ok()?)?)?;
        Some((other, Wanted { comm: known.agreed, tag: u64::try_from(tag).ok()?, ordinal }))
    }
}
