//! [`Zip`] for the registers of x86-64: one, two or four lanes of 16 bytes. Interleaving stays
//! inside the lanes, which is one instruction in every set; lanes are joined while loading.

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi8,
    _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm256_loadu2_m128i,
    _mm256_storeu_si256, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32,
    _mm256_unpacklo_epi64, _mm512_castsi128_si512, _mm512_mask_broadcast_i32x4,
    _mm512_storeu_si512, _mm512_unpackhi_epi8, _mm512_unpackhi_epi16, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi8, _mm512_unpacklo_epi16, _mm512_unpacklo_epi32,
    _mm512_unpacklo_epi64,
};

use crate::kernels::transpose::Zip;

macro_rules! zip {
    (
        $register:ident, $count:literal, $load:expr, $store:ident,
        $low1:ident $low2:ident $low4:ident $low8:ident,
        $high1:ident $high2:ident $high4:ident $high8:ident
    ) => {
        impl Zip for $register {
            const COUNT: usize = $count;

            #[inline(always)]
            unsafe fn load(from: *const u8, step: isize) -> Self {
                // SAFETY: the caller vouches for the lanes, and the wrapper enables the
                // instructions.
                unsafe { $load(from, step) }
            }

            #[inline(always)]
            unsafe fn zip<const E: usize>(a: Self, b: Self) -> (Self, Self) {
                // SAFETY: works on registers only; the wrapper enables the instructions.
                unsafe {
                    match E {
                        1 => ($low1(a, b), $high1(a, b)),
                        2 => ($low2(a, b), $high2(a, b)),
                        4 => ($low4(a, b), $high4(a, b)),
                        _ => ($low8(a, b), $high8(a, b)),
                    }
                }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: the caller vouches for as many bytes as the register has; the wrapper
                // enables the instructions.
                unsafe { $store(to.cast(), self) }
            }
        }
    };
}

/// The lane at `from + index * step`.
#[inline(always)]
unsafe fn lane(from: *const u8, step: isize, index: isize) -> __m128i {
    // SAFETY: the caller vouches for 16 readable bytes of this lane.
    unsafe { _mm_loadu_si128(from.wrapping_offset(step.wrapping_mul(index)).cast()) }
}

#[inline(always)]
unsafe fn one(from: *const u8, _: isize) -> __m128i {
    // SAFETY: the caller vouches for 16 readable bytes, the only lane.
    unsafe { lane(from, 0, 0) }
}

#[inline(always)]
unsafe fn two(from: *const u8, step: isize) -> __m256i {
    // SAFETY: the caller vouches for 16 readable bytes of both lanes.
    unsafe { _mm256_loadu2_m128i(from.wrapping_offset(step).cast(), from.cast()) }
}

/// Masked broadcasts from memory join lanes without a shuffle.
#[inline(always)]
unsafe fn four(from: *const u8, step: isize) -> __m512i {
    // SAFETY: the caller vouches for 16 readable bytes of each of the four lanes.
    unsafe {
        let lanes = _mm512_castsi128_si512(lane(from, step, 0));
        let lanes = _mm512_mask_broadcast_i32x4(lanes, 0xF0, lane(from, step, 1));
        let lanes = _mm512_mask_broadcast_i32x4(lanes, 0xF00, lane(from, step, 2));
        _mm512_mask_broadcast_i32x4(lanes, 0xF000, lane(from, step, 3))
    }
}

zip!(
    __m128i, 1, one, _mm_storeu_si128,
    _mm_unpacklo_epi8 _mm_unpacklo_epi16 _mm_unpacklo_epi32 _mm_unpacklo_epi64,
    _mm_unpackhi_epi8 _mm_unpackhi_epi16 _mm_unpackhi_epi32 _mm_unpackhi_epi64
);
zip!(
    __m256i, 2, two, _mm256_storeu_si256,
    _mm256_unpacklo_epi8 _mm256_unpacklo_epi16 _mm256_unpacklo_epi32 _mm256_unpacklo_epi64,
    _mm256_unpackhi_epi8 _mm256_unpackhi_epi16 _mm256_unpackhi_epi32 _mm256_unpackhi_epi64
);
zip!(
    __m512i, 4, four, _mm512_storeu_si512,
    _mm512_unpacklo_epi8 _mm512_unpacklo_epi16 _mm512_unpacklo_epi32 _mm512_unpacklo_epi64,
    _mm512_unpackhi_epi8 _mm512_unpackhi_epi16 _mm512_unpackhi_epi32 _mm512_unpackhi_epi64
);
