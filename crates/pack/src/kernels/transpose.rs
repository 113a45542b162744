//! Copies whose two sides run along different dimensions: by transposes in registers where both
//! sides are dense, else block by block.
//!
//! Written once over [`Zip`]: a register is a few lanes of 16 bytes. A tile of squares of 16 bytes
//! a side, one above the other, is loaded so that lane `l` of the registers holds square `l`.
//! Perfect shuffles inside the lanes then transpose all squares at once, and every register is a
//! piece of one destination line. Transposing 64 x 64 bytes over all four lanes took more shuffles
//! and was no faster: what counts is that lines are written whole and read soon after one another.

use crate::moves::block;

/// A line of the cache: so many bytes are read of each source line before the next.
const LINE: usize = 64;

/// One dimension of a copy, from the first element on: elements, and bytes between neighbours.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub count: usize,
    pub src: isize,
    pub dst: isize,
}

/// Elements on a grid.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    /// The first element, where it is read.
    pub src: *const u8,
    /// The first element, where it is written.
    pub dst: *mut u8,
    /// The dimension along which the source is dense or nearly so.
    pub columns: Axis,
    /// The dimension along which the destination is.
    pub rows: Axis,
    /// Bytes in an element.
    pub length: usize,
}

impl Matrix {
    /// Whether the elements of both sides touch one another.
    pub(crate) fn is_dense(&self) -> bool {
        let length = self.length.cast_signed();
        self.columns.src == length && self.rows.dst == length
    }

    /// Places of an element.
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> (*const u8, *mut u8) {
        let (row, column) = (row.cast_signed(), column.cast_signed());
        let from = |x: isize, y: isize| row.wrapping_mul(x).wrapping_add(column.wrapping_mul(y));
        let src = self.src.wrapping_offset(from(self.rows.src, self.columns.src));
        (src, self.dst.wrapping_offset(from(self.rows.dst, self.columns.dst)))
    }
}

/// A vector register as lanes of 16 bytes.
pub(crate) trait Zip: Copy {
    /// Number of lanes.
    const COUNT: usize;

    /// Lane `i` from the 16 bytes at `from + i * step`.
    ///
    /// # Safety
    /// They are readable; the processor has the instructions (for all functions here).
    unsafe fn load(from: *const u8, step: isize) -> Self;

    /// The elements of `E` bytes of two registers in turn, lane by lane: those of the lower halves
    /// of the lanes, those of the upper halves.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn zip<const E: usize>(a: Self, b: Self) -> (Self, Self);

    /// Stores all lanes.
    ///
    /// # Safety
    /// So many bytes are writable at `to`.
    unsafe fn store(self, to: *mut u8);
}

/// Transposes one tile: `N` columns of `N * V::COUNT` elements of `E` bytes, `N * E` being 16.
///
/// # Safety
/// All elements of the tile are valid for reads at `src`, for writes at `dst`.
#[inline(always)]
unsafe fn tile<V: Zip, const E: usize, const N: usize>(
    src: *const u8,
    row: isize,
    dst: *mut u8,
    column: isize,
) {
    // SAFETY: register `i` is loaded from rows `i`, `N + i`, ... and stored to column `i`.
    unsafe {
        let mut lines = [V::load(src, row.wrapping_mul(N.cast_signed())); N];
        let mut from = src;
        for line in &mut lines[1..] {
            from = from.wrapping_offset(row);
            *line = V::load(from, row.wrapping_mul(N.cast_signed()));
        }
        let mut stage = 1;
        while stage < N {
            let mut next = lines;
            for i in 0..N / 2 {
                (next[2 * i], next[2 * i + 1]) = V::zip::<E>(lines[i], lines[i + N / 2]);
            }
            lines = next;
            stage *= 2;
        }
        let mut to = dst;
        for line in lines {
            line.store(to);
            to = to.wrapping_offset(column);
        }
    }
}

/// Moves a dense matrix by tiles, a line of source columns after the other. The last tiles are
/// aligned with the ends: what they move twice is the same both times.
///
/// # Safety
/// - Every element is valid for reads at its source, for writes at its destination.
/// - The two sides do not overlap.
/// - There are at least `N` columns and `N * V::COUNT` rows.
#[inline(always)]
pub(crate) unsafe fn tiles<V: Zip, const E: usize, const N: usize>(m: &Matrix) {
    let height = N * V::COUNT;
    let mut first = 0;
    while first < m.columns.count {
        let end = m.columns.count.min(first + LINE / E);
        let mut row = 0;
        while row < m.rows.count {
            let mut column = first;
            while column < end {
                let place = m.at(row.min(m.rows.count - height), column.min(m.columns.count - N));
                // SAFETY: the tile lies in the matrix.
                unsafe { tile::<V, E, N>(place.0, m.rows.src, place.1, m.columns.dst) };
                column += N;
            }
            row += height;
        }
        first = end;
    }
}

/// Elements a side of the blocks that are moved one by one. Zen 5, 24 and 40 bytes, rows of a
/// power of two: 8 x 8 takes .41 to .49 of the loop over whole columns, 32 x 32 .54 to .76.
const BLOCK: usize = 8;

/// Moves a matrix of elements of `N` bytes (`m.length` when `N` is 0) one by one, in blocks.
///
/// # Safety
/// - Every element is valid for reads at its source, for writes at its destination.
/// - The two sides do not overlap.
#[inline(always)]
pub(crate) unsafe fn moves<const N: usize>(m: &Matrix) {
    for top in (0..m.rows.count).step_by(BLOCK) {
        let height = BLOCK.min(m.rows.count - top);
        for left in (0..m.columns.count).step_by(BLOCK) {
            for column in left..m.columns.count.min(left + BLOCK) {
                let (mut src, mut dst) = m.at(top, column);
                for _ in 0..height {
                    // SAFETY: an element of the matrix.
                    unsafe { block::<N>(src, dst, m.length) };
                    src = src.wrapping_offset(m.rows.src);
                    dst = dst.wrapping_offset(m.rows.dst);
                }
            }
        }
    }
}
