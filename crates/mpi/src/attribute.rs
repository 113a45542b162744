//! Attributes of communicators (MPI 4.1, section 7.7.2): a number that goes with a communicator.

use std::ffi::c_int;
use std::ptr;

use crate::abi::Abi;
use crate::error::MpiError;
use crate::functions::{CommCopyFunction, CommDeleteFunction};
use crate::mpi::Mpi;

impl<A: Abi> Mpi<A> {
    /// `MPI_Comm_create_keyval`. The functions must do what MPI asks of them.
    ///
    /// # Errors
    /// As MPI.
    pub fn comm_keyval(
        &self,
        copy: CommCopyFunction<A>,
        delete: CommDeleteFunction<A>,
    ) -> Result<c_int, MpiError> {
        // SAFETY: the place is writable; the functions have the types that MPI calls.
        self.int("MPI_Comm_create_keyval", |key| unsafe {
            (self.own.comm_create_keyval)(copy, delete, key, ptr::null_mut())
        })
    }

    /// The number that goes with a communicator, if one was set.
    ///
    /// # Errors
    /// As MPI.
    pub fn comm_attribute(&self, comm: A::Comm, key: c_int) -> Result<Option<usize>, MpiError> {
        let mut value: *mut std::ffi::c_void = ptr::null_mut();
        // SAFETY: MPI stores the pointer that was set; the caller of `new` answers for the handle.
        let found = self.flag("MPI_Comm_get_attr", |flag| unsafe {
            (self.own.comm_get_attr)(comm, key, (&raw mut value).cast(), flag)
        })?;
        Ok(found.then(|| value.addr()))
    }

    /// Sets the number that goes with a communicator.
    ///
    /// # Errors
    /// As MPI.
    pub fn set_comm_attribute(
        &self,
        comm: A::Comm,
        key: c_int,
        value: usize,
    ) -> Result<(), MpiError> {
        let value = ptr::without_provenance_mut(value);
        // SAFETY: MPI only keeps the pointer; the caller of `new` answers for the handle.
        let code = unsafe { (self.own.comm_set_attr)(comm, key, value) };
        self.check("MPI_Comm_set_attr", code)
    }
}
