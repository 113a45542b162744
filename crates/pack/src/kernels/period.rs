//! Periods of a few blocks, moved piece by piece: the first piece of as many periods as stay in
//! the first-level cache (a tile), then the second one of each, and so on.
//!
//! Period by period was up to six times as slow past the second-level cache: finding out what to
//! move takes so many instructions that few misses are under way at a time.

use commloom_plan::{PeriodBlock, Pieces, Place};

use crate::kernels::Grid;
use crate::kernels::cursor::{Cursor, Strided, touch};
use crate::kernels::lanes::Lanes;
use crate::kernels::paced;
use crate::moves::{Direction, LONG, any, piece};
use crate::number::{distance, length};

/// Moves the periods of a tile: `grid.rows` of `grid.row_b` packed bytes each, that lie where
/// `cursor` says. What lies `grid.touch` bytes after each piece in memory is asked for, unless
/// that is 0.
///
/// # Safety
/// - All pieces of these periods are valid for reads on the source side, for writes on the other.
/// - The two sides do not overlap.
#[inline(always)]
pub(crate) unsafe fn tile<D: Direction, C: Cursor>(cursor: C, grid: &Grid, pieces: &Pieces) {
    // SAFETY: the caller vouches for the pieces of all periods of the grid.
    unsafe {
        if !D::PACKS && grid.pause > 0 {
            paced::periods(cursor, grid, pieces);
        } else if grid.touch == 0 {
            classes::<D, C, false>(cursor, grid, pieces);
        } else {
            classes::<D, C, true>(cursor, grid, pieces);
        }
    }
}

#[inline(always)]
unsafe fn classes<D: Direction, C: Cursor, const TOUCH: bool>(
    cursor: C,
    grid: &Grid,
    pieces: &Pieces,
) {
    let packed = Strided::new(grid.packed, grid.row_b.cast_signed());
    let tile = Tile { memory: cursor, packed, count: grid.rows, touch: grid.touch };
    // SAFETY: each class has pieces that the caller vouches for, in every period of the tile.
    unsafe {
        tile.each::<D, 64, TOUCH>(pieces.class(0));
        tile.each::<D, 32, TOUCH>(pieces.class(1));
        tile.each::<D, 16, TOUCH>(pieces.class(2));
        tile.each::<D, 8, TOUCH>(pieces.class(3));
        tile.each::<D, 4, TOUCH>(pieces.class(4));
        tile.each::<D, 2, TOUCH>(pieces.class(5));
        tile.each::<D, 1, TOUCH>(pieces.class(6));
    }
}

struct Tile<C> {
    memory: C,
    packed: Strided,
    count: usize,
    touch: isize,
}

impl<C: Cursor> Tile<C> {
    /// The pieces of `N` bytes, in all periods.
    ///
    /// # Safety
    /// These pieces are valid in all periods on their sides, which do not overlap.
    #[inline(always)]
    unsafe fn each<D: Direction, const N: usize, const TOUCH: bool>(&self, places: &[Place]) {
        for place in places {
            let mut memory = self.memory.moved(distance(place.a));
            let mut packed = self.packed.moved(length(place.b).cast_signed());
            // SAFETY: the caller vouches for these pieces in all `count` periods; the cursors stop
            // there.
            unsafe {
                for _ in 0..self.count / 4 {
                    let ([a, b, c, d], [e, f, g, h]) = (memory.next(), packed.next());
                    self.one::<D, N, TOUCH>(a, e);
                    self.one::<D, N, TOUCH>(b, f);
                    self.one::<D, N, TOUCH>(c, g);
                    self.one::<D, N, TOUCH>(d, h);
                }
                for _ in 0..self.count % 4 {
                    let ([memory], [packed]) = (memory.next(), packed.next());
                    self.one::<D, N, TOUCH>(memory, packed);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn one<D: Direction, const N: usize, const TOUCH: bool>(
        &self,
        memory: *mut u8,
        packed: *mut u8,
    ) {
        if TOUCH {
            touch::<D>(memory.wrapping_offset(self.touch));
        }
        let (src, dst) = D::ends(memory, packed);
        // SAFETY: the caller vouches for this piece on both sides.
        unsafe { piece::<N>(src, dst, 0) };
    }
}

/// Moves `grid.rows` periods of long blocks, block by block.
///
/// # Safety
/// The blocks of these parts are valid in all periods on their sides, which do not overlap.
#[inline(always)]
pub(crate) unsafe fn parts<L: Lanes, D: Direction, C: Cursor>(
    mut cursor: C,
    grid: &Grid,
    parts: &[PeriodBlock],
) {
    let mut packed = grid.packed;
    // SAFETY: the caller vouches for the blocks of every period; there are as many periods as
    // rows.
    unsafe {
        for _ in 0..grid.rows {
            let [memory] = cursor.next();
            for part in parts {
                let bytes = length(part.length);
                let (src, dst) = D::ends(memory.wrapping_offset(distance(part.a)), packed);
                if LONG.contains(&bytes) {
                    L::long(src, dst, bytes);
                } else {
                    any(src, dst, bytes);
                }
                packed = packed.wrapping_add(bytes);
            }
        }
    }
}
