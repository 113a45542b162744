//! The innermost loops: a table of functions per instruction set, each the same generic code
//! compiled for other registers ([`lanes`] says what else differs).

mod blocks;
mod cursor;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod masked;
mod paced;
mod period;
#[cfg(target_arch = "x86_64")]
mod program;
mod strided;
mod table;
mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod zip;

use std::ops::Range;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicUsize, Ordering};

use commloom_plan::Target;

#[cfg(target_arch = "x86_64")]
pub(crate) use program::run;
pub(crate) use strided::Row;
pub(crate) use table::Kernels;
pub(crate) use transpose::{Axis, Matrix};

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
    /// When unpacking, stores may finish after every so many rows (blocks of rows of several); 0: never.
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

/// The kernels for a target, or the best that this processor has; `None` until [`ask`] was called.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn select(target: &Target) -> Option<&'static Kernels> {
    static TABLES: [Kernels; 4] = [table::PORTABLE, table::AVX2, table::AVX512, table::VBMI];
    let wanted = match target.vector {
        64.. => 3,
        32.. => 1,
        _ => 0,
    };
    let level = LEVEL.load(Ordering::Relaxed);
    (level != UNKNOWN).then(|| &TABLES[level.min(wanted)])
}

/// The best table that this processor has the instructions for. Remembered: asking for every feature
/// at every call costs more than moving a small block.
#[cfg(target_arch = "x86_64")]
static LEVEL: AtomicUsize = AtomicUsize::new(UNKNOWN);
#[cfg(target_arch = "x86_64")]
const UNKNOWN: usize = usize::MAX;

/// Finds out what this processor has.
#[cfg(target_arch = "x86_64")]
pub(crate) fn ask() {
    let level = if has_avx512() {
        2 + usize::from(is_x86_feature_detected!("avx512vbmi"))
    } else {
        usize::from(is_x86_feature_detected!("avx2"))
    };
    LEVEL.store(level, Ordering::Relaxed);
}

/// The instructions that the AVX-512 kernels are compiled for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// The kernels for a target: elsewhere only the portable ones exist so far.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn select(_: &Target) -> Option<&'static Kernels> {
    static TABLE: Kernels = table::PORTABLE;
    Some(&TABLE)
}

/// There is nothing to find out.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn ask() {}
