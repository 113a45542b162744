//! The ABI of Open MPI 4 and 5. Handles are pointers; the predefined ones are addresses of
//! exported objects, known only at run time.

use std::ffi::c_int;
use std::mem::offset_of;

use super::{Abi, AbiKind, Constants, Handle, Status, constants, kind};

/// Open MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMpi;

impl Abi for OpenMpi {
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
    type Status = OpenMpiStatus;

    const KIND: AbiKind = AbiKind::OpenMpi;
    const CONSTANTS: Constants = constants::OPEN_MPI;
}

/// `MPI_Status` of Open MPI.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMpiStatus {
    source: c_int,
    tag: c_int,
    error: c_int,
    cancelled: c_int,
    bytes: usize,
}

impl Status for OpenMpiStatus {
    const FIELDS: &'static [(&'static str, usize)] = &[
        ("MPI_SOURCE", offset_of!(OpenMpiStatus, source)),
        ("MPI_TAG", offset_of!(OpenMpiStatus, tag)),
        ("MPI_ERROR", offset_of!(OpenMpiStatus, error)),
        ("_cancelled", offset_of!(OpenMpiStatus, cancelled)),
        ("_ucount", offset_of!(OpenMpiStatus, bytes)),
    ];

    fn empty() -> Self {
        let Constants { any_source, any_tag, success, .. } = constants::OPEN_MPI;
        OpenMpiStatus { source: any_source, tag: any_tag, error: success, cancelled: 0, bytes: 0 }
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
        u64::try_from(self.bytes).ok()
    }

    fn cancelled(&self) -> Option<bool> {
        Some(self.cancelled != 0)
    }
}
