//! Short messages: from the plan straight to the one function that moves all of it.
//!
//! Per call there are about a dozen instructions before that function. Which of them this
//! processor can run is decided once, by pointing to another table.

use std::sync::atomic::{AtomicPtr, Ordering};

use commloom_plan::{Flat, Plan, Script};

use crate::execute::nested;
#[cfg(target_arch = "x86_64")]
use crate::kernels::flat::joined;
use crate::kernels::flat::{FlatFn, blocks, column, exactly, pieces, small};
#[cfg(target_arch = "x86_64")]
use crate::kernels::{level, picks, x86::Avx2};
use crate::moves::{Direction, Pack, Unpack};

/// Functions by direction and [`Script::number`].
type Table = [[FlatFn; Script::COUNT]; 2];

/// The table of this processor; before the first call one that finds out.
static TABLE: AtomicPtr<Table> = AtomicPtr::new((&raw const tables::UNKNOWN).cast_mut());

/// Moves all of a short message.
///
/// # Safety
/// All packed bytes of the plan are valid on both sides as [`nested`] demands.
#[inline(always)]
pub(crate) unsafe fn run<D: Direction>(flat: &Flat, plan: &Plan, memory: *mut u8, packed: *mut u8) {
    let script = if D::PACKS { flat.pack() } else { flat.unpack() };
    // SAFETY: the pointer is to one of the tables below, which are never written; it leads to
    // functions for this script and processor, and the caller vouches for the bytes that they
    // move.
    unsafe {
        let table = &*TABLE.load(Ordering::Relaxed);
        table[D::INDEX][script.number()](script, memory, packed, plan);
    }
}

/// In the place of what this processor cannot do, or not yet.
#[cold]
unsafe fn otherwise<D: Direction>(_: &Script, memory: *mut u8, packed: *mut u8, plan: &Plan) {
    #[cfg(target_arch = "x86_64")]
    let table = match level() {
        0 => &raw const tables::PORTABLE,
        1 => &raw const tables::AVX2,
        2 => &raw const tables::AVX512,
        _ => &raw const tables::VBMI,
    };
    #[cfg(not(target_arch = "x86_64"))]
    let table = &raw const tables::PORTABLE;
    TABLE.store(table.cast_mut(), Ordering::Relaxed);
    // SAFETY: the caller vouches for all bytes of the plan, which is what the range covers.
    unsafe { nested::<D>(plan, memory, packed, 0..plan.bytes()) }
}

/// Functions that are the same on every processor.
macro_rules! wrap {
    ($module:ident $(, $feature:literal)?) => {
        mod $module {
            use super::{Direction, Plan, Script};

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn blocks<D: Direction, const N: usize>(
                script: &Script,
                memory: *mut u8,
                packed: *mut u8,
                _: &Plan,
            ) {
                // SAFETY: the caller vouches for the blocks of the script.
                unsafe { super::blocks::<D, N>(script, memory, packed) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn pieces<D: Direction>(
                script: &Script,
                memory: *mut u8,
                packed: *mut u8,
                _: &Plan,
            ) {
                // SAFETY: the caller vouches for the pieces of the script.
                unsafe { super::pieces::<D>(script, memory, packed) }
            }
        }
    };
}

wrap!(plain);
#[cfg(target_arch = "x86_64")]
wrap!(avx2, "avx2");

/// Joins columns of small blocks when packing.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn join<const N: usize>(script: &Script, memory: *mut u8, packed: *mut u8, _: &Plan) {
    // SAFETY: the caller vouches for the blocks of the script; the table of this function is used
    // only where the processor has AVX2.
    unsafe { joined::<Avx2, Pack, N>(script, memory, packed) }
}

unsafe fn strided<D: Direction, const N: usize, const COUNT: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
    _: &Plan,
) {
    // SAFETY: the caller vouches for the blocks of the script.
    unsafe { column::<D, N, COUNT>(script, memory, packed) }
}

unsafe fn listed<D: Direction, const N: usize, const COUNT: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
    _: &Plan,
) {
    // SAFETY: the caller vouches for the blocks of the script.
    unsafe { exactly::<D, N, COUNT>(script, memory, packed) }
}

unsafe fn many<D: Direction, const N: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
    _: &Plan,
) {
    // SAFETY: the caller vouches for the blocks of the script.
    unsafe { small::<D, N>(script, memory, packed) }
}

mod tables {
    use super::{
        Direction, FlatFn, Pack, Script, Table, Unpack, listed, many, otherwise, plain, strided,
    };
    #[cfg(target_arch = "x86_64")]
    use super::{avx2, join, picks};

    pub(super) static UNKNOWN: Table =
        [[otherwise::<Pack>; Script::COUNT], [otherwise::<Unpack>; Script::COUNT]];
    pub(super) static PORTABLE: Table = [portable::<Pack>(), portable::<Unpack>()];
    #[cfg(target_arch = "x86_64")]
    pub(super) static AVX2: Table = [
        wide::<Pack>([join::<1>, join::<2>]),
        wide::<Unpack>([many::<Unpack, 1>, many::<Unpack, 2>]),
    ];
    #[cfg(target_arch = "x86_64")]
    pub(super) static AVX512: Table = [
        with(AVX2[0], Script::WORDS, &picks::WORDS[0]),
        with(AVX2[1], Script::WORDS, &picks::WORDS[1]),
    ];
    #[cfg(target_arch = "x86_64")]
    pub(super) static VBMI: Table = [
        with(AVX512[0], Script::BYTES, &picks::BYTES[0]),
        with(AVX512[1], Script::BYTES, &picks::BYTES[1]),
    ];

