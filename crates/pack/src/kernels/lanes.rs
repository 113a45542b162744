//! [`Lanes`]: what the instruction sets do differently. All else is what the compiler makes of the
//! same code with other instructions allowed.

use crate::kernels::cursor::Cursor;
use crate::moves::{any, long};

/// An instruction set as the kernels see it: small blocks are joined in registers of 16 bytes, so
/// that the packed stream is written in few large stores.
pub(crate) trait Lanes {
    /// 16 bytes.
    type Register: Copy;

    /// The next `16 / N` blocks of `N` bytes: 1, 2, 4, 8 or 16.
    ///
    /// # Safety
    /// That many blocks are left and readable.
    unsafe fn join<C: Cursor, const N: usize>(cursor: &mut C) -> Self::Register;

    /// Stores a register.
    ///
    /// # Safety
    /// 16 bytes are writable.
    unsafe fn store(register: Self::Register, to: *mut u8);

    /// Moves a run, at least one byte, whose length nobody can predict.
    ///
    /// # Safety
    /// That many bytes are readable at `src` and writable at `dst`, and the two do not overlap.
    #[inline(always)]
    unsafe fn move_run(src: *const u8, dst: *mut u8, length: usize) {
        // SAFETY: the caller vouches for `length` bytes on both sides.
        unsafe { any(src, dst, length) }
    }

    /// Moves a length of [`LONG`](crate::moves::LONG).
    ///
    /// # Safety
    /// That many bytes are readable at `src` and writable at `dst`, and the two do not overlap.
    #[inline(always)]
    unsafe fn long(src: *const u8, dst: *mut u8, length: usize) {
        // SAFETY: the caller vouches for `length` bytes on both sides.
        unsafe { long(src, dst, length) }
    }

    /// Stores four registers.
    ///
    /// # Safety
    /// 64 bytes are writable.
    #[inline(always)]
    unsafe fn store_four(registers: [Self::Register; 4], to: *mut u8) {
        // SAFETY: the caller vouches for 64 bytes, of which each register takes 16.
        unsafe {
            Self::store(registers[0], to);
            Self::store(registers[1], to.add(16));
            Self::store(registers[2], to.add(32));
            Self::store(registers[3], to.add(48));
        }
    }
}

/// Registers that every machine has.
pub(crate) struct Plain;

impl Lanes for Plain {
    type Register = [u8; 16];

    #[inline(always)]
    unsafe fn join<C: Cursor, const N: usize>(cursor: &mut C) -> [u8; 16] {
        let mut register = [0u8; 16];
        let to = register.as_mut_ptr();
        // SAFETY: 16 / N blocks of N bytes fill the register; the caller vouches for the reads.
        unsafe {
            for i in 0..16 / N {
                let [from] = cursor.next::<1>();
                to.add(i * N).cast::<[u8; N]>().write(from.cast::<[u8; N]>().read());
            }
        }
        register
    }

    #[inline(always)]
    unsafe fn store(register: [u8; 16], to: *mut u8) {
        // SAFETY: the caller vouches for 16 bytes; arrays of bytes need no alignment.
        unsafe { to.cast::<[u8; 16]>().write(register) }
    }
}
