//! Walks a plan and hands each innermost pattern to its kernel. Decides nothing: what to do with a
//! node stands in its [`Kernel`].

use std::ops::Range;

use commloom_plan::{Kernel, Node, PeriodBlock, Piece, Pieces, Plan, Shape};

use crate::kernels::{Grid, Kernels, Places, ask, run, select};
use crate::moves::{Direction, any};
use crate::number::{distance, length};
use crate::places::stretches;
use crate::tiles::move_tiles;

/// So many blocks are worth a column of their own.
const COLUMN: usize = 16;

/// Moves the packed bytes `range` of a plan by its loop nest; `packed` is where the first of them
/// lies. Apart from short messages, which would pay for its registers.
///
/// # Safety
/// - Every byte of the plan's packed range is valid, relative to `memory`, for reads ([`Pack`]) or
///   writes ([`Unpack`]).
/// - `packed` is valid for as many writes or reads as the range is long.
/// - The two do not overlap, and nobody else writes them meanwhile (or reads the destination).
///
/// [`Pack`]: crate::moves::Pack
/// [`Unpack`]: crate::moves::Unpack
#[inline(never)]
pub(crate) unsafe fn nested<D: Direction>(
    plan: &Plan,
    memory: *mut u8,
    packed: *mut u8,
    range: Range<u64>,
) {
    let Some(kernels) = select(plan.target()) else {
        // SAFETY: the caller vouches for the bytes of the range on both sides.
        return unsafe { first::<D>(plan, memory, packed, range) };
    };
    let memory = memory.wrapping_offset(distance(plan.start()));
    // SAFETY: the caller vouches for the bytes of the range; `select` gave kernels for this
    // processor, and `memory` is now where the first byte of the root lies.
    unsafe { node::<D>(kernels, plan.root(), memory, packed, range) }
}

/// Moves the packed bytes `range` of a node whose first byte lies at `memory`; `packed` is where
/// the first byte of the range lies.
///
/// # Safety
/// The bytes of the range are valid on both sides as [`nested`] demands, counted from the node's
/// first byte; the processor has the instructions of `kernels`.
#[inline(always)]
pub(crate) unsafe fn node<D: Direction>(
    kernels: &'static Kernels,
    node: &Node,
    memory: *mut u8,
    packed: *mut u8,
    range: Range<u64>,
) {
    // SAFETY: the caller vouches for the range, and `all` moves no more than it: here it covers
    // the node.
    unsafe {
        if range.start == 0 && range.end >= node.bytes() {
            all::<D>(kernels, node, memory, packed);
        } else {
            part::<D>(kernels, node, memory, packed, range);
        }
    }
}

/// The first call of a process.
#[cold]
#[inline(never)]
unsafe fn first<D: Direction>(plan: &Plan, memory: *mut u8, packed: *mut u8, range: Range<u64>) {
    ask();
    // SAFETY: the caller vouches for the bytes of the range; `ask` changes none of them.
    unsafe { nested::<D>(plan, memory, packed, range) }
}

/// Moves all of a plan. Small messages are mostly one block or one loop: those are handed to their
/// kernel from here, which takes a third of the time of the walk at 100 bytes.
#[inline(always)]
unsafe fn all<D: Direction>(
    kernels: &'static Kernels,
    root: &Node,
    memory: *mut u8,
    packed: *mut u8,
) {
    // SAFETY: the caller vouches for all bytes of the root; blocks and loops have the places that
    // its shape says, and a program runs only over as many copies as it needs.
    unsafe {
        if let Shape::Loop { count, stride, .. } = root.shape() {
            let mut kernel = root.kernel();
            if let Kernel::Programs { pack, unpack, other } = kernel {
                let program = if D::PACKS { pack } else { unpack };
                if let Some(program) = program
                    && *count >= program.copies()
                    && let Some(function) = kernels.program(program)
                {
                    return run(function, program, memory, packed, length(*count));
                }
                kernel = other;
            }
            if let Kernel::Rows { length: block, columns: 1, .. } = kernel {
                let (count, stride) = (length(*count), distance(*stride));
                return kernels.column::<D>(memory, packed, count, stride, length(*block));
            }
        } else if let Shape::Block = root.shape() {
            let (src, dst) = D::ends(memory, packed);
            return any(src, dst, length(root.bytes()));
        }
        walk_all::<D>(kernels, root, memory, packed);
    }
}

