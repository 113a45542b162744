//! Where the rounds of a [`Program`] begin: on a line of the cache, if that pays.

use commloom_plan::Program;

use crate::kernels::ProgramFn;
use crate::number::{distance, length};

/// From so many rounds on one more is worth it if the others are aligned.
const ROUNDS_TO_ALIGN: usize = 3;

/// The places so many periods on (or back, by a wrapped number).
#[inline(always)]
pub(crate) fn step(
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    n: usize,
) -> (*mut u8, *mut u8) {
    let (stride, bytes) = (distance(program.stride()), length(program.bytes()));
    let memory = memory.wrapping_offset(stride.wrapping_mul(n.cast_signed()));
    (memory, packed.wrapping_add(bytes.wrapping_mul(n)))
}

/// Runs a program over so many periods, where there is no better way to begin from a line.
///
/// # Safety
/// The periods are valid on their sides, which do not overlap, and are at least one round; the
/// processor has the instructions of `function`.
#[inline(always)]
pub(crate) unsafe fn run(
    function: ProgramFn,
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let copies = length(program.copies());
    // SAFETY: the caller vouches for the periods, their number, and the instructions of
    // `function`.
    unsafe {
        if !memory.addr().is_multiple_of(64) && periods >= ROUNDS_TO_ALIGN * copies {
            run_aligned(function, program, memory, packed, periods);
        } else {
            function(program, memory, packed, periods);
        }
    }
}

/// Rounds that begin on a line take half the loads and stores. The first round covers what is
/// skipped to get there.
#[inline(never)]
unsafe fn run_aligned(
    function: ProgramFn,
    program: &Program,
    memory: *mut u8,
    packed: *mut u8,
    periods: usize,
) {
    let copies = length(program.copies());
    let missing = memory.addr().wrapping_neg() % 64;
    let skip = program.skip(missing as u64).map_or(0, length);
    // SAFETY: the periods of both calls are among those that the caller vouches for.
    unsafe {
        if skip == 0 || skip > copies {
            return function(program, memory, packed, periods);
        }
        function(program, memory, packed, copies);
        let (memory, packed) = step(program, memory, packed, skip);
        function(program, memory, packed, periods - skip);
    }
}
