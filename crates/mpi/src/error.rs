//! Errors of MPI calls, of handles that are decoded, and of layouts that are encoded.

use std::ffi::c_int;

use commloom_layout::LayoutError;
use thiserror::Error;

use crate::abi::Combiner;

/// An MPI call returned something other than `MPI_SUCCESS`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{call} failed with code {code} (class {class}): {text}")]
pub struct MpiError {
    /// Which function.
    pub call: &'static str,
    /// Its return code.
    pub code: c_int,
    /// The error class of the code, comparable with the `err_` fields of
    /// [`Constants`](crate::Constants).
    pub class: c_int,
    /// The library's message for the code.
    pub text: String,
}

/// Why a datatype handle could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// An MPI call failed.
    #[error(transparent)]
    Mpi(#[from] MpiError),
    /// The layout that the handle describes cannot be represented.
    #[error("the datatype has no layout: {0}")]
    Layout(#[from] LayoutError),
    /// `MPI_DATATYPE_NULL`.
    #[error("the datatype is MPI_DATATYPE_NULL")]
    Null,
    /// A predefined datatype that is in no table.
    #[error("unknown predefined datatype, handle {handle:#x}")]
    UnknownPredefined {
        /// Bits of the handle.
        handle: usize,
    },
    /// A combiner that this ABI does not define.
    #[error("unknown combiner {value}")]
    UnknownCombiner {
        /// Its value.
        value: c_int,
    },
    /// The contents of a type do not have the shape that its combiner asks for.
    #[error("{combiner}: {what} is {given}, which its contents do not allow")]
    BadContents {
        /// The combiner.
        combiner: Combiner,
        /// Which number.
        what: &'static str,
        /// Its value.
        given: i64,
    },
    /// The library and the decoded layout disagree.
    #[error("{what} of a {combiner} type is {library} in the library but {layout} in its layout")]
    Disagree {
        /// Size, true lower bound or true extent, in bytes.
        what: &'static str,
        /// The combiner of the type.
        combiner: Combiner,
        /// The number of the library.
        library: i64,
        /// The number of the decoded layout.
        layout: i64,
    },
    /// The type has more nodes and list entries than allowed.
    #[error("the datatype has more than {limit} nodes and list entries")]
    Budget {
        /// The limit.
        limit: usize,
    },
}

/// Why a layout could not be made a datatype.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// An MPI call failed.
    #[error(transparent)]
    Mpi(#[from] MpiError),
    /// The calls of a construction describe no layout.
    #[error("the datatype has no layout: {0}")]
    Layout(LayoutError),
    /// The library has no such basic type, or one of another size.
    #[error("the MPI library has no {name} of {size} bytes")]
    NoSuchBasic {
        /// Name of the basic type.
        name: &'static str,
        /// Size in bytes that the layout gives it.
        size: u64,
    },
    /// The library loses bytes of this basic type where a datatype has gaps.
    #[error("the MPI library loses bytes of {name} in datatypes with gaps")]
    Lossy {
        /// Name of the basic type.
        name: &'static str,
    },
    /// A count does not fit in a C `int`, and the library has no large-count form of the call.
    #[error("{what} is {given}, past {limit}, and the library has no {call}")]
    TooLarge {
        /// Which number.
        what: &'static str,
        /// Its value.
        given: u64,
        /// The largest that is possible.
        limit: i64,
        /// The function that is missing.
        call: &'static str,
    },
    /// The library gives the new type other bounds or another size than the layout has: a bug of
    /// the library, the type would send other bytes.
    #[error("{what} of the new datatype is {library} in the library but {layout} in its layout")]
    Disagree {
        /// Size, lower bound, extent or the true ones of the data, in bytes.
        what: &'static str,
        /// The number of the library.
        library: i64,
        /// The number of the layout.
        layout: i64,
    },
}