    /// A table with these functions from a place on.
    const fn with<const N: usize>(
        mut table: [FlatFn; Script::COUNT],
        first: usize,
        functions: &[FlatFn; N],
    ) -> [FlatFn; Script::COUNT] {
        let mut i = 0;
        while i < N {
            table[first + i] = functions[i];
            i += 1;
        }
        table
    }

    /// A function for each of some numbers of blocks.
    macro_rules! counts {
        ($function:ident, $d:ident, $n:literal: $($count:literal)*) => {
            [$($function::<$d, $n, $count>),*]
        };
    }

    /// Functions for 2 to 32 and for 2 to 16 blocks.
    macro_rules! thirty_two {
        ($function:ident, $d:ident, $n:literal) => {
            counts!($function, $d, $n: 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
                25 26 27 28 29 30 31 32)
        };
    }
    macro_rules! sixteen {
        ($function:ident, $d:ident, $n:literal) => {
            counts!($function, $d, $n: 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
        };
    }

    const fn portable<D: Direction>() -> [FlatFn; Script::COUNT] {
        let blocks: [FlatFn; Script::LENGTHS.len()] = [
            plain::blocks::<D, 1>,
            plain::blocks::<D, 2>,
            plain::blocks::<D, 3>,
            plain::blocks::<D, 4>,
            plain::blocks::<D, 5>,
            plain::blocks::<D, 6>,
            plain::blocks::<D, 7>,
            plain::blocks::<D, 8>,
            plain::blocks::<D, 12>,
            plain::blocks::<D, 16>,
            plain::blocks::<D, 20>,
            plain::blocks::<D, 24>,
            plain::blocks::<D, 32>,
            plain::blocks::<D, 40>,
            plain::blocks::<D, 48>,
            plain::blocks::<D, 64>,
        ];
        let fours: [FlatFn; 31] = thirty_two!(strided, D, 4);
        let eights: [FlatFn; 31] = thirty_two!(strided, D, 8);
        let sixteens: [FlatFn; 15] = sixteen!(strided, D, 16);
        let mut table: [FlatFn; Script::COUNT] = [otherwise::<D>; Script::COUNT];
        table = with(table, 0, &blocks);
        table[Script::PIECES] = plain::pieces::<D>;
        table = with(table, Script::FOURS, &fours);
        table = with(table, Script::EIGHTS, &eights);
        table = with(table, Script::SIXTEENS, &sixteens);
        table[Script::SMALL] = many::<D, 1>;
        table[Script::SMALL + 1] = many::<D, 2>;
        lists::<D>(table)
    }

    /// Adds lists by [`Script::EXACT`].
    const fn lists<D: Direction>(mut table: [FlatFn; Script::COUNT]) -> [FlatFn; Script::COUNT] {
        let by_8: [FlatFn; 31] = thirty_two!(listed, D, 8);
        let by_12: [FlatFn; 20] =
            counts!(listed, D, 12: 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21);
        let by_16: [FlatFn; 15] = sixteen!(listed, D, 16);
        let by_20: [FlatFn; 11] = counts!(listed, D, 20: 2 3 4 5 6 7 8 9 10 11 12);
        let by_24: [FlatFn; 9] = counts!(listed, D, 24: 2 3 4 5 6 7 8 9 10);
        let by_32: [FlatFn; 7] = counts!(listed, D, 32: 2 3 4 5 6 7 8);
        let by_40: [FlatFn; 5] = counts!(listed, D, 40: 2 3 4 5 6);
        let by_48: [FlatFn; 4] = counts!(listed, D, 48: 2 3 4 5);
        let by_64: [FlatFn; 3] = counts!(listed, D, 64: 2 3 4);
        let first = Script::LISTS;
        table = with(table, first, &by_8);
        table = with(table, first + 31, &by_12);
        table = with(table, first + 51, &by_16);
        table = with(table, first + 66, &by_20);
        table = with(table, first + 77, &by_24);
        table = with(table, first + 86, &by_32);
        table = with(table, first + 93, &by_40);
        table = with(table, first + 98, &by_48);
        with(table, first + 102, &by_64)
    }

    #[cfg(target_arch = "x86_64")]
    const fn wide<D: Direction>(small: [FlatFn; 2]) -> [FlatFn; Script::COUNT] {
        let functions: [FlatFn; 7] = [
            avx2::blocks::<D, 32>,
            avx2::blocks::<D, 40>,
            avx2::blocks::<D, 48>,
            avx2::blocks::<D, 64>,
            avx2::pieces::<D>,
            small[0],
            small[1],
        ];
        with(portable::<D>(), Script::WIDE, &functions)
    }
}
