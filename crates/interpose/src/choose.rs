//! Which way a message takes: untouched, as the same layout in the description that this library
//! is fast with, or packed by commloom's engine.
//!
//! The model predicts the time of one message of `b` bytes in `r` runs for each way, from constants
//! that were measured once per library (2-rank ping-pong over the layouts of the expectation tests,
//! shared memory, Zen 5; `docs/choice.md` has the table and the command). It errs on the side of
//! leaving a message alone: another way must be expected to be clearly faster.
//!
//! What the measurements say:
//! - below a few kilobytes a typed send costs 0.4 to 3 us more than a contiguous one, in both
//!   libraries, packing costs less than 0.2: pack;
//! - MPICH packs `count` x a small type at memory speed, but walks a single large type piece by
//!   piece (8 ns each, in every chunk of a rendezvous again from the start for lists and structs):
//!   send `count` x the unit instead, or pack what has no unit;
//! - Open MPI overlaps packing, copying and unpacking of large messages, so that it beats any
//!   explicit packing unless blocks are small: then the cost per block decides.

use commloom_layout::{Kind, Type};
use commloom_mpi::AbiKind;

/// How a message is handed to the MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With the program's own arguments.
    Native,
    /// With another handle of the same layout.
    Substitute,
    /// Packed (or to be unpacked) by commloom.
    Engine,
}

/// A way, and what one message is expected to take, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// How.
    pub way: Way,
    /// In this way.
    pub expected: f64,
    /// Left to the library.
    pub native: f64,
    /// Packed.
    pub engine: f64,
}

/// What the model looks at: one message of `count` elements of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Packed bytes.
    bytes: f64,
    /// Contiguous runs in memory.
    runs: f64,
    /// Basic elements per run.
    elements: f64,
    /// Cache lines touched, at most one per run and 64 bytes.
    lines: f64,
    /// Bytes of memory from the first to the last.
    span: f64,
    /// Loops above one block, in the program's description or in the normal form: the libraries
    /// have code of their own for one.
    loops: Option<u32>,
    /// Pieces of the program's type that the library walks one by one where it cannot take whole
    /// elements.
    pieces: f64,
    /// What stands at the top of the program's own description.
    top: Top,
    /// There are enough whole elements in the message for loops over elements.
    many: bool,
    /// The normal form is a repetition of a small unit, so that it can be sent as count x unit.
    unit: bool,
}

/// The outermost repetition in the program's own description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Top {
    /// One block, or blocks in equal steps.
    #[default]
    Vector,
    /// Blocks of one length or of several at listed places.
    List,
    /// Parts of different types.
    Struct,
}

/// Copies from which on a repetition is worth being sent as count x unit.
const MANY: u64 = 16;
/// Largest unit in bytes: beyond it a library falls back to walking inside the unit.
const UNIT: u64 = 8192;

impl Shape {
    /// Looks at `count` elements of the program's type `user`, whose normal form (count included)
    /// is `normal`. O(depth).
    #[must_use]
    pub fn of(count: u64, user: &Type, normal: &Type) -> Shape {
        let bytes = approximate(normal.size());
        let runs = approximate(normal.runs()).max(1.0);
        let per_run = 1.0 + bytes / runs / 64.0;
        let span = approximate(normal.true_extent().unsigned_abs());
        let (pieces, top) = pieces(user);
        Shape {
            bytes,
            runs,
            elements: approximate(normal.elements()) / runs,
            lines: (runs * per_run).min((span / 64.0).max(1.0)),
            span,
            loops: loops(user).into_iter().chain(loops(normal)).min(),
            pieces: approximate(pieces) * approximate(count),
            top,
            many: count >= MANY,
            unit: unit(normal).is_some(),
        }
    }
}

/// The unit of a normal form: how often, how far apart in bytes, and what, if sending count x unit
/// is possible at all.
#[must_use]
pub fn unit(normal: &Type) -> Option<(u64, i64, &Type)> {
    match bare(normal).kind() {
        Kind::Vec { count, stride, child }
            if *count >= MANY && *stride > 0 && child.size() <= UNIT && child.runs() <= 64 =>
        {
            Some((*count, *stride, child))
        }
        _ => None,
    }
}

/// Without explicit bounds at the root.
fn bare(ty: &Type) -> &Type {
    match ty.kind() {
        Kind::Resized { child, .. } => bare(child),
        _ => ty,
    }
}

