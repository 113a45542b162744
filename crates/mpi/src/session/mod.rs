//! Sessions with an MPI library that this process opens and starts itself, for those who measure
//! it: all that takes, without unsafe code outside. A process can have one (MPI 4.1, section
//! 11.2.1).
//!
//! - [`single()`]: without any other process, to pack and unpack.
//! - [`pair()`]: beside others that `mpirun` has started, to send layouts to each other, past
//!   whatever is preloaded.
//! - [`group()`]: the same, to repeat one operation as a linked program would: whatever is
//!   preloaded sees it.

use std::ffi::c_char;
use std::path::Path;
use std::ptr;

use thiserror::Error;

use crate::abi::Abi;
use crate::error::{EncodeError, MpiError};
use crate::library::{Library, LibraryError};
use crate::mpi::Mpi;

mod group;
mod pair;
mod single;

pub use group::{Datatype, GroupSession, Pattern, group};
pub use pair::{PairSession, pair};
pub use single::{Buffers, SingleSession, Work, single};

/// Largest buffer that is allocated here, in bytes.
const LARGEST: usize = 1 << 30;

/// Why a library could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// It could not be opened, or is no MPI library.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// None of several could be opened; with what was said of each.
    #[error("{reasons}")]
    NoneOpens {
        /// One after the other.
        reasons: String,
    },
    /// An MPI call failed.
    #[error(transparent)]
    Mpi(#[from] MpiError),
    /// The library does not take a layout.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A layout needs more memory than a buffer may have.
    #[error("the layout needs a buffer of {given} bytes, past {limit}")]
    TooLarge {
        /// Bytes needed, as far as they can be told.
        given: u64,
        /// The limit.
        limit: usize,
    },
}

/// Starts a session with the first of some libraries (paths or sonames) that can be opened.
///
/// # Errors
/// None of them can; or what `start` says of the first that can.
pub fn first_that_opens<R>(
    libraries: impl IntoIterator<Item = impl AsRef<Path>>,
    mut start: impl FnMut(&Path) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    let mut reasons = Vec::new();
    for library in libraries {
        match start(library.as_ref()) {
            Err(SessionError::Library(error @ LibraryError::Open { .. })) => {
                reasons.push(error.to_string());
            }
            other => return other,
        }
    }
    Err(SessionError::NoneOpens { reasons: reasons.join("; ") })
}

/// Starts MPI, lets `work` use it, and ends it. Errors come back as codes.
fn session<A: Abi, R>(
    library: Library,
    work: impl FnOnce(&Mpi<A>) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    // SAFETY: every handle below comes from this library and lives until before MPI_Finalize.
    let mpi = unsafe { Mpi::<A>::new(library)? };
    started(mpi, work)
}

/// As [`session`], with a library that is ready to be called; by the names that a program uses.
pub(crate) fn started<A: Abi, R>(
    mpi: Mpi<A>,
    work: impl FnOnce(&Mpi<A>) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    // SAFETY: MPI allows null arguments (section 11.2.1).
    let code = unsafe { (mpi.next.init)(ptr::null_mut(), ptr::null_mut::<*mut *mut c_char>()) };
    mpi.check("MPI_Init", code)?;
    for comm in [mpi.handles.comm_world, mpi.handles.comm_self] {
        // SAFETY: predefined handles.
        let code = unsafe { (mpi.next.comm_set_errhandler)(comm, mpi.handles.errors_return) };
        mpi.check("MPI_Comm_set_errhandler", code)?;
    }
    let result = work(&mpi);
    // SAFETY: initialized above, nothing is pending.
    let code = unsafe { (mpi.next.finalize)() };
    mpi.check("MPI_Finalize", code)?;
    result
}

/// So many bytes, if a buffer may have them.
fn buffer_size(needed: u64) -> Result<usize, SessionError> {
    let size = usize::try_from(needed).ok().filter(|&size| size <= LARGEST);
    size.ok_or(SessionError::TooLarge { given: needed, limit: LARGEST })
}
