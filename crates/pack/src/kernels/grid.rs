//! The arguments of kernels: where the blocks lie that they move.

use std::ops::Range;

use commloom_plan::Program;

/// Runs a program over so many periods (at least one round): memory, packed, periods.
pub(crate) type ProgramFn = unsafe fn(&Program, *mut u8, *mut u8, usize);

/// Rows of blocks: copy `i` of a node is a row of `columns` blocks of `length` bytes.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    /// First byte of the first row, in memory.
    pub memory: *mut u8,
    /// First byte of the first row, packed.
    pub packed: *mut u8,
    /// Number of rows (of a list: its length).
    pub rows: usize,
    /// Distance of rows in memory (unused for a list).
    pub row_a: isize,
    /// Distance of rows in the packed stream.
    pub row_b: usize,
    /// Blocks in a row; dense in the packed stream.
    pub columns: usize,
    /// Distance of blocks in a row, in memory.
    pub column_a: isize,
    /// Bytes in a block.
    pub length: usize,
    /// Rows of a list are touched this many rows ahead; 0: never.
    pub ahead: usize,
    /// Of periods: what lies so many bytes after each piece is asked for; 0: nothing is.
    pub touch: isize,
    /// When unpacking, stores may finish after every so many rows (blocks of rows of several); 0:
    /// never.
    pub pause: usize,
}

/// Places of rows relative to the first, in either width.
#[derive(Clone, Copy)]
pub(crate) enum Places<'p> {
    /// 32-bit offsets.
    Narrow(&'p [i32]),
    /// 64-bit offsets.
    Wide(&'p [i64]),
}

impl<'p> Places<'p> {
    /// Number of places.
    pub(crate) fn len(self) -> usize {
        match self {
            Places::Narrow(list) => list.len(),
            Places::Wide(list) => list.len(),
        }
    }

    /// The place at `index`; panics past the end.
    pub(crate) fn at(self, index: usize) -> i64 {
        match self {
            Places::Narrow(list) => list[index].into(),
            Places::Wide(list) => list[index],
        }
    }

    /// Some of the places; panics past the end.
    pub(crate) fn part(self, range: Range<usize>) -> Places<'p> {
        match self {
            Places::Narrow(list) => Places::Narrow(&list[range]),
            Places::Wide(list) => Places::Wide(&list[range]),
        }
    }
}
