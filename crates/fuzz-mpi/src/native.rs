//! The library alone, without the faces of a session.

use std::ffi::CStr;

use commloom_mpi::{Abi, Library, Mpi};

/// A function that commloom itself has no use for.
///
/// # Safety
/// `F` is the prototype of the function.
pub unsafe fn symbol<F: Copy>(library: &Library, name: &CStr) -> F {
    let address = library.function(name);
    let address = address.unwrap_or_else(|| panic!("the library has {}", name.to_string_lossy()));
    assert_eq!(size_of::<F>(), size_of_val(&address), "F is a function pointer");
    // SAFETY: as wide, and the caller answers for the prototype.
    unsafe { std::mem::transmute_copy(&address) }
}

/// Calls with this communicator return their errors.
pub fn errors_return<A: Abi>(mpi: &Mpi<A>, comm: A::Comm) {
    let handler = mpi.handles.errors_return;
    // SAFETY: the communicator and the error handler are live handles.
    let code = unsafe { (mpi.own.comm_set_errhandler)(comm, handler) };
    mpi.check("MPI_Comm_set_errhandler", code).expect("valid handles");
}