/// Parts of the outermost repetition of the program's type, and what it is.
fn pieces(ty: &Type) -> (u64, Top) {
    match bare(ty).kind() {
        Kind::Vec { count, .. } => (*count, Top::Vector),
        Kind::Idx { indices, child } if indices.len() == 1 => pieces(child),
        Kind::Idx { indices, .. } => (length(indices.len()), Top::Vector),
        Kind::IdxBuc { blocks, .. } => (length(blocks.len()), Top::List),
        Kind::Strc { children, .. } => {
            let all = children.iter().fold(0, |n: u64, c| n.saturating_add(pieces(c).0));
            let (most, top) = children.iter().map(pieces).max_by_key(|p| p.0).unwrap_or_default();
            (all, if nearly_all(most, all) { top } else { Top::Struct })
        }
        Kind::Leaf(_) | Kind::Resized { .. } => (1, Top::Vector),
    }
}

/// Whether a part is so much of the whole that the rest does not count.
fn nearly_all(part: u64, all: u64) -> bool {
    part >= all - all / 10
}

/// How many loops stand above one contiguous block, for nearly all of the runs; `None` where there
/// are lists or parts of different shapes.
fn loops(ty: &Type) -> Option<u32> {
    match ty.kind() {
        _ if ty.runs() <= 1 => Some(0),
        Kind::Vec { child, .. } => Some(loops(child)? + 1),
        Kind::Resized { child, .. } => loops(child),
        Kind::Idx { indices, child } if indices.len() == 1 => loops(child),
        Kind::Strc { children, .. } => {
            children.iter().filter(|c| nearly_all(c.runs(), ty.runs())).find_map(loops)
        }
        _ => None,
    }
}

/// What one MPI library costs, in nanoseconds per message, run or byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    kind: AbiKind,
}

/// How much faster another way must be expected to be.
const MARGIN: f64 = 0.85;
/// A second-level cache: past it packing is bound by memory.
const CACHE: f64 = 512.0 * 1024.0;

impl Model {
    /// The model of the libraries with this ABI.
    #[must_use]
    pub const fn new(kind: AbiKind) -> Model {
        Model { kind }
    }

    /// The way for a message, sent or received.
    #[must_use]
    pub fn choose(&self, shape: &Shape) -> Choice {
        if shape.runs <= 1.0 {
            let time = contiguous(shape.bytes);
            return Choice { way: Way::Native, expected: time, native: time, engine: time };
        }
        let native = self.native(shape);
        let engine = engine(shape);
        let substitute = self.substitute(shape).filter(|&s| s <= engine && s < MARGIN * native);
        let (way, expected) = match substitute {
            Some(time) => (Way::Substitute, time),
            None if engine < MARGIN * native => (Way::Engine, engine),
            None => (Way::Native, native),
        };
        Choice { way, expected, native, engine }
    }

    /// A send and receive with the program's own type on both sides.
    fn native(&self, s: &Shape) -> f64 {
        match self.kind {
            AbiKind::OpenMpi if s.bytes <= 4096.0 => {
                contiguous(s.bytes)
                    + 2.0 * (100.0 + s.runs * if s.loops.is_some() { 1.3 } else { 2.7 })
            }
            AbiKind::OpenMpi => {
                let per_run = match (s.loops, s.bytes < 65536.0) {
                    (Some(0 | 1), true) => 3.1,
                    (Some(0 | 1), false) => 1.85,
                    (Some(_), true) => 3.6,
                    (Some(_), false) => 2.6,
                    (None, true) => 6.2,
                    (None, false) => 3.7,
                };
                f64::max(0.73 * contiguous(s.bytes), 300.0 + s.runs * per_run)
            }
            AbiKind::Mpich | AbiKind::Standard if s.bytes <= 16384.0 => {
                // Up to eight elements in a row there are loops of their own.
                let per_run = match s.top {
                    _ if s.elements > 8.0 => 1.5,
                    Top::Struct => 5.0,
                    _ => 0.3,
                };
                contiguous(s.bytes) + 2.0 * (150.0 + per_run * s.runs)
            }
            AbiKind::Mpich | AbiKind::Standard if s.many && s.top == Top::Struct => {
                f64::max(whole_elements(s), 0.3 * contiguous(s.bytes) + 6.0 * s.runs)
            }
            AbiKind::Mpich | AbiKind::Standard if s.many => whole_elements(s),
            AbiKind::Mpich | AbiKind::Standard => {
                let again = if s.top != Top::Vector { 0.03 * s.bytes / 1024.0 } else { 0.0 };
                f64::max(whole_elements(s), 0.3 * contiguous(s.bytes) + s.pieces * (8.2 + again))
            }
        }
    }

