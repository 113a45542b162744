//! [`CopyKernel`]: how the copies of a loop between two layouts are moved.

use std::cmp::Reverse;

use crate::number::signed;
use crate::{Dim, Kernel, Node, Pair, Pairing, Shape, Steps, Target, Tiles};

/// How whole copies of the body of a [`Pairing::Loop`] are moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyKernel {
    /// Copy by copy.
    Walk,
    /// Blocks of `length` bytes on a grid, neither side of which is crossed by the other.
    Grid {
        /// Bytes of a block.
        length: u64,
        /// The dimensions, outermost first.
        dims: Box<[Dim]>,
        /// Which of them is the loop itself.
        own: usize,
    },
    /// A transpose.
    Tiles {
        /// The grid.
        tiles: Tiles,
        /// Which of its dimensions is the loop itself.
        own: Outer,
    },
    /// A block of so many bytes at each place, at least one side of which is a list.
    Blocks {
        /// Bytes of a block.
        length: u64,
    },
    /// Every copy is a period of a few blocks.
    Period {
        /// The blocks, in packed order.
        parts: Box<[CopyPart]>,
        /// That many copies stay in the first-level cache together.
        tile: u64,
    },
}

/// The dimension of [`Tiles`] that is the loop itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outer {
    /// The one along side A.
    AlongA,
    /// The one along side B.
    AlongB,
    /// Another: a part of the copies is moved copy by copy, each a transpose.
    Other,
}

/// One block of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyPart {
    /// Displacement in the source from the first byte of the period.
    pub a: i64,
    /// Displacement in the destination.
    pub b: i64,
    /// Bytes.
    pub length: u64,
}

/// Nests are looked at to this depth, so that making a loop takes constant time.
const DEPTH: usize = 6;

/// From so many bytes on, a vector program of a body runs by itself.
const LONG: u64 = 512;

/// Rows of at most so many blocks cost a call each: they are rather moved column by column,
const SHORT_ROW: u64 = 4;

/// if there are at most so many columns.
const FEW_PARTS: usize = 4;

/// The kernel for so many copies of `body`.
pub(super) fn of_loop(
    count: u64,
    a: &Steps,
    b: &Steps,
    body: &Pair,
    target: &Target,
) -> CopyKernel {
    let (Some(x), Some(y)) = (a.stride(), b.stride()) else {
        let one_list = a.stride().is_some() || b.stride().is_some();
        return match body.block() {
            Some(length) if one_list => CopyKernel::Blocks { length },
            _ => CopyKernel::Walk,
        };
    };
    let own = Dim { count, a: x, b: y };
    let grid = grid(own, body);
    if let Some((dims, length)) = &grid
        && let Some(tiles) = Tiles::new(dims, *length, target)
    {
        let own = match own {
            _ if tiles.along_a == own => Outer::AlongA,
            _ if tiles.along_b == own => Outer::AlongB,
            _ => Outer::Other,
        };
        return CopyKernel::Tiles { tiles, own };
    }
    if body.bytes() >= LONG && has_program(body) {
        return CopyKernel::Walk;
    }
    let period = |most| period(&own, body, most, target);
    if let Some((dims, length)) = grid {
        let (dims, own, length) = ordered(dims, length);
        let short = dims.len() > 1 && dims.last().is_some_and(|dim| dim.count <= SHORT_ROW);
        let columns = if short { period(FEW_PARTS) } else { None };
        return columns.unwrap_or(CopyKernel::Grid { length, dims, own });
    }
    period(target.max_parts).unwrap_or(CopyKernel::Walk)
}

fn has_program(body: &Pair) -> bool {
    match body.pairing() {
        Pairing::Pack(node) | Pairing::Unpack(node) => {
            matches!(node.kernel(), Kernel::Programs { .. } | Kernel::Tiles(_))
        }
        _ => false,
    }
}

