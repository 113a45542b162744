//! Cutting a plan at any packed byte: from a range of the packed stream to whole copies of bodies
//! and pieces of blocks, without walking from the start.

use std::ops::Range;

use crate::node::Node;
use crate::number::{count, index, within};
use crate::{Plan, Shape};

/// The unit of work of an executor. Displacements `a` are from the origin of the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'p> {
    /// Adjacent bytes.
    Bytes {
        /// Where they lie in memory.
        a: i64,
        /// How many.
        length: u64,
    },
    /// Whole copies of the body of a node (of its steps or runs where it has no one body).
    Copies {
        /// The node; not a block.
        node: &'p Node,
        /// Where the node's first byte lies in memory.
        a: i64,
        /// Which copies, not empty.
        copies: Range<u64>,
    },
}

/// One copy inside a node.
pub(crate) enum Copy<'n> {
    Node(&'n Node),
    Bytes(u64),
}

impl Plan {
    /// Visits the pieces of the packed bytes `range`, in order. Bytes past the end are ignored.
    ///
    /// Takes O(depth log n) steps to find both ends, and visits O(depth) pieces.
    pub fn cut<'p>(&'p self, range: Range<u64>, mut visit: impl FnMut(Piece<'p>)) {
        self.root().cut(self.start(), range, &mut visit);
    }
}

impl Node {
    /// [`Plan::cut`] for a node whose first byte lies at `a`.
    pub fn cut<'p>(&'p self, a: i64, range: Range<u64>, visit: &mut impl FnMut(Piece<'p>)) {
        let range = range.start..range.end.min(self.bytes());
        if range.start < range.end {
            cut(self, a, range, visit);
        }
    }
}

fn cut<'p>(node: &'p Node, a: i64, range: Range<u64>, visit: &mut impl FnMut(Piece<'p>)) {
    if matches!(node.shape(), Shape::Block) {
        let length = range.end - range.start;
        return visit(Piece::Bytes { a: a + within(range.start, 1), length });
    }
    if range.start == 0 && range.end == node.bytes() {
        return visit(Piece::Copies { node, a, copies: 0..node.copies() });
    }
    let (mut first, head) = node.locate(range.start);
    let (last, tail) = node.locate(range.end);
    if head > 0 {
        let end = if first == last { tail } else { node.copy(first).1.bytes() };
        cut_copy(node, a, first, head..end, visit);
        first += 1;
    }
    if first < last {
        visit(Piece::Copies { node, a, copies: first..last });
    }
    if tail > 0 && first <= last {
        cut_copy(node, a, last, 0..tail, visit);
    }
}

fn cut_copy<'p>(
    node: &'p Node,
    a: i64,
    copy: u64,
    range: Range<u64>,
    visit: &mut impl FnMut(Piece<'p>),
) {
    match node.copy(copy) {
        (at, Copy::Node(child)) => cut(child, a + at, range, visit),
        (at, Copy::Bytes(_)) => {
            let length = range.end - range.start;
            visit(Piece::Bytes { a: a + at + within(range.start, 1), length });
        }
    }
}

impl Copy<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Copy::Node(node) => node.bytes(),
            Copy::Bytes(n) => *n,
        }
    }
}

impl Node {
    /// Number of copies of the body (steps of a sequence, runs); 1 for a block.
    #[must_use]
    pub fn copies(&self) -> u64 {
        match self.shape() {
            Shape::Block => 1,
            Shape::Loop { count, .. } => *count,
            Shape::List { offsets, .. } | Shape::Runs { offsets, .. } => count(offsets.len()),
            Shape::Buckets { offsets, copies, .. } => copies[offsets.len()],
            Shape::Seq(steps) => count(steps.len()),
        }
    }

    /// Which copy holds packed byte `b` of the node, and at which byte of the copy; at the end the
    /// number of copies and 0. O(1), for irregular nodes O(log copies).
    pub(crate) fn locate(&self, b: u64) -> (u64, u64) {
        if b == self.bytes() {
            return (self.copies(), 0);
        }
        match self.shape() {
            Shape::Block => (0, b),
            Shape::Loop { body, .. } | Shape::List { body, .. } | Shape::Buckets { body, .. } => {
                (b / body.bytes(), b % body.bytes())
            }
            Shape::Runs { starts, .. } => {
                let run = starts.partition_point(|&start| start <= b) - 1;
                (count(run), b - starts[run])
            }
            Shape::Seq(steps) => {
                let step = steps.partition_point(|step| step.b <= b) - 1;
                (count(step), b - steps[step].b)
            }
        }
    }

    /// Copy `i`, and its displacement from the first byte of the node.
    pub(crate) fn copy(&self, i: u64) -> (i64, Copy<'_>) {
        match self.shape() {
            Shape::Block => (0, Copy::Bytes(self.bytes())),
            Shape::Loop { stride, body, .. } => (within(i, *stride), Copy::Node(body)),
            Shape::List { offsets, body } => (offsets.at(index(i)), Copy::Node(body)),
            Shape::Buckets { offsets, copies, stride, body } => {
                let bucket = copies.partition_point(|&before| before <= i) - 1;
                let at = offsets.at(bucket) + within(i - copies[bucket], *stride);
                (at, Copy::Node(body))
            }
            Shape::Runs { offsets, starts } => {
                let i = index(i);
                (offsets.at(i), Copy::Bytes(starts[i + 1] - starts[i]))
            }
            Shape::Seq(steps) => {
                let step = &steps[index(i)];
                (step.a, Copy::Node(&step.node))
            }
        }
    }
}
