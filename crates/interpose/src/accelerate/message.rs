//! One kind of message: so many elements of a datatype, and how it is handled. Made once, then only
//! looked up.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use commloom_choice::{Operation, Shape, Step, Trials};
use commloom_layout::mpi;
use commloom_mpi::{Abi, Subject};
use commloom_plan::Plan;
use commloom_reconstruct::fewest_runs;

use crate::accelerate::element::Element;
use crate::accelerate::engine::Engine;
use crate::accelerate::grain::Grain;
use crate::accelerate::normalized::NormalizedLayout;
use crate::accelerate::strategy::{
    Elements, Strategy, choose, packed_elements, received_elements, takes_packed,
};
use crate::accelerate::tally::{Expected, MessageTally};
use crate::runtime::config::Force;
use crate::runtime::count::CallCount;
use crate::runtime::normal_form::normalize;

/// How `count` elements of a datatype are handled.
pub(crate) struct Message<A: Abi> {
    engine: &'static Engine<A>,
    /// For sends and receives.
    strategy: Strategy<A>,
    /// Another one for sends, and whether it is the better one.
    other: Option<(Strategy<A>, Trials)>,
    /// `MPI_Pack` and `MPI_Unpack` go through the engine.
    pub packs: bool,
    plan: Plan,
    shape: Shape,
    /// Whether [the library does](takes_packed) in its place.
    takes_packed: bool,
    /// The last answer of [`Message::expected_to_pay`]: the parts, a bit for broadcasts, and one for yes.
    collective: AtomicU64,
    /// From one element to the next, in bytes.
    pub extent: i64,
    /// One element in packed form, for collectives.
    pub element: Arc<Element<A>>,
    /// Where basic elements end.
    grain: Grain,
    /// Type and number of the elements of the packed message: the same signature, or `MPI_PACKED`,
    /// which matches every signature (MPI 4.1, section 5.2).
    packed: (i64, A::Datatype),
    /// The same for receives, whose message may be shorter.
    received: (i64, A::Datatype),
    pub tally: MessageTally,
}

/// What a library holds of memory for a datatype of ours, about.
const HANDLE: usize = 2 << 10;
/// Buffers that begin below this address are not buffers: with `MPI_BOTTOM` the displacements are
/// addresses, and a null pointer with small displacements is a mistake that MPI shall report.
const LOWEST_ADDRESS: i64 = 65_536;

impl<A: Abi> Message<A> {
    /// `None` where our own code failed: the message is left alone.
    pub fn new(
        engine: &'static Engine<A>,
        layout: &NormalizedLayout<A>,
        count: i64,
    ) -> Option<Self> {
        engine.shield(|| Self::plan(engine, layout, count).ok()).flatten()
    }

    fn plan(
        engine: &'static Engine<A>,
        layout: &NormalizedLayout<A>,
        count: i64,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let count = u64::try_from(count)?;
        let all = mpi::contiguous(count, &layout.after)?;
        let all = match count {
            1 => all,
            _ => normalize(&all)?,
        };
        let joined = fewest_runs(&all)?;
        let shape = Shape::of(count, &layout.before, &all, &joined);
        let plan = engine.plans.get(&all, 1, engine.target())?;
        let packed = packed_elements(engine, &all)?;
        let received = received_elements(engine, &all)?;
        let contiguous = all.runs() <= 1;
        let config = engine.config();
        let forced = config.force == Some(Force::Pack);
        let (strategy, other) = choose(engine, &shape, [&all, &joined]);
        let expected = Expected::of(&engine.model().choose(&shape));
        Ok(Message {
            engine,
            strategy,
            other: other.map(|strategy| (strategy, Trials::default())),
            packs: !contiguous && !config.no_pack && (forced || engine.model().packs(&shape)),
            plan,
            shape,
            takes_packed: takes_packed(engine, &all),
            collective: AtomicU64::new(0),
            extent: layout.before.extent(),
            element: layout.element(engine),
            grain: Grain::of(&layout.before, engine.mpi().may_have(Subject::QuadsAreBytes)),
            packed,
            received,
            tally: MessageTally::new(layout.tally.clone(), expected),
        })
    }

    /// What is handed to the library. A message may be few elements for the program and more than
    /// its call can count for us: then it stays as it is.
    pub fn elements<N: CallCount>(&self) -> Elements<A, N> {
        self.elements_by(&self.strategy, self.packed)
    }

    /// The same for a receive.
    pub fn elements_to_receive<N: CallCount>(&self) -> Elements<A, N> {
        self.elements_by(&self.strategy, self.received)
    }

