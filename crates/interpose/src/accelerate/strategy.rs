//! The strategy for a message: left alone, sent as an equivalent datatype, or packed.

use std::sync::OnceLock;

use commloom_choice::{Candidate, Choice, Way, unit};
use commloom_layout::{Base, Type};
use commloom_mpi::{Abi, Subject, encode};
use commloom_reconstruct::fewest_runs;

use crate::accelerate::engine::Engine;
use crate::accelerate::made::MadeType;
use crate::accelerate::rounds::{ALL_PACKED, ALL_SUBSTITUTED, AS_EXPECTED, RoundWays};
use crate::accelerate::tally::{PACKED, SUBSTITUTED};
use crate::runtime::config::Force;

/// Why a message goes as it is in its round.
pub(crate) const NOT_SLOWER: &str = "native is not known to be slower";
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

/// A message as the library gets it, in a call whose counts are `N`.
pub(crate) enum Elements<A: Abi, N> {
    /// As the program has it, for this reason.
    Own(&'static str),
    /// The same memory as so many elements of this datatype.
    Other(N, A::Datatype),
    /// Packed, as so many elements of this datatype.
    Packed(N, A::Datatype),
}

impl<A: Abi, N> Elements<A, N> {
    /// As the program has them, where there is another reason for that. Nobody asks where they go
    /// so anyway.
    pub fn unless(self, reason: impl FnOnce() -> Option<&'static str>) -> Self {
        match self {
            Elements::Own(_) => self,
            Elements::Other(..) | Elements::Packed(..) => reason().map_or(self, Elements::Own),
        }
    }
}

/// The strategies for one kind of message.
pub(crate) enum Strategies<A: Abi> {
    /// This one.
    Fixed(Strategy<A>),
    /// Native, or one of these: what is fastest is found out.
    Tried([Option<Challenger<A>>; 2]),
}

impl<A: Abi> Strategies<A> {
    /// The number of the challenger for a round that goes this way.
    pub fn challenger_of(&self, way: u8) -> Option<usize> {
        let Strategies::Tried(others) = self else { return None };
        let with_datatype = |wanted| {
            let has = |other: &Option<Challenger<A>>| {
                other.as_ref().is_some_and(|other| other.has_datatype() == wanted)
            };
            others.iter().position(has)
        };
        match way {
            AS_EXPECTED => Some(0),
            ALL_PACKED => with_datatype(false),
            ALL_SUBSTITUTED => with_datatype(true),
            _ => None,
        }
    }

    /// The part of such a message in the ways of its round.
    pub fn ways(&self) -> RoundWays {
        let number = |way| self.challenger_of(way);
        let is = |n| [ALL_PACKED, ALL_SUBSTITUTED].map(|way| number(way) == Some(n));
        RoundWays { expected: is(0), other: is(1) }
    }

    /// Of the ways of a round, how many times the native time such a message is expected to take;
    /// of those that are different for it.
    pub fn times(&self) -> [Option<f64>; 3] {
        let Strategies::Tried([first, second]) = self else { return [None; 3] };
        let times = |other: &Option<Challenger<A>>| other.as_ref().map(|c| c.candidate.times);
        let second = |way| (self.challenger_of(way) == Some(1)).then(|| times(second)).flatten();
        [times(first), second(ALL_PACKED), second(ALL_SUBSTITUTED)]
    }
}

/// A strategy that may be faster than native. What it needs is made when it is tried first: most
/// are never tried.
pub(crate) struct Challenger<A: Abi> {
    candidate: Candidate,
    made: OnceLock<Strategy<A>>,
}

impl<A: Abi> Challenger<A> {
    /// As the report calls it.
    pub fn name(&self) -> &'static str {
        match self.candidate.way {
            Way::Native => "native",
            Way::Engine => PACKED,
            Way::Unit | Way::Whole => SUBSTITUTED,
        }
    }

    /// The strategy, of a message in this normal form.
    pub fn strategy(
        &self,
        engine: &'static Engine<A>,
        normal: impl FnOnce() -> Option<Type>,
    ) -> &Strategy<A> {
        self.made.get_or_init(|| match self.candidate.way {
            Way::Engine => Strategy::Engine,
            way => normal()
                .map_or(Strategy::Native(NO_HANDLE), |normal| strategy(engine, way, &normal)),
        })
    }