/// Kept out of the way of small messages.
#[inline(never)]
unsafe fn walk_all<D: Direction>(
    kernels: &'static Kernels,
    root: &Node,
    memory: *mut u8,
    packed: *mut u8,
) {
    // SAFETY: the caller vouches for all bytes of the root and for the instructions of `kernels`.
    unsafe { PlanWalk { kernels, packed, pause: 0 }.whole::<D>(root, memory) }
}

#[inline(never)]
unsafe fn part<D: Direction>(
    kernels: &'static Kernels,
    node: &Node,
    memory: *mut u8,
    packed: *mut u8,
    range: Range<u64>,
) {
    let mut walk = PlanWalk { kernels, packed, pause: 0 };
    node.cut(0, range, &mut |piece| {
        // SAFETY: pieces cover exactly the range, in order; the plan proved that they lie in its
        // bounds, which the caller vouches for.
        unsafe {
            match piece {
                Piece::Bytes { a, length } => {
                    walk.bytes::<D>(memory.wrapping_offset(distance(a)), length);
                }
                Piece::Copies { node, a, copies } => {
                    walk.copies::<D>(node, memory.wrapping_offset(distance(a)), copies);
                }
            }
        }
    });
}

/// The place in the packed stream while a plan is walked.
struct PlanWalk {
    kernels: &'static Kernels,
    packed: *mut u8,
    /// After how many rows stores may finish; 0: never.
    pause: usize,
}

// Every function below: memory at the node's place and the packed stream at `self.packed` are
// valid for the bytes that are moved, as `nested` demands; `self.packed` then moves past them.
impl PlanWalk {
    unsafe fn bytes<D: Direction>(&mut self, memory: *mut u8, bytes: u64) {
        let (src, dst) = D::ends(memory, self.packed);
        // SAFETY: the caller vouches for as many bytes at `memory` and at the place in the stream.
        unsafe { any(src, dst, length(bytes)) };
        self.advance(bytes);
    }

    fn advance(&mut self, bytes: u64) {
        self.packed = self.packed.wrapping_add(length(bytes));
    }

    unsafe fn whole<D: Direction>(&mut self, node: &Node, memory: *mut u8) {
        // SAFETY: the caller vouches for all bytes of the node, which are those of all its copies.
        unsafe {
            match node.shape() {
                Shape::Block => self.bytes::<D>(memory, node.bytes()),
                _ => self.copies::<D>(node, memory, 0..node.copies()),
            }
        }
    }

