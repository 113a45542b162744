//! Random datatypes: a native handle, the layout that the standard gives it, and how it was made.

use std::collections::VecDeque;
use std::io::Write as _;

use commloom_layout::{Base, Basic, Type};
use commloom_mpi::{Abi, encode};
use commloom_testkit::oracle::mpi::Call;
use commloom_testkit::random::{Limits, random_call, random_records, random_type};
use commloom_testkit::{Rng, oracle};

use crate::create::{Form, try_create};
use crate::memory::{Memory, mix};
use crate::number::{int, length};
use crate::session::{Face, Session};

/// Which types may meet in a message: those with elements of one basic type do in any numbers,
/// others with their like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// Nothing.
    Empty,
    /// Elements of one kind.
    One(Basic),
    /// That of the type with this number, and of its twin.
    Mixed(u64),
}

/// A committed datatype.
pub struct Specimen<A: Abi> {
    pub handle: A::Datatype,
    pub layout: Type,
    pub signature: Signature,
    /// Its name in messages to people: number and history.
    pub text: String,
    /// Most elements that can be received without a byte being named twice, up to a limit.
    pub receivable: u64,
    derived: bool,
}

impl<A: Abi> Specimen<A> {
    /// Displacements of the bytes of `count` elements that begin `at` (in bytes), in packed order.
    pub fn places(&self, count: u64, at: i64) -> Vec<i64> {
        let mut bytes = oracle::byte_map(&self.layout, count);
        bytes.iter_mut().for_each(|byte| *byte += at);
        bytes
    }
}

/// Bytes of data of one element, at most, most of the time.
const BYTES: u64 = 3000;
/// The same for a few large ones, which messages do not travel at once.
const LARGE: u64 = 400_000;
/// Farthest bound of one element from its origin.
const SPAN: i64 = 40_000;
/// Up to how many elements it is known whether bytes are named twice.
const TRIED: u64 = 40;
/// Types that live at the same time, twins not counted.
const LIVE: u64 = 10;
/// One type goes and another comes after so many operations.
const STEP: u64 = 4;

/// The types of an operation. They follow from the seed and the number of the operation.
pub struct SpecimenPool<A: Abi> {
    seed: u64,
    /// Number of the first type.
    first: u64,
    /// Type and twin, or nothing where the library did not take it.
    live: VecDeque<Vec<Specimen<A>>>,
    /// Bytes, for messages of any length.
    bytes: Specimen<A>,
    /// Types that the library makes otherwise than the standard says.
    pub defective: u64,
    /// Prints every type before it is tried.
    verbose: bool,
}

impl<A: Abi> SpecimenPool<A> {
    /// Without types yet.
    pub fn new(session: &Session<A>, seed: u64, verbose: bool) -> Self {
        let bytes = Specimen {
            handle: session.mpi.handles.byte,
            layout: Type::leaf(Basic::BYTE),
            signature: Signature::One(Basic::BYTE),
            text: "MPI_BYTE".to_owned(),
            receivable: LARGE,
            derived: false,
        };
        SpecimenPool { seed, first: 0, live: VecDeque::new(), bytes, defective: 0, verbose }
    }

    /// `MPI_BYTE`.
    pub fn bytes(&self) -> &Specimen<A> {
        &self.bytes
    }

    /// Brings the types of an operation to life, those of earlier ones to an end.
    pub fn advance(&mut self, session: &Session<A>, operation: u64) {
        let first = operation / STEP;
        while self.first < first {
            for specimen in self.live.pop_front().into_iter().flatten() {
                free(session, &specimen);
            }
            self.first += 1;
        }
        while u64::try_from(self.live.len()).is_ok_and(|n| n < LIVE) {
            let number = self.first + u64::try_from(self.live.len()).expect("few");
            let made = self.make(session, number);
            self.live.push_back(made);
        }
    }

    /// Frees all types.
    pub fn end(mut self, session: &Session<A>) {
        for specimen in self.live.drain(..).flatten() {
            free(session, &specimen);
        }
    }

    /// All types, in an order that all ranks share.
    pub fn all(&self) -> Vec<&Specimen<A>> {
        self.live.iter().flatten().collect()
    }

