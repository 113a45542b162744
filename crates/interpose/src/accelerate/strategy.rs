//! The strategy for a message: left alone, sent as an equivalent datatype, or packed.

use commloom_choice::{Shape, Way, unit};
use commloom_layout::{Base, Type};
use commloom_mpi::{Abi, Subject, encode};

use crate::accelerate::engine::Engine;
use crate::accelerate::made::MadeType;
use crate::runtime::config::Force;

/// Why there is no equivalent datatype.
const NO_HANDLE: &str = "no handle for the normal form";

/// The strategy for a message, with what it needs.
pub(crate) enum Strategy<A: Abi> {
    /// Untouched, for this reason.
    Native(&'static str),
    /// An equivalent datatype that the library is fast with: count and handle.
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

/// The strategy for a message: the model's, within what the settings allow and the library can do,
/// and another one that may be tried.
pub(crate) fn choose<A: Abi>(
    engine: &'static Engine<A>,
    shape: &Shape,
    forms: [&Type; 2],
) -> (Strategy<A>, Option<Strategy<A>>) {
    if forms[0].runs() <= 1 {
        return (Strategy::Native("contiguous"), None);
    }
    match engine.config().force {
        Some(Force::Pack) => (strategy(engine, Way::Engine, forms), None),
        Some(Force::Types) => {
            let way = if unit(forms[0]).is_some() { Way::Unit } else { Way::Whole };
            (strategy(engine, way, forms), None)
        }
        None => {
            let choice = engine.model().choose(shape);
            let rival = |way| match way {
                Way::Native => Strategy::Native("measured to be faster, or to measure it"),
                other => strategy(engine, other, forms),
            };
            let rival = choice.rival.map(rival);
            (strategy(engine, choice.way, forms), rival)
        }
    }
}

/// One strategy for a message, given in normal form and in fewest runs.
fn strategy<A: Abi>(
    engine: &'static Engine<A>,
    way: Way,
    [normal, joined]: [&Type; 2],
) -> Strategy<A> {
    let config = engine.config();
    match way {
        Way::Native => Strategy::Native("expected to be no faster"),
        Way::Engine if !takes_packed(engine, normal) => {
            Strategy::Native("the library takes no packed bytes for several basic types")
        }
        Way::Engine if config.no_pack => Strategy::Native("switched off"),
        Way::Unit | Way::Whole if config.no_types => Strategy::Native("switched off"),
        Way::Engine => Strategy::Engine,
        Way::Unit => unit(normal)
            .and_then(|(count, stride, child)| {
                let element = Type::resized(0, stride, child.clone()).ok()?;
                substitute(engine, count, &element)
            })
            .unwrap_or(Strategy::Native(NO_HANDLE)),
        Way::Whole => substitute(engine, 1, joined).unwrap_or(Strategy::Native(NO_HANDLE)),
    }
}

/// So many elements of a handle for this layout; `None` where the library does not make one.
fn substitute<A: Abi>(
    engine: &'static Engine<A>,
    count: u64,
    element: &Type,
) -> Option<Strategy<A>> {
    let count = i64::try_from(count).ok()?;
    let made = engine.make(|mpi| encode(mpi, element))?;
    Some(Strategy::Substitute(count, made))
}

/// Whether packed bytes can be sent to somebody who has posted a receive of the datatype itself, which nobody
/// knows. MPICH refuses long ones where that is a struct of several basic types, whoever packed them
/// (`tests/c/mixed.c`).
pub(crate) fn takes_packed<A: Abi>(engine: &Engine<A>, all: &Type) -> bool {
    matches!(all.base(), Base::One(_)) || !engine.mpi().may_have(Subject::LongMixed)
}

/// How the packed bytes are sent: with the basic type of the signature where there is only one.
pub(crate) fn packed_elements<A: Abi>(
    engine: &Engine<A>,
    all: &Type,
) -> Result<(i64, A::Datatype), std::num::TryFromIntError> {
    let handles = &engine.mpi().handles;
    if let Base::One(basic) = all.base()
        && let Some(handle) = handles.datatype(basic.name())
    {
        return Ok((i64::try_from(all.elements())?, handle));
    }
    Ok((i64::try_from(all.size())?, handles.packed))
}

/// As what packed bytes are received: as `MPI_PACKED`, which matches every signature (MPI 4.1,
/// section 5.2), where the library would end the program over a message that ends inside a basic
/// element. Where it ends is then for [`Landing`](crate::accelerate::landing::Landing) to judge.
pub(crate) fn received_elements<A: Abi>(
    engine: &Engine<A>,
    all: &Type,
) -> Result<(i64, A::Datatype), std::num::TryFromIntError> {
    if engine.mpi().may_have(Subject::EndsInsideElement) {
        return Ok((i64::try_from(all.size())?, engine.mpi().handles.packed));
    }
    packed_elements(engine, all)
}
