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

use commloom_plan::{Move, Program};

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

/// The places (memory, packed) of all rounds, the last one aligned with the end.
struct Rounds {
    memory: *mut u8,
    packed: *mut u8,
    a: isize,
    b: usize,
    left: usize,
    /// How far the last round lies before where it would begin, on both sides; 0 once it is moved.
    back: (isize, usize),
}

impl Rounds {
    #[inline(always)]
    fn new(program: &Program, memory: *mut u8, packed: *mut u8, periods: usize) -> Rounds {
        let copies = length(program.copies());
        let (stride, bytes) = (distance(program.stride()), length(program.bytes()));
        let (left, rest) = (periods / copies, periods % copies);
        let missing = if rest > 0 { copies - rest } else { 0 };
        let back = (stride * missing.cast_signed(), bytes * missing);
        Rounds { memory, packed, a: stride * copies.cast_signed(), b: bytes * copies, left, back }
    }
}

impl Iterator for Rounds {
    type Item = (*mut u8, *mut u8);

    #[inline(always)]
    fn next(&mut self) -> Option<(*mut u8, *mut u8)> {
        if self.left == 0 {
            if self.back.1 == 0 {
                return None;
            }
            self.memory = self.memory.wrapping_offset(-self.back.0);
            self.packed = self.packed.wrapping_sub(self.back.1);
            self.back = (0, 0);
            return Some((self.memory, self.packed));
        }
        let round = (self.memory, self.packed);
        self.memory = self.memory.wrapping_offset(self.a);
        self.packed = self.packed.wrapping_add(self.b);
        self.left -= 1;
        Some(round)
    }
}

/// The index vectors of moves whose number is known, to be kept in registers.
#[inline(always)]
unsafe fn indices<const Q: usize>(moves: &[Move; Q]) -> [__m512i; Q] {
    // SAFETY: an index is 64 bytes; the caller enables the instructions.
    unsafe {
        let mut index = [_mm512_setzero_si512(); Q];
        for i in 0..Q {
            index[i] = _mm512_loadu_si512(moves[i].index.as_ptr().cast());
        }
        index
    }
}

// No closures below: a closure does not take part in the instruction set of the function around it,
// so that intrinsics in it become calls unless everything happens to be inlined.

/// Packs one vector from the windows at `first` and `second`.
#[inline(always)]
unsafe fn pack_one<U: Unit, const HALF: bool>(
    first: *mut u8,
    second: *mut u8,
    index: __m512i,
    packed: *mut u8,
) {
    // SAFETY: as `pack`.
    unsafe {
        let lanes =
            U::pick(_mm512_loadu_si512(first.cast()), index, _mm512_loadu_si512(second.cast()));
        if HALF {
            _mm256_storeu_si256(packed.cast(), _mm512_castsi512_si256(lanes));
        } else {
            _mm512_storeu_si512(packed.cast(), lanes);
        }
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
    let width = if HALF { 32 } else { 64 };
    let moves = program.moves();
    let Some(known) = moves.first_chunk::<Q>() else { return };
    let mut places = [(0, 0); Q];
    for i in 0..Q {
        places[i] = (distance(known[i].a), distance(known[i].second));
    }
    // SAFETY: every window lies between the first and last byte of its vector, every vector in the
    // packed bytes of its round.
    unsafe {
        let index = indices::<Q>(known);
        for (memory, mut packed) in Rounds::new(program, memory, packed, periods) {
            if Q == 0 {
                for step in moves {
                    let first = memory.wrapping_offset(distance(step.a));
                    let second = memory.wrapping_offset(distance(step.second));
                    let index = _mm512_loadu_si512(step.index.as_ptr().cast());
                    pack_one::<U, HALF>(first, second, index, packed);
                    packed = packed.wrapping_add(width);
                }
            }
            for i in 0..Q {
                let first = memory.wrapping_offset(places[i].0);
                let second = memory.wrapping_offset(places[i].1);
                pack_one::<U, HALF>(first, second, index[i], packed.wrapping_add(width * i));
            }
        }
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
    let moves = program.moves();
    let Some(known) = moves.first_chunk::<Q>() else { return };
    let mut places = [(0, 0, 0); Q];
    for i in 0..Q {
        places[i] = (distance(known[i].a), length(known[i].b), known[i].mask);
    }
    // SAFETY: loads and stores are masked down to the bytes of the round.
    unsafe {
        let index = indices::<Q>(known);
        for (memory, packed) in Rounds::new(program, memory, packed, periods) {
            if Q == 0 {
                for step in moves {
                    let index = _mm512_loadu_si512(step.index.as_ptr().cast());
                    let from = U::load(step.mask, packed.wrapping_add(length(step.b)));
                    let to = memory.wrapping_offset(distance(step.a));
                    U::store(step.mask, to, U::spread(index, from));
                }
            }
            for i in 0..Q {
                let (a, b, mask) = places[i];
                let from = U::load(mask, packed.wrapping_add(b));
                U::store(mask, memory.wrapping_offset(a), U::spread(index[i], from));
            }
        }
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
                pack::<0, false>,
                pack::<1, false>,
                pack::<2, false>,
                pack::<3, false>,
                pack::<4, false>,
                pack::<5, false>,
            ];
            pub(super) static PACK_HALF: [ProgramFn; 6] = [
                pack::<0, true>,
                pack::<1, true>,
                pack::<2, true>,
                pack::<3, true>,
                pack::<4, true>,
                pack::<5, true>,
            ];
            pub(super) static UNPACK: [ProgramFn; 6] =
                [unpack::<0>, unpack::<1>, unpack::<2>, unpack::<3>, unpack::<4>, unpack::<5>];
        }
    };
}

programs!(words, Words, "avx512f,avx512bw,avx512dq,avx512vl");
programs!(bytes, Bytes, "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi");
