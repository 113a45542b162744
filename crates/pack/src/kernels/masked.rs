//! Masked loads and stores of AVX-512: dead lanes touch no byte.
//!
//! `AddressSanitizer` checks every lane of a masked access by code of its own: LLVM 22 fails on
//! eight accesses of 64 bytes in one function ("Cannot emit physreg copy instruction"). With
//! `--cfg commloom_asan` (`make test-asan`) they go byte by byte, so that it sees each byte that
//! is touched.

use std::arch::x86_64::{
    __m512i, _mm512_mask_storeu_epi8, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi8,
    _mm512_maskz_loadu_epi32,
};

/// Loads the bytes of the mask; the others are 0.
///
/// # Safety
/// The bytes of the mask are valid for reads; the processor has the instruction.
#[inline(always)]
pub(crate) unsafe fn load_bytes(mask: u64, from: *const u8) -> __m512i {
    // SAFETY: the caller vouches for the bytes of the mask and the instruction; no other byte is
    // read.
    unsafe {
        if cfg!(commloom_asan) {
            one_by_one::load::<1>(mask, from)
        } else {
            _mm512_maskz_loadu_epi8(mask, from.cast())
        }
    }
}

/// Loads the words of 4 bytes of the mask; the others are 0.
///
/// # Safety
/// The bytes of the mask's words are valid for reads; the processor has the instruction.
#[inline(always)]
pub(crate) unsafe fn load_words(mask: u16, from: *const u8) -> __m512i {
    // SAFETY: the caller vouches for the words of the mask and the instruction; no other byte is
    // read.
    unsafe {
        if cfg!(commloom_asan) {
            one_by_one::load::<4>(mask.into(), from)
        } else {
            _mm512_maskz_loadu_epi32(mask, from.cast())
        }
    }
}

/// Stores the bytes of the mask.
///
/// # Safety
/// The bytes of the mask are valid for writes; the processor has the instruction.
#[inline(always)]
pub(crate) unsafe fn store_bytes(to: *mut u8, mask: u64, lanes: __m512i) {
    // SAFETY: the caller vouches for the bytes of the mask and the instruction; no other byte is
    // written.
    unsafe {
        if cfg!(commloom_asan) {
            one_by_one::store::<1>(to, mask, lanes);
        } else {
            _mm512_mask_storeu_epi8(to.cast(), mask, lanes);
        }
    }
}

/// Stores the words of 4 bytes of the mask.
///
/// # Safety
/// The bytes of the mask's words are valid for writes; the processor has the instruction.
#[inline(always)]
pub(crate) unsafe fn store_words(to: *mut u8, mask: u16, lanes: __m512i) {
    // SAFETY: the caller vouches for the words of the mask and the instruction; no other byte is
    // written.
    unsafe {
        if cfg!(commloom_asan) {
            one_by_one::store::<4>(to, mask.into(), lanes);
        } else {
            _mm512_mask_storeu_epi32(to.cast(), mask, lanes);
        }
    }
}

/// The same, byte by byte and in functions of their own; a lane has `N` bytes.
mod one_by_one {
    use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};

    #[inline(always)]
    pub(super) unsafe fn load<const N: usize>(mask: u64, from: *const u8) -> __m512i {
        let mut bytes = [0; 64];
        // SAFETY: the caller vouches for the bytes of the mask; the array has 64.
        unsafe {
            read::<N>(mask, from, &mut bytes);
            _mm512_loadu_si512(bytes.as_ptr().cast())
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store<const N: usize>(to: *mut u8, mask: u64, lanes: __m512i) {
        let mut bytes = [0; 64];
        // SAFETY: the caller vouches for the bytes of the mask; the array has 64.
        unsafe {
            _mm512_storeu_si512(bytes.as_mut_ptr().cast(), lanes);
            write::<N>(to, mask, &bytes);
        }
    }

    #[inline(never)]
    unsafe fn read<const N: usize>(mask: u64, from: *const u8, bytes: &mut [u8; 64]) {
        for (i, byte) in bytes.iter_mut().enumerate().filter(|(i, _)| (mask >> (i / N)) & 1 == 1) {
            // SAFETY: a byte of the mask.
            *byte = unsafe { from.add(i).read() };
        }
    }

    #[inline(never)]
    unsafe fn write<const N: usize>(to: *mut u8, mask: u64, bytes: &[u8; 64]) {
        for (i, byte) in bytes.iter().enumerate().filter(|(i, _)| (mask >> (i / N)) & 1 == 1) {
            // SAFETY: a byte of the mask.
            unsafe { to.add(i).write(*byte) }
        }
    }
}