/// The dimensions, `own` first, and the block of a nest of loops.
fn grid(own: Dim, body: &Pair) -> Option<(Vec<Dim>, u64)> {
    let mut dims = vec![own];
    let mut pair = body;
    loop {
        match pair.pairing() {
            Pairing::Loop { count, a, b, body, .. } if dims.len() < DEPTH => {
                dims.push(Dim { count: *count, a: a.stride()?, b: b.stride()? });
                pair = body;
            }
            Pairing::Pack(node) => {
                let length = dense(node, |count, a, b| dims.push(Dim { count, a, b }))?;
                return (dims.len() <= DEPTH).then_some((dims, length));
            }
            Pairing::Unpack(node) => {
                let length = dense(node, |count, b, a| dims.push(Dim { count, a, b }))?;
                return (dims.len() <= DEPTH).then_some((dims, length));
            }
            _ => return None,
        }
    }
}

/// Shows the loops of a node with their strides in memory and in the packed stream; the block.
fn dense(node: &Node, mut dim: impl FnMut(u64, i64, i64)) -> Option<u64> {
    let mut node = node;
    for _ in 0..DEPTH {
        let Shape::Loop { count, stride, body } = node.shape() else { break };
        dim(*count, *stride, signed(body.bytes(), "a body").ok()?);
        node = body;
    }
    node.block()
}

/// The grid in the order of the destination's addresses: dimensions, which of them is the loop
/// itself, and the block. Dimensions that continue each other on both sides become one; the loop
/// itself (the first) stays what it is, for parts of its copies.
fn ordered(dims: Vec<Dim>, mut length: u64) -> (Box<[Dim]>, usize, u64) {
    let mut order: Vec<(usize, Dim)> = dims.into_iter().enumerate().collect();
    order.sort_by_key(|(_, dim)| Reverse((dim.b.unsigned_abs(), dim.a.unsigned_abs())));
    let mut joined: Vec<(usize, Dim)> = Vec::with_capacity(order.len());
    for (i, dim) in order.into_iter().rev() {
        let dense = |dim: &Dim, length: u64| {
            signed(length, "a block").is_ok_and(|length| (dim.a, dim.b) == (length, length))
        };
        let continues = |inner: &Dim| {
            let reach = |step: i64| signed(inner.count, "a count").ok()?.checked_mul(step);
            (reach(inner.a), reach(inner.b)) == (Some(dim.a), Some(dim.b))
        };
        match joined.last_mut() {
            None if i != 0 && dense(&dim, length) => length = length.saturating_mul(dim.count),
            Some((j, inner)) if i != 0 && *j != 0 && continues(inner) => {
                inner.count = inner.count.saturating_mul(dim.count);
            }
            _ => joined.push((i, dim)),
        }
    }
    joined.reverse();
    let own = joined.iter().position(|&(i, _)| i == 0).unwrap_or(0);
    (joined.into_iter().map(|(_, dim)| dim).collect(), own, length)
}

/// A body that is at most `most` blocks.
fn period(own: &Dim, body: &Pair, most: usize, target: &Target) -> Option<CopyKernel> {
    let mut parts = Vec::new();
    collect(body, (0, 0), most, &mut parts)?;
    let lines: u64 = parts.iter().map(|part| part.length + 64).sum();
    let side = |stride: i64| lines.min(stride.unsigned_abs().max(body.bytes()));
    let tile = (target.l1 / 2 / (side(own.a) + side(own.b)).max(1)).max(1);
    Some(CopyKernel::Period { parts: parts.into(), tile })
}

/// Lists the blocks of a pair without loops between strides, at most `most`.
fn collect(pair: &Pair, (a, b): (i64, i64), most: usize, parts: &mut Vec<CopyPart>) -> Option<()> {
    match pair.pairing() {
        Pairing::Pack(node) => parts.extend(node.few_parts(most)?.iter().map(|part| {
            let packed = part.b.cast_signed();
            CopyPart { a: a + part.a, b: b + packed, length: part.length }
        })),
        Pairing::Unpack(node) => parts.extend(node.few_parts(most)?.iter().map(|part| {
            let packed = part.b.cast_signed();
            CopyPart { a: a + packed, b: b + part.a, length: part.length }
        })),
        Pairing::Seq(steps) => {
            for step in steps {
                collect(&step.pair, (a + step.a, b + step.b), most, parts)?;
            }
        }
        Pairing::Loop { .. } | Pairing::Staged { .. } => return None,
    }
    (parts.len() <= most).then_some(())
}
