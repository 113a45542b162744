//! One operation of one process: what it is, and how 32 bytes hold it.

use commloom_layout::Basic;
use serde::{Deserialize, Serialize};

use crate::ids::{Address, Bytes, Communicator, LayoutId, Process, Tag};
use crate::number::{at, id};

/// How two values become one (MPI 4.1, section 6.9.2). User-defined ones are numbered by the
/// program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are MPI's.
pub enum Combine {
    Sum,
    Product,
    Min,
    Max,
    LogicalAnd,
    BitAnd,
    LogicalOr,
    BitOr,
    LogicalXor,
    BitXor,
    /// Commutative and associative.
    User(u8),
}

impl Combine {
    /// MPI's name; `None` for one that the program has defined.
    #[must_use]
    pub fn mpi_name(self) -> Option<&'static str> {
        Some(match self {
            Self::Sum => "MPI_SUM",
            Self::Product => "MPI_PROD",
            Self::Min => "MPI_MIN",
            Self::Max => "MPI_MAX",
            Self::LogicalAnd => "MPI_LAND",
            Self::BitAnd => "MPI_BAND",
            Self::LogicalOr => "MPI_LOR",
            Self::BitOr => "MPI_BOR",
            Self::LogicalXor => "MPI_LXOR",
            Self::BitXor => "MPI_BXOR",
            Self::User(_) => return None,
        })
    }

    /// The operation that MPI calls so.
    #[must_use]
    pub fn by_mpi_name(name: &str) -> Option<Combine> {
        let all = [
            Self::Sum,
            Self::Product,
            Self::Min,
            Self::Max,
            Self::LogicalAnd,
            Self::BitAnd,
            Self::LogicalOr,
            Self::BitOr,
            Self::LogicalXor,
            Self::BitXor,
        ];
        all.into_iter().find(|combine| combine.mpi_name() == Some(name))
    }

    /// Whether a contribution may count twice without changing the result.
    #[must_use]
    pub fn is_idempotent(self) -> bool {
        matches!(
            self,
            Self::Min | Self::Max | Self::LogicalAnd | Self::BitAnd | Self::LogicalOr | Self::BitOr
        )
    }
}

/// The function that a reduction applies to each pair of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reduction {
    /// How two elements become one.
    pub combine: Combine,
    /// The type of an element.
    #[serde(with = "basic")]
    pub element: Basic,
}

/// A basic type by its MPI name.
mod basic {
    use commloom_layout::Basic;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(basic: &Basic, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(basic.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Basic, D::Error> {
        let name = String::deserialize(from)?;
        Basic::by_name(&name).ok_or_else(|| D::Error::custom(format!("no basic type {name}")))
    }
}

/// The layouts of the two buffers of a local operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides {
    /// Of what is read.
    pub from: Option<LayoutId>,
    /// Of what is written.
    pub into: Option<LayoutId>,
}

/// The action of an operation. A buffer is `length` bytes from `at` on, in the memory of its own
/// process; where it has a layout, displacement 0 is at `at`, and `length` are the bytes of the
/// message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the calls of `Builder`.
pub enum Action {
    Send {
        at: Address,
        length: Bytes,
        layout: Option<LayoutId>,
        to: Process,
        tag: Tag,
        communicator: Communicator,
    },
    Receive {
        at: Address,
        length: Bytes,
        layout: Option<LayoutId>,
        from: Process,
        tag: Tag,
        communicator: Communicator,
    },
    /// Copies `length` bytes; the two buffers do not overlap.
    Copy { from: Address, to: Address, length: Bytes, layouts: Sides },
    /// `into = into (operation) from`, element by element; the two buffers do not overlap.
    Reduce { from: Address, into: Address, length: Bytes, layouts: Sides, reduction: Reduction },
    /// Nothing: a place where dependencies meet.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Send,
    Receive,
    Copy,
    Reduce,
    Nothing,
}

/// An operation as the graph keeps it. `other` is peer and tag of a message, or the source address
/// of a copy or reduction; `detail` is the kind, whether there are layouts (in a table of the
/// graph), and above that communicator or reduction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed {
    pub at: u64,
    pub length: u64,
    other: u64,
    detail: u32,
    /// The operations that it waits for: nothing, one operation, or a list (see `Graph::before`).
    pub before: u32,
}