    /// The same for a blocking send, whose time can tell which way is the better one. With it the step
    /// to give its time to, if it is wanted.
    pub fn elements_to_send<N: CallCount>(&self) -> (Elements<A, N>, Option<Step>) {
        let Some((other, trials)) = &self.other else { return (self.elements(), None) };
        let step = trials.next();
        let strategy = if step.other { other } else { &self.strategy };
        (self.elements_by(strategy, self.packed), step.timed.then_some(step))
    }

    /// The time of a blocking send.
    pub fn took(&self, step: Step, time: Duration) {
        if let Some((_, trials)) = &self.other {
            trials.took(step, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    fn elements_by<N: CallCount>(
        &self,
        strategy: &Strategy<A>,
        (count, datatype): (i64, A::Datatype),
    ) -> Elements<A, N> {
        let elements = match strategy {
            Strategy::Native(reason) => return Elements::Own(reason),
            Strategy::Substitute(count, made) => match made.handle() {
                None => return Elements::Own("the library ends"),
                Some(datatype) => N::narrow(*count).map(|count| Elements::Other(count, datatype)),
            },
            Strategy::Engine => N::narrow(count).map(|count| Elements::Packed(count, datatype)),
        };
        elements.unwrap_or(Elements::Own("past the largest count"))
    }

    /// Number and predefined type of the elements, where they are one run that begins at the buffer.
    pub fn as_contiguous(&self) -> Option<(i64, A::Datatype)> {
        (self.plan.is_contiguous() && self.plan.bounds().start == 0).then_some(self.packed)
    }

    /// Whether the library takes packed bytes in its place.
    pub fn takes_packed(&self) -> bool {
        self.takes_packed
    }

    /// Whether nothing is ever done with it but to hand it on.
    pub fn is_left_alone(&self) -> bool {
        matches!(self.strategy, Strategy::Native(_)) && self.other.is_none()
    }

    /// Packed bytes.
    pub fn size(&self) -> u64 {
        self.plan.bytes()
    }

    /// Packed bytes, as the length of a buffer.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.plan.bytes()).unwrap_or(usize::MAX)
    }

    /// So many packed bytes, without those of a basic element that is not whole.
    pub fn whole_elements(&self, bytes: u64) -> u64 {
        self.grain.whole(bytes)
    }

    /// Whether `buffer` can be what the program means; if not, MPI shall see it.
    pub fn takes(&self, buffer: *const c_void) -> bool {
        self.takes_at(buffer, 0)
    }

    /// Whether the elements can be so many bytes behind `buffer`.
    pub fn takes_at(&self, buffer: *const c_void, displacement: i64) -> bool {
        let lowest = self.plan.bounds().start.checked_add(displacement);
        !buffer.is_null() || lowest.is_some_and(|address| address >= LOWEST_ADDRESS)
    }

    /// Why the library receives into the elements as they are, where they may have a byte in common. Which
    /// value that byte keeps depends on the order in which a description is followed, and the program
    /// knows the order of its own. MPI forbids such receives (MPI 4.1, section 4.1.11), but libraries
    /// accept them, and elements that the standard puts apart overlap in Open MPI 4 and 5, which place
    /// them by the extent of a resized member.
    pub fn refused_by_overlap(&self) -> Option<&'static str> {
        (!self.plan.names_bytes_once()).then_some("received elements may overlap")
    }

    /// Why the library gets the elements at `buffer` as they are, where that is memory of a GPU.
    pub fn refused_by_gpu(&self, buffer: *const c_void) -> Option<&'static str> {
        self.refused_by_gpu_at(buffer, 0)
    }

