//! Calls that only [`replace`](crate::replace) looks at: those that make communicators, and those
//! that use messages or requests in ways that the other modules have nothing to do with. All of
//! them go to the library as they are.

use std::ffi::{c_char, c_int};

use commloom_mpi::Abi;

use crate::preload::state::Preload;
use crate::runtime::lives::Life;

/// `MPI_Init`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn init<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char) -> c_int,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
) -> c_int {
    // SAFETY: the library's function of the same name, as the program has called it.
    let code = unsafe { next(argc, argv) };
    if code == A::CONSTANTS.success {
        state.shield(|| {
            state.life_begins(Life::World);
            state.tell_at_the_beginning();
            state.tell_if_alone();
            state.replacement.begin(state);
        });
    }
    code
}

/// `MPI_Init_thread`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn init_thread<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    wanted: c_int,
    provided: *mut c_int,
) -> c_int {
    // SAFETY: the library's function of the same name, as the program has called it.
    let code = unsafe { next(argc, argv, wanted, provided) };
    if code == A::CONSTANTS.success {
        state.shield(|| {
            state.life_begins(Life::World);
            state.tell_at_the_beginning();
            state.tell_if_alone();
            state.replacement.begin(state);
        });
    }
    code
}

/// After a call that made a communicator.
///
/// # Safety
/// `code` is what the call gave back, `new` where the new handle is.
pub unsafe fn made<A: Abi>(state: &'static Preload<A>, code: c_int, new: *mut A::Comm) {
    if code == A::CONSTANTS.success {
        // SAFETY: after success the new handle is there.
        state.replacement.identify(unsafe { *new });
    }
}

/// `MPI_Cancel`: a message that was replaced has arrived, and is past cancelling (MPI 4.1, section
/// 3.8.4).
///
/// # Safety
/// As the MPI call.
pub unsafe fn cancel<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: the program's request, which the library's function gets where it is not replaced.
    unsafe {
        match state.replacement.told(request, 1) {
            Some(_) => A::CONSTANTS.success,
            None => next(request),
        }
    }
}
