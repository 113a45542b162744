//! One kind of message: so many elements of a datatype, and how it is handled. Made once, then only
//! looked up.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use commloom_choice::{Operation, Shape, Step, Trials, Way, unit};
use commloom_layout::{Base, Basic, CostModel, Signature, Type, mpi};
use commloom_mpi::{Abi, RawHandle, Subject, encode};
use commloom_plan::Plan;
use commloom_reconstruct::{Constructors, fewest_runs, normalize_within};

use crate::config::Force;
use crate::count::CallCount;
use crate::element::Element;
use crate::layouts::{EFFORT, Known};
use crate::made::MadeType;
use crate::record::Found;
use crate::state::Preload;
use crate::tally::{Expected, MessageTally};

/// The way of a message, with what it needs.
pub(crate) enum Route<A: Abi> {
    /// Untouched, for this reason.
    Native(&'static str),
    /// The same layout in the description that the library is fast with: count and handle.
    Substitute(i64, MadeType<A>),
    /// Packed.
    Engine,
}

/// What a message is handed to the library as, in a call whose counts are `N`.
pub(crate) enum Elements<A: Abi, N> {
    /// As the program has it, for this reason.
    Own(&'static str),
    /// The same memory as so many elements of this datatype.
    Other(N, A::Datatype),
    /// Packed, as so many elements of this datatype.
    Packed(N, A::Datatype),
}

impl<A: Abi, N> Elements<A, N> {
    /// As the program has them, where there is another reason for that. Nobody asks where they go so anyway.
    pub fn unless(self, reason: impl FnOnce() -> Option<&'static str>) -> Self {
        match self {
            Elements::Own(_) => self,
            Elements::Other(..) | Elements::Packed(..) => reason().map_or(self, Elements::Own),
        }
    }
}

/// How `count` elements of a datatype are handled.
pub(crate) struct Message<A: Abi> {
    state: &'static Preload<A>,
    /// Sends and receives.
    pub route: Route<A>,
    /// Another way for sends, and whether it is the better one.
    other: Option<(Route<A>, Trials)>,
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
    pub tally: MessageTally,
}

/// What a library holds of memory for a datatype of ours, about.
const HANDLE: usize = 2 << 10;
/// Why a layout does not go in other words.
const NO_HANDLE: &str = "no handle for the normal form";
/// Buffers that begin below this address are not buffers: with `MPI_BOTTOM` the displacements are
/// addresses, and a null pointer with small displacements is a mistake that MPI shall report.
const LOWEST_ADDRESS: i64 = 65_536;

impl<A: Abi> Message<A> {
    /// `None` where our own code failed: the message is left alone.
    pub fn new(state: &'static Preload<A>, known: &Known<A>, count: i64) -> Option<Self> {
        state.shield(|| Self::plan(state, known, count).ok()).flatten()
    }

    fn plan(
        state: &'static Preload<A>,
        known: &Known<A>,
        count: i64,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let count = u64::try_from(count)?;
        let all = mpi::contiguous(count, &known.after)?;
        let all = match count {
            1 => all,
            _ => normalize_within(&EFFORT, &all, Constructors::Extended, &CostModel::default())?.ty,
        };
        let joined = fewest_runs(&all)?;
        let shape = Shape::of(count, &known.before, &all, &joined);
        let plan = state.plans.get(&all, 1, state.target())?;
        let packed = packed_elements(state, &all)?;
        let contiguous = all.runs() <= 1;
        let config = state.config();
        let forced = config.force == Some(Force::Pack);
        let (route, other) = routes(state, &shape, [&all, &joined]);
        let expected = Expected::of(&state.model().choose(&shape));
        Ok(Message {
            state,
            route,
            other: other.map(|route| (route, Trials::default())),
            packs: !contiguous && !config.no_pack && (forced || state.model().packs(&shape)),
            plan,
            shape,
            takes_packed: takes_packed(state, &all),
            collective: AtomicU64::new(0),
            extent: known.before.extent(),
            element: known.element(state),
            grain: Grain::of(&known.before, state.mpi().may_have(Subject::QuadsAreBytes)),
            packed,
            tally: MessageTally::new(known.tally.clone(), expected),
        })
    }

