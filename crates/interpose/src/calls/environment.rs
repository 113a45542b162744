//! `MPI_Finalize`.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::state::Preload;

/// `MPI_Finalize`: lets go of everything and writes the report before the library ends.
///
/// # Safety
/// As the MPI call.
pub unsafe fn finalize<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn() -> c_int,
) -> c_int {
    // A tool behind us comes in once more as `PMPI_Finalize`: the report is collective, and one.
    state.finalizing.call_once(|| {
        state.shield(|| {
            state.progress_orphans(true);
            state.write_report();
            state.free_retired();
            state.free_made();
        });
    });
    // SAFETY: passed on.
    unsafe { next() }
}
