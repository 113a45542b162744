//! The datatype that replaces a buffer.

use commloom_source::affine::{Counter, Place, Polynomial};
use commloom_source::tree::{Expression, Name};

use crate::{Address, Origin};

/// A datatype, with the address that is sent instead of the buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Datatype {
    /// Bytes of one element of the datatype that the call names (its token is copied from the
    /// call).
    pub element: u64,
    /// The numbers that bytes are counted in, and how many bytes they have on LP64; none: bytes,
    /// or sizes of types that are named.
    pub unit: Option<(Name, u64)>,
    /// Types of numbers that must have one size each, or the copies convert.
    pub equal: Vec<(Name, Name)>,
    /// How many of these elements there are.
    pub count: Polynomial,
    /// Where byte 0 of the node lies, if all lies in one variable: the address that the call gets,
    /// with all counters 0. None: displacements at the top are absolute (they contain
    /// [`Atom::Address`](commloom_source::affine::Atom::Address)), and the call gets `MPI_BOTTOM`.
    pub at: Option<Address>,
    /// The same address in the program's own words.
    pub origin: Option<Origin>,
    /// Whether the program computes with numbers that are wider than `int`, or unsigned: so must
    /// the text that makes the type.
    pub is_wide: bool,
    /// The type there.
    pub node: Node,
}

/// A datatype constructor. Counts may be negative for some values of the variables: they then mean
/// 0 (`max(0, n)`). Displacements and strides are in bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// `count` adjacent elements; alone at the top it becomes the call's count ("contiguous into
    /// the send count").
    Contiguous {
        /// Elements.
        count: Polynomial,
    },
    /// Blocks of elements, at a distance that is a multiple of the element's size.
    Vector {
        /// Blocks.
        count: Polynomial,
        /// Elements in each.
        block: Polynomial,
        /// Elements from one block's start to the next one's.
        stride: Polynomial,
    },
    /// The same at a distance in bytes, of anything.
    Hvector {
        /// How many.
        count: Polynomial,
        /// Bytes from one to the next.
        stride: Polynomial,
        /// The type that is repeated; a block of elements is [`Node::Contiguous`] and becomes the
        /// block length.
        child: Box<Node>,
    },
    /// Equal blocks at places that an array of the program lists: block `k` begins `scale *
    /// (array[first + k] - shift)` bytes from here.
    Listed {
        /// Blocks.
        count: Polynomial,
        /// Elements in each.
        block: Polynomial,
        /// The list's entry for the first block, an array of integers whose next entries follow it
        /// in memory.
        list: Place,
        /// Bytes of an entry of the list.
        entry: u64,
        /// Bytes per unit of an entry.
        scale: Polynomial,
        /// The entry for a block that begins here: in Fortran one for an element that the array
        /// has.
        shift: Polynomial,
    },
    /// The same child at several places, known in number.
    Hindexed {
        /// Bytes from here to each.
        displacements: Vec<Polynomial>,
        /// The type there; a block of elements is [`Node::Contiguous`] and becomes the block
        /// length.
        child: Box<Node>,
    },
    /// Another extent than its own, with lower bound 0: alone at the top, where a call takes
    /// several, one after the other.
    Resized {
        /// Bytes from one to the next.
        extent: Polynomial,
        /// The type there; its first byte need not be the lowest.
        child: Box<Node>,
    },
    /// Several children, known in number.
    Struct(Vec<Member>),
    /// A struct whose members are made by a loop when the program runs: sizes, places or
    /// conditions differ from turn to turn.
    Each {
        /// The loop; `child` and `displacement` may depend on it. Its variable, bounds and step
        /// are in the packing's `turns`.
        counter: Counter,
        /// Turns.
        count: Polynomial,
        /// Bytes from here to the child of this turn.
        displacement: Polynomial,
        /// The type there.
        child: Box<Node>,
    },
    /// Only where a condition holds when the type is made; otherwise the other, which may be
    /// empty.
    Guard {
        /// The condition.
        condition: Expression,
        /// If true.
        then: Box<Node>,
        /// If false; an empty struct where there is nothing.
        otherwise: Box<Node>,
    },
}

/// One member of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Bytes from the struct's start.
    pub displacement: Polynomial,
    /// The type there.
    pub node: Node,
}
