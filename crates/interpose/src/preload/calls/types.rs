//! `MPI_Type_commit`. `MPI_Type_free` needs no wrapper: MPI tells us through the attribute.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::preload::state::Preload;

/// `MPI_Type_commit`: hangs a record on the handle.
///
/// # Safety
/// As the MPI call.
pub unsafe fn commit<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn(*mut A::Datatype) -> c_int,
    datatype: *mut A::Datatype,
) -> c_int {
    // SAFETY: the library's function of the same name, as the program has called it.
    let code = unsafe { next(datatype) };
    if code == A::CONSTANTS.success && !state.config().off && state.recorder().is_none() {
        // SAFETY: the library has just read it.
        let datatype = unsafe { *datatype };
        state.shield(|| state.committed(datatype));
    }
    code
}
