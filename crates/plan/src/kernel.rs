//! [`Kernel`]: how the copies of a node's body are moved, chosen when the node is made.

use crate::number::count as count_of;
use crate::pace::paced;
use crate::period::Period;
use crate::{Node, PeriodBlock, Pieces, Program, Shape, Target, Tiles, tiles};

/// How a node moves the copies of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kernel {
    /// One run of bytes.
    Copy,
    /// Every copy is a row of `columns` blocks of `length` bytes, `stride` apart in memory.
    Rows {
        /// Bytes in a block.
        length: u64,
        /// Blocks in a row.
        columns: u64,
        /// Distance of neighbouring blocks in a row, 0 when there is one.
        stride: i64,
        /// Of a list: rows between touching a row and moving it.
        ahead: Ahead,
    },
    /// Every copy is a period of a few blocks.
    Period {
        /// The blocks, in packed order.
        parts: Box<[PeriodBlock]>,
        /// The same cut into pieces that are moved at once.
        pieces: Pieces,
        /// That many copies stay in the first-level cache together.
        tile: u64,
        /// Whether the memory of the next tile is touched while a tile is moved.
        touch: bool,
    },
    /// Every copy is a period of a few blocks that are long enough to be moved one by one.
    Blocks {
        /// The blocks, in packed order.
        parts: Box<[PeriodBlock]>,
    },
    /// A period as vector permutations; `other` does it where there is no program for a direction,
    /// the processor lacks the instructions, or too few copies are moved.
    Programs {
        /// From memory to the packed stream.
        pack: Option<Box<Program>>,
        /// From the packed stream to memory.
        unpack: Option<Box<Program>>,
        /// Without vectors.
        other: Box<Kernel>,
    },
    /// As `other`, but when unpacking a pause after every so many rows lets the stores before it
    /// finish: they fall into few sets of the cache.
    Paced {
        /// Rows, or blocks of a row, between pauses.
        rows: u64,
        /// Rows or a period, or programs that leave unpacking to them.
        other: Box<Kernel>,
    },
    /// A transpose, by tiles.
    Tiles(Tiles),
    /// Runs of different lengths, one after the other.
    Runs,
    /// Copy by copy, each as its own kernel says.
    Walk,
}

/// How many blocks before it is moved the memory of a block is asked for; 0: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ahead {
    /// When packing: to be read.
    pub pack: u64,
    /// When unpacking: to be written.
    pub unpack: u64,
}

/// Rows with at most so many columns are cheaper as a period where there are many rows.
const FEW_COLUMNS: u64 = 4;

/// Below so many packed bytes a program costs more to set up than it wins
/// (book/src/explanation/kernels.md).
const SHORT: u64 = 64;

/// From so many packed bytes on, a loop is worth its own run of a program even inside another
/// loop.
const LONG: u64 = 512;

pub(crate) fn of_loop(count: u64, stride: i64, body: &Node, target: &Target) -> Kernel {
    if let Some(tiles) = tiles::of_loop(count, stride, body, target) {
        return tiles;
    }
    if long_program(body) {
        return Kernel::Walk;
    }
    paced(count, stride, regular(count, stride, body, target), target)
}

/// A loop over few blocks or over rows of them.
fn regular(count: u64, stride: i64, body: &Node, target: &Target) -> Kernel {
    let as_period = |rows: &Kernel| match rows {
        Kernel::Rows { columns: 2..=FEW_COLUMNS, length, .. } => {
            count > FEW_COLUMNS || *length >= LONG_BLOCK
        }
        _ => false,
    };
    let rows = rows(body).filter(|rows| !as_period(rows));
    let vectors = target.vector >= 64 && count.saturating_mul(body.bytes()) >= SHORT;
    if let (Some(rows), false) = (&rows, vectors) {
        return rows.clone();
    }
    let Some(parts) = body.few_parts(target.max_parts) else { return rows.unwrap_or(Kernel::Walk) };
    let programs = if vectors { programs(count, stride, &parts, target) } else { None };
    let kernel = rows.unwrap_or_else(|| period(count, Some(stride), body, parts, target));
    match programs {
        // Behind pointers: a node with both inside is ten times as long, and is copied when it is
        // made.
        Some((pack, unpack)) => Kernel::Programs { pack, unpack, other: Box::new(kernel) },
        None => kernel,
    }
}

type Both = (Option<Box<Program>>, Option<Box<Program>>);

