//! Permutations of whole registers of AVX-512, by words of 4 bytes or by single bytes.

use std::arch::x86_64::{
    __m512i, _mm512_mask_blend_epi8, _mm512_mask_blend_epi32, _mm512_mask_permutexvar_epi8,
    _mm512_mask_permutexvar_epi32, _mm512_permutex2var_epi8, _mm512_permutex2var_epi32,
    _mm512_permutexvar_epi8, _mm512_permutexvar_epi32,
};

use crate::kernels::masked;

/// The unit of permutation.
pub(super) trait Unit {
    /// Lanes of two registers in the order of an index vector.
    unsafe fn pick(first: __m512i, index: __m512i, second: __m512i) -> __m512i;
    /// The same where the mask has a bit from a third register.
    unsafe fn merge(lanes: __m512i, mask: u64, index: __m512i, third: __m512i) -> __m512i;
    /// Lanes of the second where the mask has a bit, else of the first.
    unsafe fn blend(mask: u64, first: __m512i, second: __m512i) -> __m512i;
    /// Lanes of one register in the order of an index vector.
    unsafe fn spread(index: __m512i, from: __m512i) -> __m512i;
    /// Loads the lanes of the mask and touches no other byte.
    unsafe fn load(mask: u64, from: *const u8) -> __m512i;
    /// Stores the lanes of the mask and touches no other byte.
    unsafe fn store(mask: u64, to: *mut u8, lanes: __m512i);
}

pub(super) struct Words;
pub(super) struct Bytes;

/// The mask of 16 words.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn low(mask: u64) -> u16 {
    mask as u16
}

impl Unit for Words {
    #[inline(always)]
    unsafe fn pick(first: __m512i, index: __m512i, second: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_permutex2var_epi32(first, index, second) }
    }
    #[inline(always)]
    unsafe fn merge(lanes: __m512i, mask: u64, index: __m512i, third: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_mask_permutexvar_epi32(lanes, low(mask), index, third) }
    }
    #[inline(always)]
    unsafe fn blend(mask: u64, first: __m512i, second: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_mask_blend_epi32(low(mask), first, second) }
    }
    #[inline(always)]
    unsafe fn spread(index: __m512i, from: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_permutexvar_epi32(index, from) }
    }
    #[inline(always)]
    unsafe fn store(mask: u64, to: *mut u8, lanes: __m512i) {
        // SAFETY: the caller vouches for the lanes of the mask, and enables the instruction.
        unsafe { masked::store_words(to, low(mask), lanes) }
    }
    #[inline(always)]
    unsafe fn load(mask: u64, from: *const u8) -> __m512i {
        // SAFETY: the caller vouches for the lanes of the mask, and enables the instruction.
        unsafe { masked::load_words(low(mask), from) }
    }
}

impl Unit for Bytes {
    #[inline(always)]
    unsafe fn pick(first: __m512i, index: __m512i, second: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_permutex2var_epi8(first, index, second) }
    }
    #[inline(always)]
    unsafe fn merge(lanes: __m512i, mask: u64, index: __m512i, third: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_mask_permutexvar_epi8(lanes, mask, index, third) }
    }
    #[inline(always)]
    unsafe fn blend(mask: u64, first: __m512i, second: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_mask_blend_epi8(mask, first, second) }
    }
    #[inline(always)]
    unsafe fn spread(index: __m512i, from: __m512i) -> __m512i {
        // SAFETY: works on registers only; the functions that call it enable the instruction.
        unsafe { _mm512_permutexvar_epi8(index, from) }
    }
    #[inline(always)]
    unsafe fn store(mask: u64, to: *mut u8, lanes: __m512i) {
        // SAFETY: the caller vouches for the lanes of the mask, and enables the instruction.
        unsafe { masked::store_bytes(to, mask, lanes) }
    }
    #[inline(always)]
    unsafe fn load(mask: u64, from: *const u8) -> __m512i {
        // SAFETY: the caller vouches for the lanes of the mask, and enables the instruction.
        unsafe { masked::load_bytes(mask, from) }
    }
}
