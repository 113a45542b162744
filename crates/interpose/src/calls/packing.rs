//! `MPI_Pack` and `MPI_Unpack` (MPI 4.1, section 5.2). The packed form of the supported libraries is
//! the data bytes in type-map order, on one kind of machine; the end-to-end tests compare it.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::message::{Message, Purpose};
use crate::record::Found;
use crate::state::Preload;

/// The message and the place of its bytes in the packed buffer, where the engine can do it: there
/// is a buffer on both sides and room for all of it.
unsafe fn engine<A: Abi>(
    state: &'static Preload<A>,
    memory: *const c_void,
    (count, datatype): (c_int, A::Datatype),
    packed: *const c_void,
    size: c_int,
    position: *const c_int,
) -> Option<(Arc<Message<A>>, usize, c_int)> {
    let Found::This(message) = state.message(datatype, count, Purpose::Packing) else {
        return None;
    };
    if !message.packs || !message.takes(memory) || packed.is_null() || position.is_null() {
        return None;
    }
    // SAFETY: a pointer that the MPI call reads too.
    let at = unsafe { *position };
    let bytes = c_int::try_from(message.bytes()).ok()?;
    let start = usize::try_from(at).ok()?;
    let end = at.checked_add(bytes)?;
    (end <= size).then_some((message, start, end))
}

/// `MPI_Pack`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn pack<A: Abi>(
    state: &'static Preload<A>,
    memory: *const c_void,
    count: c_int,
    datatype: A::Datatype,
    packed: *mut c_void,
    size: c_int,
    position: *mut c_int,
    comm: A::Comm,
) -> c_int {
    let next = state.mpi().next.pack;
    // SAFETY: passed on.
    unsafe {
        if let Some((message, start, end)) =
            engine(state, memory, (count, datatype), packed, size, position)
        {
            // Zero elements: the library checks the arguments and reports what is wrong with them.
            let some = if memory.is_null() { packed.cast_const() } else { memory };
            let code = next(some, 0, datatype, packed, size, position, comm);
            if code != A::CONSTANTS.success {
                return code;
            }
            let bytes = message.bytes();
            let room = std::slice::from_raw_parts_mut(packed.cast::<u8>().add(start), bytes);
            if message.pack(memory, room).is_some() {
                message.tally.engine(message.size());
                *position = end;
                return code;
            }
        }
        next(memory, count, datatype, packed, size, position, comm)
    }
}

/// `MPI_Unpack`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn unpack<A: Abi>(
    state: &'static Preload<A>,
    packed: *const c_void,
    size: c_int,
    position: *mut c_int,
    memory: *mut c_void,
    count: c_int,
    datatype: A::Datatype,
    comm: A::Comm,
) -> c_int {
    let next = state.mpi().next.unpack;
    // SAFETY: passed on.
    unsafe {
        if let Some((message, start, end)) =
            engine(state, memory, (count, datatype), packed, size, position)
        {
            let some = if memory.is_null() { packed.cast_mut() } else { memory };
            let code = next(packed, size, position, some, 0, datatype, comm);
            if code != A::CONSTANTS.success {
                return code;
            }
            let bytes = message.bytes();
            let data = std::slice::from_raw_parts(packed.cast::<u8>().add(start), bytes);
            if message.unpack(memory, data, u64::MAX).is_some() {
                message.tally.engine(message.size());
                *position = end;
                return code;
            }
        }
        next(packed, size, position, memory, count, datatype, comm)
    }
}