    /// The type of a number and its twin.
    ///
    /// A type that one rank cannot have is given to nobody: where a library goes wrong by what its
    /// memory holds, the types of the ranks would be different ones from there on.
    fn make(&mut self, session: &Session<A>, number: u64) -> Vec<Specimen<A>> {
        for attempt in 0.. {
            let mut rng = Rng::with_seed(mix(&[self.seed, number, attempt]));
            let Some(mut grown) = self.candidate(session, number, &mut rng) else { continue };
            let dense = grown.dense.take();
            let Some(specimen) = shared(session, examine(session, grown, number, &mut rng)) else {
                self.defective += 1;
                continue;
            };
            let twin = (specimen.signature == Signature::Mixed(number))
                .then(|| shared(session, twin(session, &mut rng, &specimen, dense)))
                .flatten();
            return std::iter::once(specimen).chain(twin).collect();
        }
        Vec::new()
    }

    /// A type that is worth a try, the same on all ranks.
    fn candidate(&self, session: &Session<A>, number: u64, rng: &mut Rng) -> Option<Grown<A>> {
        let grown = grow(session, rng)?;
        // Constructors like to end with nothing, and nothing happens with it.
        let idle = grown.layout.size() == 0 && rng.u32(0..4) > 0;
        let deadly = session.quirks.empty_types_crash && has_nothing(&grown.layout);
        if grown.layout.type_map().any(|entry| is_padded(entry.basic)) || idle || deadly {
            discard(session, &grown);
            return None;
        }
        if self.verbose {
            // In one piece, and before the library sees it: the next call may be the last one.
            let line = format!("type {number}: {}\n", grown.history);
            let _ = std::io::stdout().write_all(line.as_bytes());
            let _ = std::io::stdout().flush();
        }
        Some(grown)
    }
}

/// The specimen, if all ranks have it.
fn shared<A: Abi>(session: &Session<A>, specimen: Option<Specimen<A>>) -> Option<Specimen<A>> {
    if session.everybody(specimen.is_some()) {
        return specimen;
    }
    if let Some(specimen) = specimen {
        free(session, &specimen);
    }
    None
}

fn free<A: Abi>(session: &Session<A>, specimen: &Specimen<A>) {
    if specimen.derived {
        session.mpi.type_free(specimen.handle).expect("a type of our own");
    }
}

/// A handle that is not committed, its layout, and how it came to be.
struct Grown<A: Abi> {
    handle: A::Datatype,
    layout: Type,
    history: String,
    derived: bool,
    /// The same elements one behind the other, where that is known.
    dense: Option<Type>,
}

/// Calls of constructors on top of each other, or a random tree of core nodes.
fn grow<A: Abi>(session: &Session<A>, rng: &mut Rng) -> Option<Grown<A>> {
    let mpi = &session.mpi;
    if rng.u32(0..6) == 0 {
        let limits = Limits { depth: 5, bytes: BYTES, span: SPAN, ..Limits::default() };
        let layout = random_type(rng, &limits);
        let handle = encode(mpi, &layout).ok()?;
        let history = format!("core {layout:?}");
        let derived = handle.is_derived();
        return Some(Grown { handle: handle.into_handle(), layout, history, derived, dense: None });
    }
    if rng.u32(0..10) == 0 {
        return records(session, rng);
    }
    let basic = basic(session, rng)?;
    let mut grown = Grown {
        handle: mpi.handles.datatype(basic.name())?,
        layout: Type::leaf(basic),
        history: basic.name().to_owned(),
        derived: false,
        dense: None,
    };
    let depth = rng.usize(0..=5);
    // Most of the time few basic types, so that different types can meet in a message.
    let other = if rng.u32(0..4) == 0 { self::basic(session, rng)? } else { basic };
    for _ in 0..depth {
        wrap(session, rng, &mut grown, other);
    }
    if rng.u32(0..12) == 0 {
        enlarge(session, rng, &mut grown);
    }
    Some(grown)
}

/// Whether it has bytes without meaning. A library may leave them where they are or take them
/// along, and MPICH does now this, now that.
fn is_padded(basic: Basic) -> bool {
    basic.name().contains("LONG_DOUBLE")
}

/// Whether a part of a type has no data.
fn has_nothing(ty: &Type) -> bool {
    ty.size() == 0 || ty.children().iter().any(has_nothing)
}

