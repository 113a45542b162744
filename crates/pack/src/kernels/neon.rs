//! [`Zip`] for the registers of AArch64, which every such processor has.

use std::arch::aarch64::{
    uint8x16_t, vld1q_u8, vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u8_u64,
    vreinterpretq_u16_u8, vreinterpretq_u32_u8, vreinterpretq_u64_u8, vst1q_u8, vzip1q_u8,
    vzip1q_u16, vzip1q_u32, vzip1q_u64, vzip2q_u8, vzip2q_u16, vzip2q_u32, vzip2q_u64,
};

use crate::kernels::transpose::Zip;

/// Two registers in turn, as elements of another width.
macro_rules! zipped {
    ($a:ident, $b:ident, $to:ident, $from:ident, $low:ident, $high:ident) => {{
        let (a, b) = ($to($a), $to($b));
        ($from($low(a, b)), $from($high(a, b)))
    }};
}

impl Zip for uint8x16_t {
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8, _: isize) -> Self {
        // SAFETY: the caller vouches for 16 readable bytes, the only lane.
        unsafe { vld1q_u8(from) }
    }

    #[inline(always)]
    unsafe fn zip<const E: usize>(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: works on registers only, which every AArch64 processor has.
        unsafe {
            match E {
                1 => (vzip1q_u8(a, b), vzip2q_u8(a, b)),
                2 => zipped!(
                    a,
                    b,
                    vreinterpretq_u16_u8,
                    vreinterpretq_u8_u16,
                    vzip1q_u16,
                    vzip2q_u16
                ),
                4 => zipped!(
                    a,
                    b,
                    vreinterpretq_u32_u8,
                    vreinterpretq_u8_u32,
                    vzip1q_u32,
                    vzip2q_u32
                ),
                _ => zipped!(
                    a,
                    b,
                    vreinterpretq_u64_u8,
                    vreinterpretq_u8_u64,
                    vzip1q_u64,
                    vzip2q_u64
                ),
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for 16 writable bytes.
        unsafe { vst1q_u8(to, self) }
    }
}
