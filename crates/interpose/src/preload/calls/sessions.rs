//! Sessions (MPI 4.1, section 11.3): each is a [life](crate::runtime::lives) of the library.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::preload::state::Preload;
use crate::runtime::lives::Life;

/// `MPI_Session_init`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn session_init<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn(A::Info, A::Errhandler, *mut A::Session) -> c_int,
    info: A::Info,
    errhandler: A::Errhandler,
    session: *mut A::Session,
) -> c_int {
    // SAFETY: the program's call, with its arguments.
    let code = unsafe { next(info, errhandler, session) };
    if code == A::CONSTANTS.success {
        // SAFETY: after success the library has written it.
        let session = unsafe { *session };
        state.shield(|| {
            state.life_begins(Life::Session(session));
            state.tell_at_the_beginning();
        });
    }
    code
}

/// `MPI_Session_finalize`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn session_finalize<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn(*mut A::Session) -> c_int,
    session: *mut A::Session,
) -> c_int {
    let ending = if session.is_null() {
        None
    } else {
        // SAFETY: where the program gives a pointer, a handle is there; MPI reads it too.
        let handle = unsafe { *session };
        state.shield(|| state.life_ends(Life::Session(handle))).flatten()
    };
    // SAFETY: the program's call, with its arguments.
    let code = unsafe { next(session) };
    state.shield(|| state.life_ended(ending, code));
    code
}
