//! The differences between MPI ABIs: how handles are represented, what the constants are, and
//! where the fields of a status lie.

mod combiner;
mod constants;
mod handle;
mod mpich;
mod openmpi;
pub mod predefined;
mod standard;

use std::ffi::c_int;
use std::fmt;

pub use combiner::Combiner;
pub use constants::Constants;
pub use handle::{Handle, RawHandle, kind};
pub use mpich::{Mpich, MpichStatus};
pub use openmpi::{OpenMpi, OpenMpiStatus};
pub use standard::{Standard, StandardStatus};

/// One MPI ABI. Code that is generic over `A: Abi` is compiled once per ABI; nothing is decided at
/// run time. `MPI_Aint` is `isize` and `MPI_Count` is `i64` in all of them.
pub trait Abi: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// `MPI_Datatype`.
    type Datatype: RawHandle;
    /// `MPI_Comm`.
    type Comm: RawHandle;
    /// `MPI_Request`.
    type Request: RawHandle;
    /// `MPI_Message`: a message that a matching probe has found.
    type Message: RawHandle;
    /// `MPI_Errhandler`.
    type Errhandler: RawHandle;
    /// `MPI_Info`.
    type Info: RawHandle;
    /// `MPI_Win`.
    type Win: RawHandle;
    /// `MPI_File`.
    type File: RawHandle;
    /// `MPI_Group`.
    type Group: RawHandle;
    /// `MPI_Op`.
    type Op: RawHandle;
    /// `MPI_Session` (MPI 4.0).
    type Session: RawHandle;
    /// `MPI_Status`.
    type Status: Status;

    /// Which one this is.
    const KIND: AbiKind;
    /// The integer and address constants of `mpi.h`.
    const CONSTANTS: Constants;
}

/// The three ABIs, as a run-time value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AbiKind {
    /// MPICH and its relatives: `libmpich.so.12`, `libmpi.so.12`.
    Mpich,
    /// Open MPI 4 and 5: `libmpi.so.40`.
    OpenMpi,
    /// The ABI of the MPI 5.0 standard: `libmpi_abi.so`.
    Standard,
}

impl AbiKind {
    /// The column of this ABI in the tables of this module.
    fn column(self) -> usize {
        match self {
            AbiKind::Mpich => 0,
            AbiKind::OpenMpi => 1,
            AbiKind::Standard => 2,
        }
    }

    /// The ABI of a library, from its file name or soname (`libmpi.so.40`); `None` when the name
    /// says nothing.
    #[must_use]
    pub fn of_soname(soname: &str) -> Option<AbiKind> {
        let name = soname.rsplit('/').next().unwrap_or(soname);
        let is = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
        if is(&["libmpi_abi.so", "libmpi_abi-"]) {
            Some(AbiKind::Standard)
        } else if is(&["libmpi.so.40", "libmpi.so.80"]) {
            Some(AbiKind::OpenMpi)
        } else if is(&["libmpich.so", "libmpi.so.12", "libmpi_cray.so", "libmpi_gnu"])
            || is(&["libmpi_intel.so", "libmpi_nvidia.so", "libmpi_amd.so", "libmpi_aocc.so"])
        {
            Some(AbiKind::Mpich)
        } else {
            None
        }
    }
}

impl fmt::Display for AbiKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AbiKind::Mpich => "MPICH",
            AbiKind::OpenMpi => "Open MPI",
            AbiKind::Standard => "MPI-5 standard ABI",
        })
    }
}

/// The fields of an `MPI_Status` (MPI 4.1, section 3.2.5). Counts are bytes.
pub trait Status: Copy + fmt::Debug + Send + Sync + 'static {
    /// Name in `mpi.h` and offset in bytes of each field that is read here.
    const FIELDS: &'static [(&'static str, usize)];

    /// The empty status: any source, any tag, success, zero bytes, not cancelled (section 3.7.3).
    fn empty() -> Self;
    /// `MPI_SOURCE`.
    fn source(&self) -> c_int;
    /// Sets `MPI_SOURCE`.
    fn set_source(&mut self, source: c_int);
    /// `MPI_TAG`.
    fn tag(&self) -> c_int;
    /// Sets `MPI_TAG`.
    fn set_tag(&mut self, tag: c_int);
    /// `MPI_ERROR`.
    fn error(&self) -> c_int;
    /// Sets `MPI_ERROR`.
    fn set_error(&mut self, error: c_int);
    /// Bytes received; `None` where the ABI hides it (use [`crate::Mpi::status_bytes`], which
    /// asks the library there).
    fn bytes(&self) -> Option<u64>;
    /// Whether the operation was cancelled; `None` where the ABI hides it.
    fn cancelled(&self) -> Option<bool>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sonames_of_real_libraries_name_their_abi() {
        for (soname, kind) in [
            ("libmpich.so.12", Some(AbiKind::Mpich)),
            ("/opt/intel/lib/libmpi.so.12", Some(AbiKind::Mpich)),
            ("libmpi_cray.so.12", Some(AbiKind::Mpich)),
            ("libmpi_gnu_112.so.12", Some(AbiKind::Mpich)),
            ("libmpi.so.40", Some(AbiKind::OpenMpi)),
            ("/usr/lib/libmpi.so.40.30.4", Some(AbiKind::OpenMpi)),
            ("libmpi_abi.so.1", Some(AbiKind::Standard)),
            ("libmpi_abi.so", Some(AbiKind::Standard)),
            ("libmpi_mpifh.so.40", None),
            ("libmpi.so", None),
            ("libc.so.6", None),
        ] {
            assert_eq!(AbiKind::of_soname(soname), kind, "{soname}");
        }
    }
}
