//! Whether a plan names every byte of memory once. Only then may its pieces be unpacked in any
//! order.
//!
//! The answer is conservative: *yes* is proven, *no* may be wrong for layouts that interleave in
//! irregular ways. Finding out takes time linear in the plan's description, and sorting lists that
//! are not in order.

use std::collections::HashSet;
use std::ptr;
use std::sync::OnceLock;

use crate::node::{Node, Step};
use crate::offsets::Offsets;
use crate::{Plan, Shape};

/// The answer once it is known: remembered with a plan, but no part of what the plan is.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamesOnce(OnceLock<bool>);

impl PartialEq for NamesOnce {
    fn eq(&self, _: &NamesOnce) -> bool {
        true
    }
}

impl Eq for NamesOnce {}

impl Plan {
    /// Whether every byte of memory is named at most once, as far as is easily proven: `true` is
    /// certain. The first call takes up to O(n log n) in the lengths of the plan's lists, the
    /// others O(1).
    #[must_use]
    pub fn names_bytes_once(&self) -> bool {
        *self.distinct.0.get_or_init(|| Proof::default().distinct(self.root()))
    }
}

/// A direction in which bodies are repeated: neighbours are at least `gap` bytes apart (whatever
/// their order in the stream), the first and the last `span`.
struct Dimension {
    gap: u64,
    span: u64,
}

/// Remembers what is proven: parts of a plan may be shared.
#[derive(Default)]
struct Proof {
    proven: HashSet<*const Node>,
}

impl Proof {
    fn distinct(&mut self, node: &Node) -> bool {
        // Perfectly nested loops and lists: however they are nested, they do not collide if every
        // step of one is longer than all that the shorter ones cover together.
        let mut dimensions = Vec::new();
        let mut body = node;
        while let Some((dimension, inner)) = dimension(body) {
            dimensions.push(dimension);
            body = inner;
        }
        dimensions.sort_unstable_by_key(|d| d.gap);
        let mut extent = reach(body);
        for Dimension { gap, span } in dimensions {
            if gap < extent {
                return false;
            }
            extent = extent.saturating_add(span);
        }
        self.irregular(body)
    }

    /// A node that is no loop or list.
    fn irregular(&mut self, node: &Node) -> bool {
        match node.shape() {
            Shape::Runs { offsets, starts } => {
                let lengths = starts.windows(2).map(|w| w[1] - w[0]);
                disjoint(
                    offsets.iter().zip(lengths).map(|(at, n)| (at, at.saturating_add_unsigned(n))),
                )
            }
            Shape::Buckets { offsets, copies, stride, body } => {
                let bucket = |(at, ends): (i64, &[u64])| {
                    let steps = i64::try_from(ends[1] - ends[0] - 1).unwrap_or(i64::MAX);
                    let last = at.saturating_add(stride.saturating_mul(steps));
                    let (low, high) = (at.min(last), at.max(last));
                    (low.saturating_add(body.low()), high.saturating_add(body.high()))
                };
                stride.unsigned_abs() >= reach(body)
                    && disjoint(offsets.iter().zip(copies.windows(2)).map(bucket))
                    && self.distinct(body)
            }
            Shape::Seq(steps) => {
                if !self.proven.insert(ptr::from_ref(node)) {
                    // Known, or being asked for by a node around: a plan has no cycles.
                    return true;
                }
                let apart = disjoint(steps.iter().map(place)) || interleaved(steps);
                // Failure ends the whole proof, so that what is remembered is proven.
                apart && steps.iter().all(|step| self.distinct(&step.node))
            }
            Shape::Block | Shape::Loop { .. } | Shape::List { .. } => true,
        }
    }
}

/// The outermost repetition of a node, and what is repeated.
fn dimension(node: &Node) -> Option<(Dimension, &Node)> {
    match node.shape() {
        Shape::Loop { count, stride, body } => {
            let gap = stride.unsigned_abs();
            Some((Dimension { gap, span: gap.saturating_mul(count - 1) }, body))
        }
        Shape::List { offsets, body } => Some((listed(offsets), body)),
        _ => None,
    }
}

fn listed(offsets: &Offsets) -> Dimension {
    let n = offsets.len();
    let pairs = || (1..n).map(|i| (offsets.at(i - 1), offsets.at(i)));
    let gap = if pairs().all(|(a, b)| a < b) || pairs().all(|(a, b)| a > b) {
        pairs().map(|(a, b)| a.abs_diff(b)).min()
    } else {
        let mut sorted: Vec<i64> = offsets.iter().collect();
        sorted.sort_unstable();
        sorted.windows(2).map(|w| w[0].abs_diff(w[1])).min()
    };
    let (low, high) = offsets.iter().fold((0, 0), |(l, h), at| (at.min(l), at.max(h)));
    Dimension { gap: gap.unwrap_or(u64::MAX), span: high.abs_diff(low) }
}

/// Bytes from the first to the last of a node.
fn reach(node: &Node) -> u64 {
    node.high().abs_diff(node.low())
}

/// Where the bytes of a step lie: first and one past the last.
fn place(step: &Step) -> (i64, i64) {
    (step.a.saturating_add(step.node.low()), step.a.saturating_add(step.node.high()))
}

/// Whether half-open intervals, in any order, have no byte in common.
fn disjoint(intervals: impl Iterator<Item = (i64, i64)>) -> bool {
    let mut all: Vec<(i64, i64)> = intervals.collect();
    if !all.is_sorted() {
        all.sort_unstable();
    }
    all.windows(2).all(|w| w[0].1 <= w[1].0)
}

/// Loops of one stride whose bodies lie at different places of it: the fields of an array of
/// structures, field by field.
fn interleaved(steps: &[Step]) -> bool {
    let mut common = None;
    let mut places = Vec::with_capacity(steps.len());
    for step in steps {
        let Shape::Loop { stride, body, .. } = step.node.shape() else { return false };
        let period = stride.checked_abs().filter(|&p| p > 0);
        if period.is_none() || *common.get_or_insert(period) != period {
            return false;
        }
        let Some(period) = period else { return false };
        let low = step.a.saturating_add(body.low()).rem_euclid(period);
        places.push((low, low.saturating_add_unsigned(reach(body))));
    }
    let Some(Some(period)) = common else { return false };
    let low = places.iter().map(|p| p.0).min().unwrap_or(0);
    let high = places.iter().map(|p| p.1).max().unwrap_or(0);
    high.abs_diff(low) <= period.unsigned_abs() && disjoint(places.into_iter())
}
