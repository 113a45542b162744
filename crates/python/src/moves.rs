//! The border between Python's memory and the pack engine: everything is checked here, once a
//! call, and then moved without the interpreter's lock.

use std::ops::Range;

use commloom_pack::{CopyPlan, Plan, copy_raw, pack_raw, unpack_raw};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::buffer::View;
use crate::refused;

/// Calls that move fewer bytes keep the interpreter's lock: they take less time than a thread
/// that waits for it needs to take it, and to give it back.
const RELEASE_FROM: u64 = 32 << 10;

/// The plan, and in which direction it is run.
enum Job<'p> {
    Pack(&'p Plan),
    Unpack(&'p Plan),
    Copy(&'p CopyPlan),
}

/// Where bytes come from and go to.
struct Transfer<'p> {
    job: Job<'p>,
    from: *const u8,
    to: *mut u8,
    bytes: u64,
}

// SAFETY: the pointers are used in the one call that `detach` makes, on the thread that has made
// them; the buffers behind them are held by the caller meanwhile.
unsafe impl Send for Transfer<'_> {}

impl Transfer<'_> {
    /// # Safety
    /// Source and destination hold all bytes of the plan, and do not overlap.
    unsafe fn go(&self) {
        let Transfer { from, to, bytes, .. } = *self;
        // SAFETY: the caller vouches for all bytes of the plan at both places. That other threads
        // of the program leave them alone is its duty, as for NumPy's copies: it gets some
        // mixture of bytes, and no address is made of them here.
        unsafe {
            match self.job {
                Job::Pack(plan) => pack_raw(plan, from, to, 0..bytes),
                Job::Unpack(plan) => unpack_raw(plan, to, from, 0..bytes),
                Job::Copy(plan) => copy_raw(plan, from, to, 0..bytes),
            }
        }
    }

    /// # Safety
    /// As for [`Transfer::go`], and the buffers are held until this returns.
    unsafe fn run(self, py: Python<'_>) {
        if self.bytes < RELEASE_FROM {
            // SAFETY: the caller vouches for both places.
            unsafe { self.go() };
        } else {
            // SAFETY: the caller vouches for both places, and holds the buffers.
            py.detach(move || unsafe { self.go() });
        }
    }
}

/// Packs the bytes of a plan from `memory` to `packed`, which has room for exactly these.
pub(crate) fn pack(
    py: Python<'_>,
    plan: &Plan,
    memory: &View<'_, '_>,
    packed: &View<'_, '_>,
) -> PyResult<()> {
    let bytes = plan.bytes();
    fits(&plan.bounds(), bytes, memory, "a")?;
    holds(bytes, packed, "out")?;
    if bytes == 0 {
        return Ok(());
    }
    let (from, to) = (memory.origin(), packed.origin());
    if overlap((from, &plan.bounds()), (to, &flat(bytes))) {
        let mut between = temporary(bytes)?;
        let end = between.as_mut_ptr();
        // SAFETY: `fits` and `holds` have compared both buffers with the plan; the temporary one
        // is as long as the packed bytes and overlaps neither.
        unsafe {
            Transfer { job: Job::Pack(plan), from, to: end, bytes }.run(py);
            std::ptr::copy_nonoverlapping(end, to, between.len());
        }
        return Ok(());
    }
    // SAFETY: `fits` and `holds` have compared both buffers, which the views hold, with the plan,
    // and they do not overlap.
    unsafe { Transfer { job: Job::Pack(plan), from, to, bytes }.run(py) };
    Ok(())
}

