//! The algebra of nodes: build the smallest nest that moves the same bytes in the same order.
//!
//! Each function states one way to combine nodes and returns the merged result; all keep the
//! packed order exactly. A *placed* node is a node with the displacement of its first byte.

use std::sync::Arc;

use crate::node::Node;
use crate::number::{add, count, signed, sub, times, within};
use crate::offsets::Offsets;
use crate::{PlanError, Shape, Target};

/// A node and the displacement of its first byte from some origin.
pub(crate) type Placed = (i64, Arc<Node>);

/// Sequences of blocks up to this length stay a `Seq`, so that a loop over them is one period;
/// longer ones become `Runs`.
fn short(target: &Target) -> usize {
    target.max_parts.max(8)
}

/// Sequences inside sequences are spliced up to this length. A limit, because parts may be shared:
/// a type of n nodes can stand for a sequence of 2^n.
const SPLICED: usize = 64;

/// Blocks from this length on cost what their bytes cost.
const LONG: i64 = 64;

/// `copies` (at least 1) of `node`, `stride` apart.
pub(crate) fn repeat(
    copies: u64,
    stride: i64,
    node: Arc<Node>,
    target: &Target,
) -> Result<Arc<Node>, PlanError> {
    if copies == 1 {
        return Ok(node);
    }
    match node.shape() {
        Shape::Block if Some(node.bytes()) == u64::try_from(stride).ok() => {
            let bytes = times(copies, stride)?;
            Node::new_block(bytes.unsigned_abs())
        }
        Shape::Loop { count, stride: inner, body } if touches(*count, *inner, stride) => {
            match count.checked_mul(copies) {
                Some(all) => Node::new_loop(all, *inner, Arc::clone(body), target),
                None => Node::new_loop(copies, stride, node, target),
            }
        }
        _ if node.end() == stride => match split_ends(&node, target)? {
            Some(parts) => rotate(copies, stride, &parts, target),
            None => Node::new_loop(copies, stride, node, target),
        },
        _ => Node::new_loop(copies, stride, node, target),
    }
}

/// Whether `count` steps of `stride` end where the next `outer` step begins.
fn touches(count: u64, stride: i64, outer: i64) -> bool {
    times(count, stride).ok() == Some(outer)
}

/// A node that begins and ends with a block, as its first block, what is between, its last block.
fn split_ends(node: &Node, target: &Target) -> Result<Option<Vec<Placed>>, PlanError> {
    let parts = match node.shape() {
        Shape::Seq(steps) => {
            steps.iter().map(|step| (step.a, Arc::clone(&step.node))).collect::<Vec<_>>()
        }
        Shape::Loop { count, stride, body } => {
            let mut parts = vec![(0, Arc::clone(body))];
            if *count > 2 {
                parts.push((*stride, repeat(count - 2, *stride, Arc::clone(body), target)?));
            }
            parts.push((within(count - 1, *stride), Arc::clone(body)));
            parts
        }
        _ => return Ok(None),
    };
    let block = |part: &Placed| part.1.block().is_some();
    Ok((block(&parts[0]) && block(&parts[parts.len() - 1])).then_some(parts))
}

/// Copies of `parts` whose last block runs into the first block of the next copy: the first copy
/// without its tail, then copies that begin with the joined block, then what is left of the last.
fn rotate(
    copies: u64,
    stride: i64,
    parts: &[Placed],
    target: &Target,
) -> Result<Arc<Node>, PlanError> {
    let (first, last) = (&parts[0], &parts[parts.len() - 1]);
    let middle = &parts[1..parts.len() - 1];
    let mut body = vec![(0, Node::new_block(first.1.bytes() + last.1.bytes())?)];
    for (at, node) in middle {
        body.push((sub(add(*at, stride)?, last.0)?, Arc::clone(node)));
    }
    let steady = repeat(copies - 1, stride, sequence(body, target)?.1, target)?;
    let mut all = vec![first.clone()];
    all.extend(middle.iter().cloned());
    all.push((last.0, steady));
    all.push((add(times(copies - 1, stride)?, last.0)?, Arc::clone(&last.1)));
    Ok(sequence(all, target)?.1)
}

/// `node` at each of `places` (at least one): the list relative to the first place.
pub(crate) fn list(
    places: &[i64],
    node: Arc<Node>,
    target: &Target,
) -> Result<Arc<Node>, PlanError> {
    if let Some(stride) = common_step(places)? {
        return repeat(count(places.len()), stride, node, target);
    }
    if let Some(length) = node.block() {
        let length = signed(length, "a block")?;
        let touch = |w: &&[i64]| w[0].checked_add(length) == Some(w[1]);
        let touching = places.windows(2).filter(touch).count();
        // Equal blocks are cheaper than runs of different lengths, unless those are far fewer.
        if touching > 0 && (length >= LONG || 4 * touching >= places.len()) {
            return runs(places.iter().map(|&at| (at, node.bytes())), target);
        }
    }
    Node::new_list(Offsets::compressed(places, target)?, node, target)
}

/// The common distance of neighbours, 0 for a single place.
fn common_step(places: &[i64]) -> Result<Option<i64>, PlanError> {
    let Some(&[first, second]) = places.first_chunk::<2>() else { return Ok(Some(0)) };
    let step = sub(second, first)?;
    let regular = places.windows(2).all(|w| w[1].checked_sub(w[0]) == Some(step));
    Ok(regular.then_some(step))
}

