//! Where one copy of a body ends and the next begins at the same byte of memory, so that two runs
//! are one: what [`Node::runs`] and the number of runs of a range are counted with.

use std::ops::Range;

use crate::cut::Copy;
use crate::node::Node;
use crate::number::{count, index, within};
use crate::offsets::Offsets;
use crate::{Plan, Shape};

/// Joins among the first `copies` of a list. Time linear in them.
pub(crate) fn of_list(offsets: &Offsets, body: &Node, copies: usize) -> u64 {
    let touches = |i: &usize| offsets.at(*i).checked_add(body.end()) == Some(offsets.at(*i + 1));
    count((0..copies.saturating_sub(1)).filter(touches).count())
}

/// Joins among the first `copies` of all buckets. Time linear in the buckets.
pub(crate) fn of_buckets(
    offsets: &Offsets,
    before: &[u64],
    stride: i64,
    body: &Node,
    copies: u64,
) -> u64 {
    let inside = stride == body.end();
    let (mut joins, mut last) = (0, None);
    for (at, ends) in offsets.iter().zip(before.windows(2)).filter(|(_, w)| w[0] < copies) {
        let steps = ends[1].min(copies) - ends[0] - 1;
        joins += u64::from(last == Some(at)) + if inside { steps } else { 0 };
        last = at.checked_add(within(steps, stride)).and_then(|at| at.checked_add(body.end()));
    }
    joins
}

impl Plan {
    /// Number of maximal runs in the packed bytes `range`: what [`Plan::runs`] yields and
    /// [`Plan::iovecs`] exports, without walking them. Bytes past the end are ignored.
    ///
    /// Takes O(depth log n) steps, and one per entry of a list whose copies partly touch.
    #[must_use]
    pub fn run_count(&self, range: Range<u64>) -> u64 {
        let end = range.end.min(self.bytes());
        if range.start >= end {
            return 0;
        }
        // The range cuts one run at its start, or begins with it; all others begin inside.
        1 + starts(self.root(), end) - starts(self.root(), range.start + 1)
    }
}

/// Runs of a node that begin before its packed byte `b`, which is not 0.
fn starts(node: &Node, b: u64) -> u64 {
    if b == node.bytes() {
        return node.runs();
    }
    let (copies, rest) = node.locate(b);
    let whole = before(node, copies);
    if rest == 0 {
        return whole;
    }
    // What begins in the last, partial copy; its first run may continue the copy before it.
    let begun = match node.copy(copies).1 {
        Copy::Node(child) => starts(child, rest),
        Copy::Bytes(_) => 1,
    };
    whole + begun - u64::from(copies > 0 && continues(node, copies))
}

/// Runs of the first `copies` copies of a node, fewer than all.
fn before(node: &Node, copies: u64) -> u64 {
    let all = |body: &Node| node.copies() * body.runs() - node.runs();
    match node.shape() {
        Shape::Block => 0,
        Shape::Loop { stride, body, .. } => {
            let joined = if body.end() == *stride { copies.saturating_sub(1) } else { 0 };
            copies * body.runs() - joined
        }
        Shape::List { body, .. } | Shape::Buckets { body, .. } if all(body) == 0 => {
            copies * body.runs()
        }
        Shape::List { offsets, body } => {
            copies * body.runs() - of_list(offsets, body, index(copies))
        }
        Shape::Buckets { offsets, copies: ends, stride, body } => {
            copies * body.runs() - of_buckets(offsets, ends, *stride, body, copies)
        }
        Shape::Runs { .. } => copies,
        Shape::Seq(steps) => {
            let steps = &steps[..index(copies)];
            let runs: u64 = steps.iter().map(|step| step.node.runs()).sum();
            runs - count((1..steps.len()).filter(|&i| continues(node, count(i))).count())
        }
    }
}

/// Whether copy `i`, not the first, begins where the copy before it ends.
fn continues(node: &Node, i: u64) -> bool {
    let ((at, last), (next, _)) = (node.copy(i - 1), node.copy(i));
    let end = match last {
        Copy::Node(child) => child.end(),
        Copy::Bytes(length) => within(length, 1),
    };
    at.checked_add(end) == Some(next)
}
