//! Blocks of one length: columns, rows of columns, lists, runs. Written once: generic over the
//! instruction set, direction, block length and width of the list.
//!
//! Everything is inlined into thin wrappers that enable an instruction set (`table`).

use crate::kernels::Grid;
use crate::kernels::cursor::{Cursor, Listed, Offset, Strided};
use crate::kernels::lanes::Lanes;
use crate::kernels::paced;
use crate::moves::{Direction, LONG, block};
use crate::number::length;

/// Moves a grid of blocks of `N` bytes (`grid.length` when `N` is 0).
///
/// # Safety
/// - All blocks of the grid are valid for reads on the source side, for writes on the other.
/// - The two sides do not overlap.
#[inline(always)]
pub(crate) unsafe fn rows<L: Lanes, D: Direction, const N: usize>(grid: &Grid) {
    // SAFETY: the caller vouches for all blocks of the grid. A grid of one column with rows as
    // long as a block is dense.
    unsafe {
        if !D::PACKS && grid.pause > 0 {
            paced::rows::<N>(grid);
        } else if grid.columns > 1 {
            let columns = Strided::new(grid.memory, grid.column_a);
            let (mut memory, mut packed) = (grid.memory, grid.packed);
            for _ in 0..grid.rows {
                let row = columns.from(memory);
                blocks::<L, D, _, N, false>(row, packed, grid.columns, 0, grid.length);
                memory = memory.wrapping_offset(grid.row_a);
                packed = packed.wrapping_add(grid.row_b);
            }
        } else {
            let column = Strided::new(grid.memory, grid.row_a);
            one_column::<L, D, _, N>(column, grid);
        }
    }
}

/// Moves `count` blocks, `stride` apart in memory and dense in the packed stream.
///
/// # Safety
/// These blocks are valid on their sides, which do not overlap, as [`rows`] demands of a grid.
#[inline(always)]
pub(crate) unsafe fn column<L: Lanes, D: Direction, const N: usize>(
    memory: *mut u8,
    packed: *mut u8,
    count: usize,
    stride: isize,
    length: usize,
) {
    // SAFETY: the caller vouches for `count` blocks, `stride` apart and dense in the packed
    // stream.
    unsafe {
        blocks::<L, D, _, N, false>(Strided::new(memory, stride), packed, count, 0, length);
    }
}

/// Moves a row of blocks at each offset from `grid.memory`.
///
/// # Safety
/// The rows at `offsets` are valid on their sides, which do not overlap, as [`rows`] demands of a
/// grid.
#[inline(always)]
pub(crate) unsafe fn list<L: Lanes, D: Direction, O: Offset, const N: usize>(
    grid: &Grid,
    offsets: &[O],
) {
    // SAFETY: the caller vouches for the row at each offset.
    unsafe {
        if grid.columns > 1 {
            let columns = Strided::new(grid.memory, grid.column_a);
            let mut packed = grid.packed;
            for at in offsets {
                let row = columns.from(grid.memory.wrapping_offset(at.bytes()));
                blocks::<L, D, _, N, false>(row, packed, grid.columns, 0, grid.length);
                packed = packed.wrapping_add(grid.row_b);
            }
        } else if grid.ahead == 0 {
            let places = Listed::<O, D, false>::new(grid.memory, offsets, 0);
            one_column::<L, D, _, N>(places, grid);
        } else {
            let places = Listed::<O, D, true>::new(grid.memory, offsets, grid.ahead);
            one_column::<L, D, _, N>(places, grid);
        }
    }
}

#[inline(always)]
unsafe fn one_column<L: Lanes, D: Direction, C: Cursor, const N: usize>(cursor: C, grid: &Grid) {
    // SAFETY: the caller vouches for one block at each place that is left in the cursor.
    unsafe {
        if N > 0 && grid.row_b == N {
            blocks::<L, D, C, N, false>(cursor, grid.packed, grid.rows, N, N);
        } else {
            blocks::<L, D, C, N, true>(cursor, grid.packed, grid.rows, grid.row_b, grid.length);
        }
    }
}

