//! Runs [`Picks`](commloom_plan::Picks) with AVX-512: every vector is permuted from pairs of
//! windows and stored. Nothing is prepared in registers, because each vector is made once.

use std::arch::x86_64::{__m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_storeu_si512};

use commloom_plan::{Index, Moves, Pick, Picks, Plan, Script};

use crate::kernels::flat::FlatFn;
use crate::kernels::unit::{Bytes, Unit, Words};
use crate::moves::{Direction, Pack, Unpack};
use crate::number::distance;

/// The functions of one unit and direction, by [`Picks::number`].
pub(crate) type Functions = [FlatFn; Picks::FUNCTIONS];

/// The same by form and number of vectors.
type ByForm = [[FlatFn; Picks::COUNTS]; Picks::FORMS];

const fn flat(by_form: &ByForm) -> Functions {
    let mut functions = [by_form[0][0]; Picks::FUNCTIONS];
    let mut i = 0;
    while i < functions.len() {
        functions[i] = by_form[i / Picks::COUNTS][i % Picks::COUNTS];
        i += 1;
    }
    functions
}

/// The functions for units of 4 bytes, when packing and when unpacking.
pub(crate) const WORDS: [Functions; 2] =
    [flat(&words::by_form::<Pack>()), flat(&words::by_form::<Unpack>())];

/// The functions for units of 1 byte; they need VBMI.
pub(crate) const BYTES: [Functions; 2] =
    [flat(&bytes::by_form::<Pack>()), flat(&bytes::by_form::<Unpack>())];

// The duties of all functions of this file: all windows are valid for reads, of a narrow one the
// units that may be read; what is stored is valid for writes and overlaps no window; the processor
// has the instructions of the unit.

/// The picks and the two sides of a script: what is read and what is written.
#[inline(always)]
fn sides<D: Direction>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) -> Option<(&[Pick], *const u8, *mut u8)> {
    let Moves::Picks(picks) = script.moves() else { return None };
    let (from, to) = D::ends(memory, packed);
    Some((picks.picks(), from, to))
}

/// Does something with each of `N` picks, or of any number where that is 0. In a loop five vectors
/// take one and a half times as long as in straight code.
#[inline(always)]
fn each<const N: usize>(picks: &[Pick], mut act: impl FnMut(&Pick)) {
    if N == 0 {
        picks.iter().for_each(act);
    } else if let Some(picks) = picks.first_chunk::<N>() {
        for pick in picks {
            act(pick);
        }
    }
}

/// `N` vectors from `W` windows each, stored whole or in part.
#[inline(always)]
unsafe fn picked<U: Unit, D: Direction, const N: usize, const W: usize, const MASKED: bool>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) {
    let Some((picks, from, to)) = sides::<D>(script, memory, packed) else { return };
    each::<N>(picks, |pick| {
        // SAFETY: the caller vouches for the windows and vectors of every pick of the script, and
        // the wrapper enables the instructions.
        unsafe {
            let order = order(&pick.index);
            let first = load(from, pick.from[0]);
            let mut lanes = if W == 1 {
                U::spread(order, first)
            } else {
                U::pick(first, order, load(from, pick.from[1]))
            };
            for pair in 1..W / 2 {
                let (first, second) = (pick.from[2 * pair], pick.from[2 * pair + 1]);
                let more = U::pick(load(from, first), order, load(from, second));
                lanes = U::blend(pick.keep[pair], lanes, more);
            }
            if W > 1 && W % 2 == 1 {
                lanes = U::merge(lanes, pick.keep[W / 2], order, load(from, pick.from[W - 1]));
            }
            let to = to.wrapping_offset(distance(pick.to));
            if MASKED {
                U::store(pick.store, to, lanes);
            } else {
                _mm512_storeu_si512(to.cast(), lanes);
            }
        }
    });
}

/// `N` parts of vectors from the one window that is less than 64 bytes long.
#[inline(always)]
unsafe fn narrow<U: Unit, D: Direction, const N: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) {
    let Some((picks, from, to)) = sides::<D>(script, memory, packed) else { return };
    let Some(pick) = picks.first() else { return };
    // SAFETY: the mask names the bytes of the window that the layout has; the caller vouches for
    // those.
    let window = unsafe { U::load(pick.keep[0], from.wrapping_offset(distance(pick.from[0]))) };
    each::<N>(picks, |pick| {
        // SAFETY: the mask of the store names bytes that the caller vouches for; the wrapper
        // enables the instructions.
        unsafe {
            let lanes = U::spread(order(&pick.index), window);
            U::store(pick.store, to.wrapping_offset(distance(pick.to)), lanes);
        }
    });
}

