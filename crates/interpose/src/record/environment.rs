//! `MPI_Finalize` and `MPI_Abort` end the trace; `MPI_Pcontrol` marks places in it.

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use commloom_mpi::Abi;
use commloom_trace::Action;

use super::recorder::Recorder;
use crate::runtime::at_exit::Ends;

/// The level of `MPI_Pcontrol` that begins a region, and the one that ends it.
const BEGIN: c_int = 1;
const END: c_int = 0;

/// `MPI_Finalize`. What the library does in there is not the program's.
///
/// # Safety
/// As the MPI call.
pub unsafe fn finalize<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: unsafe extern "C-unwind" fn() -> c_int,
) -> c_int {
    if let Some(inside) = recorder.enter() {
        recorder.runtime.shield(|| inside.recorder.end());
    }
    // SAFETY: the library's function of the same name, as the program has called it.
    unsafe { next() }
}

/// `MPI_Abort`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn abort<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: unsafe extern "C-unwind" fn(A::Comm, c_int) -> c_int,
    comm: A::Comm,
    code: c_int,
) -> c_int {
    if let Some(inside) = recorder.enter() {
        recorder.runtime.shield(|| inside.recorder.end());
    }
    // SAFETY: the library's function of the same name, as the program has called it.
    unsafe { next(comm, code) }
}

/// `MPI_Pcontrol`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn pcontrol<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: unsafe extern "C-unwind" fn(c_int) -> c_int,
    level: c_int,
) -> c_int {
    // A tool behind us may come in again.
    let mut inside = recorder.enter();
    if let Some(inside) = &mut inside {
        let regions = inside.recorder.settings.regions;
        if regions && level == BEGIN {
            inside.active = true;
        }
        if inside.active {
            inside.shield(|| {
                let site = inside.site();
                let mut inner = inside.lock();
                // What lies before and behind is not one.
                inner.turn_ends(site.as_ref());
                inner.push(site, Action::Mark(level))
            });
        }
        if regions && (level == BEGIN || level == END) {
            inside.recorder.active.store(level == BEGIN, Ordering::Relaxed);
        }
    }
    // SAFETY: the library's function of the same name, as the program has called it.
    unsafe { next(level) }
}
