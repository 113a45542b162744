//! [`Node`]: one level of the loop nest. The constructors keep the facts and prove the bounds.
//!
//! The origin of a node is its own first byte in packed order: that byte has displacement 0 on
//! side A and packed position 0 on side B. So equal patterns at different places are equal nodes.

use std::sync::Arc;

use crate::number::{add, count, overflow, signed, sub, times, within};
use crate::offsets::Offsets;
use crate::{Kernel, PeriodBlock, PlanError, Target, joins, kernel};

/// The repeated nodes, and their places. On side B (the packed stream) everything is dense: copy
/// `i` of a body lies at `i * body.bytes()`, unless the packed positions are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Adjacent bytes, [`Node::bytes`] many.
    Block,
    /// `count` copies of `body`, `stride` bytes apart.
    Loop {
        /// Number of copies, at least 2.
        count: u64,
        /// Distance of neighbouring copies on side A.
        stride: i64,
        /// The repeated node.
        body: Arc<Node>,
    },
    /// A copy of `body` at each offset.
    List {
        /// Places of the copies on side A, at least 2.
        offsets: Offsets,
        /// The repeated node.
        body: Arc<Node>,
    },
    /// At each offset a bucket of copies of `body`, `stride` apart.
    Buckets {
        /// Places of the buckets on side A, at least 2.
        offsets: Offsets,
        /// Copies before each bucket, and in all at the end: one more entry than buckets.
        copies: Box<[u64]>,
        /// Distance of neighbouring copies in one bucket.
        stride: i64,
        /// The repeated node.
        body: Arc<Node>,
    },
    /// Runs of different lengths.
    Runs {
        /// Places of the runs on side A, at least 2.
        offsets: Offsets,
        /// Packed position of each run, and of the end: one more entry than runs.
        starts: Box<[u64]>,
    },
    /// Different nodes in order, at least 2.
    Seq(Box<[Step]>),
}

/// One node of a [`Shape::Seq`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Displacement of the node's first byte on side A.
    pub a: i64,
    /// Packed position of the node's first byte.
    pub b: u64,
    /// The node at this place.
    pub node: Arc<Node>,
}

/// One level of the loop nest of a [`Plan`](crate::Plan), with its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    shape: Shape,
    kernel: Kernel,
    bytes: u64,
    runs: u64,
    /// Blocks that [`Node::few_parts`] would list, [`MANY`] where they are irregular or more than
    /// that.
    blocks: u64,
    low: i64,
    high: i64,
    end: i64,
}

/// More blocks than any kernel lists.
const MANY: u64 = u64::MAX;

impl Node {
    /// The repeated nodes and their places.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How copies of this node's body are moved.
    #[must_use]
    #[inline]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Packed length in bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Maximal runs of bytes that are adjacent on side A and in order.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Lowest byte on side A, from the first byte: never positive.
    #[must_use]
    #[inline]
    pub fn low(&self) -> i64 {
        self.low
    }

    /// One past the highest byte on side A, from the first byte.
    #[must_use]
    #[inline]
    pub fn high(&self) -> i64 {
        self.high
    }

    /// One past the last byte in packed order on side A, from the first byte.
    #[must_use]
    #[inline]
    pub fn end(&self) -> i64 {
        self.end
    }

    /// The length, where the node is one block.
    pub(crate) fn block(&self) -> Option<u64> {
        matches!(self.shape, Shape::Block).then_some(self.bytes)
    }

    /// The blocks of the node in packed order, where there are at most `most` and no irregular
    /// runs. O(most).
    pub(crate) fn few_parts(&self, most: usize) -> Option<Vec<PeriodBlock>> {
        let few = usize::try_from(self.blocks).ok()?;
        if few > most || self.blocks == MANY {
            return None;
        }
        let mut parts = Vec::with_capacity(few);
        self.list_parts(0, &mut parts);
        Some(parts)
    }

    fn list_parts(&self, a: i64, parts: &mut Vec<PeriodBlock>) {
        match &self.shape {
            Shape::Block => {
                let b = parts.last().map_or(0, |last| last.b + last.length);
                parts.push(PeriodBlock { a, b, length: self.bytes });
            }
            Shape::Loop { count, stride, body } => {
                (0..*count).for_each(|i| body.list_parts(a + within(i, *stride), parts));
            }
            Shape::List { offsets, body } => {
                offsets.iter().for_each(|at| body.list_parts(a + at, parts));
            }
            Shape::Seq(steps) => {
                steps.iter().for_each(|step| step.node.list_parts(a + step.a, parts));
            }
            // These have more blocks than anybody asks for.
            Shape::Buckets { .. } | Shape::Runs { .. } => {}
        }
    }

    pub(crate) fn new_block(bytes: u64) -> Result<Arc<Node>, PlanError> {
        let high = signed(bytes, "a block")?;
        let (kernel, runs) = (Kernel::Copy, bytes.min(1));
        let blocks = 1;
        Ok(Arc::new(Node {
            shape: Shape::Block,
            kernel,
            bytes,
            runs,
            blocks,
            low: 0,
            high,
            end: high,
        }))
    }

