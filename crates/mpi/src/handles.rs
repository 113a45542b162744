//! The predefined handles of one loaded library.

use std::collections::HashMap;
use std::ffi::{CString, c_int};

use crate::abi::predefined::{self, Source};
use crate::abi::{Abi, RawHandle};
use crate::library::{Library, LibraryError};

/// The predefined operations that commute and take elements one by one (MPI 4.1, section 6.9.2).
const OPERATIONS: [&str; 10] = [
    "MPI_SUM", "MPI_PROD", "MPI_MIN", "MPI_MAX", "MPI_LAND", "MPI_BAND", "MPI_LOR", "MPI_BOR",
    "MPI_LXOR", "MPI_BXOR",
];

/// Predefined handles: fixed bits in MPICH and the standard ABI, addresses in Open MPI.
#[derive(Debug, Clone)]
pub struct Handles<A: Abi> {
    /// `MPI_COMM_WORLD`.
    pub comm_world: A::Comm,
    /// `MPI_COMM_SELF`.
    pub comm_self: A::Comm,
    /// `MPI_COMM_NULL`.
    pub comm_null: A::Comm,
    /// `MPI_REQUEST_NULL`.
    pub request_null: A::Request,
    /// `MPI_DATATYPE_NULL`.
    pub datatype_null: A::Datatype,
    /// `MPI_ERRHANDLER_NULL`.
    pub errhandler_null: A::Errhandler,
    /// `MPI_ERRORS_RETURN`.
    pub errors_return: A::Errhandler,
    /// `MPI_ERRORS_ARE_FATAL`.
    pub errors_are_fatal: A::Errhandler,
    /// `MPI_BYTE`.
    pub byte: A::Datatype,
    /// `MPI_PACKED`.
    pub packed: A::Datatype,
    operations: HashMap<&'static str, A::Op>,
    by_name: HashMap<&'static str, A::Datatype>,
    by_handle: HashMap<A::Datatype, &'static str>,
}

impl<A: Abi> Handles<A> {
    /// The predefined handles of `library`, which implements MPI `version` (the first number of
    /// `MPI_Get_version`).
    ///
    /// # Errors
    /// [`LibraryError::MissingSymbol`] where an object other than a datatype is not exported.
    pub fn load(library: &Library, version: c_int) -> Result<Self, LibraryError> {
        let bits = |source| match source {
            Source::Bits(bits) => Some(bits),
            Source::Symbol(name) => {
                library.object(&CString::new(name).ok()?).map(|address| address.addr())
            }
        };
        let object = |name: &'static str| {
            predefined::objects(A::KIND)
                .find(|(n, _)| *n == name)
                .and_then(|(_, source)| bits(source))
                .ok_or(LibraryError::MissingSymbol { name })
        };
        let operations = OPERATIONS
            .into_iter()
            .map(|name| Ok((name, A::Op::from_bits(object(name)?))))
            .collect::<Result<_, LibraryError>>()?;
        let datatype_null = A::Datatype::from_bits(object("MPI_DATATYPE_NULL")?);
        let by_name: HashMap<_, _> = predefined::datatypes(A::KIND)
            .filter(|(name, _)| predefined::is_safe(A::KIND, version, name))
            .filter_map(|(name, source)| Some((name, A::Datatype::from_bits(bits(source)?))))
            .collect();
        let by_handle = by_name.iter().map(|(&name, &handle)| (handle, name)).collect();
        let datatype =
            |name| by_name.get(name).copied().ok_or(LibraryError::MissingSymbol { name });
        Ok(Handles {
            comm_world: A::Comm::from_bits(object("MPI_COMM_WORLD")?),
            comm_self: A::Comm::from_bits(object("MPI_COMM_SELF")?),
            comm_null: A::Comm::from_bits(object("MPI_COMM_NULL")?),
            request_null: A::Request::from_bits(object("MPI_REQUEST_NULL")?),
            datatype_null,
            errhandler_null: A::Errhandler::from_bits(object("MPI_ERRHANDLER_NULL")?),
            errors_return: A::Errhandler::from_bits(object("MPI_ERRORS_RETURN")?),
            errors_are_fatal: A::Errhandler::from_bits(object("MPI_ERRORS_ARE_FATAL")?),
            byte: datatype("MPI_BYTE")?,
            packed: datatype("MPI_PACKED")?,
            operations,
            by_name,
            by_handle,
        })
    }

    /// The handle of a predefined operation of reductions, by its MPI name.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<A::Op> {
        self.operations.get(name).copied()
    }

    /// The predefined operations of reductions, by name.
    pub fn operations(&self) -> impl Iterator<Item = (&'static str, A::Op)> {
        self.operations.iter().map(|(&name, &handle)| (name, handle))
    }

    /// The handle of a predefined datatype, by its MPI name (not a synonym).
    #[must_use]
    pub fn datatype(&self, name: &str) -> Option<A::Datatype> {
        self.by_name.get(name).copied()
    }

    /// The MPI name of a predefined datatype.
    #[must_use]
    pub fn name(&self, datatype: A::Datatype) -> Option<&'static str> {
        self.by_handle.get(&datatype).copied()
    }

    /// Every predefined datatype that the library may have, by name.
    pub fn datatypes(&self) -> impl Iterator<Item = (&'static str, A::Datatype)> {
        self.by_name.iter().map(|(&name, &handle)| (name, handle))
    }
}