    /// Moves some copies of the body of a node whose first byte lies at `memory`.
    unsafe fn copies<D: Direction>(&mut self, node: &Node, memory: *mut u8, copies: Range<u64>) {
        let list = length(copies.start)..length(copies.end);
        // SAFETY: the caller vouches for these copies; copy `i` lies where the shape says.
        unsafe {
            match node.shape() {
                Shape::Block => self.bytes::<D>(memory, node.bytes()),
                Shape::Loop { stride, body, .. } => {
                    let memory = step(memory, copies.start, *stride);
                    let count = copies.end - copies.start;
                    self.strided::<D>(node.kernel(), body, memory, count, *stride);
                }
                Shape::List { offsets, body } => {
                    stretches(offsets, list, |base, _, places| {
                        let memory = memory.wrapping_offset(distance(base));
                        self.listed::<D>(node.kernel(), body, memory, places);
                    });
                }
                Shape::Buckets { offsets, copies: ends, stride, body } => {
                    let mut at = copies.start;
                    let mut bucket = ends.partition_point(|&before| before <= at) - 1;
                    while at < copies.end {
                        let end = ends[bucket + 1].min(copies.end);
                        let first = memory.wrapping_offset(distance(offsets.at(bucket)));
                        let first = step(first, at - ends[bucket], *stride);
                        self.strided::<D>(node.kernel(), body, first, end - at, *stride);
                        at = end;
                        bucket += 1;
                    }
                }
                Shape::Runs { offsets, starts } => {
                    stretches(offsets, list, |base, list, places| {
                        let memory = memory.wrapping_offset(distance(base));
                        let starts = &starts[list.start..=list.end];
                        self.kernels.runs::<D>(memory, self.packed, places, starts);
                        self.advance(starts[starts.len() - 1] - starts[0]);
                    });
                }
                Shape::Seq(steps) => {
                    if let Kernel::Period { pieces, .. } = node.kernel()
                        && list.len() == steps.len()
                    {
                        let grid = Grid { memory, rows: 1, ..self.grid(node) };
                        self.kernels.periods::<D>(&grid, pieces);
                        return self.advance(node.bytes());
                    }
                    for step in &steps[list] {
                        self.whole::<D>(&step.node, memory.wrapping_offset(distance(step.a)));
                    }
                }
            }
        }
    }

    /// Moves `count` copies of `body`, `stride` apart, the first at `memory`.
    unsafe fn strided<D: Direction>(
        &mut self,
        kernel: &Kernel,
        body: &Node,
        memory: *mut u8,
        count: u64,
        stride: i64,
    ) {
        // SAFETY: the caller vouches for `count` copies of the body, `stride` apart; each kernel
        // was planned for this body and moves only its bytes.
        unsafe {
            match kernel {
                Kernel::Rows { length: block, columns, stride: column, .. } => {
                    self.kernels.rows::<D>(&Grid {
                        memory,
                        rows: length(count),
                        row_a: distance(stride),
                        columns: length(*columns),
                        column_a: distance(*column),
                        length: length(*block),
                        ..self.grid(body)
                    });
                    self.advance(count * body.bytes());
                }
                Kernel::Programs { pack, unpack, other } => {
                    let program = if D::PACKS { pack } else { unpack };
                    if let Some(program) = program
                        && count >= program.copies()
                        && let Some(function) = self.kernels.program(program)
                    {
                        run(function, program, memory, self.packed, length(count));
                        self.advance(count * body.bytes());
                    } else {
                        self.strided::<D>(other, body, memory, count, stride);
                    }
                }
                Kernel::Blocks { parts } => {
                    let rows = length(count);
                    let row_a = distance(stride);
                    let grid = Grid { memory, rows, row_a, ..self.grid(body) };
                    self.kernels.parts::<D>(&grid, parts);
                    self.advance(count * body.bytes());
                }
                Kernel::Paced { rows, other } => {
                    self.pause = if D::PACKS { 0 } else { length(*rows) };
                    self.strided::<D>(other, body, memory, count, stride);
                    self.pause = 0;
                }
                Kernel::Tiles(tiles) => {
                    let (counts, sides) = ((count, tiles.along_b.count), (memory, self.packed));
                    if D::PACKS {
                        move_tiles::<true>(self.kernels, tiles, counts, sides);
                    } else {
                        move_tiles::<false>(self.kernels, tiles, counts, sides);
                    }
                    self.advance(count * body.bytes());
                }
                Kernel::Period { parts, pieces, tile, touch } => {
                    let tiles = ((&**parts, pieces), *tile, *touch);
                    self.tiled::<D>(tiles, body, memory, count, stride);
                }
                _ => {
                    for i in 0..count {
                        self.whole::<D>(body, step(memory, i, stride));
                    }
                }
            }
        }
    }

