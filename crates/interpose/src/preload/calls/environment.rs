//! `MPI_Finalize`, and what only a trace wants to know.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::preload::state::Preload;
use crate::runtime::lives::Life;

/// `MPI_Finalize`: lets go of everything and writes the report before the library ends.
///
/// # Safety
/// As the MPI call.
pub unsafe fn finalize<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn() -> c_int,
) -> c_int {
    let ending = state.shield(|| state.life_ends(Life::World)).flatten();
    // SAFETY: the program's call, with its arguments.
    let code = unsafe { next() };
    state.shield(|| state.life_ended(ending, code));
    code
}

/// `MPI_Abort`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn abort<A: Abi>(
    _state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn(A::Comm, c_int) -> c_int,
    comm: A::Comm,
    code: c_int,
) -> c_int {
    // SAFETY: the library's function of the same name, as the program has called it.
    unsafe { next(comm, code) }
}

/// `MPI_Pcontrol`: level 0 begins a region in which the program is left alone, any other ends it,
/// where that is wanted. In C it takes any arguments after the level; what they mean is not known,
/// and they are not passed on.
///
/// # Safety
/// As the MPI call.
pub unsafe fn pcontrol<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn(c_int) -> c_int,
    level: c_int,
) -> c_int {
    if state.config().off_in_regions {
        state.pauses(level == 0);
    }
    // SAFETY: the library's function of the same name, as the program has called it.
    unsafe { next(level) }
}