    /// The same so many bytes behind `buffer`.
    pub fn refused_by_gpu_at(
        &self,
        buffer: *const c_void,
        displacement: i64,
    ) -> Option<&'static str> {
        let Range { start, end } = self.plan.bounds();
        let move_by = |place: i64| place.saturating_add(displacement);
        self.engine.gpus.refuse(buffer, move_by(start)..move_by(end))
    }

    /// Whether to pack it where a collective sends or receives it in so many equal parts.
    pub fn packs_in_collective(&self, parts: u64, purpose: Purpose) -> bool {
        let config = self.engine.config();
        match config.force {
            _ if config.no_pack || !self.takes_packed => false,
            Some(Force::Pack) => !self.plan.is_contiguous(),
            Some(Force::Types) => false,
            None => self.expected_to_pay(parts, purpose.operation()),
        }
    }

    /// What the model says of so many equal parts. It takes half a microsecond, and a program asks the same
    /// again and again.
    fn expected_to_pay(&self, parts: u64, operation: Operation) -> bool {
        let key = parts << 2 | u64::from(operation == Operation::Broadcast) << 1;
        let last = self.collective.load(Ordering::Relaxed);
        if last & !1 == key && parts != 0 {
            return last & 1 == 1;
        }
        let pays = self.engine.model().collective(operation, &self.shape.part(parts));
        self.collective.store(key | u64::from(pays), Ordering::Relaxed);
        pays
    }

    /// Packs everything.
    ///
    /// # Safety
    /// `buffer` points to the origin of `count` elements of the datatype that may be read.
    pub unsafe fn pack(&self, buffer: *const c_void, packed: &mut [u8]) -> Option<()> {
        let packed = packed.get_mut(..self.bytes())?;
        self.timed(&self.tally.pack_ns, || {
            // SAFETY: the memory is the caller's promise; `packed` has room for all bytes.
            unsafe {
                commloom_pack::pack_raw(
                    &self.plan,
                    buffer.cast(),
                    packed.as_mut_ptr(),
                    0..self.plan.bytes(),
                );
            }
        })
    }

    /// Packs the packed bytes `range` into `packed`, which begins with the first of them.
    ///
    /// # Safety
    /// As [`Message::pack`], for the elements that the range touches.
    pub unsafe fn pack_range(
        &self,
        buffer: *const c_void,
        packed: &mut [u8],
        range: Range<u64>,
    ) -> Option<()> {
        let packed = packed.get_mut(..length(&range)?)?;
        self.timed(&self.tally.pack_ns, || {
            // SAFETY: the memory is the caller's promise; `packed` has room for the range.
            unsafe {
                commloom_pack::pack_raw(&self.plan, buffer.cast(), packed.as_mut_ptr(), range);
            }
        })
    }

    /// Unpacks the packed bytes `range` from `packed`, which begins with the first of them.
    ///
    /// # Safety
    /// As [`Message::unpack`], for the elements that the range touches.
    pub unsafe fn unpack_range(
        &self,
        buffer: *mut c_void,
        packed: &[u8],
        range: Range<u64>,
    ) -> Option<()> {
        let packed = packed.get(..length(&range)?)?;
        self.timed(&self.tally.unpack_ns, || {
            // SAFETY: the memory is the caller's promise; `packed` holds the range.
            unsafe {
                commloom_pack::unpack_raw(&self.plan, buffer.cast(), packed.as_ptr(), range);
            }
        })
    }

    /// Unpacks the first `bytes` packed bytes; more than the message has are ignored.
    ///
    /// # Safety
    /// `buffer` points to the origin of `count` elements of the datatype that may be written.
    pub unsafe fn unpack(&self, buffer: *mut c_void, packed: &[u8], bytes: u64) -> Option<()> {
        let range: Range<u64> = 0..bytes.min(self.plan.bytes());
        let packed = packed.get(..usize::try_from(range.end).ok()?)?;
        self.timed(&self.tally.unpack_ns, || {
            // SAFETY: the memory is the caller's promise; `packed` holds the range.
            unsafe {
                commloom_pack::unpack_raw(&self.plan, buffer.cast(), packed.as_ptr(), range);
            }
        })
    }

    /// About what it holds of memory.
    pub fn memory(&self) -> usize {
        let is_made = |strategy: &Strategy<A>| matches!(strategy, Strategy::Substitute(..));
        let both = std::iter::once(&self.strategy).chain(self.other.iter().map(|(other, _)| other));
        size_of::<Self>() + self.plan.heap() + HANDLE * both.filter(|s| is_made(s)).count()
    }

    fn timed(&self, nanoseconds: &AtomicU64, work: impl FnOnce()) -> Option<()> {
        if !self.tally.is_enabled() {
            return self.engine.shield(work);
        }
        let start = Instant::now();
        let done = self.engine.shield(work);
        let spent = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        nanoseconds.fetch_add(spent, Ordering::Relaxed);
        done
    }
}

/// The length of a range of packed bytes as that of a buffer.
fn length(range: &Range<u64>) -> Option<usize> {
    usize::try_from(range.end.checked_sub(range.start)?).ok()
}

/// What the program wants a message for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To send or receive it.
    Transfer,
    /// To send or receive it again and again: its type is worth a look at once.
    Persistent,
    /// `MPI_Pack` or `MPI_Unpack`.
    Packing,
    /// To send or receive it in a collective.
    Collective,
    /// To broadcast it.
    Broadcast,
    /// To broadcast it again and again.
    PersistentBroadcast,
}

impl Purpose {
    /// Whether its type is worth a look at once.
    pub fn is_persistent(self) -> bool {
        matches!(self, Purpose::Persistent | Purpose::PersistentBroadcast)
    }

    /// What in a collective its time is that of.
    fn operation(self) -> Operation {
        match self {
            Purpose::Broadcast | Purpose::PersistentBroadcast => Operation::Broadcast,
            Purpose::Transfer | Purpose::Persistent | Purpose::Packing | Purpose::Collective => {
                Operation::Message
            }
        }
    }
}
