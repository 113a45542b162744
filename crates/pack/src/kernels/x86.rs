//! [`Lanes`] of AVX2 and AVX-512: blocks are inserted into registers.
//!
//! Gather instructions lost to this on Zen 5, as times of the C loop: lists of 4 and 8 bytes 0.8
//! to 1.0 against 0.5 to 1.0, columns of 8 bytes 1.9 against 1.0 in the first-level cache, columns
//! past the second 1.1 to 2.4 against 0.6 to 1.1. They won (0.55 to 0.75 against 0.9 to 1.4) for
//! columns of 4 bytes whose lines fill the second-level cache and no more.

use std::arch::x86_64::{
    __m128i, _mm_castpd_si128, _mm_cvtsi32_si128, _mm_insert_epi8, _mm_insert_epi16,
    _mm_insert_epi32, _mm_load_sd, _mm_loadh_pd, _mm_loadu_si128, _mm_storeu_si128,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm256_castsi128_si256,
    _mm256_inserti128_si256, _mm256_storeu_si256, _mm512_castsi256_si512, _mm512_inserti64x4,
    _mm512_loadu_si512, _mm512_storeu_si512,
};

use crate::kernels::cursor::{Cursor, opaque};
use crate::kernels::lanes::Lanes;
use crate::kernels::masked;
use crate::moves::{LONG, any, piece};

/// 32-byte registers.
pub(crate) struct Avx2;
/// 64-byte registers.
pub(crate) struct Avx512;

impl Lanes for Avx2 {
    type Register = __m128i;

    #[inline(always)]
    unsafe fn join<C: Cursor, const N: usize>(cursor: &mut C) -> __m128i {
        // SAFETY: the caller vouches for the blocks that are left, and this function has the
        // instructions.
        unsafe { join::<C, N>(cursor) }
    }

    #[inline(always)]
    unsafe fn store(register: __m128i, to: *mut u8) {
        // SAFETY: the caller vouches for 16 writable bytes.
        unsafe { _mm_storeu_si128(to.cast(), register) }
    }

    #[inline(always)]
    unsafe fn store_four([a, b, c, d]: [__m128i; 4], to: *mut u8) {
        // SAFETY: the caller vouches for 64 writable bytes, and the functions that use these lanes
        // enable AVX2.
        unsafe {
            let (low, high) = (_mm256_castsi128_si256(a), _mm256_castsi128_si256(c));
            _mm256_storeu_si256(to.cast(), _mm256_inserti128_si256::<1>(low, b));
            _mm256_storeu_si256(to.add(32).cast(), _mm256_inserti128_si256::<1>(high, d));
        }
    }
}

impl Lanes for Avx512 {
    type Register = __m128i;

    #[inline(always)]
    unsafe fn join<C: Cursor, const N: usize>(cursor: &mut C) -> __m128i {
        // SAFETY: the caller vouches for the blocks that are left, and this function has the
        // instructions.
        unsafe { join::<C, N>(cursor) }
    }

    #[inline(always)]
    unsafe fn store(register: __m128i, to: *mut u8) {
        // SAFETY: the caller vouches for 16 writable bytes.
        unsafe { _mm_storeu_si128(to.cast(), register) }
    }

    #[inline(always)]
    unsafe fn store_four([a, b, c, d]: [__m128i; 4], to: *mut u8) {
        // SAFETY: the caller vouches for 64 writable bytes, and the functions that use these lanes
        // enable AVX-512.
        unsafe {
            let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
            let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
            let all = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            _mm512_storeu_si512(to.cast(), all);
        }
    }

    /// As `moves::long`. The compiler moves 64 bytes as two registers of 32 unless it is told not
    /// to, which takes up to 1.6 times as long.
    #[inline(always)]
    unsafe fn long(src: *const u8, dst: *mut u8, length: usize) {
        // SAFETY: every piece lies in 0..length, which is at least 65; the instructions are there.
        unsafe {
            let whole = length & !63;
            let mut at = 0;
            while at < whole {
                line(src.add(at), dst.add(at));
                // Keeps the compiler from unrolling this by eight: most runs end before that pays.
                at = opaque(at.cast_signed() + 64).cast_unsigned();
            }
            match length - whole {
                0 => {}
                1..=16 => piece::<16>(src, dst, length - 16),
                17..=32 => piece::<32>(src, dst, length - 32),
                _ => line(src.add(length - 64), dst.add(length - 64)),
            }
        }
    }