/// `Packed::before` of an operation that waits for nothing.
pub(crate) const NONE: u32 = u32::MAX;
/// Marks an index of a list in a field that otherwise names an operation.
pub(crate) const LIST: u32 = 1 << 31;

const KIND_BITS: u32 = 4;
/// Set where a buffer has a layout.
const TYPED: u32 = 1 << (KIND_BITS - 1);
/// Communicators and reductions are numbered below this.
pub(crate) const DETAIL_LIMIT: u32 = 1 << (32 - KIND_BITS);

impl Packed {
    pub(crate) fn message(
        kind: Kind,
        buffer: (Address, Bytes),
        peer: Process,
        tag: Tag,
        communicator: Communicator,
    ) -> Packed {
        let other = u64::from(peer.0) << 32 | u64::from(tag.0.cast_unsigned());
        Packed::new(kind, buffer, other, communicator.0)
    }

    pub(crate) fn local(kind: Kind, into: (Address, Bytes), from: Address, detail: u32) -> Packed {
        Packed::new(kind, into, from.0, detail)
    }

    fn new(kind: Kind, (at, length): (Address, Bytes), other: u64, detail: u32) -> Packed {
        let kind = match kind {
            Kind::Send => 0,
            Kind::Receive => 1,
            Kind::Copy => 2,
            Kind::Reduce => 3,
            Kind::Nothing => 4,
        };
        let detail = detail << KIND_BITS | kind;
        Packed { at: at.0, length: length.0, other, detail, before: NONE }
    }

    /// The same, with layouts in the table of the graph.
    pub(crate) fn with_layouts(self) -> Packed {
        Packed { detail: self.detail | TYPED, ..self }
    }

    #[inline]
    pub(crate) fn is_typed(&self) -> bool {
        self.detail & TYPED != 0
    }

    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        match self.detail & (TYPED - 1) {
            0 => Kind::Send,
            1 => Kind::Receive,
            2 => Kind::Copy,
            3 => Kind::Reduce,
            _ => Kind::Nothing,
        }
    }

    /// The other process of a message.
    #[inline]
    pub(crate) fn peer(&self) -> u32 {
        id(usize::try_from(self.other >> 32).expect("32 bits fit"))
    }

    /// The values that two messages must share to match, besides the processes: communicator and
    /// tag.
    #[inline]
    pub(crate) fn envelope(&self) -> u64 {
        u64::from(self.detail >> KIND_BITS) << 32 | (self.other & u64::from(u32::MAX))
    }

    /// Where a copy or reduction reads.
    #[inline]
    pub(crate) fn source(&self) -> u64 {
        self.other
    }

    /// The number of the reduction in the graph's table.
    #[inline]
    pub(crate) fn reduction(&self) -> usize {
        at(self.detail >> KIND_BITS)
    }

    /// The operation in words, given the graph's table of reductions and its layouts.
    pub(crate) fn action(&self, reductions: &[Reduction], layouts: Sides) -> Action {
        let (at, length) = (Address(self.at), Bytes(self.length));
        let low = u32::try_from(self.other & u64::from(u32::MAX)).expect("32 bits fit");
        let tag = Tag(low.cast_signed());
        let communicator = Communicator(self.detail >> KIND_BITS);
        let peer = Process(self.peer());
        match self.kind() {
            Kind::Send => {
                Action::Send { at, length, layout: layouts.from, to: peer, tag, communicator }
            }
            Kind::Receive => {
                Action::Receive { at, length, layout: layouts.into, from: peer, tag, communicator }
            }
            Kind::Copy => Action::Copy { from: Address(self.other), to: at, length, layouts },
            Kind::Reduce => Action::Reduce {
                from: Address(self.other),
                into: at,
                length,
                layouts,
                reduction: reductions[self.reduction()],
            },
            Kind::Nothing => Action::Nothing,
        }
    }
}
