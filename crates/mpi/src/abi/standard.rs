//! The ABI of the MPI 5.0 standard (chapter 20). Handles are small integers cast to pointers; the
//! status keeps its count where only the library can read it.

use std::ffi::c_int;
use std::mem::offset_of;

use super::{Abi, AbiKind, Constants, Handle, Status, constants, kind};

/// Any library built as `libmpi_abi.so`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standard;

impl Abi for Standard {
    type Datatype = Handle<usize, kind::Datatype>;
    type Comm = Handle<usize, kind::Comm>;
    type Request = Handle<usize, kind::Request>;
    type Message = Handle<usize, kind::Message>;
    type Errhandler = Handle<usize, kind::Errhandler>;
    type Info = Handle<usize, kind::Info>;
    type Win = Handle<usize, kind::Win>;
    type File = Handle<usize, kind::File>;
    type Group = Handle<usize, kind::Group>;
    type Op = Handle<usize, kind::Op>;
    type Session = Handle<usize, kind::Session>;
    type Status = StandardStatus;

    const KIND: AbiKind = AbiKind::Standard;
    const CONSTANTS: Constants = constants::STANDARD;
}

/// `MPI_Status` of the standard ABI.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandardStatus {
    source: c_int,
    tag: c_int,
    error: c_int,
    internal: [c_int; 5],
}

impl Status for StandardStatus {
    const FIELDS: &'static [(&'static str, usize)] = &[
        ("MPI_SOURCE", offset_of!(StandardStatus, source)),
        ("MPI_TAG", offset_of!(StandardStatus, tag)),
        ("MPI_ERROR", offset_of!(StandardStatus, error)),
        ("MPI_internal", offset_of!(StandardStatus, internal)),
    ];

    /// An all-zero `internal` is zero bytes in MPICH's and Open MPI's implementations of this ABI;
    /// [`crate::Mpi::empty_status`] asks the library and is right for any.
    fn empty() -> Self {
        let Constants { any_source, any_tag, success, .. } = constants::STANDARD;
        StandardStatus { source: any_source, tag: any_tag, error: success, internal: [0; 5] }
    }

    fn source(&self) -> c_int {
        self.source
    }

    fn set_source(&mut self, source: c_int) {
        self.source = source;
    }

    fn tag(&self) -> c_int {
        self.tag
    }

    fn set_tag(&mut self, tag: c_int) {
        self.tag = tag;
    }

    fn error(&self) -> c_int {
        self.error
    }

    fn set_error(&mut self, error: c_int) {
        self.error = error;
    }

    fn bytes(&self) -> Option<u64> {
        None
    }

    fn cancelled(&self) -> Option<bool> {
        None
    }
}
