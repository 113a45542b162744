//! The innermost loops: a table of functions per instruction set, each the same generic code
//! ([`portable`]) compiled for other registers.

mod portable;
#[cfg(target_arch = "x86_64")]
mod program;
mod table;

use commloom_plan::Target;

pub(crate) use table::Kernels;

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
}

/// Places of rows relative to the first, in either width.
#[derive(Clone, Copy)]
pub(crate) enum Places<'p> {
    /// 32-bit offsets.
    Narrow(&'p [i32]),
    /// 64-bit offsets.
    Wide(&'p [i64]),
}

/// The kernels for a target, or the best that this processor has.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn select(target: &Target) -> &'static Kernels {
    match target.vector.min(widest()) {
        64.. => &table::AVX512,
        32.. => &table::AVX2,
        _ => &table::PORTABLE,
    }
}

/// Bytes of the widest registers that there are kernels for. Remembered: asking for every feature at
/// every call costs more than moving a small block.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn widest() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static WIDEST: AtomicU32 = AtomicU32::new(0);

    #[cold]
    fn ask() -> u32 {
        let widest = match (has_avx512(), is_x86_feature_detected!("avx2")) {
            (true, _) => 64,
            (_, true) => 32,
            _ => 16,
        };
        WIDEST.store(widest, Ordering::Relaxed);
        widest
    }

    match WIDEST.load(Ordering::Relaxed) {
        0 => ask(),
        widest => widest,
    }
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
pub(crate) fn select(_: &Target) -> &'static Kernels {
    &table::PORTABLE
}
