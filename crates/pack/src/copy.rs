//! Runs copies between two layouts. Decides nothing: what to do with a pair stands in its
//! [`Pairing`] and [`CopyKernel`].

use std::ops::Range;

use commloom_plan::{CopyKernel, CopyPiece, CopyPlan, Dim, Offsets, Outer, Pair, Pairing, Steps};

use crate::PackError;
use crate::checked::fits;
use crate::execute;
use crate::kernels::{Grid, Kernels, Row, ask, select};
use crate::moves::{Direction, Pack, Unpack, any};
use crate::number::{distance, length};
use crate::places::stretches;
use crate::staged::staged;
use crate::tiles::move_tiles;

/// Copies the packed bytes `range` of the layout in `source` to the layout in `destination`.
/// `source[origin]` and `destination[to_origin]` are displacement 0 of the two.
///
/// Bytes between the blocks of the destination are neither read nor written. Where it names a byte
/// twice (illegal for receiving in MPI) that ends up with one of its values.
///
/// # Errors
/// Nothing is moved when the range or one of the buffers is too small.
pub fn copy(
    plan: &CopyPlan,
    source: &[u8],
    origin: usize,
    destination: &mut [u8],
    to_origin: usize,
    range: Range<u64>,
) -> Result<(), PackError> {
    if range.start > range.end || range.end > plan.bytes() {
        return Err(PackError::Range { range, bytes: plan.bytes() });
    }
    let (bounds, to_bounds) = (plan.source_bounds(), plan.destination_bounds());
    if !range.is_empty() && !fits(&bounds, origin, source.len()) {
        return Err(PackError::Memory { bounds, origin, length: source.len() });
    }
    if !range.is_empty() && !fits(&to_bounds, to_origin, destination.len()) {
        let length = destination.len();
        return Err(PackError::Destination { bounds: to_bounds, origin: to_origin, length });
    }
    let from = source.as_ptr().wrapping_add(origin);
    let to = destination.as_mut_ptr().wrapping_add(to_origin);
    // SAFETY: the bounds of both layouts lie in their buffers; one is borrowed shared, the other
    // exclusively, so they do not overlap.
    unsafe { copy_raw(plan, from, to, range) };
    Ok(())
}

/// Copies the packed bytes `range` of the layout around `source` to the layout around
/// `destination`.
///
/// Both pointers are origins (displacement 0). A range past [`CopyPlan::bytes`] is cut there.
///
/// # Safety
/// - Every byte that the source layout names in this range is valid for reads, relative to
///   `source`; every byte that the destination layout names, for writes, relative to
///   `destination`. It is enough that all of [`CopyPlan::source_bounds`] and
///   [`CopyPlan::destination_bounds`] is.
/// - The bytes written do not overlap those read.
/// - Nobody writes the bytes read, or touches the bytes written, during the call.
pub unsafe fn copy_raw(
    plan: &CopyPlan,
    source: *const u8,
    destination: *mut u8,
    range: Range<u64>,
) {
    let Some(kernels) = select(plan.target()) else {
        ask();
        // SAFETY: the caller vouches for the bytes of the range on both sides; the processor has
        // been asked.
        return unsafe { copy_raw(plan, source, destination, range) };
    };
    let walk = CopyWalk { kernels };
    plan.cut(range, |piece| {
        let at = |a, b| Sides {
            src: source.cast_mut().wrapping_offset(distance(a)),
            dst: destination.wrapping_offset(distance(b)),
        };
        // SAFETY: pieces cover exactly the range; the plan proved that they lie in its bounds,
        // which the caller vouches for.
        unsafe {
            match piece {
                CopyPiece::Copies { pair, a, b, copies } => walk.copies(pair, at(a, b), copies),
                CopyPiece::Bytes { pair, a, b, range } => walk.bytes(pair, at(a, b), range),
            }
        }
    });
}

/// The places of a pair's first byte. `src` is only read from.
#[derive(Clone, Copy)]
struct Sides {
    src: *mut u8,
    dst: *mut u8,
}

