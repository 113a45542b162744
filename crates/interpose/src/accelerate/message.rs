//! One kind of message: so many elements of a datatype, and how it is handled. Made once, then
//! only looked up.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use commloom_choice::{Contest, Operation, Shape};
use commloom_layout::{Type, mpi};
use commloom_mpi::{Abi, Subject};
use commloom_plan::Plan;
use commloom_reconstruct::fewest_runs;

use crate::accelerate::element::Element;
use crate::accelerate::engine::Engine;
use crate::accelerate::grain::Grain;
use crate::accelerate::normalized::NormalizedLayout;
use crate::accelerate::part::{FilePart, InCollective, Part, Purpose};
use crate::accelerate::rounds::{
    self, ALL_SUBSTITUTED, Lap, RoundMessage, RoundWays, SharedContest,
};
use crate::accelerate::strategy::{
    Elements, NOT_SLOWER, Strategies, Strategy, choose, packed_elements, received_elements,
    takes_packed,
};
use crate::accelerate::tally::{Expected, MessageTally, Observed, PACKED};
use crate::runtime::config::Force;
use crate::runtime::count::CallCount;
use crate::runtime::normal_form::normalize;

/// How `count` elements of a datatype are handled.
pub(crate) struct Message<A: Abi> {
    engine: &'static Engine<A>,
    /// For sends and receives.
    strategies: Strategies<A>,
    ways: RoundWays,
    /// Which of them is the fastest in rounds that begin with it, by [`Part`].
    contests: [OnceLock<SharedContest>; Part::NUMBER],
    /// So many elements in normal form.
    layout: (u64, Type),
    /// `MPI_Pack` and `MPI_Unpack` go through the engine.
    pub packs: bool,
    plan: Plan,
    shape: Shape,
    /// Whether [the library does](takes_packed) in its place.
    takes_packed: bool,
    /// From one element to the next, in bytes.
    pub extent: i64,
    /// One element in packed form, for collectives.
    pub element: Arc<Element<A>>,
    /// Where basic elements end.
    grain: Grain,
    /// Of its layout, where others have to know that.
    notation: OnceLock<Option<Box<str>>>,
    /// Type and number of the elements of the packed message: the same signature, or `MPI_PACKED`,
    /// which matches every signature (MPI 4.1, section 5.2).
    packed: (i64, A::Datatype),
    /// The same for receives, whose message may be shorter.
    received: (i64, A::Datatype),
    pub tally: MessageTally,
}

