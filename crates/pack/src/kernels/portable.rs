//! The kernels, once: generic over direction, block length and width of the list.
//!
//! Everything is inlined into thin wrappers that enable an instruction set (`table`).

use crate::kernels::Grid;
use crate::moves::{Direction, any, block};

/// Offsets of a list in either width.
pub(crate) trait Offset: Copy {
    fn bytes(self) -> isize;
}

impl Offset for i32 {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)]
    fn bytes(self) -> isize {
        self as isize
    }
}

impl Offset for i64 {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)]
    fn bytes(self) -> isize {
        self as isize
    }
}

/// Moves a grid of blocks of `N` bytes (`grid.length` when `N` is 0).
///
/// # Safety
/// - All blocks of the grid are valid for reads on the source side, for writes on the other.
/// - The two sides do not overlap.
#[inline(always)]
pub(crate) unsafe fn rows<D: Direction, const N: usize>(grid: &Grid) {
    // SAFETY: passed on. A grid of one column with rows as long as a block is dense.
    unsafe {
        if grid.columns > 1 {
            let mut memory = grid.memory;
            let mut packed = grid.packed;
            for _ in 0..grid.rows {
                column::<D, N, false>(memory, packed, grid.columns, grid.column_a, 0, grid.length);
                memory = memory.wrapping_offset(grid.row_a);
                packed = packed.wrapping_add(grid.row_b);
            }
        } else if grid.row_b == if N == 0 { grid.length } else { N } {
            column::<D, N, false>(grid.memory, grid.packed, grid.rows, grid.row_a, 0, grid.length);
        } else {
            let (a, b) = (grid.row_a, grid.row_b);
            column::<D, N, true>(grid.memory, grid.packed, grid.rows, a, b, grid.length);
        }
    }
}

/// Moves `count` blocks, `stride` apart in memory and `gap` apart (dense unless `GAPS`) on the
/// packed side.
///
/// # Safety
/// As [`rows`], for these blocks.
#[inline(always)]
pub(crate) unsafe fn column<D: Direction, const N: usize, const GAPS: bool>(
    mut memory: *mut u8,
    mut packed: *mut u8,
    count: usize,
    stride: isize,
    gap: usize,
    length: usize,
) {
    let step = if GAPS {
        gap
    } else if N == 0 {
        length
    } else {
        N
    };
    // SAFETY: the caller's promise for every block; pointers past the last are not used.
    unsafe {
        let mut left = count;
        // Small words are gathered in registers and stored as one: half the stores.
        if D::PACKS && !GAPS && (N == 4 || N == 8) {
            while left >= 8 {
                gather::<N>(memory, packed, stride);
                memory = memory.wrapping_offset(stride.wrapping_mul(8));
                packed = packed.wrapping_add(8 * N);
                left -= 8;
            }
        }
        while left >= 4 {
            for i in 0..4 {
                let place = memory.wrapping_offset(stride.wrapping_mul(i));
                let (src, dst) = D::ends(place, packed);
                block::<N>(src, dst, length);
                packed = packed.wrapping_add(step);
            }
            memory = memory.wrapping_offset(stride.wrapping_mul(4));
            left -= 4;
        }
        for _ in 0..left {
            let (src, dst) = D::ends(memory, packed);
            block::<N>(src, dst, length);
            memory = memory.wrapping_offset(stride);
            packed = packed.wrapping_add(step);
        }
    }
}

/// Packs eight words of `N` bytes with one store.
///
/// # Safety
/// As [`rows`], for these words.
#[inline(always)]
unsafe fn gather<const N: usize>(memory: *const u8, packed: *mut u8, stride: isize) {
    let mut words = [[0u8; N]; 8];
    // SAFETY: the caller's promise for every word.
    unsafe {
        for (i, word) in (0..).zip(&mut words) {
            *word = memory.wrapping_offset(stride.wrapping_mul(i)).cast::<[u8; N]>().read();
        }
        packed.cast::<[[u8; N]; 8]>().write(words);
    }
}

/// Moves a row of blocks at each offset from `grid.memory`.
///
/// # Safety
/// As [`rows`], with the rows at `offsets`.
#[inline(always)]
pub(crate) unsafe fn list<D: Direction, O: Offset, const N: usize>(grid: &Grid, offsets: &[O]) {
    let mut packed = grid.packed;
    // SAFETY: passed on, row by row.
    unsafe {
        if grid.columns > 1 {
            for at in offsets {
                let memory = grid.memory.wrapping_offset(at.bytes());
                column::<D, N, false>(memory, packed, grid.columns, grid.column_a, 0, grid.length);
                packed = packed.wrapping_add(grid.row_b);
            }
        } else if grid.ahead > 0 {
            let soon = offsets.iter().skip(grid.ahead).chain(offsets.last().into_iter().cycle());
            for (at, soon) in offsets.iter().zip(soon) {
                touch::<D>(grid.memory.wrapping_offset(soon.bytes()));
                let (src, dst) = D::ends(grid.memory.wrapping_offset(at.bytes()), packed);
                block::<N>(src, dst, grid.length);
                packed = packed.wrapping_add(grid.row_b);
            }
        } else if grid.row_b == N {
            for at in offsets {
                let (src, dst) = D::ends(grid.memory.wrapping_offset(at.bytes()), packed);
                block::<N>(src, dst, N);
                packed = packed.wrapping_add(N);
            }
        } else {
            for at in offsets {
                let (src, dst) = D::ends(grid.memory.wrapping_offset(at.bytes()), packed);
                block::<N>(src, dst, grid.length);
                packed = packed.wrapping_add(grid.row_b);
            }
        }
    }
}

/// Asks for a line of the memory side, to be read or written soon. Any address will do.
#[inline(always)]
fn touch<D: Direction>(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint never faults.
        unsafe {
            if D::PACKS {
                _mm_prefetch::<_MM_HINT_T0>(place.cast());
            } else {
                _mm_prefetch::<_MM_HINT_ET0>(place.cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Moves runs of different lengths: run `i` lies at `offsets[i]` from `memory` and is packed from
/// `starts[i]` to `starts[i + 1]`; `packed` is the place of the first.
///
/// # Safety
/// As [`rows`], for these runs.
#[inline(always)]
pub(crate) unsafe fn runs<D: Direction, O: Offset>(
    memory: *mut u8,
    mut packed: *mut u8,
    offsets: &[O],
    starts: &[u64],
) {
    for (at, ends) in offsets.iter().zip(starts.windows(2)) {
        #[allow(clippy::cast_possible_truncation)]
        let length = (ends[1] - ends[0]) as usize;
        let (src, dst) = D::ends(memory.wrapping_offset(at.bytes()), packed);
        // SAFETY: the caller's promise for this run.
        unsafe { any(src, dst, length) };
        packed = packed.wrapping_add(length);
    }
}
