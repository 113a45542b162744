//! [`Cursor`]: where the blocks lie in memory, so that one loop serves columns and lists.

use std::marker::PhantomData;

use crate::moves::Direction;
use crate::number::distance;

/// Places of blocks in memory, one after the other.
pub(crate) trait Cursor: Copy {
    /// The places of the next `K` blocks (1, 2 or 4), and moves past them.
    ///
    /// # Safety
    /// There are that many left.
    unsafe fn next<const K: usize>(&mut self) -> [*mut u8; K];

    /// The same places, all moved by so many bytes.
    fn moved(&self, bytes: isize) -> Self;
}

/// Blocks at equal distances. Plain fields and constant indices: an array that is walked by an
/// iterator stayed in memory or not at the whim of the optimizer, at up to six times the cost.
#[derive(Clone, Copy)]
pub(crate) struct Strided {
    at: *mut u8,
    one: isize,
    two: isize,
    three: isize,
    four: isize,
}

impl Strided {
    #[inline(always)]
    pub(crate) fn new(at: *mut u8, stride: isize) -> Strided {
        let times = |n: isize| opaque(stride.wrapping_mul(n));
        Strided { at, one: times(1), two: times(2), three: times(3), four: times(4) }
    }

    /// The same distances from another place.
    #[inline(always)]
    pub(crate) fn from(&self, at: *mut u8) -> Strided {
        Strided { at, ..*self }
    }
}

/// Hides from the compiler that the steps are multiples of one another. It would add them up one
/// by one, and that chain of additions, one cycle each, is slower than the loads: 1.6 against 1.0
/// times the C loop for doubles in the first-level cache.
#[inline(always)]
pub(crate) fn opaque(step: isize) -> isize {
    #[cfg(target_arch = "x86_64")]
    {
        let mut step = step;
        // SAFETY: no instruction at all.
        unsafe {
            std::arch::asm!(
                "/* {0} */",
                inout(reg) step,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        step
    }
    #[cfg(not(target_arch = "x86_64"))]
    step
}

impl Cursor for Strided {
    #[inline(always)]
    unsafe fn next<const K: usize>(&mut self) -> [*mut u8; K] {
        let mut places = [self.at; K];
        if K > 1 {
            places[1] = self.at.wrapping_offset(self.one);
        }
        if K > 2 {
            places[2] = self.at.wrapping_offset(self.two);
            places[3] = self.at.wrapping_offset(self.three);
        }
        self.at = self.at.wrapping_offset(match K {
            1 => self.one,
            2 => self.two,
            _ => self.four,
        });
        places
    }

    #[inline(always)]
    fn moved(&self, bytes: isize) -> Strided {
        self.from(self.at.wrapping_offset(bytes))
    }
}

/// Offsets of a list in either width.
pub(crate) trait Offset: Copy {
    fn bytes(self) -> isize;
}

impl Offset for i32 {
    #[inline(always)]
    fn bytes(self) -> isize {
        distance(self.into())
    }
}

impl Offset for i64 {
    #[inline(always)]
    fn bytes(self) -> isize {
        distance(self)
    }
}

/// Blocks at listed offsets. With `TOUCH`, the memory of a later block is asked for before each.
pub(crate) struct Listed<O, D, const TOUCH: bool> {
    base: *mut u8,
    next: *const O,
    /// Blocks that are left, of which the last is the furthest to be touched.
    left: usize,
    ahead: usize,
    direction: PhantomData<D>,
}

impl<O: Copy, D, const TOUCH: bool> Copy for Listed<O, D, TOUCH> {}

impl<O: Copy, D, const TOUCH: bool> Clone for Listed<O, D, TOUCH> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Offset, D: Direction, const TOUCH: bool> Listed<O, D, TOUCH> {
    #[inline(always)]
    pub(crate) fn new(base: *mut u8, offsets: &[O], ahead: usize) -> Self {
        Listed { base, next: offsets.as_ptr(), left: offsets.len(), ahead, direction: PhantomData }
    }
}

impl<O: Offset, D: Direction, const TOUCH: bool> Cursor for Listed<O, D, TOUCH> {
    #[inline(always)]
    unsafe fn next<const K: usize>(&mut self) -> [*mut u8; K] {
        let mut places = [self.base; K];
        // SAFETY: the caller knows of K more offsets; what is touched is at most the last one.
        unsafe {
            for (i, place) in places.iter_mut().enumerate() {
                if TOUCH {
                    let soon = self.next.add((self.ahead + i).min(self.left - 1)).read();
                    touch::<D>(self.base.wrapping_offset(soon.bytes()));
                }
                *place = self.base.wrapping_offset(self.next.add(i).read().bytes());
            }
            self.next = self.next.add(K);
        }
        self.left -= K;
        places
    }

    #[inline(always)]
    fn moved(&self, bytes: isize) -> Self {
        Listed { base: self.base.wrapping_offset(bytes), ..*self }
    }
}

/// Asks for a line of the memory side, to be read or written soon. Any address will do.
#[inline(always)]
pub(crate) fn touch<D: Direction>(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint never faults.
        unsafe {
            if D::PACKS {
                _mm_prefetch::<_MM_HINT_T0>(place.cast());
            } else {
                _mm_prefetch::<_MM_HINT_ET0>(place.cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
