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
    next: unsafe extern "C-unwind" fn(*mut c_int, *mut *mut *mut c_char) -> c_int,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
) -> c_int {
    state.shield(|| state.neighbours.enter(state));
    // SAFETY: the library's function of the same name, as the program has called it.
    let code = unsafe { next(argc, argv) };
    if code == A::CONSTANTS.success {
        state.shield(|| {
            state.life_begins(Life::World);
            state.tell_at_the_beginning();
            state.tell_if_alone();
            state.replacement.begin(state);
            state.neighbours.begin(state);
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
    next: unsafe extern "C-unwind" fn(
        *mut c_int,
        *mut *mut *mut c_char,
        c_int,
        *mut c_int,
    ) -> c_int,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    wanted: c_int,
    provided: *mut c_int,
) -> c_int {
    state.shield(|| state.neighbours.enter(state));
    // SAFETY: the library's function of the same name, as the program has called it.
    let code = unsafe { next(argc, argv, wanted, provided) };
    if code == A::CONSTANTS.success {
        state.shield(|| {
            state.life_begins(Life::World);
            state.tell_at_the_beginning();
            state.tell_if_alone();
            state.replacement.begin(state);
            state.neighbours.begin(state);
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

impl<A: Abi> Preload<A> {
    /// `MPI_Comm_free` and `MPI_Comm_disconnect`, before the library's part.
    ///
    /// # Safety
    /// As the MPI call.
    #[doc(hidden)]
    pub unsafe fn lets_go_of(&'static self, comm: *const A::Comm) {
        if !self.repeated.is_empty() && !comm.is_null() {
            // SAFETY: the handle is there, which MPI reads too.
            let comm = unsafe { *comm };
            self.shield(|| self.repeated.comm_goes(comm));
        }
        if self.neighbours.is_on() && !comm.is_null() {
            // SAFETY: the handle is there, which MPI reads too.
            let comm = unsafe { *comm };
            self.shield(|| self.neighbours.loses(comm));
        }
    }

    /// `MPI_Comm_set_info`: messages may overtake each other from now on
    /// (`mpi_assert_allow_overtaking`, MPI 4.1, section 7.4.4).
    #[doc(hidden)]
    pub fn is_told_about(&'static self, comm: A::Comm) {
        self.neighbours.failed(comm);
    }

    /// `MPI_Cancel` of a request that may be a receive. If it is cancelled, messages go to other
    /// receives than those they were counted for: nothing is offered any more, and what was taken
    /// arrives before.
    fn cancels(&'static self) {
        if !self.neighbours.is_on() {
            return;
        }
        self.neighbours.end();
        for request in self.pending.taken_offers() {
            let mut flag = 0;
            let ignored = A::CONSTANTS.status_ignore_ptr();
            // The sender is in the call that sends it.
            // SAFETY: a request of the program that is under way, and a flag.
            while unsafe { (self.mpi().own.request_get_status)(request, &raw mut flag, ignored) }
                == A::CONSTANTS.success
                && flag == 0
            {
                std::thread::yield_now();
            }
        }
    }
}

/// After a call by all processes of `parent` that makes a communicator.
///
/// # Safety
/// `code` is what the call gave back, `new` where the new handle is.
pub unsafe fn child<A: Abi>(
    state: &'static Preload<A>,
    code: c_int,
    parent: A::Comm,
    new: *const A::Comm,
) {
    if state.neighbours.is_on() {
        // SAFETY: after success the new handle is there.
        let new = (code == A::CONSTANTS.success).then(|| unsafe { *new });
        state.shield(|| state.neighbours.makes(state, parent, new));
    }
}

/// `MPI_Cancel`: a message that was replaced has arrived, and is past cancelling (MPI 4.1, section
/// 3.8.4).
///
/// # Safety
/// As the MPI call.
pub unsafe fn cancel<A: Abi>(
    state: &'static Preload<A>,
    next: unsafe extern "C-unwind" fn(*mut A::Request) -> c_int,
    request: *mut A::Request,
) -> c_int {
    state.cancels();
    // SAFETY: the program's request, which the library's function gets where it is not replaced,
    // or what was started in its place.
    unsafe {
        if state.replacement.told(request, 1).is_some() {
            return A::CONSTANTS.success;
        }
        if !request.is_null()
            && !state.pending.is_empty()
            && let Some(other) = state.pending.stand_in(*request)
        {
            let mut started = other.request();
            return next(&raw mut started);
        }
        next(request)
    }
}
