//! One process with an MPI library for itself: opened, started as a singleton (MPI 4.1, section
//! 11.10.2), asked to pack, ended. All that measuring `MPI_Pack` takes, without unsafe code outside.

use std::ffi::{c_char, c_int};
use std::hint::black_box;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

use commloom_layout::Type;
use thiserror::Error;

use crate::abi::{Abi, AbiKind, Mpich, OpenMpi, Standard};
use crate::encode::encode;
use crate::error::{EncodeError, MpiError};
use crate::library::{Library, LibraryError};
use crate::mpi::Mpi;
use crate::owned::OwnedDatatype;

/// Largest buffer that a [`Packer`] allocates on either side, in bytes.
const LARGEST: usize = 1 << 30;

/// Why a library could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AloneError {
    /// It could not be opened, or is no MPI library.
    #[error(transparent)]
    Library(#[from] LibraryError),
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

/// Packs layouts with the `MPI_Pack` of one library.
pub trait Packer {
    /// What `MPI_Get_library_version` says.
    ///
    /// # Errors
    /// As MPI.
    fn version(&self) -> Result<String, MpiError>;

    /// The file of the library.
    fn path(&self) -> &str;

    /// Prepares a layout to be packed, and returns the number by which [`Packer::time`] knows it.
    ///
    /// # Errors
    /// The library does not take the layout, or it is too large.
    fn add(&mut self, layout: &Type) -> Result<usize, AloneError>;

    /// Time that `times` calls of `MPI_Pack` of one element of layout `number` take. Zero for a number
    /// that [`Packer::add`] did not give.
    ///
    /// # Errors
    /// As MPI.
    fn time(&mut self, number: usize, times: u32) -> Result<Duration, MpiError>;
}

/// Opens the MPI library (a path or soname) into this process, starts it without any other process,
/// hands `work` a [`Packer`], and ends it. A process can do this once (MPI 4.1, section 11.2.1).
///
/// # Errors
/// [`AloneError`]; the library itself may also end the process, so that those who must not end use
/// another one for this.
pub fn alone<R>(
    library: &Path,
    work: impl FnOnce(&mut dyn Packer) -> Result<R, AloneError>,
) -> Result<R, AloneError> {
    let library = Library::open(library)?;
    match library.kind() {
        AbiKind::Mpich => with::<Mpich, R>(library, work),
        AbiKind::OpenMpi => with::<OpenMpi, R>(library, work),
        AbiKind::Standard => with::<Standard, R>(library, work),
    }
}

fn with<A: Abi, R>(
    library: Library,
    work: impl FnOnce(&mut dyn Packer) -> Result<R, AloneError>,
) -> Result<R, AloneError> {
    // SAFETY: every handle below comes from this library and lives until before MPI_Finalize.
    let mpi = unsafe { Mpi::<A>::new(library)? };
    // SAFETY: MPI allows null arguments (section 11.2.1).
    let code = unsafe { (mpi.own.init)(ptr::null_mut(), ptr::null_mut::<*mut *mut c_char>()) };
    mpi.check("MPI_Init", code)?;
    for comm in [mpi.handles.comm_world, mpi.handles.comm_self] {
        // SAFETY: predefined handles.
        let code = unsafe { (mpi.own.comm_set_errhandler)(comm, mpi.handles.errors_return) };
        mpi.check("MPI_Comm_set_errhandler", code)?;
    }
    let result = work(&mut Layouts { mpi: &mpi, prepared: Vec::new() });
    // SAFETY: initialized above, nothing is pending.
    let code = unsafe { (mpi.own.finalize)() };
    mpi.check("MPI_Finalize", code)?;
    result
}

/// A layout with the memory that it is packed from and into.
struct Prepared<'m, A: Abi> {
    datatype: OwnedDatatype<'m, A>,
    memory: Vec<u8>,
    /// Index in `memory` of displacement 0: may lie outside, where no byte of the layout is at 0.
    origin: isize,
    packed: Vec<u8>,
    room: c_int,
}

struct Layouts<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    prepared: Vec<Prepared<'m, A>>,
}

impl<A: Abi> Packer for Layouts<'_, A> {
    fn version(&self) -> Result<String, MpiError> {
        self.mpi.library_version()
    }

    fn path(&self) -> &str {
        self.mpi.library().path()
    }

    fn add(&mut self, layout: &Type) -> Result<usize, AloneError> {
        let needed = u64::try_from(layout.true_extent()).unwrap_or(u64::MAX);
        let bytes = buffer_size(needed)?;
        let too_large = AloneError::TooLarge { given: needed, limit: LARGEST };
        let origin = layout.true_lb().checked_neg().and_then(|o| isize::try_from(o).ok());
        let origin = origin.ok_or(too_large)?;
        let datatype = encode(self.mpi, layout)?;
        let room = self.mpi.int("MPI_Pack_size", |room| {
            // SAFETY: `room` is writable, the handles are live.
            unsafe {
                (self.mpi.own.pack_size)(1, datatype.handle(), self.mpi.handles.comm_self, room)
            }
        })?;
        let packed = buffer_size(u64::try_from(room).unwrap_or(0).max(layout.size()))?;
        // Not zeros: pages that were never written may all be one page.
        let memory = (0..=u8::MAX).cycle().take(bytes).collect();
        self.prepared.push(Prepared { datatype, memory, origin, packed: vec![1; packed], room });
        Ok(self.prepared.len() - 1)
    }

    fn time(&mut self, number: usize, times: u32) -> Result<Duration, MpiError> {
        let comm = self.mpi.handles.comm_self;
        let Some(Prepared { datatype, memory, origin, packed, room }) =
            self.prepared.get_mut(number)
        else {
            return Ok(Duration::ZERO);
        };
        let from = memory.as_ptr().wrapping_offset(*origin);
        let (to, datatype, room) = (packed.as_mut_ptr(), datatype.handle(), *room);
        let mut code = A::CONSTANTS.success;
        let start = Instant::now();
        for _ in 0..times {
            let mut position = 0;
            // SAFETY: `encode` has compared the true bounds of the datatype with those of the layout,
            // and `memory` holds all bytes between them; `packed` has the room that the library
            // asked for.
            code = unsafe {
                (self.mpi.own.pack)(
                    black_box(from).cast(),
                    1,
                    datatype,
                    black_box(to).cast(),
                    room,
                    &raw mut position,
                    comm,
                )
            };
            if code != A::CONSTANTS.success {
                break;
            }
        }
        let time = start.elapsed();
        self.mpi.check("MPI_Pack", code)?;
        Ok(time)
    }
}

fn buffer_size(needed: u64) -> Result<usize, AloneError> {
    let size = usize::try_from(needed).ok().filter(|&size| size <= LARGEST);
    size.ok_or(AloneError::TooLarge { given: needed, limit: LARGEST })
}