/// Memory that a library holds for a datatype of ours, about.
const HANDLE: usize = 2 << 10;
/// Buffers that begin below this address are not buffers: with `MPI_BOTTOM` the displacements are
/// addresses, and a null pointer with small displacements is a mistake that MPI shall report.
const LOWEST_ADDRESS: i64 = 65_536;
/// The longest notation that goes with each message, in bytes.
const LONGEST_NOTATION: usize = 16 << 10;
/// The longest access to a file that is packed. Longer ones would take as much memory again.
const LONGEST_IN_FILE: u64 = 64 << 20;
/// The time of a packed access to a file as expected, in native times. It only says what a first
/// try may cost.
const PACKED_IN_FILE: f64 = 0.5;

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
        let all = normal_form(count, &layout.after)?;
        let joined = fewest_runs(&all)?;
        let shape = Shape::of(count, &layout.before, &all, &joined);
        let plan = engine.plans.get(&all, 1, engine.target())?;
        let packed = packed_elements(engine, &all)?;
        let received = received_elements(engine, &all)?;
        let contiguous = all.runs() <= 1;
        let config = engine.config();
        let forced = config.force == Some(Force::Pack);
        let choice = engine.model().choose(&shape);
        let strategies = choose(engine, &choice, &all);
        let expected = Expected::of(&choice);
        Ok(Message {
            engine,
            ways: strategies.ways(),
            strategies,
            contests: Default::default(),
            layout: (count, layout.after.clone()),
            packs: !contiguous && !config.no_pack && (forced || engine.model().packs(&shape)),
            plan,
            shape,
            takes_packed: takes_packed(engine, &all),
            extent: layout.before.extent(),
            element: layout.element(engine),
            grain: Grain::of(&layout.before, engine.mpi().may_have(Subject::QuadsAreBytes)),
            notation: OnceLock::new(),
            packed,
            received,
            tally: MessageTally::new(layout.tally.clone(), expected),
        })
    }

    /// The library's arguments in the round that the message is part of, or begins.
    pub fn elements<N: CallCount>(&self, part: Part) -> (Elements<A, N>, Lap) {
        let (way, lap) = self.way_of_round(part);
        (self.elements_in(way, part), lap)
    }

    /// The library's arguments in every round; `None` where that is found out.
    pub fn fixed<N: CallCount>(&self, part: Part) -> Option<Elements<A, N>> {
        match &self.strategies {
            Strategies::Fixed(strategy) => Some(self.elements_by(strategy, part)),
            Strategies::Tried(_) => None,
        }
    }

    /// The way of the round that the message is part of, or begins.
    pub fn way_of_round(&self, part: Part) -> (u8, Lap) {
        match &self.strategies {
            Strategies::Fixed(_) => (0, Lap::NONE),
            Strategies::Tried(_) => self.way(part, self.ways, || self.strategies.times()),
        }
    }

    /// A way drawn by chance, where tests ask for that.
    fn drawn(&self) -> Option<u8> {
        let draws = self.engine.config().force == Some(Force::Mixed);
        draws.then(|| u8::try_from(rounds::seed() >> 32 & 0xff).unwrap_or(0) % 4)
    }

    /// The way that stands in rounds that begin with it; where nobody has tried others, the
    /// model's for this library, or native.
    fn way_for_good(&self, part: Part, expected: impl FnOnce() -> u8) -> u8 {
        if let Some(way) = self.drawn() {
            return way;
        }
        let contest = self.contests[part.index()].get();
        match contest.and_then(|contest| contest.lock().found()) {
            Some(way) => way,
            None if self.engine.measured().is_own => expected(),
            None => 0,
        }
    }

    /// The way of the round that it is part of, or begins.
    fn way(
        &self,
        part: Part,
        ways: RoundWays,
        expected: impl FnOnce() -> [Option<f64>; 3],
    ) -> (u8, Lap) {
        let new = || self.contest(part, expected());
        self.way_by(part, ways, || self.contests[part.index()].get_or_init(new).clone())
    }

    /// The same, by any contest.
    pub fn way_by(
        &self,
        part: Part,
        ways: RoundWays,
        contest: impl FnOnce() -> SharedContest,
    ) -> (u8, Lap) {
        if let Some(way) = self.drawn() {
            return (way, Lap::NONE);
        }
        let kind = std::ptr::from_ref(self).addr() | part.index();
        let kind = u64::try_from(kind).unwrap_or(0);
        let may_rest = part != Part::Put && self.engine.config().is_brief;
        rounds::way(RoundMessage { kind, ways, may_rest }, contest)
    }

    pub fn contest(&self, part: Part, expected: [Option<f64>; 3]) -> SharedContest {
        let contest = rounds::contest(expected, (self.size(), part));
        self.tally.watch(Observed {
            contest: contest.clone(),
            begins_with: part.name(),
            bytes: self.size(),
            expected: match &self.strategies {
                Strategies::Tried([Some(first), _]) if part.is_message() => first.name(),
                _ => PACKED,
            },
        });
        contest
    }

    /// The number of its strategy in a round that goes this way, of those that may be faster than
    /// native.
    pub fn challenger_of(&self, way: u8) -> Option<usize> {
        self.strategies.challenger_of(way)
    }

    /// The library's arguments in a round that goes this way.
    pub fn elements_in<N: CallCount>(&self, way: u8, part: Part) -> Elements<A, N> {
        let others = match &self.strategies {
            Strategies::Fixed(strategy) => return self.elements_by(strategy, part),
            Strategies::Tried(others) => others,
        };
        let other = self.challenger_of(way).and_then(|other| others.get(other)?.as_ref());
        let Some(other) = other else { return Elements::Own(NOT_SLOWER) };
        let strategy = other.strategy(self.engine, || {
            let (count, layout) = &self.layout;
            self.engine.shield(|| normal_form(*count, layout).ok()).flatten()
        });
        self.elements_by(strategy, part)
    }

    /// The library's arguments by this strategy. A message may be few elements for the program and
    /// more than its call can count for us: then it stays as it is.
    fn elements_by<N: CallCount>(&self, strategy: &Strategy<A>, part: Part) -> Elements<A, N> {
        let (count, datatype) = if part == Part::Received { self.received } else { self.packed };
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

    /// Number and predefined type of the elements, where they are one run that begins at the
    /// buffer.
    pub fn as_contiguous(&self) -> Option<(i64, A::Datatype)> {
        (self.plan.is_contiguous() && self.plan.bounds().start == 0).then_some(self.packed)
    }

    /// Where its bytes are, from its origin on.
    pub fn bounds(&self) -> Range<i64> {
        self.plan.bounds()
    }

    /// The notation of its layout, for another process; `None` where it is long.
    pub fn notation(&self) -> Option<&[u8]> {
        let notation = self.notation.get_or_init(|| {
            let (count, layout) = &self.layout;
            let is_short = self.plan.heap() <= LONGEST_NOTATION;
            let all = normal_form(*count, layout).ok().filter(|_| is_short)?;
            let text = all.to_string();
            (text.len() <= LONGEST_NOTATION).then(|| text.into())
        });
        notation.as_deref().map(str::as_bytes)
    }

    /// Whether the library takes packed bytes in its place.
    pub fn takes_packed(&self) -> bool {
        self.takes_packed
    }

    /// Whether nothing is ever done with it but to hand it on.
    pub fn is_left_alone(&self) -> bool {
        matches!(self.strategies, Strategies::Fixed(Strategy::Native(_)))
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

    /// Why the library receives into the elements as they are, where they may have a byte in
    /// common. Which value that byte keeps depends on the order in which a description is
    /// followed, and the program knows the order of its own. MPI forbids such receives (MPI 4.1,
    /// section 4.1.11), but libraries accept them, and elements that the standard puts apart
    /// overlap in Open MPI 4 and 5, which place them by the extent of a resized member.
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

    /// Whether there is anything to pack in a collective, and it may be.
    pub fn collective_form(&self) -> InCollective {
        let config = self.engine.config();
        match config.force {
            _ if self.plan.is_contiguous() => InCollective::Contiguous,
            _ if config.no_pack || !self.takes_packed => InCollective::Native,
            Some(Force::Types) => InCollective::Native,
            Some(Force::Pack | Force::Mixed) | None => InCollective::Packed,
        }
    }

    /// Whether to pack it where a collective sends or receives it in so many equal parts.
    pub fn in_collective(&self, parts: u64, purpose: Purpose) -> InCollective {
        let form = self.collective_form();
        let is_forced = self.engine.config().force == Some(Force::Pack);
        match form {
            InCollective::Packed if is_forced || self.is_packed_now(parts, purpose) => form,
            InCollective::Packed => InCollective::Native,
            InCollective::Contiguous | InCollective::Native => form,
        }
    }

    fn is_packed_now(&self, parts: u64, purpose: Purpose) -> bool {
        let (model, operation) = (self.engine.model(), purpose.operation());
        let part = match operation {
            Operation::Broadcast => Part::Broadcast,
            Operation::Message => Part::Collective,
        };
        if purpose.is_persistent() {
            let expected = || model.packs_in_collective(operation, &self.shape.part(parts));
            return self.way_for_good(part, || u8::from(expected())) != 0;
        }
        // No other handle is tried: it would change count and size of the elements.
        let ways = RoundWays { expected: [true, false], other: [false; 2] };
        let times = || model.collective(operation, &self.shape.part(parts));
        let way = self.way(part, ways, || [times(), None, None]).0;
        way != 0 && way != ALL_SUBSTITUTED
    }

    /// The library's arguments for an access to a file, and its place in the round. Packed bytes
    /// are elements of the basic type, so that the library finds as many whole etypes as in the
    /// program's own elements; no other datatype is tried, because none was measured to be faster.
    pub fn in_file<N: CallCount>(&self, part: FilePart) -> (Elements<A, N>, Lap) {
        let config = self.engine.config();
        let (count, datatype) = self.packed;
        let own = |reason| (Elements::Own(reason), Lap::NONE);
        let Some(count) = N::narrow(count) else { return own("past the largest count") };
        match config.force {
            _ if self.plan.is_contiguous() => own("contiguous"),
            _ if config.no_pack || config.no_files => own("switched off"),
            _ if datatype == self.engine.mpi().handles.packed => own("several basic types"),
            _ if self.size() > LONGEST_IN_FILE => own("too long to be packed for a file"),
            Some(Force::Types) => own("left to the library"),
            Some(Force::Pack) => (Elements::Packed(count, datatype), Lap::NONE),
            Some(Force::Mixed) | None => {
                let ways = RoundWays { expected: [true, false], other: [false; 2] };
                let expected = || [Some(PACKED_IN_FILE), None, None];
                match self.way(Part::File(part), ways, expected) {
                    (0 | ALL_SUBSTITUTED, lap) => (Elements::Own(NOT_SLOWER), lap),
                    (_, lap) => (Elements::Packed(count, datatype), lap),
                }
            }
        }
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
        let made = match &self.strategies {
            Strategies::Fixed(strategy) => usize::from(strategy.has_datatype()),
            Strategies::Tried(others) => {
                others.iter().flatten().filter(|o| o.has_datatype()).count()
            }
        };
        let contests = self.contests.iter().filter(|contest| contest.get().is_some()).count();
        let contests = contests * size_of::<Mutex<Contest>>();
        size_of::<Self>() + self.plan.heap() + HANDLE * made + contests
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

/// So many elements of a layout in normal form, in normal form.
fn normal_form(count: u64, layout: &Type) -> Result<Type, Box<dyn std::error::Error>> {
    let all = mpi::contiguous(count, layout)?;
    Ok(if count == 1 { all } else { normalize(&all)? })
}

/// The length of a range of packed bytes as that of a buffer.
fn length(range: &Range<u64>) -> Option<usize> {
    usize::try_from(range.end.checked_sub(range.start)?).ok()
}