fn basic<A: Abi>(session: &Session<A>, rng: &mut Rng) -> Option<Basic> {
    const COMMON: [Basic; 4] = [Basic::INT, Basic::DOUBLE, Basic::BYTE, Basic::SHORT];
    if rng.u32(0..6) > 0 {
        return Some(COMMON[rng.usize(0..COMMON.len())]);
    }
    let all: Vec<Basic> = Basic::all().collect();
    let basic = all[rng.usize(0..all.len())];
    let handle = session.mpi.handles.datatype(basic.name())?;
    let size = session.mpi.type_size(handle).ok()?;
    (size == Some(basic.size())).then_some(basic)
}

/// One constructor around what was made so far, if that stays within the limits and the library
/// takes it.
fn wrap<A: Abi>(session: &Session<A>, rng: &mut Rng, grown: &mut Grown<A>, other: Basic) {
    let call = random_call(rng, &grown.layout);
    // Open MPI refuses some valid ones, and that ends a program without a world.
    if session.is_of_session() && matches!(call, Call::Darray { .. }) {
        return;
    }
    let form = if rng.bool() { Form::Plain } else { Form::Large };
    let leaf = session.mpi.handles.datatype(other.name()).expect("looked up before");
    let (mut layouts, mut olds) = (vec![grown.layout.clone()], vec![grown.handle]);
    while layouts.len() < call.arity() {
        let again = rng.bool();
        layouts.push(if again { grown.layout.clone() } else { Type::leaf(other) });
        olds.push(if again { grown.handle } else { leaf });
    }
    let next = call.build(&layouts).ok().filter(|t| {
        t.size() <= BYTES
            && t.nodes() <= 2000
            && [t.lb(), t.ub(), t.true_lb(), t.true_ub()].iter().all(|b| b.abs() < SPAN)
    });
    let Some(layout) = next else { return };
    let made = try_create(&session.mpi, &call, &olds, form)
        .or_else(|| try_create(&session.mpi, &call, &olds, Form::Plain));
    // Open MPI 4 refuses some valid darrays of one process.
    let Some(Ok(handle)) = made else { return };
    replace(session, grown, handle, layout, &format!("{call:?}"));
}

/// An array of records, with the constructors that a program would call.
fn records<A: Abi>(session: &Session<A>, rng: &mut Rng) -> Option<Grown<A>> {
    // An error of a request ends a program without a world.
    if session.is_of_session() && session.quirks.refuses_records {
        return None;
    }
    let records = random_records(rng, LARGE);
    let leaf = |basic: &Basic| session.mpi.handles.datatype(basic.name());
    let fields = records.fields.iter().map(leaf).collect::<Option<Vec<_>>>()?;
    let form = if rng.bool() { Form::Plain } else { Form::Large };
    let mut grown: Option<Grown<A>> = None;
    for call in &records.calls {
        let olds = grown.as_ref().map_or_else(|| fields.clone(), |old| vec![old.handle]);
        let made = try_create(&session.mpi, call, &olds, form)
            .or_else(|| try_create(&session.mpi, call, &olds, Form::Plain));
        if let Some(old) = &grown {
            discard(session, old);
        }
        let handle = made?.ok()?;
        let history = match &grown {
            Some(old) => format!("{call:?} of {}", old.history),
            None => format!("{call:?} of {:?}", records.fields),
        };
        let (layout, dense) = (records.layout.clone(), Some(records.dense.clone()));
        grown = Some(Grown { handle, layout, history, derived: true, dense });
    }
    grown
}

/// So many copies that the message is a large one.
fn enlarge<A: Abi>(session: &Session<A>, rng: &mut Rng, grown: &mut Grown<A>) {
    if grown.layout.size() == 0 {
        return;
    }
    let bytes = rng.u64(20_000..LARGE);
    let count = (bytes / grown.layout.size()).max(2);
    let stride = grown.layout.true_extent() + rng.i64(0..3) * 8;
    let call = Call::Hvector { count, block: 1, stride };
    let Ok(layout) = call.build(std::slice::from_ref(&grown.layout)) else { return };
    let Some(Ok(handle)) = try_create(&session.mpi, &call, &[grown.handle], Form::Plain) else {
        return;
    };
    replace(session, grown, handle, layout, &format!("{call:?}"));
}

fn discard<A: Abi>(session: &Session<A>, grown: &Grown<A>) {
    if grown.derived {
        session.mpi.type_free(grown.handle).expect("a type of our own");
    }
}

