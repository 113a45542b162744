//! `MPI_Pack` and `MPI_Unpack` (MPI 4.1, section 5.2). The packed form of the supported libraries
//! is the data bytes in type-map order, on one kind of machine; the end-to-end tests compare it.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::committed::Found;
use crate::accelerate::lossy::Stays;
use crate::accelerate::message::Message;
use crate::accelerate::part::Purpose;
use crate::preload::state::Preload;
use crate::runtime::count::CallCount;

/// The message and the place of its bytes in the packed buffer, where the engine can do it: there
/// is a buffer on both sides and room for all of it.
unsafe fn engine<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    memory: *const c_void,
    (count, datatype): (N, A::Datatype),
    packed: *const c_void,
    size: N,
    position: *const N,
) -> Option<(Arc<Message<A>>, usize, N)> {
    if state.is_paused() {
        return None;
    }
    let Found::This(message) = state.message(datatype, count.wide(), Purpose::Packing) else {
        return None;
    };
    if !message.packs || !message.takes(memory) || packed.is_null() || position.is_null() {
        return None;
    }
    if state.gpus.are_there() {
        let packed_bytes = || state.gpus.refuse(packed, 0..size.wide());
        if let Some(reason) = message.refused_by_gpu(memory).or_else(packed_bytes) {
            message.tally.native(reason, message.size());
            return None;
        }
    }
    // SAFETY: a pointer that the MPI call reads too.
    let at = unsafe { *position }.wide();
    let start = usize::try_from(at).ok()?;
    let end = at.checked_add(i64::try_from(message.size()).ok()?)?;
    let position = N::narrow(end)?;
    (end <= size.wide()).then_some((message, start, position))
}

/// The prototype of `MPI_Pack`.
pub type Pack<A, N> = unsafe extern "C-unwind" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    *mut c_void,
    N,
    *mut N,
    <A as Abi>::Comm,
) -> c_int;

/// The prototype of `MPI_Unpack`.
pub type Unpack<A, N> = unsafe extern "C-unwind" fn(
    *const c_void,
    N,
    *mut N,
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    <A as Abi>::Comm,
) -> c_int;

/// `MPI_Pack`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn pack<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Pack<A, N>,
    memory: *const c_void,
    count: N,
    datatype: A::Datatype,
    packed: *mut c_void,
    size: N,
    position: *mut N,
    comm: A::Comm,
) -> c_int {
    // SAFETY: the buffers, counts and position are those of the program's call.
    unsafe {
        if let Some((message, start, end)) =
            engine(state, memory, (count, datatype), packed, size, position)
        {
            // Zero elements: the library checks the arguments and reports what is wrong with them.
            let some = if memory.is_null() { packed.cast_const() } else { memory };
            let code = next(some, N::default(), datatype, packed, size, position, comm);
            if code != A::CONSTANTS.success {
                return code;
            }
            let bytes = message.bytes();
            let room = std::slice::from_raw_parts_mut(packed.cast::<u8>().add(start), bytes);
            if message.pack(memory, room).is_some() {
                message.tally.packed(message.size());
                *position = end;
                return code;
            }
        }
        let (count, datatype) =
            state.spared(count, datatype, Stays::Here).unwrap_or((count, datatype));
        next(memory, count, datatype, packed, size, position, comm)
    }
}

/// `MPI_Unpack`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn unpack<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Unpack<A, N>,
    packed: *const c_void,
    size: N,
    position: *mut N,
    memory: *mut c_void,
    count: N,
    datatype: A::Datatype,
    comm: A::Comm,
) -> c_int {
    // SAFETY: the buffers, counts and position are those of the program's call.
    unsafe {
        let ours = engine(state, memory, (count, datatype), packed, size, position)
            .filter(|(message, ..)| message.refused_by_overlap().is_none());
        if let Some((message, start, end)) = ours {
            let some = if memory.is_null() { packed.cast_mut() } else { memory };
            let code = next(packed, size, position, some, N::default(), datatype, comm);
            if code != A::CONSTANTS.success {
                return code;
            }
            let bytes = message.bytes();
            let data = std::slice::from_raw_parts(packed.cast::<u8>().add(start), bytes);
            if message.unpack(memory, data, u64::MAX).is_some() {
                message.tally.packed(message.size());
                *position = end;
                return code;
            }
        }
        next(packed, size, position, memory, count, datatype, comm)
    }
}
