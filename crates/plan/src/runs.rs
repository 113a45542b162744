//! The runs of a plan one by one: what a plan touches, in order.

use std::ops::Range;

use crate::cut::Copy;
use crate::node::Node;
use crate::number::within;
use crate::{Plan, Shape};

/// Adjacent bytes in memory, in packed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Displacement of the first byte from the buffer's origin.
    pub a: i64,
    /// Bytes, at least 1.
    pub length: u64,
}

struct Frame<'p> {
    node: &'p Node,
    a: i64,
    next: u64,
}

/// Iterator over the maximal runs of a packed range, in order.
pub struct Runs<'p> {
    stack: Vec<Frame<'p>>,
    /// Bytes of the next copy that lie before the range.
    skip: u64,
    left: u64,
    ahead: Option<Run>,
}

impl Plan {
    /// The runs of the packed bytes `range`, touching ones joined. Bytes past the end are ignored.
    /// Starting takes O(depth log n), each run O(1) amortized.
    #[must_use]
    pub fn runs(&self, range: Range<u64>) -> Runs<'_> {
        let end = range.end.min(self.bytes());
        let left = end.saturating_sub(range.start);
        let mut runs = Runs { stack: Vec::new(), skip: range.start, left, ahead: None };
        if left > 0 {
            runs.enter(self.root(), self.start());
        }
        runs
    }
}

impl<'p> Runs<'p> {
    fn enter(&mut self, node: &'p Node, a: i64) {
        let (next, skip) = if self.skip == 0 { (0, 0) } else { node.locate(self.skip) };
        self.skip = skip;
        self.stack.push(Frame { node, a, next });
    }

    /// The next block, which may touch the one before.
    fn block(&mut self) -> Option<Run> {
        while self.left > 0 {
            let frame = self.stack.last_mut()?;
            if frame.next == frame.node.copies() {
                self.stack.pop();
                continue;
            }
            let (at, copy) = frame.node.copy(frame.next);
            let a = frame.a + at;
            frame.next += 1;
            let bytes = match copy {
                Copy::Node(child) if !matches!(child.shape(), Shape::Block) => {
                    self.enter(child, a);
                    continue;
                }
                Copy::Node(block) => block.bytes(),
                Copy::Bytes(bytes) => bytes,
            };
            let length = (bytes - self.skip).min(self.left);
            let run = Run { a: a + within(self.skip, 1), length };
            self.skip = 0;
            self.left -= length;
            return Some(run);
        }
        None
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        while let Some(run) = self.block() {
            match &mut self.ahead {
                Some(last) if last.a + within(last.length, 1) == run.a => last.length += run.length,
                _ => {
                    if let Some(last) = self.ahead.replace(run) {
                        return Some(last);
                    }
                }
            }
        }
        self.ahead.take()
    }
}
