//! Attributes of handles (MPI 4.1, section 7.7).

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;

/// A duplicate is looked at by itself: it has not the attribute of what it was made from.
pub(crate) unsafe extern "C" fn no_copy<H, A: Abi>(
    _old: H,
    _keyval: c_int,
    _state: *mut c_void,
    _value: *mut c_void,
    _new_value: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI gives a place for a flag.
    unsafe { *flag = 0 };
    A::CONSTANTS.success
}
