//! Runs [`Program`]s with AVX-512: packing by permutations of two to four windows, unpacking by
//! permutations and masked stores.
//!
//! Both run whole rounds. What is left over at the end is moved by one more round that ends with
//! the last period: it moves some bytes a second time to where they are already, which is cheaper
//! than any scalar tail.

use std::arch::x86_64::{
    __m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_setzero_si512, _mm512_storeu_si512,
};
use std::marker::PhantomData;

use commloom_plan::{Form, Index, MOST_MOVES, Program};

use crate::kernels::ProgramFn;
use crate::kernels::rounds::step;
use crate::kernels::unit::{Bytes, Unit, Words};
use crate::number::{distance, length};

/// The functions of one unit, by form ([`Form::number`]) and number of vectors less one.
pub(crate) type Functions = [[ProgramFn; MOST_MOVES]; Form::COUNT];

/// The functions for units of 4 bytes.
pub(crate) static WORDS: Functions = words::FUNCTIONS;

/// The functions for units of 1 byte; they need VBMI.
pub(crate) static BYTES: Functions = bytes::FUNCTIONS;

/// A mask with the lowest bits set, as many as `mask` has (at least one).
#[inline(always)]
fn front(mask: u64) -> u64 {
    u64::MAX >> (64 - mask.count_ones().max(1))
}

/// The work of one round, with everything that it needs in registers.
trait Round {
    /// One round at these places.
    unsafe fn run(&self, memory: *mut u8, packed: *mut u8);
}

/// Runs whole rounds, and one more that ends with the last period where some are left over. Kept
/// to few registers: saving and restoring them takes longer than packing 100 bytes.
#[inline(always)]
unsafe fn repeat<R: Round>(
    round: &R,
    program: &Program,
    mut memory: *mut u8,
    mut packed: *mut u8,
    periods: usize,
) {
    let copies = length(program.copies());
    let (a, b) = program.round();
    let (a, b) = (distance(a), length(b));
    // Counting down is cheaper than a division.
    let mut left = periods;
    // SAFETY: the caller vouches for all periods; there is at least one whole round, so that the
    // last one may begin in it.
    unsafe {
        while left >= copies {
            round.run(memory, packed);
            memory = memory.wrapping_offset(a);
            packed = packed.wrapping_add(b);
            left -= copies;
        }
        if left > 0 {
            let missing = copies - left;
            let (memory, packed) = step(program, memory, packed, missing.wrapping_neg());
            round.run(memory, packed);
        }
    }
}

/// The index vectors of all moves, to be kept in registers.
#[inline(always)]
unsafe fn indices<const Q: usize>(lanes: &[Index; Q]) -> [__m512i; Q] {
    // SAFETY: an index is 64 aligned bytes; the caller enables the instructions.
    unsafe {
        let mut index = [_mm512_setzero_si512(); Q];
        for i in 0..Q {
            index[i] = _mm512_load_si512(lanes[i].0.as_ptr().cast());
        }
        index
    }
}

/// Stores 64 bytes at `offset` from `base`.
#[inline(always)]
unsafe fn store(base: *mut u8, offset: usize, lanes: __m512i) {
    // SAFETY: the caller vouches for 64 writable bytes at the offset.
    unsafe { _mm512_storeu_si512(base.wrapping_add(offset).cast(), lanes) }
}

/// 64 bytes at `offset` from `base`.
#[inline(always)]
unsafe fn load(base: *const u8, offset: isize) -> __m512i {
    // SAFETY: the caller vouches for 64 readable bytes at the offset.
    unsafe { _mm512_loadu_si512(base.wrapping_offset(offset).cast()) }
}

// No closures below: a closure does not take part in the instruction set of the function around
// it, so that intrinsics in it become calls unless everything happens to be inlined.
//
// What differs from move to move is kept small, so that it stays in registers: all packed vectors
// but the last are dense, the windows of a vector are adjacent. On Zen 5 one offset that is loaded
// from the stack between masked stores doubles the time of a round.

/// Packs `Q` vectors from `Q + 1` windows in a row, each loaded once.
struct Chain<U, const Q: usize> {
    index: [__m512i; Q],
    last: isize,
    end: usize,
    unit: PhantomData<U>,
}

impl<U: Unit, const Q: usize> Round for Chain<U, Q> {
    #[inline(always)]
    unsafe fn run(&self, memory: *mut u8, packed: *mut u8) {
        // SAFETY: every window lies between the first and last byte of its round, every vector in
        // the packed bytes of its round.
        unsafe {
            let mut window = load(memory, 0);
            for i in 0..Q - 1 {
                let next = load(memory, 64 * (i + 1).cast_signed());
                store(packed, 64 * i, U::pick(window, self.index[i], next));
                window = next;
            }
            let lanes = U::pick(window, self.index[Q - 1], load(memory, self.last));
            store(packed, self.end, lanes);
        }
    }
}

