//! Datatypes: size, bounds, life and attributes (MPI 4.1, sections 5.1 and 7.7.4).

use std::ffi::{c_int, c_void};

use crate::abi::{Abi, Combiner};
use crate::contents::Envelope;
use crate::error::{DecodeError, MpiError};
use crate::functions::{Count, TypeCopyFunction, TypeDeleteFunction};
use crate::mpi::Mpi;

/// Where the bytes of a datatype lie relative to a buffer address. Both in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Lower bound.
    pub lb: i64,
    /// Upper bound minus lower bound.
    pub extent: i64,
}

impl<A: Abi> Mpi<A> {
    /// `MPI_Type_size_x`, in bytes; `None` is `MPI_UNDEFINED` (more than 2^63 bytes).
    ///
    /// # Errors
    /// As MPI.
    pub fn type_size(&self, datatype: A::Datatype) -> Result<Option<u64>, MpiError> {
        let mut size: Count = 0;
        // SAFETY: the caller of `new` answers for the handle.
        let code = unsafe { (self.own.type_size_x)(datatype, &raw mut size) };
        self.check("MPI_Type_size_x", code)?;
        Ok(u64::try_from(size).ok())
    }

    /// `MPI_Type_get_extent_x`.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_bounds(&self, datatype: A::Datatype) -> Result<Bounds, MpiError> {
        let mut bounds = Bounds { lb: 0, extent: 0 };
        // SAFETY: the caller of `new` answers for the handle.
        let code = unsafe {
            (self.own.type_get_extent_x)(datatype, &raw mut bounds.lb, &raw mut bounds.extent)
        };
        self.check("MPI_Type_get_extent_x", code)?;
        Ok(bounds)
    }

    /// `MPI_Type_get_true_extent_x`: the bounds of the data bytes alone.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_true_bounds(&self, datatype: A::Datatype) -> Result<Bounds, MpiError> {
        let mut bounds = Bounds { lb: 0, extent: 0 };
        // SAFETY: the caller of `new` answers for the handle.
        let code = unsafe {
            (self.own.type_get_true_extent_x)(datatype, &raw mut bounds.lb, &raw mut bounds.extent)
        };
        self.check("MPI_Type_get_true_extent_x", code)?;
        Ok(bounds)
    }

    /// The constructor that made a datatype.
    ///
    /// # Errors
    /// As MPI; [`DecodeError::Null`]; [`DecodeError::UnknownCombiner`].
    pub fn type_combiner(&self, datatype: A::Datatype) -> Result<Combiner, DecodeError> {
        Ok(Envelope::of(self, datatype)?.combiner)
    }

    /// The constructor that made a datatype, and how many arguments it got (integers, addresses,
    /// counts and datatypes together): what decoding will cost at least.
    ///
    /// # Errors
    /// As [`Mpi::type_combiner`].
    pub fn type_description(
        &self,
        datatype: A::Datatype,
    ) -> Result<(Combiner, usize), DecodeError> {
        let envelope = Envelope::of(self, datatype)?;
        Ok((envelope.combiner, envelope.arguments()))
    }

    /// `MPI_Type_commit`.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_commit(&self, mut datatype: A::Datatype) -> Result<(), MpiError> {
        // SAFETY: the caller of `new` answers for the handle; commit does not change it.
        let code = unsafe { (self.own.type_commit)(&raw mut datatype) };
        self.check("MPI_Type_commit", code)
    }

    /// `MPI_Type_free`. The handle and its copies are invalid afterwards.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_free(&self, mut datatype: A::Datatype) -> Result<(), MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        let code = unsafe { (self.own.type_free)(&raw mut datatype) };
        self.check("MPI_Type_free", code)
    }

    /// `MPI_Type_create_keyval`.
    ///
    /// # Errors
    /// As MPI.
    ///
    /// # Safety
    /// Both functions must be callable, with this extra state, as long as the keyval or an
    /// attribute of it lives, and must not unwind.
    pub unsafe fn type_create_keyval(
        &self,
        copy: TypeCopyFunction<A>,
        delete: TypeDeleteFunction<A>,
        extra_state: *mut c_void,
    ) -> Result<c_int, MpiError> {
        // SAFETY: the caller vouches for the functions and for what they make of the extra state.
        self.int("MPI_Type_create_keyval", |keyval| unsafe {
            (self.own.type_create_keyval)(copy, delete, keyval, extra_state)
        })
    }

    /// `MPI_Type_free_keyval`. Attributes that exist stay.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_free_keyval(&self, mut keyval: c_int) -> Result<(), MpiError> {
        // SAFETY: a copy of the keyval is writable.
        let code = unsafe { (self.own.type_free_keyval)(&raw mut keyval) };
        self.check("MPI_Type_free_keyval", code)
    }

    /// `MPI_Type_set_attr`.
    ///
    /// # Errors
    /// As MPI.
    ///
    /// # Safety
    /// `value` must be what the functions of the keyval expect.
    pub unsafe fn type_set_attr(
        &self,
        datatype: A::Datatype,
        keyval: c_int,
        value: *mut c_void,
    ) -> Result<(), MpiError> {
        // SAFETY: the caller vouches for the value; for the handles the caller of `Mpi::new` does.
        let code = unsafe { (self.own.type_set_attr)(datatype, keyval, value) };
        self.check("MPI_Type_set_attr", code)
    }

    /// `MPI_Type_get_attr`: the value set on this handle, if any.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_get_attr(
        &self,
        datatype: A::Datatype,
        keyval: c_int,
    ) -> Result<Option<*mut c_void>, MpiError> {
        let mut value: *mut c_void = std::ptr::null_mut();
        // SAFETY: MPI stores a pointer in `value`; the caller of `new` answers for the handle.
        let found = self.flag("MPI_Type_get_attr", |flag| unsafe {
            (self.own.type_get_attr)(datatype, keyval, (&raw mut value).cast(), flag)
        })?;
        Ok(found.then_some(value))
    }

    /// `MPI_Type_delete_attr`: runs the delete function of the keyval.
    ///
    /// # Errors
    /// As MPI.
    pub fn type_delete_attr(&self, datatype: A::Datatype, keyval: c_int) -> Result<(), MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        let code = unsafe { (self.own.type_delete_attr)(datatype, keyval) };
        self.check("MPI_Type_delete_attr", code)
    }
}
