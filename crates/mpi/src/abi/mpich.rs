//! The ABI of MPICH 3.1 and later, shared by Intel MPI, Cray MPICH and MVAPICH (the MPICH ABI
//! Compatibility Initiative). Handles are C integers whose bits are fixed.

use std::ffi::c_int;
use std::mem::offset_of;

use super::{Abi, AbiKind, Constants, Handle, Status, constants, kind};

/// MPICH, Intel MPI, Cray MPICH, MVAPICH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mpich;

impl Abi for Mpich {
    type Datatype = Handle<c_int, kind::Datatype>;
    type Comm = Handle<c_int, kind::Comm>;
    type Request = Handle<c_int, kind::Request>;
    type Message = Handle<c_int, kind::Message>;
    type Errhandler = Handle<c_int, kind::Errhandler>;
    type Info = Handle<c_int, kind::Info>;
    type Win = Handle<c_int, kind::Win>;
    // The one handle that is an address.
    type File = Handle<usize, kind::File>;
    type Group = Handle<c_int, kind::Group>;
    type Op = Handle<c_int, kind::Op>;
    type Session = Handle<c_int, kind::Session>;
    type Status = MpichStatus;

    const KIND: AbiKind = AbiKind::Mpich;
    const CONSTANTS: Constants = constants::MPICH;
}

/// `MPI_Status` of MPICH. The byte count is split: 31 or 32 low bits, the rest above the bit that
/// says "cancelled".
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MpichStatus {
    count_lo: c_int,
    count_hi_and_cancelled: c_int,
    source: c_int,
    tag: c_int,
    error: c_int,
}

impl Status for MpichStatus {
    const FIELDS: &'static [(&'static str, usize)] = &[
        ("count_lo", offset_of!(MpichStatus, count_lo)),
        ("count_hi_and_cancelled", offset_of!(MpichStatus, count_hi_and_cancelled)),
        ("MPI_SOURCE", offset_of!(MpichStatus, source)),
        ("MPI_TAG", offset_of!(MpichStatus, tag)),
        ("MPI_ERROR", offset_of!(MpichStatus, error)),
    ];

    fn empty() -> Self {
        let Constants { any_source, any_tag, success, .. } = constants::MPICH;
        MpichStatus {
            count_lo: 0,
            count_hi_and_cancelled: 0,
            source: any_source,
            tag: any_tag,
            error: success,
        }
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
        let high = u64::from(self.count_hi_and_cancelled.cast_unsigned() >> 1);
        Some((high << 32) | u64::from(self.count_lo.cast_unsigned()))
    }

    fn cancelled(&self) -> Option<bool> {
        Some(self.count_hi_and_cancelled & 1 != 0)
    }
}