/// Blocks (displacement, length > 0), at least one, with neighbours joined where they touch.
pub(crate) fn runs(
    blocks: impl Iterator<Item = (i64, u64)>,
    target: &Target,
) -> Result<Arc<Node>, PlanError> {
    let mut places: Vec<i64> = Vec::with_capacity(blocks.size_hint().0);
    let mut starts: Vec<u64> = Vec::with_capacity(blocks.size_hint().0 + 1);
    let (mut end, mut bytes) = (None, 0u64);
    for (at, length) in blocks {
        if end != Some(at) {
            places.push(at);
            starts.push(bytes);
        }
        end = at.checked_add(signed(length, "a block")?);
        bytes = bytes.checked_add(length).ok_or(PlanError::Overflow { what: "the packed size" })?;
    }
    starts.push(bytes);
    let length = starts[1] - starts[0];
    if starts.windows(2).all(|w| w[1] - w[0] == length) {
        return list(&places, Node::new_block(length)?, target);
    }
    if places.len() > short(target) {
        return Node::new_runs(Offsets::relative(&places, target)?, starts.into());
    }
    let mut parts = Vec::with_capacity(places.len());
    for (&at, ends) in places.iter().zip(starts.windows(2)) {
        parts.push((sub(at, places[0])?, Node::new_block(ends[1] - ends[0])?));
    }
    Node::new_seq(&parts, target)
}

/// At each of `places` as many copies of `node` as `copies` says (each at least 1), `stride`
/// apart.
pub(crate) fn buckets(
    places: &[i64],
    copies: &[u64],
    stride: i64,
    node: Arc<Node>,
    target: &Target,
) -> Result<Arc<Node>, PlanError> {
    if copies.iter().all(|&n| n == copies[0]) {
        return list(places, repeat(copies[0], stride, node, target)?, target);
    }
    let (factor, stride, node) = match node.shape() {
        Shape::Block if Some(node.bytes()) == u64::try_from(stride).ok() => {
            let length = node.bytes();
            let blocks = places.iter().zip(copies).map(|(&at, &n)| Ok((at, scale(n, length)?)));
            let blocks = blocks.collect::<Result<Vec<_>, PlanError>>()?;
            return runs(blocks.into_iter(), target);
        }
        Shape::Loop { count, stride: inner, body } if touches(*count, *inner, stride) => {
            (*count, *inner, Arc::clone(body))
        }
        _ => (1, stride, node),
    };
    let mut before = Vec::with_capacity(copies.len() + 1);
    let mut sum = 0u64;
    before.push(0);
    for &n in copies {
        sum = sum.checked_add(scale(n, factor)?).ok_or(PlanError::Overflow { what: "a count" })?;
        before.push(sum);
    }
    Node::new_buckets(Offsets::relative(places, target)?, before.into(), stride, node, target)
}

fn scale(n: u64, factor: u64) -> Result<u64, PlanError> {
    n.checked_mul(factor).ok_or(PlanError::Overflow { what: "a count" })
}

/// The placed nodes in order (at least one); returns the place of the first byte.
pub(crate) fn sequence(parts: Vec<Placed>, target: &Target) -> Result<Placed, PlanError> {
    let mut merged: Vec<Placed> = Vec::with_capacity(parts.len());
    for (at, node) in parts {
        match node.shape() {
            Shape::Seq(steps) if steps.len() <= SPLICED => {
                for step in steps {
                    push(&mut merged, add(at, step.a)?, Arc::clone(&step.node), target)?;
                }
            }
            _ => push(&mut merged, at, node, target)?,
        }
    }
    let first = merged[0].0;
    let body = &merged[0].1;
    if merged.iter().all(|(_, node)| node == body) {
        let places: Vec<i64> = merged.iter().map(|&(at, _)| at).collect();
        return Ok((first, list(&places, Arc::clone(body), target)?));
    }
    if merged.len() > short(target) && merged.iter().all(|(_, node)| node.block().is_some()) {
        return Ok((first, runs(merged.iter().map(|(at, node)| (*at, node.bytes())), target)?));
    }
    for (at, _) in &mut merged {
        *at = sub(*at, first)?;
    }
    Ok((first, Node::new_seq(&merged, target)?))
}

/// Appends a placed node, joined with the one before it where the two continue each other.
fn push(
    parts: &mut Vec<Placed>,
    at: i64,
    node: Arc<Node>,
    target: &Target,
) -> Result<(), PlanError> {
    if let Some((place, last)) = parts.last_mut()
        && let Some(distance) = at.checked_sub(*place)
        && let Some(joined) = join(last, &node, distance, target)?
    {
        *last = joined;
    } else {
        parts.push((at, node));
    }
    Ok(())
}

/// One node for `first` and then `second` at `distance`, where they continue each other: two
/// blocks, two loops over one body, or a loop and one more copy of its body.
fn join(
    first: &Arc<Node>,
    second: &Arc<Node>,
    distance: i64,
    target: &Target,
) -> Result<Option<Arc<Node>>, PlanError> {
    let joined = match (first.shape(), second.shape()) {
        (Shape::Block, Shape::Block) if first.end() == distance => {
            Node::new_block(first.bytes() + second.bytes())?
        }
        (
            Shape::Loop { count: n, stride: s, body: x },
            Shape::Loop { count: m, stride: t, body: y },
        ) if s == t && within(*n, *s) == distance && x == y => {
            Node::new_loop(n + m, *s, Arc::clone(x), target)?
        }
        (Shape::Loop { count, stride, body }, _)
            if within(*count, *stride) == distance && body == second =>
        {
            Node::new_loop(count + 1, *stride, Arc::clone(body), target)?
        }
        (_, Shape::Loop { count, stride, body }) if *stride == distance && body == first => {
            Node::new_loop(count + 1, *stride, Arc::clone(body), target)?
        }
        _ => return Ok(None),
    };
    Ok(Some(joined))
}
