//! [`Pair`]: one level of the nest between two layouts.

use std::sync::Arc;

use crate::between::CopyKernel;
use crate::node::Node;
use crate::number::{index, within};
use crate::offsets::Offsets;

/// One level of the nest of a [`CopyPlan`](crate::CopyPlan).
///
/// Its origin is its own first byte in packed order, which has displacement 0 on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pairing: Pairing,
    bytes: u64,
}

/// The correspondence of the two sides. All offsets come from nodes whose bounds were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairing {
    /// The destination is contiguous: a pack. Of a block: one run on both sides.
    Pack(Arc<Node>),
    /// The source is contiguous: an unpack.
    Unpack(Arc<Node>),
    /// Copies of `body`.
    Loop {
        /// Number of copies, at least 2.
        count: u64,
        /// Where they begin in the source.
        a: Steps,
        /// Where they begin in the destination.
        b: Steps,
        /// The repeated pair.
        body: Arc<Pair>,
        /// How whole copies are moved.
        kernel: CopyKernel,
    },
    /// Different pairs in packed order, at least 2.
    Seq(Box<[PairStep]>),
    /// Two layouts without a common structure.
    Staged {
        /// The node that is read.
        source: Arc<Node>,
        /// The node that is written.
        destination: Arc<Node>,
        /// By what way.
        stage: Stage,
    },
}

/// Places of the copies of a loop on one side, the first of which is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steps {
    /// So many bytes apart.
    Stride(i64),
    /// At these displacements.
    List(Offsets),
}

/// One pair of a [`Pairing::Seq`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairStep {
    /// Displacement of its first byte in the source.
    pub a: i64,
    /// Displacement of its first byte in the destination.
    pub b: i64,
    /// Packed position of its first byte.
    pub at: u64,
    /// The pair at this place.
    pub pair: Arc<Pair>,
}

/// How bytes get from one layout to another that has nothing in common with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Packed to a small buffer and unpacked from it, so many bytes at a time; pieces begin at
    /// multiples of that.
    Buffer {
        /// Bytes of a piece, at most [`Stage::LARGEST`].
        piece: u64,
    },
    /// The source has long runs: each is unpacked from where it lies.
    SourceRuns,
    /// The destination has long runs: each is packed to where it lies.
    DestinationRuns,
}

impl Stage {
    /// Bytes of the largest buffer.
    pub const LARGEST: u64 = 8 << 10;
}

impl Steps {
    /// Displacement of copy `i`, which the loop has.
    #[must_use]
    pub fn at(&self, i: u64) -> i64 {
        match self {
            Steps::Stride(stride) => within(i, *stride),
            Steps::List(offsets) => offsets.at(index(i)),
        }
    }

    /// The common distance, where there is one.
    #[must_use]
    pub fn stride(&self) -> Option<i64> {
        match self {
            Steps::Stride(stride) => Some(*stride),
            Steps::List(_) => None,
        }
    }
}

impl Pair {
    pub(super) fn new(pairing: Pairing, bytes: u64) -> Arc<Pair> {
        Arc::new(Pair { pairing, bytes })
    }

    /// The correspondence of the two sides.
    #[must_use]
    pub fn pairing(&self) -> &Pairing {
        &self.pairing
    }

    /// Bytes that are moved.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The length, where both sides are one run.
    pub(super) fn block(&self) -> Option<u64> {
        match &self.pairing {
            Pairing::Pack(node) | Pairing::Unpack(node) => node.block(),
            _ => None,
        }
    }
}
