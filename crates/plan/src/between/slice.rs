//! Parts of nodes as nodes.

use std::ops::Range;
use std::sync::Arc;

use crate::merge::{Placed, repeat, sequence};
use crate::node::Node;
use crate::number::{add, index, within};
use crate::{PlanError, Shape, Target};

/// The packed bytes `range` (not empty) of a node, where it consists of blocks, loops and
/// sequences down to the two ends. O(depth) nodes are made, and as many as a cut sequence has
/// steps.
pub(super) fn slice(
    node: &Arc<Node>,
    range: Range<u64>,
    target: &Target,
) -> Result<Option<Placed>, PlanError> {
    if range == (0..node.bytes()) {
        return Ok(Some((0, Arc::clone(node))));
    }
    let (first, head) = node.locate(range.start);
    let (last, tail) = node.locate(range.end);
    let mut parts = Vec::new();
    match node.shape() {
        Shape::Block => {
            let block = Node::new_block(range.end - range.start)?;
            return Ok(Some((within(range.start, 1), block)));
        }
        Shape::Loop { stride, body, .. } => {
            let mut copy = |i: u64, piece: Range<u64>| -> Result<Option<()>, PlanError> {
                let Some((at, node)) = slice(body, piece, target)? else { return Ok(None) };
                parts.push((add(within(i, *stride), at)?, node));
                Ok(Some(()))
            };
            if first == last {
                if copy(first, head..tail)?.is_none() {
                    return Ok(None);
                }
            } else {
                if head > 0 && copy(first, head..body.bytes())?.is_none() {
                    return Ok(None);
                }
                let whole = first + u64::from(head > 0);
                let rest = (tail > 0).then(|| slice(body, 0..tail, target)).transpose()?;
                if whole < last {
                    let middle = repeat(last - whole, *stride, Arc::clone(body), target)?;
                    parts.push((within(whole, *stride), middle));
                }
                match rest {
                    Some(Some((at, node))) => parts.push((add(within(last, *stride), at)?, node)),
                    Some(None) => return Ok(None),
                    None => {}
                }
            }
        }
        Shape::Seq(steps) => {
            for step in &steps[index(first)..steps.len().min(index(last) + 1)] {
                let end = step.b + step.node.bytes();
                let piece = range.start.max(step.b)..range.end.min(end);
                if piece.start < piece.end {
                    let piece = piece.start - step.b..piece.end - step.b;
                    let Some((at, node)) = slice(&step.node, piece, target)? else {
                        return Ok(None);
                    };
                    parts.push((add(step.a, at)?, node));
                }
            }
        }
        Shape::List { .. } | Shape::Buckets { .. } | Shape::Runs { .. } => return Ok(None),
    }
    Ok(Some(sequence(parts, target)?))
}