impl Sides {
    fn at(self, a: i64, b: i64) -> Sides {
        Sides {
            src: self.src.wrapping_offset(distance(a)),
            dst: self.dst.wrapping_offset(distance(b)),
        }
    }
}

struct CopyWalk {
    kernels: &'static Kernels,
}

// Every function below: the bytes that are moved are valid for reads at `sides.src`, for writes at
// `sides.dst`, as `copy_raw` demands.
impl CopyWalk {
    unsafe fn whole(&self, pair: &Pair, sides: Sides) {
        // SAFETY: the caller vouches for all bytes of the pair at `sides`.
        unsafe {
            match pair.pairing() {
                Pairing::Loop { .. } | Pairing::Seq(_) => {
                    self.copies(pair, sides, 0..pair.copies());
                }
                _ => self.bytes(pair, sides, 0..pair.bytes()),
            }
        }
    }

    /// Moves packed bytes of a pair that is neither loop nor sequence.
    unsafe fn bytes(&self, pair: &Pair, sides: Sides, range: Range<u64>) {
        let start = length(range.start);
        // SAFETY: the caller vouches for the bytes `range` of the pair; the contiguous side is the
        // packed stream, entered where the range begins.
        unsafe {
            match pair.pairing() {
                Pairing::Pack(node) => {
                    let packed = sides.dst.wrapping_add(start);
                    execute::node::<Pack>(self.kernels, node, sides.src, packed, range);
                }
                Pairing::Unpack(node) => {
                    let packed = sides.src.wrapping_add(start);
                    execute::node::<Unpack>(self.kernels, node, sides.dst, packed, range);
                }
                Pairing::Staged { source, destination, stage } => {
                    let nodes = (&**source, &**destination);
                    staged(self.kernels, nodes, *stage, (sides.src, sides.dst), range);
                }
                Pairing::Loop { .. } | Pairing::Seq(_) => {}
            }
        }
    }

    /// Moves whole copies of a loop or steps of a sequence.
    unsafe fn copies(&self, pair: &Pair, sides: Sides, copies: Range<u64>) {
        // SAFETY: the caller vouches for these copies; a step lies where the sequence says.
        unsafe {
            match pair.pairing() {
                Pairing::Loop { count, a, b, body, kernel } => {
                    self.repeated((*count, a, b), body, kernel, sides, copies);
                }
                Pairing::Seq(steps) => {
                    for step in &steps[length_range(&copies)] {
                        self.whole(&step.pair, sides.at(step.a, step.b));
                    }
                }
                _ => self.whole(pair, sides),
            }
        }
    }

    /// Moves the copies `copies` of a loop, of which there are `all`.
    unsafe fn repeated(
        &self,
        (all, a, b): (u64, &Steps, &Steps),
        body: &Pair,
        kernel: &CopyKernel,
        sides: Sides,
        copies: Range<u64>,
    ) {
        let count = copies.end - copies.start;
        let first = sides.at(a.at(copies.start), b.at(copies.start));
        // SAFETY: the caller vouches for these copies, which lie where `a` and `b` say.
        unsafe {
            match kernel {
                CopyKernel::Grid { length, dims, own } => {
                    self.grid(dims, Some((*own, count)), *length, first);
                }
                CopyKernel::Tiles { tiles, own } if *own != Outer::Other || count == all => {
                    let counts = match own {
                        Outer::AlongA => (count, tiles.along_b.count),
                        Outer::AlongB => (tiles.along_a.count, count),
                        Outer::Other => (tiles.along_a.count, tiles.along_b.count),
                    };
                    move_tiles::<true>(self.kernels, tiles, counts, (first.src, first.dst));
                }
                CopyKernel::Blocks { length } => {
                    let places = length_range(&copies);
                    match (a, b) {
                        (Steps::List(list), Steps::Stride(stride)) => {
                            let ends = (sides.src, first.dst);
                            self.blocks::<Pack>(ends, list, places, *stride, *length);
                        }
                        (Steps::Stride(stride), Steps::List(list)) => {
                            let ends = (sides.dst, first.src);
                            self.blocks::<Unpack>(ends, list, places, *stride, *length);
                        }
                        _ => self.walk((a, b), body, sides, copies),
                    }
                }
                CopyKernel::Period { parts, tile } => {
                    let (x, y) = (a.stride().unwrap_or(0), b.stride().unwrap_or(0));
                    let mut done = 0;
                    while done < count {
                        let rows = (count - done).min(*tile);
                        let sides = sides.at(a.at(copies.start + done), b.at(copies.start + done));
                        for part in parts {
                            let column = Dim { count: rows, a: x, b: y };
                            self.column(&column, rows, part.length, sides.at(part.a, part.b));
                        }
                        done += rows;
                    }
                }
                _ => self.walk((a, b), body, sides, copies),
            }
        }
    }

