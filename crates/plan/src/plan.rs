//! [`Plan`]: the loop nest of a type and a count.

use std::ops::Range;
use std::sync::Arc;

use commloom_layout::Type;

use crate::distinct::NamesOnce;
use crate::flat::Lazy;
use crate::lower::Lower;
use crate::node::Node;
use crate::number::add;
use crate::{Flat, Kernel, PeriodBlock, PlanError, Run, Target};

/// How `count` copies of a type move between memory and the packed stream. Immutable, cheap to
/// clone, shareable between threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Displacement of the first byte from the origin of the buffer.
    start: i64,
    root: Arc<Node>,
    /// Of a short message.
    flat: Lazy,
    target: Target,
    /// Whether no byte is named twice.
    pub(crate) distinct: NamesOnce,
}

/// Displacements of short messages are less, by far enough for a line of memory on either side.
const FAR: i64 = 1 << 62;

/// The work of a plan, for those who decide whether to use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Packed bytes.
    pub bytes: u64,
    /// Maximal runs of bytes that are adjacent in memory and in order.
    pub runs: u64,
    /// Average run length in bytes, rounded down; 0 when there is no byte.
    pub average_run: u64,
}

impl Plan {
    /// Bytes on the heap, about. Linear in the nodes. Copies of a plan share most of it.
    #[must_use]
    pub fn heap(&self) -> usize {
        crate::heap::of_plan(self)
    }

    /// The plan for `count` copies of `ty`, one extent apart, on the machine `target`. Equal to
    /// the plan for `contiguous(count, ty)`.
    ///
    /// Takes time linear in the description of the type (nodes and list entries), not in the data.
    ///
    /// # Errors
    /// Sizes or displacements of the copies do not fit in 64 bits.
    pub fn packed(ty: &Type, count: u64, target: &Target) -> Result<Plan, PlanError> {
        let copies;
        let all = if count == 1 {
            ty
        } else {
            copies = Type::vec(count, ty.extent(), ty.clone())
                .map_err(|source| PlanError::Count { count, source })?;
            &copies
        };
        let target = *target;
        if all.size() == 0 {
            return Ok(Plan {
                start: 0,
                root: Node::new_block(0)?,
                flat: Lazy::none(),
                target,
                distinct: NamesOnce::default(),
            });
        }
        let (start, root) = Lower::new(all, &target).lower(all)?;
        add(start, root.low())?;
        add(start, root.high())?;
        // Where stores have to wait for one another, their order matters more than the calls.
        let paced = matches!(root.kernel(), Kernel::Paced { .. });
        let short = Flat::suits(root.bytes(), root.runs(), &target) && !paced;
        let flat = if short { Lazy::default() } else { Lazy::none() };
        Ok(Plan { start, root, flat, target, distinct: NamesOnce::default() })
    }

    /// The flat list of a message that is short enough.
    #[cold]
    fn flatten(&self) -> Option<Flat> {
        let bounds = self.bounds();
        // Lines below and above them are counted in the same numbers.
        if bounds.start < -FAR || bounds.end > FAR {
            return None;
        }
        let mut b = 0;
        let blocks: Vec<PeriodBlock> = self
            .runs(0..self.bytes())
            .map(|Run { a, length }| {
                b += length;
                PeriodBlock { a, b: b - length, length }
            })
            .collect();
        Flat::new(&blocks, (bounds.start, bounds.end), &self.target)
    }

    /// Packed bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.root.bytes()
    }

    /// Displacements from the buffer's origin of everything that is touched in memory: the true
    /// lower bound up to the true upper bound, in bytes. Empty (`0..0`) when there is no byte.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> Range<i64> {
        // Checked when the plan was made.
        self.start + self.root.low()..self.start + self.root.high()
    }

    /// Whether the bytes are one adjacent run in memory, in order.
    #[must_use]
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.root.runs() <= 1
    }

    /// Number and length of the runs. O(1).
    #[must_use]
    pub fn cost_estimate(&self) -> Cost {
        let (bytes, runs) = (self.bytes(), self.root.runs());
        Cost { bytes, runs, average_run: bytes.checked_div(runs).unwrap_or(0) }
    }

    /// Displacement of the first byte in packed order from the buffer's origin.
    #[must_use]
    #[inline]
    pub fn start(&self) -> i64 {
        self.start
    }

    /// The outermost node.
    #[must_use]
    #[inline]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The flat list of a short message, all of which is moved best from there. The first call for
    /// a short message makes it, which takes a few microseconds; all others take O(1).
    #[must_use]
    pub fn flat(&self) -> Option<&Flat> {
        self.flat.get(|| self.flatten())
    }

    /// The same for those who move a message: the list is made only when [`Target::flat_after`]
    /// messages have been moved without.
    #[must_use]
    #[inline]
    pub fn flat_to_move(&self) -> Option<&Flat> {
        self.flat.get_after(self.target.flat_after, || self.flatten())
    }

    /// Bytes on the heap that the flat list takes at most, also where nobody has asked for it yet.
    pub(crate) fn heap_of_flat(&self) -> usize {
        if Flat::suits(self.bytes(), self.root.runs(), &self.target) { Flat::MOST_HEAP } else { 0 }
    }

    /// The outermost node, to be shared.
    pub(crate) fn shared_root(&self) -> &Arc<Node> {
        &self.root
    }

    /// The machine that the plan was made for.
    #[must_use]
    #[inline]
    pub fn target(&self) -> &Target {
        &self.target
    }
}
