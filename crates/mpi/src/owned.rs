//! A datatype handle that is freed when it is dropped.

use std::fmt;

use crate::abi::Abi;
use crate::error::MpiError;
use crate::mpi::Mpi;

/// A datatype made by us. Predefined datatypes are held too, and not freed.
///
/// It borrows the library that it is freed with. Dropping it after the library has ended frees
/// nothing; an error of `MPI_Type_free` is ignored in drop, call [`OwnedDatatype::free`] to see
/// it.
pub struct OwnedDatatype<'a, A: Abi> {
    mpi: &'a Mpi<A>,
    handle: A::Datatype,
    derived: bool,
}

impl<'a, A: Abi> OwnedDatatype<'a, A> {
    /// Takes over a derived datatype, to be freed once.
    pub(crate) fn derived(mpi: &'a Mpi<A>, handle: A::Datatype) -> Self {
        OwnedDatatype { mpi, handle, derived: true }
    }

    /// Holds a predefined datatype.
    pub(crate) fn predefined(mpi: &'a Mpi<A>, handle: A::Datatype) -> Self {
        OwnedDatatype { mpi, handle, derived: false }
    }

    /// The handle, valid as long as this value.
    #[must_use]
    pub fn handle(&self) -> A::Datatype {
        self.handle
    }

    /// Gives up ownership: the caller frees the handle, unless it is predefined.
    #[must_use]
    pub fn into_handle(mut self) -> A::Datatype {
        self.derived = false;
        self.handle
    }

    /// Whether the handle is to be freed, i.e. not predefined.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.derived
    }

    /// Frees the handle now.
    ///
    /// # Errors
    /// As MPI.
    pub fn free(mut self) -> Result<(), MpiError> {
        if std::mem::take(&mut self.derived) { self.mpi.type_free(self.handle) } else { Ok(()) }
    }
}

impl<A: Abi> Drop for OwnedDatatype<'_, A> {
    fn drop(&mut self) {
        if self.derived && self.mpi.is_alive() {
            // Nobody is there to be told; `free` is for those who want to know.
            let _ = self.mpi.type_free(self.handle);
        }
    }
}

impl<A: Abi> fmt::Debug for OwnedDatatype<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedDatatype").field(&self.handle).finish()
    }
}
