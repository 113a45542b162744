//! [`CopyPlan`]: from one layout to another without a packed buffer between.
//!
//! Pack, unpack and layout-to-layout copy are one thing: side A is read, side B is written, and
//! the packed stream is only the order in which their bytes correspond. A pack is the copy to the
//! contiguous layout, an unpack the copy from it. So a [`Pair`] of nests is found by walking down
//! both at once ([`descend`]): loops are split until they have equal counts, and where one side
//! has become a block, what remains is the pack or the unpack of the other side's [`Node`], with
//! the kernel that it already has. Conversely the kernels of strided loops and transposes
//! ([`Tiles`]) know two sides only, each with its strides, and serve all three.
//!
//! Where two layouts have nothing in common, pieces that fit in the first-level cache are packed
//! and unpacked ([`Pairing::Staged`]); that is always right, and also chosen where pieces would be
//! short.
//!
//! The order of the packed stream says which byte goes where, but not when it is moved: inside a
//! copy, loops may be interchanged. A destination that names a byte twice gets one of its values.

mod cut;
mod descend;
mod kernel;
mod pair;
mod print;
mod slice;

use std::ops::Range;
use std::sync::Arc;

use commloom_layout::Type;

use crate::{Plan, PlanError, Target};

pub use cut::CopyPiece;
pub use kernel::{CopyKernel, CopyPart, Outer};
pub use pair::{Pair, PairStep, Pairing, Stage, Steps};

/// How bytes move from one layout to another. Immutable, cheap to clone, shareable between
/// threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyPlan {
    source: Plan,
    destination: Plan,
    root: Arc<Pair>,
}

impl CopyPlan {
    /// The plan that moves `count` copies of `source` to `to_count` copies of `destination`: byte
    /// `k` of the packed stream of one becomes byte `k` of the other's.
    ///
    /// Takes time linear in the descriptions of the types (nodes and list entries), not in the
    /// data.
    ///
    /// # Errors
    /// The packed sizes differ, or sizes or displacements of the copies do not fit in 64 bits.
    pub fn between(
        source: &Type,
        count: u64,
        destination: &Type,
        to_count: u64,
        target: &Target,
    ) -> Result<CopyPlan, PlanError> {
        let source = Plan::packed(source, count, target)?;
        let destination = Plan::packed(destination, to_count, target)?;
        let (from, to) = (source.bytes(), destination.bytes());
        if from != to {
            return Err(PlanError::Sizes { from, to });
        }
        let root = descend::pair(source.shared_root(), destination.shared_root(), target)?;
        Ok(CopyPlan { source, destination, root })
    }

    /// Bytes that are moved.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.root.bytes()
    }

    /// Displacements from the source's origin of everything that is read, in bytes.
    #[must_use]
    pub fn source_bounds(&self) -> Range<i64> {
        self.source.bounds()
    }

    /// Displacements from the destination's origin of everything that is written, in bytes.
    #[must_use]
    pub fn destination_bounds(&self) -> Range<i64> {
        self.destination.bounds()
    }

    /// Displacements of the first byte in packed order, in the source and in the destination.
    #[must_use]
    pub fn starts(&self) -> (i64, i64) {
        (self.source.start(), self.destination.start())
    }

    /// The outermost pair.
    #[must_use]
    pub fn root(&self) -> &Pair {
        &self.root
    }

    /// The machine that the plan was made for.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.source.target()
    }
}
