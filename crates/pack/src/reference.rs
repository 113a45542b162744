//! The reference interpreter: run by run, in safe code. Slow, and too simple to be wrong.

use std::ops::Range;

use commloom_plan::Plan;

use crate::PackError;
use crate::checked::{Buffers, check};

/// [`pack`](crate::pack) without kernels.
///
/// # Errors
/// As [`pack`](crate::pack).
pub fn pack(
    plan: &Plan,
    memory: &[u8],
    origin: usize,
    range: Range<u64>,
    out: &mut [u8],
) -> Result<(), PackError> {
    check(plan, &Buffers { memory: memory.len(), origin, packed: out.len() }, &range)?;
    let mut rest = out;
    for run in plan.runs(range) {
        let place = place(origin, run.a, run.length);
        let (now, later) = rest.split_at_mut(place.len());
        now.copy_from_slice(&memory[place]);
        rest = later;
    }
    Ok(())
}

/// [`unpack`](crate::unpack) without kernels.
///
/// # Errors
/// As [`unpack`](crate::unpack).
pub fn unpack(
    plan: &Plan,
    memory: &mut [u8],
    origin: usize,
    range: Range<u64>,
    packed: &[u8],
) -> Result<(), PackError> {
    check(plan, &Buffers { memory: memory.len(), origin, packed: packed.len() }, &range)?;
    let mut rest = packed;
    for run in plan.runs(range) {
        let place = place(origin, run.a, run.length);
        let (now, later) = rest.split_at(place.len());
        memory[place].copy_from_slice(now);
        rest = later;
    }
    Ok(())
}

/// The bytes of a run inside the buffer: `check` proved that they are in it.
fn place(origin: usize, a: i64, length: u64) -> Range<usize> {
    let at = |n: i128| usize::try_from(n).expect("inside the bounds of the plan");
    let start = i128::try_from(origin).expect("a slice index") + i128::from(a);
    at(start)..at(start + i128::from(length))
}