/// Unpacks `packed`, which holds exactly the bytes of a plan, to `memory`.
pub(crate) fn unpack(
    py: Python<'_>,
    plan: &Plan,
    packed: &View<'_, '_>,
    memory: &View<'_, '_>,
) -> PyResult<()> {
    let bytes = plan.bytes();
    fits(&plan.bounds(), bytes, memory, "a")?;
    holds(bytes, packed, "packed")?;
    if bytes == 0 {
        return Ok(());
    }
    let (mut from, to) = (packed.origin().cast_const(), memory.origin());
    let mut between = Vec::new();
    if overlap((to, &plan.bounds()), (packed.origin(), &flat(bytes))) {
        between = temporary(bytes)?;
        // SAFETY: `holds` has compared the packed buffer with the plan; the temporary one is as
        // long, and new.
        unsafe { std::ptr::copy_nonoverlapping(from, between.as_mut_ptr(), between.len()) };
        from = between.as_ptr();
    }
    // SAFETY: `fits` and `holds` have compared both buffers, which the views hold, with the plan;
    // if they overlap the packed bytes come from the temporary one.
    unsafe { Transfer { job: Job::Unpack(plan), from, to, bytes }.run(py) };
    drop(between);
    Ok(())
}

/// Copies what one layout names in `source` to where the other names it in `destination`: as if
/// all bytes were read before the first is written.
pub(crate) fn copy(
    py: Python<'_>,
    plan: &CopyPlan,
    source: &View<'_, '_>,
    destination: &View<'_, '_>,
    parts: (&Plan, &Plan),
) -> PyResult<()> {
    let bytes = plan.bytes();
    fits(&plan.source_bounds(), bytes, source, "a")?;
    fits(&plan.destination_bounds(), bytes, destination, "b")?;
    if bytes == 0 {
        return Ok(());
    }
    let (from, to) = (source.origin(), destination.origin());
    if overlap((from, &plan.source_bounds()), (to, &plan.destination_bounds())) {
        let mut between = temporary(bytes)?;
        let end = between.as_mut_ptr();
        // SAFETY: `fits` has compared both buffers with the bounds of the plan, which are those of
        // its parts; the temporary one is as long as the packed bytes and overlaps neither.
        unsafe {
            Transfer { job: Job::Pack(parts.0), from, to: end, bytes }.run(py);
            Transfer { job: Job::Unpack(parts.1), from: end, to, bytes }.run(py);
        }
        return Ok(());
    }
    // SAFETY: `fits` has compared both buffers, which the views hold, with the bounds of the plan,
    // and they do not overlap.
    unsafe { Transfer { job: Job::Copy(plan), from, to, bytes }.run(py) };
    Ok(())
}

/// Fails where a layout reaches out of a buffer.
fn fits(bounds: &Range<i64>, bytes: u64, memory: &View<'_, '_>, name: &str) -> PyResult<()> {
    let (low, high) = memory.reach();
    if bytes == 0 || low <= bounds.start && bounds.end <= high {
        return Ok(());
    }
    Err(refused::value(format!(
        "the layout takes the bytes {} to {} from the first element of `{name}`, which has the \
         bytes {low} to {high}",
        bounds.start, bounds.end
    )))
}

/// Fails where a buffer is no run of so many bytes.
fn holds(bytes: u64, packed: &View<'_, '_>, name: &str) -> PyResult<()> {
    match packed.contiguous() {
        Some(found) if u64::try_from(found) == Ok(bytes) => Ok(()),
        Some(found) => {
            Err(refused::value(format!("the layout packs {bytes} bytes, `{name}` has {found}")))
        }
        None => Err(refused::value(format!("`{name}` has gaps: packed bytes are contiguous"))),
    }
}

fn flat(bytes: u64) -> Range<i64> {
    // Sizes of types fit in 63 bits.
    0..i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Whether two places have a byte in common, or lie between one another.
fn overlap(a: (*mut u8, &Range<i64>), b: (*mut u8, &Range<i64>)) -> bool {
    let ends = |(origin, range): (*mut u8, &Range<i64>)| {
        let at = |offset: i64| origin.addr() as i128 + i128::from(offset);
        (at(range.start), at(range.end))
    };
    let ((a_low, a_high), (b_low, b_high)) = (ends(a), ends(b));
    a_low < b_high && b_low < a_high
}

fn temporary(bytes: u64) -> PyResult<Vec<u8>> {
    let mut room = Vec::new();
    let length = usize::try_from(bytes).map_err(refused::value)?;
    room.try_reserve_exact(length).map_err(|_| {
        PyMemoryError::new_err(format!("no {bytes} bytes to copy between memory that overlaps"))
    })?;
    room.resize(length, 0);
    Ok(room)
}
