//! Attributes of communicators (MPI 4.1, section 7.7.2).

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::abi::Abi;
use crate::error::MpiError;
use crate::functions::{CommCopyFunction, CommDeleteFunction};
use crate::mpi::Mpi;

impl<A: Abi> Mpi<A> {
    /// The number that goes with a communicator, if one was set.
    ///
    /// # Errors
    /// As MPI.
    pub fn comm_attribute(&self, comm: A::Comm, key: c_int) -> Result<Option<usize>, MpiError> {
        let mut value: *mut c_void = ptr::null_mut();
        // SAFETY: MPI stores the pointer that was set; the caller of `new` answers for the handle.
        let found = self.flag("MPI_Comm_get_attr", |flag| unsafe {
            (self.own.comm_get_attr)(comm, key, (&raw mut value).cast(), flag)
        })?;
        Ok(found.then(|| value.addr()))
    }

    /// `MPI_Comm_create_keyval`.
    ///
    /// # Errors
    /// As MPI.
    ///
    /// # Safety
    /// The functions must be right for every value that is set with this keyval, and for
    /// `extra_state`.
    pub unsafe fn comm_create_keyval(
        &self,
        copy: CommCopyFunction<A>,
        delete: CommDeleteFunction<A>,
        extra_state: *mut c_void,
    ) -> Result<c_int, MpiError> {
        // SAFETY: the caller vouches for the functions and for what they make of the extra state.
        self.int("MPI_Comm_create_keyval", |keyval| unsafe {
            (self.own.comm_create_keyval)(copy, delete, keyval, extra_state)
        })
    }

    /// `MPI_Comm_set_attr`.
    ///
    /// # Errors
    /// As MPI.
    ///
    /// # Safety
    /// `value` must be what the functions of the keyval expect.
    pub unsafe fn comm_set_attr(
        &self,
        comm: A::Comm,
        keyval: c_int,
        value: *mut c_void,
    ) -> Result<(), MpiError> {
        // SAFETY: the caller vouches for the value; for the handles the caller of `Mpi::new` does.
        let code = unsafe { (self.own.comm_set_attr)(comm, keyval, value) };
        self.check("MPI_Comm_set_attr", code)
    }
}