/// Packs `Q` vectors, each from `W` adjacent windows of its own.
struct Windows<U, const W: usize, const Q: usize> {
    index: [__m512i; Q],
    places: [isize; Q],
    masks: [u64; Q],
    end: usize,
    unit: PhantomData<U>,
}

impl<U: Unit, const W: usize, const Q: usize> Round for Windows<U, W, Q> {
    #[inline(always)]
    unsafe fn run(&self, memory: *mut u8, packed: *mut u8) {
        // SAFETY: the windows of a vector lie between the first and last byte of its round, every
        // vector in the packed bytes of its round.
        unsafe {
            for i in 0..Q {
                let (a, index) = (self.places[i], self.index[i]);
                let mut lanes = U::pick(load(memory, a), index, load(memory, a + 64));
                if W == 3 {
                    lanes = U::merge(lanes, self.masks[i], index, load(memory, a + 128));
                }
                if W == 4 {
                    let others = U::pick(load(memory, a + 128), index, load(memory, a + 192));
                    lanes = U::blend(self.masks[i], lanes, others);
                }
                store(packed, if i == Q - 1 { self.end } else { 64 * i }, lanes);
            }
        }
    }
}

/// Packs `Q` windows, each to its own place.
struct Gather<U, const Q: usize> {
    index: [__m512i; Q],
    places: [isize; Q],
    packed: [usize; Q],
    /// Units that are loaded, and stored.
    masks: [(u64, u64); Q],
    unit: PhantomData<U>,
}

impl<U: Unit, const Q: usize> Round for Gather<U, Q> {
    #[inline(always)]
    unsafe fn run(&self, memory: *mut u8, packed: *mut u8) {
        // SAFETY: loads and stores are masked down to the bytes of the round.
        unsafe {
            for i in 0..Q {
                let (from, to) = self.masks[i];
                let window = U::load(from, memory.wrapping_offset(self.places[i]));
                let lanes = U::spread(self.index[i], window);
                U::store(to, packed.wrapping_add(self.packed[i]), lanes);
            }
        }
    }
}

/// Packs one vector from `Q` windows.
struct Merge<U, const Q: usize> {
    index: [__m512i; Q],
    places: [isize; Q],
    /// Units of the vector that come from each window, and from any.
    masks: [u64; Q],
    all: u64,
    unit: PhantomData<U>,
}

impl<U: Unit, const Q: usize> Round for Merge<U, Q> {
    #[inline(always)]
    unsafe fn run(&self, memory: *mut u8, packed: *mut u8) {
        // SAFETY: every window lies between the first and last byte of its round; the store is
        // masked down to the packed bytes of the round.
        unsafe {
            let mut lanes = U::spread(self.index[0], load(memory, self.places[0]));
            for i in 1..Q {
                let window = load(memory, self.places[i]);
                lanes = U::merge(lanes, self.masks[i], self.index[i], window);
            }
            U::store(self.all, packed, lanes);
        }
    }
}

/// Unpacks to `Q` windows: adjacent ones (`ROW`), or each at its own place.
struct Spread<U, const ROW: bool, const Q: usize> {
    index: [__m512i; Q],
    places: [isize; Q],
    packed: [isize; Q],
    masks: [u64; Q],
    unit: PhantomData<U>,
}

impl<U: Unit, const ROW: bool, const Q: usize> Round for Spread<U, ROW, Q> {
    #[inline(always)]
    unsafe fn run(&self, memory: *mut u8, packed: *mut u8) {
        // SAFETY: loads lie in the packed bytes of the round, stores are masked down to its bytes.
        unsafe {
            for i in 0..Q {
                let lanes = U::spread(self.index[i], load(packed, self.packed[i]));
                let a = if ROW { 64 * i.cast_signed() } else { self.places[i] };
                U::store(self.masks[i], memory.wrapping_offset(a), lanes);
            }
        }
    }
}

#[inline(always)]
unsafe fn chain<U: Unit, const Q: usize>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let Some(lanes) = program.index().first_chunk::<Q>() else { return };
    let Some(moves) = program.moves().first_chunk::<Q>() else { return };
    let (last, end) = (distance(program.last()), length(moves[Q - 1].b));
    // SAFETY: the caller vouches for all periods and for the instructions; the lanes of the round
    // stay in them.
    unsafe {
        let round = Chain::<U, Q> { index: indices(lanes), last, end, unit: PhantomData };
        repeat(&round, program, memory, packed, periods);
    }
}

#[inline(always)]
unsafe fn windows<U: Unit, const W: usize, const Q: usize>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let Some(lanes) = program.index().first_chunk::<Q>() else { return };
    let Some(moves) = program.moves().first_chunk::<Q>() else { return };
    let (mut places, mut masks) = ([0; Q], [0; Q]);
    for i in 0..Q {
        (places[i], masks[i]) = (distance(moves[i].a), moves[i].mask);
    }
    let end = length(moves[Q - 1].b);
    // SAFETY: the caller vouches for all periods and for the instructions; the windows of the
    // round stay in them.
    unsafe {
        let index = indices(lanes);
        let round = Windows::<U, W, Q> { index, places, masks, end, unit: PhantomData };
        repeat(&round, program, memory, packed, periods);
    }
}

