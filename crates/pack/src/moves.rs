//! Moving one block: constant lengths without a call, stores in ascending order.
//!
//! Ascending matters once the destination leaves the first-level cache: rustc copies a `[u8; 40]`
//! tail first, which measured 17 instead of 29 GB/s (book/src/explanation/kernels.md).

use std::ptr;

/// Runs from this length on are left to the C library's memcpy, which knows the machine: on Zen 5
/// its `rep movsb` takes 0.8 of the time of vector moves past the first-level cache from here on,
/// and twice the time below.
const CALL_FROM: usize = 2048;

/// Lengths that [`long`] moves.
pub(crate) const LONG: std::ops::Range<usize> = 65..CALL_FROM;

/// Which side is read.
pub(crate) trait Direction {
    /// Index into the tables of kernels.
    const INDEX: usize;
    /// Whether memory is the side that is read.
    const PACKS: bool;
    /// Source and destination, given the memory and the packed side.
    fn ends(memory: *mut u8, packed: *mut u8) -> (*const u8, *mut u8);
}

/// Memory to packed stream. Never writes through the memory pointer.
pub(crate) struct Pack;
/// Packed stream to memory. Never writes through the packed pointer.
pub(crate) struct Unpack;

impl Direction for Pack {
    const INDEX: usize = 0;
    const PACKS: bool = true;

    #[inline(always)]
    fn ends(memory: *mut u8, packed: *mut u8) -> (*const u8, *mut u8) {
        (memory, packed)
    }
}

impl Direction for Unpack {
    const INDEX: usize = 1;
    const PACKS: bool = false;

    #[inline(always)]
    fn ends(memory: *mut u8, packed: *mut u8) -> (*const u8, *mut u8) {
        (packed, memory)
    }
}

/// Moves `N` bytes as one load and one store at `at`.
///
/// # Safety
/// `at + N` bytes are readable at `src`, writable at `dst`.
#[inline(always)]
pub(crate) unsafe fn piece<const N: usize>(src: *const u8, dst: *mut u8, at: usize) {
    // SAFETY: the caller vouches for these `N` bytes; arrays of bytes need no alignment.
    unsafe { ptr::write(dst.add(at).cast(), ptr::read(src.add(at).cast::<[u8; N]>())) }
}

/// Moves `N` bytes (`length` bytes when `N` is 0), in ascending order of address.
///
/// # Safety
/// - That many bytes are readable at `src` and writable at `dst`.
/// - The two do not overlap.
#[inline(always)]
pub(crate) unsafe fn block<const N: usize>(src: *const u8, dst: *mut u8, length: usize) {
    // SAFETY: the pieces stay below N, or the length is the caller's own, which it vouches for.
    unsafe {
        if N == 0 {
            return any(src, dst, length);
        }
        let mut at = 0;
        while at + 64 <= N {
            piece::<64>(src, dst, at);
            at += 64;
        }
        if at + 32 <= N {
            piece::<32>(src, dst, at);
            at += 32;
        }
        if at + 16 <= N {
            piece::<16>(src, dst, at);
            at += 16;
        }
        if at + 8 <= N {
            piece::<8>(src, dst, at);
            at += 8;
        }
        // Seven bytes as two overlapping words.
        match N - at {
            1 => piece::<1>(src, dst, at),
            2 => piece::<2>(src, dst, at),
            3 => {
                piece::<2>(src, dst, at);
                piece::<1>(src, dst, at + 2);
            }
            4 => piece::<4>(src, dst, at),
            5 => {
                piece::<4>(src, dst, at);
                piece::<1>(src, dst, at + 4);
            }
            6 => {
                piece::<4>(src, dst, at);
                piece::<2>(src, dst, at + 4);
            }
            7 => {
                piece::<4>(src, dst, at);
                piece::<4>(src, dst, at + 3);
            }
            _ => {}
        }
    }
}

/// Moves `length` bytes. Tails are moved end-aligned, overlapping what was moved already.
///
/// # Safety
/// As many bytes are readable at `src` and writable at `dst`, and the two do not overlap.
#[inline(always)]
pub(crate) unsafe fn any(src: *const u8, dst: *mut u8, length: usize) {
    // SAFETY: every piece lies in 0..length: a tail of N bytes is moved only where length >= N.
    unsafe {
        match length {
            0 => {}
            1 => piece::<1>(src, dst, 0),
            2..=3 => {
                piece::<2>(src, dst, 0);
                piece::<2>(src, dst, length - 2);
            }
            4..=7 => {
                piece::<4>(src, dst, 0);
                piece::<4>(src, dst, length - 4);
            }
            8..=16 => {
                piece::<8>(src, dst, 0);
                piece::<8>(src, dst, length - 8);
            }
            17..=32 => {
                piece::<16>(src, dst, 0);
                piece::<16>(src, dst, length - 16);
            }
            33..=64 => {
                piece::<32>(src, dst, 0);
                piece::<32>(src, dst, length - 32);
            }
            65..CALL_FROM => long(src, dst, length),
            _ => ptr::copy_nonoverlapping(src, dst, length),
        }
    }
}

/// Moves a length of [`LONG`]: whole lines of 64 bytes, then the smallest tail that ends with the
/// run. Loading the tail first, or several lines before storing any, took up to 1.4 times as long.
///
/// # Safety
/// As many bytes are readable at `src` and writable at `dst`, and the two do not overlap.
#[inline(always)]
pub(crate) unsafe fn long(src: *const u8, dst: *mut u8, length: usize) {
    // SAFETY: every piece lies in 0..length, which is at least 65.
    unsafe {
        let whole = length & !63;
        let mut at = 0;
        while at < whole {
            piece::<64>(src, dst, at);
            at += 64;
        }
        match length - whole {
            0 => {}
            1..=16 => piece::<16>(src, dst, length - 16),
            17..=32 => piece::<32>(src, dst, length - 32),
            _ => piece::<64>(src, dst, length - 64),
        }
    }
}
