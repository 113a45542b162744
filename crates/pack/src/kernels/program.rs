//! Runs [`Program`]s with AVX-512: packing by two-window permutations, unpacking by permutations and
//! masked stores.
//!
//! Both run whole rounds. What is left over at the end is moved by one more round that ends with the
//! last period: it moves some bytes a second time to where they are already, which is cheaper than
//! any scalar tail.

use std::arch::x86_64::{
    __m512i, _mm256_storeu_si256, _mm512_castsi512_si256, _mm512_loadu_si512,
    _mm512_mask_storeu_epi8, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi8,
    _mm512_maskz_loadu_epi32, _mm512_permutex2var_epi8, _mm512_permutex2var_epi32,
    _mm512_permutexvar_epi8, _mm512_permutexvar_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

use commloom_plan::Program;

use crate::kernels::table::ProgramFn;
use crate::number::{distance, length};

/// The function for a program, if this processor has its instructions. Only called for the AVX-512
/// table, so that all but VBMI is known to be there.
pub(crate) fn find(program: &Program, packs: bool) -> Option<ProgramFn> {
    let words = program.unit() == 4;
    if !words && !is_x86_feature_detected!("avx512vbmi") {
        return None;
    }
    let half = program.width() == 32;
    let class = program.moves().len();
    let table = match (packs, words, half) {
        (true, true, false) => &words::PACK,
        (true, true, true) => &words::PACK_HALF,
        (true, false, false) => &bytes::PACK,
        (true, false, true) => &bytes::PACK_HALF,
        (false, true, _) => &words::UNPACK,
        (false, false, _) => &bytes::UNPACK,
    };
    Some(table.get(class).copied().unwrap_or(table[0]))
}

/// The unit of permutation.
trait Unit {
    /// Lanes of two registers in the order of an index vector.
    unsafe fn pick(first: __m512i, index: __m512i, second: __m512i) -> __m512i;
    /// Lanes of one register in the order of an index vector.
    unsafe fn spread(index: __m512i, from: __m512i) -> __m512i;
    /// The first lanes, as many as the mask has bits.
    unsafe fn load(mask: u64, from: *const u8) -> __m512i;
    /// Stores the lanes of the mask and touches no other byte.
    unsafe fn store(mask: u64, to: *mut u8, lanes: __m512i);
}

struct Words;
struct Bytes;

/// A mask with the lowest bits set, as many as `mask` has.
#[inline(always)]
fn front(mask: u64) -> u64 {
    u64::MAX >> (64 - mask.count_ones().max(1))
}

/// The mask of 16 words.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn low(mask: u64) -> u16 {
    mask as u16
}

// SAFETY, for both: the callers enable the instructions; masked lanes are not accessed.
impl Unit for Words {
    #[inline(always)]
    unsafe fn pick(first: __m512i, index: __m512i, second: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_permutex2var_epi32(first, index, second) }
    }
    #[inline(always)]
    unsafe fn spread(index: __m512i, from: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_permutexvar_epi32(index, from) }
    }
    #[inline(always)]
    unsafe fn load(mask: u64, from: *const u8) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_maskz_loadu_epi32(low(front(mask)), from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(mask: u64, to: *mut u8, lanes: __m512i) {
        // SAFETY: see above.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), low(mask), lanes) }
    }
}

impl Unit for Bytes {
    #[inline(always)]
    unsafe fn pick(first: __m512i, index: __m512i, second: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_permutex2var_epi8(first, index, second) }
    }
    #[inline(always)]
    unsafe fn spread(index: __m512i, from: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_permutexvar_epi8(index, from) }
    }
    #[inline(always)]
    unsafe fn load(mask: u64, from: *const u8) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_maskz_loadu_epi8(front(mask), from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(mask: u64, to: *mut u8, lanes: __m512i) {
        // SAFETY: see above.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), mask, lanes) }
    }
}

/// Calls `round(memory, packed)` for every round, the last one aligned with the end.
#[inline(always)]
fn rounds(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
    mut round: impl FnMut(*mut u8, *mut u8),
) {
    let copies = length(program.copies());
    let (a, b) = (distance(program.a()), length(program.b()));
    let (mut m, mut p) = (memory, packed);
    for _ in 0..periods / copies {
        round(m, p);
        m = m.wrapping_offset(a);
        p = p.wrapping_add(b);
    }
    let rest = periods % copies;
    if rest > 0 {
        let back = copies - rest;
        let stride = a / copies.cast_signed();
        let m = m.wrapping_offset(-stride.wrapping_mul(back.cast_signed()));
        round(m, p.wrapping_sub(b / copies * back));
    }
}

