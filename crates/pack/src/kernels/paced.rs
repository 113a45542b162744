//! Unpacking with pauses, for strides whose lines share few sets of a cache (`plan`'s `pace` says
//! why).

use commloom_plan::{Pieces, Place};

use crate::kernels::Grid;
use crate::kernels::cursor::Cursor;
use crate::moves::{block, piece};
use crate::number::{distance, length};

/// Unpacks a grid of blocks of `N` bytes (`grid.length` when `N` is 0), with a pause after every
/// `grid.pause` blocks.
///
/// # Safety
/// The blocks of the grid are valid as [`rows`](super::blocks::rows) demands.
#[inline(always)]
pub(crate) unsafe fn rows<const N: usize>(grid: &Grid) {
    let bytes = if N == 0 { grid.length } else { N };
    let (mut row, mut packed) = (grid.memory, grid.packed);
    let mut left = grid.pause;
    for _ in 0..grid.rows {
        let (mut memory, mut from) = (row, packed);
        for _ in 0..grid.columns {
            // SAFETY: the caller vouches for this block, one of the grid.
            unsafe { block::<N>(from, memory, grid.length) };
            memory = memory.wrapping_offset(grid.column_a);
            from = from.wrapping_add(bytes);
            left -= 1;
            if left == 0 {
                left = grid.pause;
                pause();
            }
        }
        row = row.wrapping_offset(grid.row_a);
        packed = packed.wrapping_add(grid.row_b);
    }
}

/// Unpacks `grid.rows` periods, with a pause after every `grid.pause` of them.
///
/// # Safety
/// The pieces of all periods are valid as [`tile`](super::period::tile) demands.
#[inline(always)]
pub(crate) unsafe fn periods<C: Cursor>(mut cursor: C, grid: &Grid, pieces: &Pieces) {
    let mut packed = grid.packed;
    let mut left = grid.pause;
    for _ in 0..grid.rows {
        // SAFETY: the caller vouches for the pieces of this period, one of the cursor's.
        unsafe {
            let [memory] = cursor.next();
            each::<64>(pieces.class(0), packed, memory);
            each::<32>(pieces.class(1), packed, memory);
            each::<16>(pieces.class(2), packed, memory);
            each::<8>(pieces.class(3), packed, memory);
            each::<4>(pieces.class(4), packed, memory);
            each::<2>(pieces.class(5), packed, memory);
            each::<1>(pieces.class(6), packed, memory);
        }
        packed = packed.wrapping_add(grid.row_b);
        left -= 1;
        if left == 0 {
            left = grid.pause;
            pause();
        }
    }
}

/// Unpacks the pieces of `N` bytes of a period.
#[inline(always)]
unsafe fn each<const N: usize>(places: &[Place], packed: *const u8, memory: *mut u8) {
    for place in places {
        let from = packed.wrapping_add(length(place.b));
        // SAFETY: the caller vouches for this piece on both sides.
        unsafe { piece::<N>(from, memory.wrapping_offset(distance(place.a)), 0) };
    }
}

/// Issues no store before those so far are on their way out of the queue.
#[inline(always)]
fn pause() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
}
