//! Moves of short messages ([`Script`]): straight code, one function for each kind of move.

use commloom_plan::{Moves, Place, Plan, Script};

use crate::kernels::cursor::opaque;
#[cfg(target_arch = "x86_64")]
use crate::kernels::lanes::Lanes;
use crate::moves::{Direction, block, piece};
use crate::number::{distance, length};

/// Moves all of a short message between the origin of the buffer and the packed stream, as the
/// script says. The plan is for those who cannot.
pub(crate) type FlatFn = unsafe fn(&Script, *mut u8, *mut u8, &Plan);

// The duties of all functions of this file: all blocks are valid for reads on the source side, for
// writes on the other; the two sides do not overlap.

/// Blocks of `N` bytes, dense in the packed stream.
#[inline(always)]
pub(crate) unsafe fn blocks<D: Direction, const N: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) {
    let Moves::Blocks { places, .. } = script.moves() else { return };
    // SAFETY: the caller vouches for a block at each place of the script.
    unsafe { listed::<D, N>(places, memory, packed) }
}

/// The same for exactly `COUNT` blocks: without the branches that count them, a third of the time
/// where they are few.
#[inline(always)]
pub(crate) unsafe fn exactly<D: Direction, const N: usize, const COUNT: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) {
    let Moves::Blocks { places, .. } = script.moves() else { return };
    let Some(places) = places.first_chunk::<COUNT>() else { return };
    // SAFETY: the caller vouches for a block at each place of the script; there are `COUNT`.
    unsafe { listed::<D, N>(places, memory, packed) }
}

#[inline(always)]
unsafe fn listed<D: Direction, const N: usize>(
    places: &[i64],
    memory: *mut u8,
    mut packed: *mut u8,
) {
    let (chunks, rest) = places.as_chunks::<8>();
    // SAFETY: the chunks are parts of the places, each with a block that the caller vouches for,
    // and the packed stream goes on behind each of them.
    unsafe {
        for chunk in chunks {
            some::<D, N, 8>(chunk, memory, packed);
            packed = packed.wrapping_add(8 * N);
        }
        // Straight code in powers of two: a loop takes longer than the moves.
        let (four, rest) = rest.as_chunks::<4>();
        if let [chunk] = four {
            some::<D, N, 4>(chunk, memory, packed);
            packed = packed.wrapping_add(4 * N);
        }
        let (two, rest) = rest.as_chunks::<2>();
        if let [chunk] = two {
            some::<D, N, 2>(chunk, memory, packed);
            packed = packed.wrapping_add(2 * N);
        }
        if let [place] = rest {
            some::<D, N, 1>(&[*place], memory, packed);
        }
    }
}

#[inline(always)]
unsafe fn some<D: Direction, const N: usize, const K: usize>(
    places: &[i64; K],
    memory: *mut u8,
    packed: *mut u8,
) {
    let mut at = [memory; K];
    for i in 0..K {
        at[i] = memory.wrapping_offset(distance(places[i]));
    }
    // SAFETY: the caller vouches for the blocks at these places.
    unsafe { each_of::<D, N, K>(at, packed) }
}

/// Up to eight blocks. Small ones are joined in a register when packing: stores are what bounds
/// them.
#[inline(always)]
unsafe fn each_of<D: Direction, const N: usize, const K: usize>(
    memory: [*mut u8; K],
    packed: *mut u8,
) {
    // SAFETY: the caller vouches for these `K` blocks on both sides.
    unsafe {
        if D::PACKS && (N * K).is_multiple_of(8) && matches!(N, 1 | 2 | 4) {
            for word in 0..N * K / 8 {
                let mut joined = 0u64;
                for i in 0..8 / N {
                    let from = memory[word * (8 / N) + i];
                    let bits = match N {
                        1 => u64::from(from.read()),
                        2 => u64::from(from.cast::<u16>().read_unaligned().to_le()),
                        _ => u64::from(from.cast::<u32>().read_unaligned().to_le()),
                    };
                    joined |= bits << (8 * N * i);
                }
                packed.add(8 * word).cast::<u64>().write_unaligned(joined.to_le());
            }
            return;
        }
        for (i, &memory) in memory.iter().enumerate() {
            let (src, dst) = D::ends(memory, packed.wrapping_add(i * N));
            block::<N>(src, dst, N);
        }
    }
}

/// Steps of a column: few enough to stay in registers, multiples that no instruction can add.
#[derive(Clone, Copy)]
struct Steps {
    one: isize,
    three: isize,
    five: isize,
    seven: isize,
}

impl Steps {
    #[inline(always)]
    fn new(stride: i64) -> Steps {
        let one = distance(stride);
        let times = |n: isize| opaque(one.wrapping_mul(n));
        Steps { one, three: times(3), five: times(5), seven: times(7) }
    }