/// The index vectors of a program whose length is known, to be kept in registers.
#[inline(always)]
unsafe fn indices<const Q: usize>(program: &Program) -> [__m512i; Q] {
    // SAFETY: an index is 64 bytes; the caller enables the instructions.
    unsafe {
        let mut index = [_mm512_setzero_si512(); Q];
        for (index, step) in index.iter_mut().zip(program.moves()) {
            *index = _mm512_loadu_si512(step.index.as_ptr().cast());
        }
        index
    }
}

/// Packs; `Q` is the number of vectors, 0 for any.
#[inline(always)]
unsafe fn pack<U: Unit, const Q: usize, const HALF: bool>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    // SAFETY: every window lies between the first and last byte of its vector, every vector in the
    // packed bytes of its round.
    unsafe {
        let index = indices::<Q>(program);
        let moves = program.moves();
        let places: [(isize, isize); Q] =
            std::array::from_fn(|i| (distance(moves[i].a), distance(moves[i].second)));
        rounds(program, memory, packed, periods, |memory, mut packed| {
            let mut one = |index, (first, second): (isize, isize)| {
                let first = _mm512_loadu_si512(memory.wrapping_offset(first).cast());
                let second = _mm512_loadu_si512(memory.wrapping_offset(second).cast());
                let lanes = U::pick(first, index, second);
                if HALF {
                    _mm256_storeu_si256(packed.cast(), _mm512_castsi512_si256(lanes));
                    packed = packed.wrapping_add(32);
                } else {
                    _mm512_storeu_si512(packed.cast(), lanes);
                    packed = packed.wrapping_add(64);
                }
            };
            if Q == 0 {
                for step in moves {
                    let index = _mm512_loadu_si512(step.index.as_ptr().cast());
                    one(index, (distance(step.a), distance(step.second)));
                }
            } else {
                for i in 0..Q {
                    one(index[i], places[i]);
                }
            }
        });
    }
}

/// Unpacks; `Q` is the number of windows, 0 for any.
#[inline(always)]
unsafe fn unpack<U: Unit, const Q: usize>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    // SAFETY: loads and stores are masked down to the bytes of the round.
    unsafe {
        let index = indices::<Q>(program);
        let moves = program.moves();
        let places: [(isize, usize, u64); Q] = std::array::from_fn(|i| {
            (distance(moves[i].a), length(moves[i].b), moves[i].mask)
        });
        rounds(program, memory, packed, periods, |memory, packed| {
            let one = |index, (a, b, mask): (isize, usize, u64)| {
                let from = U::load(mask, packed.wrapping_add(b));
                U::store(mask, memory.wrapping_offset(a), U::spread(index, from));
            };
            if Q == 0 {
                for step in moves {
                    let index = _mm512_loadu_si512(step.index.as_ptr().cast());
                    one(index, (distance(step.a), length(step.b), step.mask));
                }
            } else {
                for i in 0..Q {
                    one(index[i], places[i]);
                }
            }
        });
    }
}

macro_rules! programs {
    ($module:ident, $unit:ident, $feature:literal) => {
        mod $module {
            use super::{Program, ProgramFn};

            #[target_feature(enable = $feature)]
            unsafe fn pack<const Q: usize, const HALF: bool>(
                program: &Program,
                memory: *mut u8,
                packed: *mut u8,
                periods: usize,
            ) {
                // SAFETY: the duties are the same.
                unsafe { super::pack::<super::$unit, Q, HALF>(program, memory, packed, periods) }
            }

            #[target_feature(enable = $feature)]
            unsafe fn unpack<const Q: usize>(
                program: &Program,
                memory: *mut u8,
                packed: *mut u8,
                periods: usize,
            ) {
                // SAFETY: the duties are the same.
                unsafe { super::unpack::<super::$unit, Q>(program, memory, packed, periods) }
            }

            /// By number of vectors; the first for any number.
            pub(super) static PACK: [ProgramFn; 6] = [
                pack::<0, false>, pack::<1, false>, pack::<2, false>,
                pack::<3, false>, pack::<4, false>, pack::<5, false>,
            ];
            pub(super) static PACK_HALF: [ProgramFn; 6] = [
                pack::<0, true>, pack::<1, true>, pack::<2, true>,
                pack::<3, true>, pack::<4, true>, pack::<5, true>,
            ];
            pub(super) static UNPACK: [ProgramFn; 6] = [
                unpack::<0>, unpack::<1>, unpack::<2>, unpack::<3>, unpack::<4>, unpack::<5>,
            ];
        }
    };
}

programs!(words, Words, "avx512f,avx512bw,avx512dq,avx512vl");
programs!(bytes, Bytes, "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi");