/// The vector programs that pay.
fn programs(count: u64, stride: i64, parts: &[PeriodBlock], target: &Target) -> Option<Both> {
    let period = Period::new(parts, stride, target.byte_permute)?;
    let far = count.saturating_mul(stride.unsigned_abs()) > target.masked_stores_until;
    let unpack = if far && period.plain_stores() { None } else { period.unpack(count) };
    let pack = period.pack(count);
    (pack.is_some() || unpack.is_some()).then_some((pack, unpack))
}

/// Whether a body is itself a loop that runs long enough as a program or by tiles to be called by
/// itself.
fn long_program(body: &Node) -> bool {
    body.bytes() >= LONG && matches!(body.kernel(), Kernel::Programs { .. } | Kernel::Tiles(_))
}

/// Rows of a list are touched so far ahead (48 measured best: book/src/explanation/kernels.md).
const AHEAD: u64 = 48;

/// For a list whose copies lie in `span` bytes.
pub(crate) fn of_list(span: u64, body: &Node, target: &Target) -> Kernel {
    if long_program(body) {
        return Kernel::Walk;
    }
    match rows(body) {
        Some(Kernel::Rows { length, columns: 1, stride, .. }) => {
            let from = |far: u64| if span > far && length <= 64 { AHEAD } else { 0 };
            let ahead = Ahead {
                pack: from(target.prefetch_from),
                unpack: from(target.prefetch_write_from),
            };
            Kernel::Rows { length, columns: 1, stride, ahead }
        }
        rows => match few(1, None, body, target) {
            Kernel::Walk => rows.unwrap_or(Kernel::Walk),
            period => period,
        },
    }
}

pub(crate) fn of_buckets(stride: i64, body: &Node, target: &Target) -> Kernel {
    rows(body).unwrap_or_else(|| few(1, Some(stride), body, target))
}

/// For nodes one after the other: few blocks are one copy of a period.
pub(crate) fn of_sequence(node: &Node, target: &Target) -> Kernel {
    few(1, None, node, target)
}

/// A body that is a block or a loop over one block.
fn rows(body: &Node) -> Option<Kernel> {
    match body.shape() {
        Shape::Block => Some(Kernel::Rows {
            length: body.bytes(),
            columns: 1,
            stride: 0,
            ahead: Ahead::default(),
        }),
        Shape::Loop { count, stride, body } => {
            let length = body.block()?;
            Some(Kernel::Rows { length, columns: *count, stride: *stride, ahead: Ahead::default() })
        }
        _ => None,
    }
}

/// A body that is a few blocks, else `Walk`.
fn few(count: u64, stride: Option<i64>, body: &Node, target: &Target) -> Kernel {
    let parts = body.few_parts(target.max_parts);
    parts.map_or(Kernel::Walk, |parts| period(count, stride, body, parts, target))
}

/// A body that is these blocks.
fn period(
    count: u64,
    stride: Option<i64>,
    body: &Node,
    parts: Vec<PeriodBlock>,
    target: &Target,
) -> Kernel {
    if body.bytes() / LONG_BLOCK >= count_of(parts.len()) {
        return Kernel::Blocks { parts: parts.into() };
    }
    let Some(pieces) = Pieces::cut(&parts) else { return Kernel::Walk };
    // Both sides of a tile should stay in half of the first-level cache. A part touches at most
    // one line more than it fills, a period no more than its own stride.
    let lines: u64 = parts.iter().map(|part| part.length + 64).sum();
    let memory = stride.map_or(lines, |s| lines.min(s.unsigned_abs().max(body.bytes())));
    let tile = (target.l1 / 2 / (memory + body.bytes()).max(1)).max(1);
    let touch = stride.is_some() && count.saturating_mul(memory) > target.prefetch_periods_from;
    Kernel::Period { parts: parts.into(), pieces, tile, touch }
}

/// Blocks of this average length are moved one by one, in order: piece by piece took up to 1.9
/// times as long with two blocks of 400 bytes.
const LONG_BLOCK: u64 = 128;

#[cfg(test)]
mod tests {
    use commloom_layout::{Basic, Type};

    use super::*;
    use crate::Plan;

    #[test]
    fn loops_that_reach_far_are_unpacked_by_plain_stores() {
        let ty = Type::vec(1000, 8, Type::leaf(Basic::INT)).expect("valid");
        let unpacks = |masked_stores_until| {
            let target = Target { vector: 64, masked_stores_until, ..Target::PORTABLE };
            let plan = Plan::packed(&ty, 1, &target).expect("fits");
            match plan.root().kernel() {
                Kernel::Programs { pack: Some(_), unpack, .. } => unpack.is_some(),
                other => panic!("no program: {other:?}"),
            }
        };
        assert!(unpacks(8000));
        assert!(!unpacks(7999));
    }
}