    /// Places of eight blocks from the first.
    #[inline(always)]
    fn eight(self, at: *mut u8) -> [*mut u8; 8] {
        let Steps { one, three, five, seven } = self;
        [
            at,
            at.wrapping_offset(one),
            at.wrapping_offset(one.wrapping_mul(2)),
            at.wrapping_offset(three),
            at.wrapping_offset(one.wrapping_mul(4)),
            at.wrapping_offset(five),
            at.wrapping_offset(three.wrapping_mul(2)),
            at.wrapping_offset(seven),
        ]
    }
}

/// A column of `COUNT` blocks of `N` bytes.
#[inline(always)]
pub(crate) unsafe fn column<D: Direction, const N: usize, const COUNT: usize>(
    script: &Script,
    memory: *mut u8,
    mut packed: *mut u8,
) {
    let &Moves::Column { first, stride, .. } = script.moves() else { return };
    let mut at = memory.wrapping_offset(distance(first));
    let steps = Steps::new(stride);
    // SAFETY: the caller vouches for all blocks of the column, of which there are `COUNT`.
    unsafe {
        for _ in 0..COUNT / 8 {
            each_of::<D, N, 8>(steps.eight(at), packed);
            at = at.wrapping_offset(steps.one.wrapping_mul(8));
            packed = packed.wrapping_add(8 * N);
        }
        let [a, b, c, d, e, f, g, _] = steps.eight(at);
        match COUNT % 8 {
            1 => each_of::<D, N, 1>([a], packed),
            2 => each_of::<D, N, 2>([a, b], packed),
            3 => {
                each_of::<D, N, 2>([a, b], packed);
                each_of::<D, N, 1>([c], packed.wrapping_add(2 * N));
            }
            4 => each_of::<D, N, 4>([a, b, c, d], packed),
            5 => {
                each_of::<D, N, 4>([a, b, c, d], packed);
                each_of::<D, N, 1>([e], packed.wrapping_add(4 * N));
            }
            6 => each_of::<D, N, 6>([a, b, c, d, e, f], packed),
            7 => {
                each_of::<D, N, 6>([a, b, c, d, e, f], packed);
                each_of::<D, N, 1>([g], packed.wrapping_add(6 * N));
            }
            _ => {}
        }
    }
}

/// A column of at least eight blocks of `N` bytes, eight at a time. The last ones may move some a
/// second time.
#[inline(always)]
pub(crate) unsafe fn small<D: Direction, const N: usize>(
    script: &Script,
    memory: *mut u8,
    mut packed: *mut u8,
) {
    let &Moves::Column { count, first, stride, .. } = script.moves() else { return };
    let mut at = memory.wrapping_offset(distance(first));
    let steps = Steps::new(stride);
    let mut left = length(count);
    // SAFETY: the caller vouches for all blocks of the column; there are at least eight, so that
    // the last eight lie in it.
    unsafe {
        while left >= 8 {
            each_of::<D, N, 8>(steps.eight(at), packed);
            at = at.wrapping_offset(steps.one.wrapping_mul(8));
            packed = packed.wrapping_add(8 * N);
            left -= 8;
        }
        if left > 0 {
            let back = 8 - left;
            let at = at.wrapping_offset(steps.one.wrapping_mul(back.cast_signed()).wrapping_neg());
            each_of::<D, N, 8>(steps.eight(at), packed.wrapping_sub(back * N));
        }
    }
}

/// The same when packing, with registers of some instruction set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn joined<L: Lanes, D: Direction, const N: usize>(
    script: &Script,
    memory: *mut u8,
    packed: *mut u8,
) {
    let &Moves::Column { count, first, stride, .. } = script.moves() else { return };
    let (memory, stride) = (memory.wrapping_offset(distance(first)), distance(stride));
    // SAFETY: the caller vouches for all blocks of the column, and for the instructions of `L`.
    unsafe { super::blocks::column::<L, D, N>(memory, packed, length(count), stride, N) }
}

/// Pieces.
#[inline(always)]
pub(crate) unsafe fn pieces<D: Direction>(script: &Script, memory: *mut u8, packed: *mut u8) {
    let Moves::Pieces(pieces) = script.moves() else { return };
    // SAFETY: the caller vouches for the pieces of every class.
    unsafe {
        each::<D, 64>(pieces.class(0), memory, packed);
        each::<D, 32>(pieces.class(1), memory, packed);
        each::<D, 16>(pieces.class(2), memory, packed);
        each::<D, 8>(pieces.class(3), memory, packed);
        each::<D, 4>(pieces.class(4), memory, packed);
        each::<D, 2>(pieces.class(5), memory, packed);
        each::<D, 1>(pieces.class(6), memory, packed);
    }
}

#[inline(always)]
unsafe fn each<D: Direction, const N: usize>(places: &[Place], memory: *mut u8, packed: *mut u8) {
    for place in places {
        let memory = memory.wrapping_offset(distance(place.a));
        let (src, dst) = D::ends(memory, packed.wrapping_add(length(place.b)));
        // SAFETY: the caller vouches for this piece on both sides.
        unsafe { piece::<N>(src, dst, 0) }
    }
}