    unsafe fn walk(&self, (a, b): (&Steps, &Steps), body: &Pair, sides: Sides, copies: Range<u64>) {
        for i in copies {
            // SAFETY: copy `i` is one of those that the caller vouches for and lies where the
            // steps say.
            unsafe { self.whole(body, sides.at(a.at(i), b.at(i))) };
        }
    }

    /// Moves a grid of blocks; of the dimension `own.0` only `own.1` steps.
    unsafe fn grid(&self, dims: &[Dim], own: Option<(usize, u64)>, block: u64, sides: Sides) {
        let Some((dim, inner)) = dims.split_first() else {
            // SAFETY: without dimensions the grid is the one block that the caller vouches for.
            return unsafe { any(sides.src, sides.dst, length(block)) };
        };
        let (count, own) = match own {
            Some((0, count)) => (count, None),
            Some((i, count)) => (dim.count, Some((i - 1, count))),
            None => (dim.count, None),
        };
        // SAFETY: each step along `dim` is a grid of fewer dimensions, inside the one that the
        // caller vouches for.
        unsafe {
            if inner.is_empty() {
                return self.column(dim, count, block, sides);
            }
            let mut sides = sides;
            for _ in 0..count {
                self.grid(inner, own, block, sides);
                sides = sides.at(dim.a, dim.b);
            }
        }
    }

    /// Moves `count` blocks, apart as `dim` says.
    unsafe fn column(&self, dim: &Dim, count: u64, block: u64, sides: Sides) {
        let (a, b, bytes) = (distance(dim.a), distance(dim.b), length(block));
        // SAFETY: the caller vouches for all `count` blocks; dense on both sides, they are one
        // run.
        unsafe {
            if (a, b) == (bytes.cast_signed(), bytes.cast_signed()) {
                return any(sides.src, sides.dst, bytes.wrapping_mul(length(count)));
            }
            let Sides { src, dst } = sides;
            self.kernels.strided(&Row { src, dst, count: length(count), a, b, length: bytes });
        }
    }

    /// Moves the blocks of `list` in `places` between the first side, where they are listed, and
    /// the second, where they are `stride` apart.
    unsafe fn blocks<D: Direction>(
        &self,
        (listed, strided): (*mut u8, *mut u8),
        list: &Offsets,
        places: Range<usize>,
        stride: i64,
        block: u64,
    ) {
        let mut packed = strided;
        let step = distance(stride);
        stretches(list, places, |base, _, places| {
            let grid = Grid {
                memory: listed.wrapping_offset(distance(base)),
                packed,
                rows: places.len(),
                row_a: 0,
                row_b: step.cast_unsigned(),
                columns: 1,
                column_a: 0,
                length: length(block),
                ahead: 0,
                touch: 0,
                pause: 0,
            };
            packed = packed.wrapping_offset(step.wrapping_mul(places.len().cast_signed()));
            // SAFETY: the listed places are among those that the caller vouches for, and the grid
            // steps through the strided side as far as they are many.
            unsafe { self.kernels.list::<D>(&grid, places) }
        });
    }
}

fn length_range(range: &Range<u64>) -> Range<usize> {
    length(range.start)..length(range.end)
}