    /// One masked move instead of branches on the length. Against the C loop, runs of 1 to 8 words
    /// past the second-level cache, whose lengths no predictor learns: 0.2 to 0.3 instead of 0.7
    /// to 0.8, runs of 8 to 320 bytes 1.25 instead of 1.6. Where they are learnt, at 3 kB, it is
    /// the same or (single bytes) 0.6 instead of 0.4.
    #[inline(always)]
    unsafe fn move_run(mut src: *const u8, mut dst: *mut u8, mut length: usize) {
        // SAFETY: the caller vouches for `length` bytes on both sides; dead lanes touch nothing,
        // and the functions that use these lanes enable AVX-512.
        unsafe {
            if length >= LONG.end {
                return any(src, dst, length);
            }
            while length > 64 {
                _mm512_storeu_si512(dst.cast(), _mm512_loadu_si512(src.cast()));
                (src, dst, length) = (src.add(64), dst.add(64), length - 64);
            }
            let mask = u64::MAX >> (64 - length);
            masked::store_bytes(dst, mask, masked::load_bytes(mask, src));
        }
    }
}

/// Moves 64 bytes.
#[inline(always)]
unsafe fn line(src: *const u8, dst: *mut u8) {
    // SAFETY: the caller vouches for 64 bytes on both sides; the functions that use these lanes
    // enable AVX-512.
    unsafe { _mm512_storeu_si512(dst.cast(), _mm512_loadu_si512(src.cast())) }
}

#[inline(always)]
unsafe fn join<C: Cursor, const N: usize>(cursor: &mut C) -> __m128i {
    // SAFETY: the blocks are readable, and the instructions are there.
    unsafe {
        match N {
            1 => {
                let (a, b) = (four_bytes(cursor.next()), four_bytes(cursor.next()));
                let (c, d) = (four_bytes(cursor.next()), four_bytes(cursor.next()));
                _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d))
            }
            2 => _mm_unpacklo_epi64(four_pairs(cursor.next()), four_pairs(cursor.next())),
            4 => {
                let [a, b, c, d] = cursor.next();
                let low = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(word(a)), word(b));
                let high = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(word(c)), word(d));
                _mm_unpacklo_epi64(low, high)
            }
            8 => {
                let [a, b] = cursor.next();
                _mm_castpd_si128(_mm_loadh_pd(_mm_load_sd(a.cast()), b.cast()))
            }
            _ => {
                let [a] = cursor.next();
                _mm_loadu_si128(a.cast())
            }
        }
    }
}

#[inline(always)]
unsafe fn word(place: *const u8) -> i32 {
    // SAFETY: the caller vouches for 4 readable bytes.
    unsafe { place.cast::<i32>().read_unaligned() }
}

/// Four blocks of one byte in the low four bytes.
#[inline(always)]
unsafe fn four_bytes([a, b, c, d]: [*mut u8; 4]) -> __m128i {
    // SAFETY: the caller vouches for a readable byte at each of the four.
    unsafe {
        let low = _mm_insert_epi8::<1>(_mm_cvtsi32_si128(a.read().into()), b.read().into());
        let high = _mm_insert_epi8::<1>(_mm_cvtsi32_si128(c.read().into()), d.read().into());
        _mm_unpacklo_epi16(low, high)
    }
}

/// Four blocks of two bytes in the low eight bytes.
#[inline(always)]
unsafe fn four_pairs([a, b, c, d]: [*mut u8; 4]) -> __m128i {
    // SAFETY: the caller vouches for two readable bytes at each of the four.
    unsafe {
        let low = _mm_insert_epi16::<1>(_mm_cvtsi32_si128(pair(a)), pair(b));
        let high = _mm_insert_epi16::<1>(_mm_cvtsi32_si128(pair(c)), pair(d));
        _mm_unpacklo_epi32(low, high)
    }
}

#[inline(always)]
unsafe fn pair(place: *const u8) -> i32 {
    // SAFETY: the caller vouches for 2 readable bytes.
    unsafe { place.cast::<u16>().read_unaligned().into() }
}