    /// Moves copies of `body`, which are periods of a few blocks, tile by tile; with `touch`,
    /// it touches the memory of the next tile meanwhile. Many of which no tile is touched, without
    /// pauses, are moved block by block, each as a column: 1.2 times as fast as piece by piece
    /// (geometric mean of 40 random periods of 3.2 and 64 kB, AVX2).
    #[inline(always)]
    unsafe fn tiled<D: Direction>(
        &mut self,
        ((parts, pieces), tile, touch): ((&[PeriodBlock], &Pieces), u64, bool),
        body: &Node,
        memory: *mut u8,
        count: u64,
        stride: i64,
    ) {
        let next = distance(stride).wrapping_mul(length(tile).cast_signed());
        let mut done = 0;
        while done < count {
            let rows = (count - done).min(tile);
            let grid = Grid {
                memory: step(memory, done, stride),
                rows: length(rows),
                row_a: distance(stride),
                touch: if touch && done + rows < count { next } else { 0 },
                ..self.grid(body)
            };
            // SAFETY: the caller vouches for `count` copies of the body, `stride` apart, and these
            // are rows of them; the blocks of each are the parts.
            unsafe {
                if grid.rows < COLUMN || grid.touch != 0 || !D::PACKS && grid.pause > 0 {
                    self.kernels.periods::<D>(&grid, pieces);
                } else {
                    for part in parts {
                        self.kernels.rows::<D>(&Grid {
                            memory: grid.memory.wrapping_offset(distance(part.a)),
                            packed: grid.packed.wrapping_add(length(part.b)),
                            columns: 1,
                            length: length(part.length),
                            ..grid
                        });
                    }
                }
            }
            self.advance(rows * body.bytes());
            done += rows;
        }
    }

    /// Moves a copy of `body` at each of the places.
    unsafe fn listed<D: Direction>(
        &mut self,
        kernel: &Kernel,
        body: &Node,
        memory: *mut u8,
        places: Places<'_>,
    ) {
        let rows = places.len();
        // SAFETY: the caller vouches for a copy of the body at each place; each kernel was planned
        // for this body and moves only its bytes.
        unsafe {
            match kernel {
                Kernel::Rows { length: block, columns, stride: column, ahead } => {
                    let grid = Grid {
                        memory,
                        rows,
                        columns: length(*columns),
                        column_a: distance(*column),
                        length: length(*block),
                        ahead: length(if D::PACKS { ahead.pack } else { ahead.unpack }),
                        ..self.grid(body)
                    };
                    self.packed = self.packed.wrapping_add(grid.row_b.wrapping_mul(rows));
                    self.kernels.list::<D>(&grid, places);
                }
                Kernel::Blocks { parts } => {
                    let grid = Grid { memory, rows, ..self.grid(body) };
                    self.kernels.part_list::<D>(&grid, places, parts);
                    self.packed = self.packed.wrapping_add(grid.row_b.wrapping_mul(rows));
                }
                Kernel::Period { pieces, tile, .. } => {
                    let mut first = 0;
                    while first < rows {
                        let end = rows.min(first.saturating_add(length(*tile)));
                        let grid = Grid { memory, rows: end - first, ..self.grid(body) };
                        self.kernels.period_list::<D>(&grid, places.part(first..end), pieces);
                        self.packed = self.packed.wrapping_add(grid.row_b.wrapping_mul(grid.rows));
                        first = end;
                    }
                }
                _ => {
                    for i in 0..rows {
                        self.whole::<D>(body, memory.wrapping_offset(distance(places.at(i))));
                    }
                }
            }
        }
    }

    /// Copies of `body` in the packed stream from here on; the rest is filled in by the caller.
    fn grid(&self, body: &Node) -> Grid {
        Grid {
            memory: self.packed,
            packed: self.packed,
            rows: 0,
            row_a: 0,
            row_b: length(body.bytes()),
            columns: 1,
            column_a: 0,
            length: 0,
            ahead: 0,
            touch: 0,
            pause: self.pause,
        }
    }
}

/// `n` strides on from `memory`; wraps where the plan's own sum would not.
fn step(memory: *mut u8, n: u64, stride: i64) -> *mut u8 {
    memory.wrapping_offset(distance(stride).wrapping_mul(distance(n.cast_signed())))
}