    pub(crate) fn new_loop(
        count: u64,
        stride: i64,
        body: Arc<Node>,
        target: &Target,
    ) -> Result<Arc<Node>, PlanError> {
        let reach = times(count - 1, stride)?;
        let mut extent = Extent::default();
        extent.cover(reach.min(0), &body)?;
        extent.cover(reach.max(0), &body)?;
        Ok(Arc::new(Node {
            kernel: kernel::of_loop(count, stride, &body, target),
            bytes: packed(count, &body)?,
            runs: body.runs * count - if body.end == stride { count - 1 } else { 0 },
            blocks: body.blocks.saturating_mul(count),
            low: extent.low,
            high: extent.high,
            end: add(reach, body.end)?,
            shape: Shape::Loop { count, stride, body },
        }))
    }

    pub(crate) fn new_list(
        offsets: Offsets,
        body: Arc<Node>,
        target: &Target,
    ) -> Result<Arc<Node>, PlanError> {
        let mut extent = Extent::default();
        let (low, high) = offsets.iter().fold((0, 0), |(l, h), at| (at.min(l), at.max(h)));
        extent.cover(low, &body)?;
        extent.cover(high, &body)?;
        let last = offsets.at(offsets.len() - 1);
        let copies = count(offsets.len());
        let span = extent.high.abs_diff(extent.low);
        Ok(Arc::new(Node {
            kernel: kernel::of_list(span, &body, target),
            bytes: packed(copies, &body)?,
            runs: body.runs * copies - joins::of_list(&offsets, &body, offsets.len()),
            blocks: body.blocks.saturating_mul(copies),
            low: extent.low,
            high: extent.high,
            end: add(last, body.end)?,
            shape: Shape::List { offsets, body },
        }))
    }

    pub(crate) fn new_buckets(
        offsets: Offsets,
        copies: Box<[u64]>,
        stride: i64,
        body: Arc<Node>,
        target: &Target,
    ) -> Result<Arc<Node>, PlanError> {
        let joins = joins::of_buckets(&offsets, &copies, stride, &body, copies[offsets.len()]);
        let mut extent = Extent::default();
        let mut end = 0;
        for (at, ends) in offsets.iter().zip(copies.windows(2)) {
            let last = add(at, times(ends[1] - ends[0] - 1, stride)?)?;
            extent.cover(at, &body)?;
            extent.cover(last, &body)?;
            end = add(last, body.end)?;
        }
        Ok(Arc::new(Node {
            kernel: kernel::of_buckets(stride, &body, target),
            bytes: packed(copies[offsets.len()], &body)?,
            runs: body.runs * copies[offsets.len()] - joins,
            blocks: MANY,
            low: extent.low,
            high: extent.high,
            end,
            shape: Shape::Buckets { offsets, copies, stride, body },
        }))
    }

    pub(crate) fn new_runs(offsets: Offsets, starts: Box<[u64]>) -> Result<Arc<Node>, PlanError> {
        let (mut low, mut high, mut end) = (0, 0, 0);
        for (at, ends) in offsets.iter().zip(starts.windows(2)) {
            end = add(at, signed(ends[1] - ends[0], "a run")?)?;
            low = at.min(low);
            high = end.max(high);
        }
        sub(high, low)?;
        let bytes = starts[offsets.len()];
        let runs = count(offsets.len());
        let shape = Shape::Runs { offsets, starts };
        let (kernel, blocks) = (Kernel::Runs, MANY);
        Ok(Arc::new(Node { shape, kernel, bytes, runs, blocks, low, high, end }))
    }

    /// The nodes at these displacements from the first, which is at 0.
    pub(crate) fn new_seq(
        parts: &[(i64, Arc<Node>)],
        target: &Target,
    ) -> Result<Arc<Node>, PlanError> {
        let mut extent = Extent::default();
        let (mut bytes, mut runs, mut blocks, mut end) = (0u64, 0, 0u64, 0);
        let mut steps = Vec::with_capacity(parts.len());
        for (a, node) in parts {
            steps.push(Step { a: *a, b: bytes, node: Arc::clone(node) });
            extent.cover(*a, node)?;
            runs += node.runs - u64::from(bytes > 0 && *a == end);
            blocks = blocks.saturating_add(node.blocks);
            bytes = bytes.checked_add(node.bytes).ok_or(overflow("the packed size"))?;
            end = add(*a, node.end)?;
        }
        signed(bytes, "the packed size")?;
        let shape = Shape::Seq(steps.into());
        let (low, high) = (extent.low, extent.high);
        let kernel = Kernel::Walk;
        let mut node = Node { shape, kernel, bytes, runs, blocks, low, high, end };
        node.kernel = kernel::of_sequence(&node, target);
        Ok(Arc::new(node))
    }
}

/// The range that the copies seen so far cover on side A.
#[derive(Default)]
struct Extent {
    low: i64,
    high: i64,
}

impl Extent {
    fn cover(&mut self, at: i64, node: &Node) -> Result<(), PlanError> {
        self.low = self.low.min(add(at, node.low)?);
        self.high = self.high.max(add(at, node.high)?);
        sub(self.high, self.low).map(drop)
    }
}

fn packed(copies: u64, body: &Node) -> Result<u64, PlanError> {
    let bytes = copies.checked_mul(body.bytes).ok_or(overflow("the packed size"))?;
    signed(bytes, "the packed size")?;
    Ok(bytes)
}