fn replace<A: Abi>(
    session: &Session<A>,
    grown: &mut Grown<A>,
    handle: A::Datatype,
    layout: Type,
    call: &str,
) {
    discard(session, grown);
    let history = format!("{call} of {}", grown.history);
    *grown = Grown { handle, layout, history, derived: true, dense: None };
}

/// Commits a type through the preload or behind its back; `None` (and the type is gone) where the
/// library alone does not pack it as the standard says.
fn examine<A: Abi>(
    session: &Session<A>,
    grown: Grown<A>,
    number: u64,
    rng: &mut Rng,
) -> Option<Specimen<A>> {
    let Grown { handle, layout, history, derived, .. } = grown;
    let face = if rng.u32(0..8) == 0 { Face::Native } else { Face::Wrapped };
    let mut committed = handle;
    // SAFETY: a live handle of our own, or a predefined one.
    let code = unsafe { (session.functions(face).type_commit)(&raw mut committed) };
    session.mpi.check("MPI_Type_commit", code).expect("a new type");
    let signature = match layout.base() {
        Base::Empty => Signature::Empty,
        Base::One(basic) => Signature::One(basic),
        Base::Mixed => Signature::Mixed(number),
    };
    let tried = if layout.size() > BYTES { 1 } else { TRIED };
    let receivable = (1..=tried).take_while(|&n| !oracle::overlaps(&layout, n)).last();
    let specimen = Specimen {
        handle: committed,
        text: format!("type {number}: {history}"),
        signature,
        receivable: receivable.unwrap_or(0),
        layout,
        derived,
    };
    if sound(session, &specimen) {
        return Some(specimen);
    }
    free(session, &specimen);
    None
}

/// Whether the library alone sees what the standard says: size, bounds, and packed bytes.
fn sound<A: Abi>(session: &Session<A>, specimen: &Specimen<A>) -> bool {
    let (mpi, layout) = (&session.mpi, &specimen.layout);
    let bounds = mpi.type_bounds(specimen.handle).expect("a live type");
    if mpi.type_size(specimen.handle).expect("a live type") != Some(layout.size())
        || (bounds.lb, bounds.extent) != (layout.lb(), layout.extent())
    {
        return false;
    }
    [1, 3].into_iter().all(|count| {
        let places = specimen.places(count, 0);
        let mut memory = Memory::holding([places.as_slice()], 3);
        let right = memory.gather(&places);
        let mut packed = vec![0u8; places.len() + 1];
        let mut position = 0;
        // SAFETY: `memory` holds all places, `packed` all bytes.
        let code = unsafe {
            (mpi.own.pack)(
                memory.address(),
                int(count),
                specimen.handle,
                packed.as_mut_ptr().cast(),
                int(packed.len()),
                &raw mut position,
                session.comm,
            )
        };
        code == A::CONSTANTS.success
            && length(position) == places.len()
            && packed[..places.len()] == right
    })
}

/// The same signature elsewhere in memory: dense where that is given, or at places of their own.
fn twin<A: Abi>(
    session: &Session<A>,
    rng: &mut Rng,
    specimen: &Specimen<A>,
    dense: Option<Type>,
) -> Option<Specimen<A>> {
    let layout = dense.or_else(|| scattered(rng, &specimen.layout))?;
    let made = encode(&session.mpi, &layout).ok()?;
    let derived = made.is_derived();
    let history = format!("the twin {layout:?}");
    let grown = Grown { handle: made.into_handle(), layout, history, derived, dense: None };
    let Signature::Mixed(number) = specimen.signature else { return None };
    let twin = examine(session, grown, number, rng)?;
    Some(Specimen { signature: specimen.signature, ..twin })
}

/// The elements of a layout in the order of its type map, anywhere.
fn scattered(rng: &mut Rng, layout: &Type) -> Option<Type> {
    let elements: Vec<Basic> = layout.type_map().map(|entry| entry.basic).collect();
    if elements.len() > 400 {
        return None;
    }
    let mut order: Vec<usize> = (0..elements.len()).collect();
    if rng.bool() {
        rng.shuffle(&mut order);
    }
    let (mut indices, mut at) = (vec![0; elements.len()], 0);
    for place in order {
        indices[place] = at;
        at += i64::try_from(elements[place].size()).ok()? + rng.i64(0..3) * 4;
    }
    Type::strc(indices, elements.into_iter().map(Type::leaf).collect::<Vec<_>>()).ok()
}