#[inline(always)]
unsafe fn gather<U: Unit, const Q: usize>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let Some(lanes) = program.index().first_chunk::<Q>() else { return };
    let Some(moves) = program.moves().first_chunk::<Q>() else { return };
    let (mut places, mut to, mut masks) = ([0; Q], [0; Q], [(0, 0); Q]);
    for i in 0..Q {
        let mask = moves[i].mask;
        (places[i], masks[i]) = (distance(moves[i].a), (mask, front(mask)));
        to[i] = length(moves[i].b);
    }
    // SAFETY: the caller vouches for all periods and for the instructions; masks keep to the bytes
    // of the round.
    unsafe {
        let index = indices(lanes);
        let round = Gather::<U, Q> { index, places, packed: to, masks, unit: PhantomData };
        repeat(&round, program, memory, packed, periods);
    }
}

#[inline(always)]
unsafe fn merge<U: Unit, const Q: usize>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let Some(lanes) = program.index().first_chunk::<Q>() else { return };
    let Some(moves) = program.moves().first_chunk::<Q>() else { return };
    let (mut places, mut masks, mut all) = ([0; Q], [0; Q], 0);
    for i in 0..Q {
        (places[i], masks[i]) = (distance(moves[i].a), moves[i].mask);
        all |= masks[i];
    }
    // SAFETY: the caller vouches for all periods and for the instructions; masks keep to the bytes
    // of the round.
    unsafe {
        let index = indices(lanes);
        let round = Merge::<U, Q> { index, places, masks, all, unit: PhantomData };
        repeat(&round, program, memory, packed, periods);
    }
}

#[inline(always)]
unsafe fn spread<U: Unit, const ROW: bool, const Q: usize>(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let Some(lanes) = program.index().first_chunk::<Q>() else { return };
    let Some(moves) = program.moves().first_chunk::<Q>() else { return };
    let (mut places, mut from, mut masks) = ([0; Q], [0; Q], [0; Q]);
    for i in 0..Q {
        (places[i], masks[i]) = (distance(moves[i].a), moves[i].mask);
        from[i] = length(moves[i].b).cast_signed();
    }
    // SAFETY: the caller vouches for all periods and for the instructions; masks keep to the bytes
    // of the round.
    unsafe {
        let index = indices(lanes);
        let round = Spread::<U, ROW, Q> { index, places, packed: from, masks, unit: PhantomData };
        repeat(&round, program, memory, packed, periods);
    }
}

/// An array of one function for each number of vectors.
macro_rules! by_vectors {
    ($function:ident $(, $generic:expr)*) => {
        [
            $function::<$({ $generic },)* 1>, $function::<$({ $generic },)* 2>,
            $function::<$({ $generic },)* 3>, $function::<$({ $generic },)* 4>,
            $function::<$({ $generic },)* 5>, $function::<$({ $generic },)* 6>,
            $function::<$({ $generic },)* 7>, $function::<$({ $generic },)* 8>,
        ]
    };
}

/// The functions of this file, compiled for more instructions.
macro_rules! compiled {
    (
        $feature:literal, $unit:ident,
        $($function:ident<$(const $generic:ident: $kind:ty),*>;)*
    ) => {$(
        #[target_feature(enable = $feature)]
        unsafe fn $function<$(const $generic: $kind),*>(
            program: &Program,
            memory: *mut u8,
            packed: *mut u8,
            periods: usize,
        ) {
            // SAFETY: the caller vouches for the periods, and this function has the instructions.
            unsafe {
                super::$function::<super::$unit, $($generic),*>(program, memory, packed, periods);
            }
        }
    )*};
}

macro_rules! functions {
    ($module:ident, $unit:ident, $feature:literal) => {
        mod $module {
            use super::{Functions, Program};

            compiled!(
                $feature,
                $unit,
                chain<const Q: usize>;
                windows<const W: usize, const Q: usize>;
                gather<const Q: usize>;
                merge<const Q: usize>;
                spread<const ROW: bool, const Q: usize>;
            );

            pub(super) const FUNCTIONS: Functions = [
                by_vectors!(chain),
                by_vectors!(windows, 2),
                by_vectors!(windows, 3),
                by_vectors!(windows, 4),
                by_vectors!(gather),
                by_vectors!(spread, true),
                by_vectors!(spread, false),
                by_vectors!(merge),
            ];
        }
    };
}

functions!(words, Words, "avx512f,avx512bw,avx512dq,avx512vl");
functions!(bytes, Bytes, "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi");
