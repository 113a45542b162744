//! Blocks that are strided on both sides.

use std::hint::black_box;

use crate::moves::block;

/// A row of blocks of `length` bytes, `a` apart where they are read and `b` where they are
/// written.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub src: *const u8,
    pub dst: *mut u8,
    pub count: usize,
    pub a: isize,
    pub b: isize,
    pub length: usize,
}

/// Moves a row of blocks of `N` bytes (`row.length` when `N` is 0).
///
/// Four blocks are addressed from one pair of pointers; black boxes keep the compiler from adding
/// the strides up block by block, a chain of additions that takes twice the time.
///
/// # Safety
/// - All blocks are valid for reads at their source, for writes at their destination.
/// - The two sides do not overlap.
#[inline(always)]
pub(crate) unsafe fn strided<const N: usize>(row: &Row) {
    let &Row { mut src, mut dst, count, a, b, length } = row;
    let (a2, b2) = black_box((a.wrapping_mul(2), b.wrapping_mul(2)));
    let (a3, b3) = black_box((a.wrapping_mul(3), b.wrapping_mul(3)));
    // SAFETY: the caller vouches for every block; pointers past the last are not used.
    unsafe {
        for _ in 0..count / 4 {
            block::<N>(src, dst, length);
            block::<N>(src.wrapping_offset(a), dst.wrapping_offset(b), length);
            block::<N>(src.wrapping_offset(a2), dst.wrapping_offset(b2), length);
            block::<N>(src.wrapping_offset(a3), dst.wrapping_offset(b3), length);
            src = src.wrapping_offset(a2).wrapping_offset(a2);
            dst = dst.wrapping_offset(b2).wrapping_offset(b2);
        }
        for _ in 0..count % 4 {
            block::<N>(src, dst, length);
            src = src.wrapping_offset(a);
            dst = dst.wrapping_offset(b);
        }
    }
}