/// Moves `count` blocks that lie where `cursor` says in memory, `step` apart (dense unless `GAPS`)
/// on the packed side.
///
/// # Safety
/// `count` blocks at the places of the cursor are valid on their sides, which do not overlap.
#[inline(always)]
pub(crate) unsafe fn blocks<L: Lanes, D: Direction, C: Cursor, const N: usize, const GAPS: bool>(
    mut cursor: C,
    mut packed: *mut u8,
    count: usize,
    step: usize,
    length: usize,
) {
    let length = if N == 0 { length } else { N };
    let step = if GAPS { step } else { length };
    let mut left = count;
    // SAFETY: the caller vouches for every block; pointers past the last are not used.
    unsafe {
        if D::PACKS && !GAPS && matches!(N, 1 | 2 | 4 | 8 | 16) {
            // Single bytes and pairs gain nothing from larger stores.
            while N >= 4 && left >= 64 / N {
                let (a, b) = (L::join::<C, N>(&mut cursor), L::join::<C, N>(&mut cursor));
                let (c, d) = (L::join::<C, N>(&mut cursor), L::join::<C, N>(&mut cursor));
                L::store_four([a, b, c, d], packed);
                packed = packed.wrapping_add(64);
                left -= 64 / N;
            }
            while left >= 16 / N {
                L::store(L::join::<C, N>(&mut cursor), packed);
                packed = packed.wrapping_add(16);
                left -= 16 / N;
            }
        }
        if N == 0 && LONG.contains(&length) {
            for _ in 0..left {
                let [memory] = cursor.next();
                let (src, dst) = D::ends(memory, packed);
                L::long(src, dst, length);
                packed = packed.wrapping_add(step);
            }
            return;
        }
        if N > 0 && !GAPS {
            // Half of the addresses are constants.
            for _ in 0..left / 4 {
                let [a, b, c, d] = cursor.next();
                one::<D, N>(a, packed, N);
                one::<D, N>(b, packed.wrapping_add(N), N);
                one::<D, N>(c, packed.wrapping_add(2 * N), N);
                one::<D, N>(d, packed.wrapping_add(3 * N), N);
                packed = packed.wrapping_add(4 * N);
            }
            left %= 4;
        } else if N > 0 && left >= 4 {
            let mut places = Strided::new(packed, step.cast_signed());
            for _ in 0..left / 4 {
                let ([a, b, c, d], [e, f, g, h]) = (cursor.next(), places.next());
                one::<D, N>(a, e, length);
                one::<D, N>(b, f, length);
                one::<D, N>(c, g, length);
                one::<D, N>(d, h, length);
            }
            packed = packed.wrapping_add(step.wrapping_mul(left & !3));
            left %= 4;
        }
        for _ in 0..left {
            let [memory] = cursor.next();
            one::<D, N>(memory, packed, length);
            packed = packed.wrapping_add(step);
        }
    }
}

#[inline(always)]
unsafe fn one<D: Direction, const N: usize>(memory: *mut u8, packed: *mut u8, length: usize) {
    let (src, dst) = D::ends(memory, packed);
    // SAFETY: the caller vouches for this block on both sides.
    unsafe { block::<N>(src, dst, length) }
}

/// Moves runs of different lengths: run `i` lies at `offsets[i]` from `memory` and is packed from
/// `starts[i]` to `starts[i + 1]`; `packed` is the place of the first.
///
/// # Safety
/// The runs at `offsets` are valid on their sides, which do not overlap.
#[inline(always)]
pub(crate) unsafe fn runs<L: Lanes, D: Direction, O: Offset>(
    memory: *mut u8,
    mut packed: *mut u8,
    offsets: &[O],
    starts: &[u64],
) {
    for (at, ends) in offsets.iter().zip(starts.windows(2)) {
        let bytes = length(ends[1] - ends[0]);
        let (src, dst) = D::ends(memory.wrapping_offset(at.bytes()), packed);
        // SAFETY: the caller vouches for this run on both sides.
        unsafe { L::move_run(src, dst, bytes) };
        packed = packed.wrapping_add(bytes);
    }
}