/// `N` parts of vectors from two windows that are the same for all: half a nanosecond less a
/// vector than loading them each time.
#[inline(always)]
unsafe fn held<U: Unit, D: Direction, const N: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) {
    let Some((picks, from, to)) = sides::<D>(script, memory, packed) else { return };
    let Some(pick) = picks.first() else { return };
    // SAFETY: the caller vouches for both windows, which are those of every pick.
    let (first, second) = unsafe { (load(from, pick.from[0]), load(from, pick.from[1])) };
    each::<N>(picks, |pick| {
        // SAFETY: the mask of the store names bytes that the caller vouches for; the wrapper
        // enables the instructions.
        unsafe {
            let lanes = U::pick(first, order(&pick.index), second);
            U::store(pick.store, to.wrapping_offset(distance(pick.to)), lanes);
        }
    });
}

#[inline(always)]
unsafe fn order(index: &Index) -> __m512i {
    // SAFETY: 64 aligned bytes; the caller enables the instructions.
    unsafe { _mm512_load_si512(index.0.as_ptr().cast()) }
}

/// 64 bytes at `offset` from `base`.
#[inline(always)]
unsafe fn load(base: *const u8, offset: i64) -> __m512i {
    // SAFETY: the caller vouches for 64 readable bytes at the offset.
    unsafe { _mm512_loadu_si512(base.wrapping_offset(distance(offset)).cast()) }
}

/// A function for each number of vectors: any, 1 to 8.
macro_rules! counts {
    ($function:ident, $d:ident $(, $argument:literal)*) => {
        [
            $function::<$d, 0 $(, $argument)*>,
            $function::<$d, 1 $(, $argument)*>,
            $function::<$d, 2 $(, $argument)*>,
            $function::<$d, 3 $(, $argument)*>,
            $function::<$d, 4 $(, $argument)*>,
            $function::<$d, 5 $(, $argument)*>,
            $function::<$d, 6 $(, $argument)*>,
            $function::<$d, 7 $(, $argument)*>,
            $function::<$d, 8 $(, $argument)*>,
        ]
    };
}

macro_rules! functions {
    ($module:ident, $unit:ident, $feature:literal) => {
        mod $module {
            use super::{ByForm, Direction, Plan, Script};

            #[target_feature(enable = $feature)]
            unsafe fn picked<D: Direction, const N: usize, const W: usize, const MASKED: bool>(
                script: &Script,
                memory: *mut u8,
                packed: *mut u8,
                _: &Plan,
            ) {
                // SAFETY: the caller vouches for the picks of the script, and this function has
                // the instructions.
                unsafe { super::picked::<super::$unit, D, N, W, MASKED>(script, memory, packed) }
            }

            #[target_feature(enable = $feature)]
            unsafe fn narrow<D: Direction, const N: usize>(
                script: &Script,
                memory: *mut u8,
                packed: *mut u8,
                _: &Plan,
            ) {
                // SAFETY: the caller vouches for the picks of the script, and this function has
                // the instructions.
                unsafe { super::narrow::<super::$unit, D, N>(script, memory, packed) }
            }

            #[target_feature(enable = $feature)]
            unsafe fn held<D: Direction, const N: usize>(
                script: &Script,
                memory: *mut u8,
                packed: *mut u8,
                _: &Plan,
            ) {
                // SAFETY: the caller vouches for the picks of the script, and this function has
                // the instructions.
                unsafe { super::held::<super::$unit, D, N>(script, memory, packed) }
            }

            pub(super) const fn by_form<D: Direction>() -> ByForm {
                [
                    counts!(picked, D, 1, false),
                    counts!(picked, D, 2, false),
                    counts!(picked, D, 3, false),
                    counts!(picked, D, 4, false),
                    counts!(picked, D, 5, false),
                    counts!(picked, D, 6, false),
                    counts!(picked, D, 8, false),
                    counts!(picked, D, 1, true),
                    counts!(picked, D, 2, true),
                    counts!(narrow, D),
                    counts!(held, D),
                ]
            }
        }
    };
}

functions!(words, Words, "avx512f,avx512bw,avx512dq,avx512vl");
functions!(bytes, Bytes, "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi");