    /// What is handed to the library. A message may be few elements for the program and more than
    /// its call can count for us: then it stays as it is.
    pub fn elements<N: CallCount>(&self) -> Elements<A, N> {
        self.elements_by(&self.route)
    }

    /// The same for a blocking send, whose time can tell which way is the better one. With it the step
    /// to give its time to, if it is wanted.
    pub fn elements_to_send<N: CallCount>(&self) -> (Elements<A, N>, Option<Step>) {
        let Some((other, trials)) = &self.other else { return (self.elements(), None) };
        let step = trials.next();
        let route = if step.other { other } else { &self.route };
        (self.elements_by(route), step.timed.then_some(step))
    }

    /// The time of a blocking send.
    pub fn took(&self, step: Step, time: Duration) {
        if let Some((_, trials)) = &self.other {
            trials.took(step, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    fn elements_by<N: CallCount>(&self, route: &Route<A>) -> Elements<A, N> {
        let elements = match route {
            Route::Native(reason) => return Elements::Own(reason),
            Route::Substitute(count, made) => match made.handle() {
                None => return Elements::Own("the library ends"),
                Some(datatype) => N::narrow(*count).map(|count| Elements::Other(count, datatype)),
            },
            Route::Engine => {
                let (count, datatype) = self.packed;
                N::narrow(count).map(|count| Elements::Packed(count, datatype))
            }
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
    fn is_left_alone(&self) -> bool {
        matches!(self.route, Route::Native(_)) && self.other.is_none()
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
        self.state.gpus.refuse(buffer, move_by(start)..move_by(end))
    }

    /// Whether to pack it where a collective sends or receives it in so many equal parts.
    pub fn packs_in_collective(&self, parts: u64, purpose: Purpose) -> bool {
        let config = self.state.config();
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
        let pays = self.state.model().collective(operation, &self.shape.part(parts));
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
        let is_made = |route: &Route<A>| matches!(route, Route::Substitute(..));
        let routes = std::iter::once(&self.route).chain(self.other.iter().map(|(other, _)| other));
        size_of::<Self>() + self.plan.heap() + HANDLE * routes.filter(|r| is_made(r)).count()
    }

    fn timed(&self, nanoseconds: &AtomicU64, work: impl FnOnce()) -> Option<()> {
        if !self.tally.is_enabled() {
            return self.state.shield(work);
        }
        let start = Instant::now();
        let done = self.state.shield(work);
        let spent = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        nanoseconds.fetch_add(spent, Ordering::Relaxed);
        done
    }
}

/// The length of a range of packed bytes as that of a buffer.
fn length(range: &Range<u64>) -> Option<usize> {
    usize::try_from(range.end.checked_sub(range.start)?).ok()
}

/// The basic elements of packed bytes.
enum Grain {
    /// All of this size.
    Equal(u64),
    /// Those of a type, again and again, and whether Fortran's 16-byte reals count as bytes. Its signature is
    /// made when a message has ended inside of it.
    Mixed(Type, OnceLock<Signature>, bool),
}

impl Grain {
    /// Of an element; `quads_are_bytes` as `Subject::QuadsAreBytes` says.
    fn of(element: &Type, quads_are_bytes: bool) -> Self {
        match element.base() {
            Base::One(basic) => Grain::Equal(grain_of(basic, quads_are_bytes)),
            Base::Empty => Grain::Equal(1),
            Base::Mixed => Grain::Mixed(element.clone(), OnceLock::new(), quads_are_bytes),
        }
    }

    fn whole(&self, bytes: u64) -> u64 {
        let (element, signature, quads_are_bytes) = match self {
            Grain::Equal(size) => return bytes - bytes % size.max(&1),
            Grain::Mixed(element, signature, quads_are_bytes) => {
                (element, signature, *quads_are_bytes)
            }
        };
        let rest = bytes % element.size().max(1);
        if rest == 0 {
            return bytes;
        }
        let (mut left, mut whole) = (rest, bytes - rest);
        for &(basic, count) in signature.get_or_init(|| element.signature()).runs() {
            let wanted = count * basic.size();
            let there = wanted.min(left);
            let there = there - there % grain_of(basic, quads_are_bytes).max(1);
            whole += there;
            left -= there;
            if there < wanted {
                break;
            }
        }
        whole
    }
}

/// The parts, in bytes, of which a message may bring some of a basic element without an error.
fn grain_of(basic: Basic, quads_are_bytes: bool) -> u64 {
    match basic {
        Basic::REAL16 | Basic::COMPLEX32 if quads_are_bytes => 1,
        _ => basic.size(),
    }
}

/// The ways of a message: the model's, within what the settings allow and the library can do, and
/// another one that may be tried.
fn routes<A: Abi>(
    state: &'static Preload<A>,
    shape: &Shape,
    forms: [&Type; 2],
) -> (Route<A>, Option<Route<A>>) {
    if forms[0].runs() <= 1 {
        return (Route::Native("contiguous"), None);
    }
    match state.config().force {
        Some(Force::Pack) => (route(state, Way::Engine, forms), None),
        Some(Force::Types) => {
            let way = if unit(forms[0]).is_some() { Way::Unit } else { Way::Whole };
            (route(state, way, forms), None)
        }
        None => {
            let choice = state.model().choose(shape);
            let rival = |way| match way {
                Way::Native => Route::Native("measured to be faster, or to measure it"),
                other => route(state, other, forms),
            };
            let rival = choice.rival.map(rival);
            (route(state, choice.way, forms), rival)
        }
    }
}

/// One way of a message, given in normal form and in fewest runs.
fn route<A: Abi>(state: &'static Preload<A>, way: Way, [normal, joined]: [&Type; 2]) -> Route<A> {
    let config = state.config();
    match way {
        Way::Native => Route::Native("expected to be no faster"),
        Way::Engine if !takes_packed(state, normal) => {
            Route::Native("the library takes no packed bytes for several basic types")
        }
        Way::Engine if config.no_pack => Route::Native("switched off"),
        Way::Unit | Way::Whole if config.no_types => Route::Native("switched off"),
        Way::Engine => Route::Engine,
        Way::Unit => unit(normal)
            .and_then(|(count, stride, child)| {
                let element = Type::resized(0, stride, child.clone()).ok()?;
                substitute(state, count, &element)
            })
            .unwrap_or(Route::Native(NO_HANDLE)),
        Way::Whole => substitute(state, 1, joined).unwrap_or(Route::Native(NO_HANDLE)),
    }
}

/// So many elements of a handle for this layout; `None` where the library does not make one.
fn substitute<A: Abi>(state: &'static Preload<A>, count: u64, element: &Type) -> Option<Route<A>> {
    let count = i64::try_from(count).ok()?;
    let made = state.make(|mpi| encode(mpi, element))?;
    Some(Route::Substitute(count, made))
}

/// Whether packed bytes can be sent to somebody who has posted a receive of the datatype itself, which nobody
/// knows. MPICH refuses long ones where that is a struct of several basic types, whoever packed them
/// (`tests/c/mixed.c`).
fn takes_packed<A: Abi>(state: &Preload<A>, all: &Type) -> bool {
    matches!(all.base(), Base::One(_)) || !state.mpi().may_have(Subject::LongMixed)
}

/// How the packed bytes are sent: with the basic type of the signature where there is only one.
fn packed_elements<A: Abi>(
    state: &Preload<A>,
    all: &Type,
) -> Result<(i64, A::Datatype), std::num::TryFromIntError> {
    let handles = &state.mpi().handles;
    if let Base::One(basic) = all.base()
        && let Some(handle) = handles.datatype(basic.name())
    {
        return Ok((i64::try_from(all.elements())?, handle));
    }
    Ok((i64::try_from(all.size())?, handles.packed))
}

/// Slots of the look-up table of one thread.
const SLOTS: usize = 64;
/// Longer messages are not in it: nothing tells other threads to let go of them, and what the look-up takes is
/// little beside the time of the message.
const SMALL: usize = 32 << 10;

struct Slot {
    datatype: usize,
    count: i64,
    epoch: u64,
    /// Sends and receives, in calls of their own, need not look any further.
    skip: bool,
    found: Option<Arc<dyn Any + Send + Sync>>,
}

thread_local! {
    static RECENT: RefCell<[Option<Slot>; SLOTS]> = const { RefCell::new([const { None }; SLOTS]) };
}

/// The slot of a handle and count. Handles are small integers or aligned addresses, so that only
/// some of their bits differ: a multiplication brings all of them to the top.
fn slot(datatype: usize, count: i64) -> usize {
    let key = datatype.wrapping_add(usize::try_from(count).unwrap_or(0) << 20);
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - SLOTS.trailing_zeros())
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

impl<A: Abi> Preload<A> {
    /// What to do with `count` elements of a handle of the program. Known ones cost a few
    /// nanoseconds: a table per thread, valid for one epoch.
    pub(crate) fn message(
        &'static self,
        datatype: A::Datatype,
        count: i64,
        purpose: Purpose,
    ) -> Found<A> {
        if count <= 0 {
            return Found::Nothing;
        }
        let bits = datatype.to_bits();
        let epoch = self.epoch.load(Ordering::Acquire);
        let slot = slot(bits, count);
        let cached = RECENT.try_with(|table| {
            let table = table.try_borrow().ok()?;
            let entry = table[slot].as_ref()?;
            let same = entry.datatype == bits && entry.count == count && entry.epoch == epoch;
            let skip = entry.skip && purpose == Purpose::Transfer;
            same.then(|| if skip { None } else { entry.found.clone() })
        });
        if let Ok(Some(found)) = cached {
            let message = found.and_then(|any| any.downcast().ok());
            return message.map_or(Found::Nothing, Found::This);
        }
        let found = self.look_up(datatype, count, purpose);
        let message = match &found {
            Found::This(message) => Some(message),
            Found::Nothing => None,
            Found::Unknown | Found::NotYet(_) => return found,
        };
        if message.is_some_and(|message| message.memory() > SMALL) {
            return found;
        }
        let skip = message.is_none_or(|m| m.is_left_alone() && !m.tally.is_enabled());
        let any = message.cloned().map(|message| message as Arc<dyn Any + Send + Sync>);
        let entry = Slot { datatype: bits, count, epoch, skip, found: any };
        // Dropped outside the borrow: the last reference may run code of ours.
        let _old = RECENT.try_with(|table| {
            table.try_borrow_mut().ok().and_then(|mut table| table[slot].replace(entry))
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_end_after_whole_elements_or_are_cut_there() {
        let equal =
            Grain::of(&Type::vec(3, 8, Type::predefined("MPI_INT").unwrap()).unwrap(), true);
        assert_eq!([0, 3, 4, 7, 1002].map(|n| equal.whole(n)), [0, 0, 4, 4, 1000]);
        // 1, 8, 4, 4 and 2 bytes.
        let parts = ["MPI_CHAR", "MPI_DOUBLE", "MPI_INT", "MPI_INT", "MPI_SHORT"];
        let record = |parts: &[&str], places: [i64; 5]| {
            let types: Vec<Type> =
                parts.iter().map(|name| Type::predefined(name).unwrap()).collect();
            Type::strc(places[..parts.len()].to_vec(), types).unwrap()
        };
        let mixed = Grain::of(&record(&parts, [0, 8, 16, 20, 24]), true);
        let ends = [0, 1, 9, 13, 17, 19];
        for bytes in 0..60 {
            let whole = ends.iter().map(|end| end + bytes / 19 * 19).filter(|&n| n <= bytes).max();
            assert_eq!(Some(mixed.whole(bytes)), whole, "{bytes}");
        }
        let quads = record(&["MPI_INT", "MPI_REAL16", "MPI_INT"], [0, 16, 32, 0, 0]);
        for (bytes, apart, inside) in
            [(3, 0, 0), (19, 4, 19), (20, 20, 20), (23, 20, 20), (30, 28, 30)]
        {
            assert_eq!(Grain::of(&quads, false).whole(bytes), apart, "{bytes}");
            assert_eq!(Grain::of(&quads, true).whole(bytes), inside, "{bytes}");
        }
    }

    #[test]
    fn the_types_of_a_program_get_slots_of_their_own() {
        let used = |handles: &mut dyn Iterator<Item = usize>| {
            handles.map(|h| slot(h, 1)).collect::<std::collections::HashSet<_>>().len()
        };
        // MPICH numbers its handles, Open MPI has them on the heap.
        assert!(used(&mut (0..16).map(|i| 0x8c00_0000 + i)) >= 14);
        assert!(used(&mut (0..16).map(|i| 0x5555_5570_2a40 + 0x170 * i)) >= 12);
    }
}