    /// The same as count x unit; `None` where that is not possible or never helps.
    fn substitute(&self, s: &Shape) -> Option<f64> {
        match self.kind {
            AbiKind::OpenMpi => None,
            AbiKind::Mpich | AbiKind::Standard => {
                let slow = !s.many || s.top == Top::Struct;
                (s.unit && slow && s.bytes > 16384.0).then(|| whole_elements(s))
            }
        }
    }

    /// Whether `MPI_Pack` and `MPI_Unpack` of this shape go through the engine: where runs are short
    /// enough for the loop around them to count.
    #[must_use]
    pub fn packs(&self, s: &Shape) -> bool {
        s.runs > 1.0 && s.bytes < 4096.0 * s.runs
    }
}

/// MPICH on whole elements of a small type.
fn whole_elements(s: &Shape) -> f64 {
    1.15 * contiguous(s.bytes) + 0.4 * s.runs
}

/// A contiguous message through shared memory.
fn contiguous(bytes: f64) -> f64 {
    if bytes <= 4096.0 {
        return 200.0 + 0.03 * bytes;
    }
    f64::min(280.0 + 0.118 * bytes, 1500.0 + 0.0715 * bytes)
}

/// Pack, contiguous message, unpack: the larger of what bytes, runs and cache lines cost.
fn engine(s: &Shape) -> f64 {
    let per_byte = match s.bytes {
        b if b <= 8192.0 => 1.0 / 75.0,
        b if b <= CACHE => 1.0 / 32.0,
        _ => 1.0 / 19.0,
    };
    let per_line = match s.span {
        span if span <= 1e6 => 0.3,
        span if span <= 4e6 => 0.5,
        _ => 0.62,
    };
    let pack = (s.bytes * per_byte).max(0.2 * s.runs).max(per_line * s.lines);
    contiguous(s.bytes) + 2.0 * (45.0 + pack)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs three digits")]
fn approximate(n: u64) -> f64 {
    n as f64
}

fn length(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::{Basic, mpi};

    fn int() -> Type {
        Type::leaf(Basic::INT)
    }

    fn tiled(bytes: u64, a: u64, b: i64) -> Type {
        mpi::vector(bytes / (4 * a), a, b, &int()).unwrap()
    }

    fn way(kind: AbiKind, user: &Type, normal: &Type) -> Way {
        Model::new(kind).choose(&Shape::of(1, user, normal)).way
    }

    #[test]
    fn contiguous_messages_are_left_alone() {
        let t = mpi::contiguous(100_000, &int()).unwrap();
        for kind in [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard] {
            assert_eq!(way(kind, &t, &t), Way::Native);
        }
    }

    #[test]
    fn short_messages_are_packed_under_both_libraries() {
        let t = tiled(3200, 2, 4);
        assert_eq!(way(AbiKind::Mpich, &t, &t), Way::Engine);
        assert_eq!(way(AbiKind::OpenMpi, &t, &t), Way::Engine);
    }

    #[test]
    fn long_vectors_go_to_mpich_as_count_times_unit() {
        for bytes in [256_000, 2_560_000] {
            let t = tiled(bytes, 10, 12);
            assert_eq!(way(AbiKind::Mpich, &t, &t), Way::Substitute, "{bytes}");
        }
    }

    #[test]
    fn open_mpi_keeps_long_messages_of_large_blocks_and_gives_up_small_ones() {
        let large = tiled(2_560_000, 10, 12);
        assert_eq!(way(AbiKind::OpenMpi, &large, &large), Way::Native);
        let small = tiled(256_000, 2, 4);
        assert_eq!(way(AbiKind::OpenMpi, &small, &small), Way::Engine);
    }

    #[test]
    fn long_lists_are_packed_under_mpich() {
        let displacements: Vec<i64> = (0..64_000).map(|i| i * 4 + i % 3).collect();
        let blocks: Vec<u64> = (0..64_000).map(|i| 1 + i % 2).collect();
        let t = mpi::indexed(&blocks, &displacements, &int()).unwrap();
        assert_eq!(way(AbiKind::Mpich, &t, &t), Way::Engine);
    }
}
