//! Statuses: what a receive got (MPI 4.1, section 3.2.5).

use crate::abi::{Abi, Status};
use crate::error::MpiError;
use crate::mpi::Mpi;

impl<A: Abi> Mpi<A> {
    /// The empty status of MPI 4.1, section 3.7.3.
    ///
    /// # Errors
    /// As MPI, where the ABI hides the count and the library has to set it.
    pub fn empty_status(&self) -> Result<A::Status, MpiError> {
        let mut status = A::Status::empty();
        if status.bytes().is_none() {
            self.set_status_bytes(&mut status, 0)?;
            // SAFETY: the status is writable.
            let code = unsafe { (self.own.status_set_cancelled)(&raw mut status, 0) };
            self.check("MPI_Status_set_cancelled", code)?;
        }
        Ok(status)
    }

    /// Bytes received; `None` where the library says `MPI_UNDEFINED`.
    ///
    /// # Errors
    /// As MPI.
    pub fn status_bytes(&self, status: &A::Status) -> Result<Option<u64>, MpiError> {
        match status.bytes() {
            Some(bytes) => Ok(Some(bytes)),
            None => self.elements(status, self.handles.byte),
        }
    }

    /// `MPI_Get_elements_x`: basic elements received; `None` is `MPI_UNDEFINED`.
    ///
    /// # Errors
    /// As MPI.
    pub fn elements(
        &self,
        status: &A::Status,
        datatype: A::Datatype,
    ) -> Result<Option<u64>, MpiError> {
        let mut count = 0;
        // SAFETY: both pointers are valid; the caller of `new` answers for the handle.
        let code = unsafe { (self.own.get_elements_x)(status, datatype, &raw mut count) };
        self.check("MPI_Get_elements_x", code)?;
        Ok(u64::try_from(count).ok())
    }

    /// `MPI_Get_count`: copies of `datatype` received; `None` is `MPI_UNDEFINED`.
    ///
    /// # Errors
    /// As MPI.
    pub fn count(
        &self,
        status: &A::Status,
        datatype: A::Datatype,
    ) -> Result<Option<u32>, MpiError> {
        // SAFETY: both pointers are valid; the caller of `new` answers for the handle.
        let count = self.int("MPI_Get_count", |count| unsafe {
            (self.own.get_count)(status, datatype, count)
        })?;
        Ok(u32::try_from(count).ok())
    }

    /// Makes a status say that `bytes` bytes were received (`MPI_Status_set_elements_x`).
    ///
    /// # Errors
    /// As MPI.
    pub fn set_status_bytes(&self, status: &mut A::Status, bytes: i64) -> Result<(), MpiError> {
        // SAFETY: the status is writable.
        let code = unsafe { (self.own.status_set_elements_x)(status, self.handles.byte, bytes) };
        self.check("MPI_Status_set_elements_x", code)
    }

    /// `MPI_Test_cancelled`.
    ///
    /// # Errors
    /// As MPI.
    pub fn cancelled(&self, status: &A::Status) -> Result<bool, MpiError> {
        match status.cancelled() {
            Some(cancelled) => Ok(cancelled),
            // SAFETY: both pointers are valid.
            None => self.flag("MPI_Test_cancelled", |flag| unsafe {
                (self.own.test_cancelled)(status, flag)
            }),
        }
    }
}
