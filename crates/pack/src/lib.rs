//! The data path: executes a [`Plan`], from memory to the packed stream and back.
//!
//! [`pack`] and [`unpack`] check the buffers once and then move; [`pack_raw`] and [`unpack_raw`]
//! leave the check to the caller. Any range of packed bytes can be moved on its own, without
//! walking from the start. [`mod@reference`] does the same in safe code, run by run.
//!
//! This is the only crate of the pair `plan` / `pack` with unsafe code. It is sound because a plan
//! proves at its creation that all its offsets lie in [`Plan::bounds`], and every kernel touches
//! exactly the bytes of the layout: none between its blocks, none around it.
//!
//! There is no global state and no allocation; calls may run on any number of threads. [`Threads`]
//! moves one large message with several.

mod checked;
mod copy;
mod execute;
mod flat;
mod kernels;
mod moves;
mod number;
mod places;
pub mod reference;
mod split;
mod staged;
mod target;
mod threads;
mod tiles;

use std::ops::Range;

pub use checked::{PackError, pack, unpack};
pub use commloom_plan::{CopyPlan, Plan};
pub use copy::{copy, copy_raw};
pub use target::detect;
pub use threads::{Threads, ThreadsError};

use moves::{Direction, Pack, Unpack};

/// Packs the packed bytes `range` of the layout around `memory` to `packed`.
///
/// `memory` is the origin of the buffer (displacement 0); `packed` is where byte `range.start` of
/// the packed stream goes. A range past [`Plan::bytes`] is cut there.
///
/// # Safety
/// - Every byte that the layout names in this range is valid for reads, relative to `memory`. It
///   is enough that all of [`Plan::bounds`] is; `memory` itself need not point into the buffer.
/// - `packed` is valid for writes of as many bytes as the range holds.
/// - The bytes written do not overlap those read.
/// - Nobody writes the bytes read, or touches the bytes written, during the call.
pub unsafe fn pack_raw(plan: &Plan, memory: *const u8, packed: *mut u8, range: Range<u64>) {
    // SAFETY: the caller vouches for the bytes of the range on both sides; packing only reads
    // through the memory pointer.
    unsafe { transfer::<Pack>(plan, memory.cast_mut(), packed, range) }
}

/// Unpacks the packed bytes `range`, which lie at `packed`, into the layout around `memory`.
///
/// The arguments are those of [`pack_raw`]. Bytes between the blocks of the layout are neither
/// read nor written, so others may use them meanwhile.
///
/// # Safety
/// - Every byte that the layout names in this range is valid for writes, relative to `memory`.
/// - `packed` is valid for reads of as many bytes as the range holds.
/// - The bytes written do not overlap those read.
/// - Nobody writes the bytes read, or touches the bytes written, during the call.
pub unsafe fn unpack_raw(plan: &Plan, memory: *mut u8, packed: *const u8, range: Range<u64>) {
    // SAFETY: the caller vouches for the bytes of the range on both sides; unpacking only reads
    // through the packed pointer.
    unsafe { transfer::<Unpack>(plan, memory, packed.cast_mut(), range) }
}

/// Moves the packed bytes `range` of a plan; `packed` is where the first of them lies. A short
/// message goes by its script.
///
/// # Safety
/// The bytes of the range are valid on both sides as [`nested`](execute::nested) demands.
#[inline(always)]
unsafe fn transfer<D: Direction>(plan: &Plan, memory: *mut u8, packed: *mut u8, range: Range<u64>) {
    if let Some(flat) = plan.flat_to_move()
        && range.start == 0
        && range.end >= flat.bytes()
    {
        // SAFETY: the caller vouches for all bytes of the plan; the range covers those of the
        // script.
        return unsafe { flat::run::<D>(flat, plan, memory, packed) };
    }
    // SAFETY: the caller vouches for the bytes of the range on both sides.
    unsafe { execute::nested::<D>(plan, memory, packed, range) }
}