    /// A datatype is made for it when it is tried.
    pub fn has_datatype(&self) -> bool {
        self.candidate.way != Way::Engine
    }
}

impl<A: Abi> Strategy<A> {
    /// A datatype was made for it.
    pub fn has_datatype(&self) -> bool {
        matches!(self, Strategy::Substitute(..))
    }
}

/// The strategies for a message in this normal form, within what the settings allow and the
/// library can do.
pub(crate) fn choose<A: Abi>(
    engine: &'static Engine<A>,
    choice: &Choice,
    normal: &Type,
) -> Strategies<A> {
    if normal.runs() <= 1 {
        return Strategies::Fixed(Strategy::Native("contiguous"));
    }
    match engine.config().force {
        Some(Force::Pack) => Strategies::Fixed(strategy(engine, Way::Engine, normal)),
        Some(Force::Types) => {
            let way = if unit(normal).is_some() { Way::Unit } else { Way::Whole };
            Strategies::Fixed(strategy(engine, way, normal))
        }
        Some(Force::Mixed) | None => {
            let mut refused = "expected to be far slower in every other way";
            let others = choice.others.map(|candidate| {
                let candidate = candidate?;
                match refusal(engine, candidate.way, normal) {
                    Some(reason) => {
                        refused = reason;
                        None
                    }
                    None => Some(Challenger { candidate, made: OnceLock::new() }),
                }
            });
            match others {
                [None, None] => Strategies::Fixed(Strategy::Native(refused)),
                [None, second] => Strategies::Tried([second, None]),
                others => Strategies::Tried(others),
            }
        }
    }
}

/// Why a message in this normal form does not go so.
fn refusal<A: Abi>(engine: &Engine<A>, way: Way, normal: &Type) -> Option<&'static str> {
    let config = engine.config();
    match way {
        Way::Native => Some("left to the library"),
        _ if is_taken_apart(engine, normal) => {
            Some("the library takes elements of more than 16 bytes apart")
        }
        Way::Engine if !takes_packed(engine, normal) => {
            Some("the library takes no packed bytes for several basic types")
        }
        Way::Engine if config.no_pack => Some("switched off"),
        Way::Unit | Way::Whole if config.no_types => Some("switched off"),
        Way::Engine | Way::Unit | Way::Whole => None,
    }
}

/// One strategy for a message in this normal form.
fn strategy<A: Abi>(engine: &'static Engine<A>, way: Way, normal: &Type) -> Strategy<A> {
    if let Some(reason) = refusal(engine, way, normal) {
        return Strategy::Native(reason);
    }
    let substitute = match way {
        Way::Native | Way::Engine => return Strategy::Engine,
        Way::Unit => unit(normal).and_then(|(count, stride, child)| {
            let element = Type::resized(0, stride, child.clone()).ok()?;
            substitute(engine, count, &element)
        }),
        Way::Whole => fewest_runs(normal).ok().and_then(|joined| substitute(engine, 1, &joined)),
    };
    substitute.unwrap_or(Strategy::Native(NO_HANDLE))
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

/// Whether packed bytes can be sent to somebody who has posted a receive of the datatype itself,
/// which nobody knows. MPICH refuses long ones where that is a struct of several basic types,
/// whoever packed them (`tests/c/mixed.c`).
pub(crate) fn takes_packed<A: Abi>(engine: &Engine<A>, all: &Type) -> bool {
    let is_one = matches!(all.base(), Base::One(_));
    (is_one || !engine.mpi().may_have(Subject::LongMixed)) && !is_taken_apart(engine, all)
}

/// Whether a message in another description than the program's may end where the library cannot
/// receive it, in the middle of an element (`tests/c/wide.c`). Of several basic types, an
/// alignment to 16 is the sign of those that may be so long.
fn is_taken_apart<A: Abi>(engine: &Engine<A>, all: &Type) -> bool {
    let is_wide = match all.base() {
        Base::Empty => false,
        Base::One(basic) => basic.size() > 16,
        Base::Mixed => all.align() >= 16,
    };
    is_wide && engine.mpi().may_have(Subject::WideElements)
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
