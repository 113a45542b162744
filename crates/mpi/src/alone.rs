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

/// Largest buffer that is allocated here, in bytes.
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

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// `MPI_Pack`.
    Pack,
    /// `MPI_Unpack`.
    Unpack,
}

/// Memory of the caller.
#[derive(Debug, Clone, Copy)]
pub struct Buffers {
    /// Displacement 0 of the layout.
    pub memory: *mut u8,
    /// The packed stream.
    pub packed: *mut u8,
    /// Bytes that the packed stream has room for.
    pub room: usize,
}

/// Packs and unpacks layouts with one library.
pub trait Packer {
    /// What `MPI_Get_library_version` says.
    ///
    /// # Errors
    /// As MPI.
    fn version(&self) -> Result<String, MpiError>;

    /// The file of the library.
    fn path(&self) -> &str;

    /// Prepares one element of a layout in memory of its own, and returns the number by which
    /// [`Packer::time`] knows it.
    ///
    /// # Errors
    /// The library does not take the layout, or it is too large.
    fn add(&mut self, layout: &Type) -> Result<usize, AloneError>;

    /// Prepares `count` elements of a layout in memory of the caller.
    ///
    /// # Safety
    /// Until [`Packer::clear`] or the end of the packer, relative to `memory` every byte of the elements
    /// is valid for reads and writes, `packed` is so for `room` bytes, and the two do not overlap; nobody
    /// else uses them during [`Packer::time`].
    ///
    /// # Errors
    /// The library does not take the layout, or asks for more room.
    unsafe fn add_in(
        &mut self,
        layout: &Type,
        count: u64,
        buffers: Buffers,
    ) -> Result<usize, AloneError>;

    /// The memory of a layout from its first byte to its last one, and its packed stream; empty where they are not the
    /// packer's own.
    fn buffers(&mut self, number: usize) -> [&mut [u8]; 2];

    /// Forgets all layouts and frees their datatypes.
    fn clear(&mut self);

    /// Time that `times` calls for the layout `number` take. Zero for a number that [`Packer::add`] and
    /// [`Packer::add_in`] did not give since the last [`Packer::clear`].
    ///
    /// # Errors
    /// As MPI.
    fn time(&mut self, number: usize, work: Work, times: u32) -> Result<Duration, MpiError>;
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
        AbiKind::Mpich => packer::<Mpich, R>(library, work),
        AbiKind::OpenMpi => packer::<OpenMpi, R>(library, work),
        AbiKind::Standard => packer::<Standard, R>(library, work),
    }
}

fn packer<A: Abi, R>(
    library: Library,
    work: impl FnOnce(&mut dyn Packer) -> Result<R, AloneError>,
) -> Result<R, AloneError> {
    session::<A, R>(library, |mpi| work(&mut Layouts { mpi, prepared: Vec::new() }))
}

/// Starts MPI, lets `work` use it, and ends it. Errors come back as codes.
pub(crate) fn session<A: Abi, R>(
    library: Library,
    work: impl FnOnce(&Mpi<A>) -> Result<R, AloneError>,
) -> Result<R, AloneError> {
    // SAFETY: every handle below comes from this library and lives until before MPI_Finalize.
    let mpi = unsafe { Mpi::<A>::new(library)? };
    started(mpi, work)
}

/// As [`session`], with a library that is ready to be called; by the names that a program uses.
pub(crate) fn started<A: Abi, R>(
    mpi: Mpi<A>,
    work: impl FnOnce(&Mpi<A>) -> Result<R, AloneError>,
) -> Result<R, AloneError> {
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

/// Elements of a layout, and the memory that they are packed from and into.
struct Prepared<'m, A: Abi> {
    datatype: OwnedDatatype<'m, A>,
    count: c_int,
    memory: *mut u8,
    packed: *mut u8,
    /// What the library asked for.
    room: c_int,
    /// What the two pointers point into, where it is not the caller's. It is used through pointers only.
    owned: Option<[Owned; 2]>,
}

/// Memory that was allocated here.
struct Owned {
    start: *mut u8,
    length: usize,
}

impl Owned {
    fn new(bytes: Vec<u8>) -> Owned {
        let bytes = Box::leak(bytes.into_boxed_slice());
        Owned { length: bytes.len(), start: bytes.as_mut_ptr() }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: they were leaked in `new` and are freed when this is dropped; MPI uses them during `Packer::time` only, which
        // borrows the packer as this does.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let bytes = ptr::slice_from_raw_parts_mut(self.start, self.length);
        // SAFETY: leaked in `new`, and freed nowhere else.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

struct Layouts<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    prepared: Vec<Prepared<'m, A>>,
}

impl<'m, A: Abi> Layouts<'m, A> {
    /// The committed datatype and the room that so many elements need.
    fn commit(
        &self,
        layout: &Type,
        count: c_int,
    ) -> Result<(OwnedDatatype<'m, A>, c_int), AloneError> {
        let datatype = encode(self.mpi, layout)?;
        let room = self.mpi.int("MPI_Pack_size", |room| {
            let comm = self.mpi.handles.comm_self;
            // SAFETY: `room` is writable, the handles are live.
            unsafe { (self.mpi.own.pack_size)(count, datatype.handle(), comm, room) }
        })?;
        Ok((datatype, room))
    }
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
        // May lie outside, where no byte of the layout is at 0.
        let origin = layout.true_lb().checked_neg().and_then(|o| isize::try_from(o).ok());
        let origin = origin.ok_or(too_large)?;
        let (datatype, room) = self.commit(layout, 1)?;
        let packed = buffer_size(u64::try_from(room).unwrap_or(0).max(layout.size()))?;
        // Not zeros: pages that were never written may all be one page.
        let filled: Vec<u8> = (0..=u8::MAX).cycle().take(bytes).collect();
        let owned = [filled, vec![1; packed]].map(Owned::new);
        let [memory, packed] = [owned[0].start.wrapping_offset(origin), owned[1].start];
        let owned = Some(owned);
        self.prepared.push(Prepared { datatype, count: 1, memory, packed, room, owned });
        Ok(self.prepared.len() - 1)
    }

    unsafe fn add_in(
        &mut self,
        layout: &Type,
        count: u64,
        buffers: Buffers,
    ) -> Result<usize, AloneError> {
        let Buffers { memory, packed, room: limit } = buffers;
        let too_large = |given| AloneError::TooLarge { given, limit };
        let elements = c_int::try_from(count).map_err(|_| too_large(count))?;
        let (datatype, room) = self.commit(layout, elements)?;
        let needed = u64::try_from(room).unwrap_or(u64::MAX);
        if usize::try_from(needed).is_ok_and(|needed| needed > limit) {
            return Err(too_large(needed));
        }
        self.prepared.push(Prepared {
            datatype,
            count: elements,
            memory,
            packed,
            room,
            owned: None,
        });
        Ok(self.prepared.len() - 1)
    }

    fn buffers(&mut self, number: usize) -> [&mut [u8]; 2] {
        match self.prepared.get_mut(number).and_then(|prepared| prepared.owned.as_mut()) {
            Some(owned) => owned.each_mut().map(Owned::bytes),
            None => [&mut [], &mut []],
        }
    }

    fn clear(&mut self) {
        self.prepared.clear();
    }

    fn time(&mut self, number: usize, work: Work, times: u32) -> Result<Duration, MpiError> {
        let comm = self.mpi.handles.comm_self;
        let Some(prepared) = self.prepared.get(number) else {
            return Ok(Duration::ZERO);
        };
        let Prepared { ref datatype, count, memory, packed, room, .. } = *prepared;
        let datatype = datatype.handle();
        let mut code = A::CONSTANTS.success;
        let start = Instant::now();
        for _ in 0..times {
            let mut position = 0;
            let at = &raw mut position;
            let (memory, packed) = (black_box(memory).cast(), black_box(packed).cast());
            // SAFETY: `encode` has compared the true bounds of the datatype with those of the layout,
            // and `memory` holds all bytes between them, of all elements; `packed` has the room that
            // the library asked for.
            code = unsafe {
                match work {
                    Work::Pack => {
                        (self.mpi.own.pack)(memory, count, datatype, packed, room, at, comm)
                    }
                    Work::Unpack => {
                        (self.mpi.own.unpack)(packed, room, at, memory, count, datatype, comm)
                    }
                }
            };
            if code != A::CONSTANTS.success {
                break;
            }
        }
        let time = start.elapsed();
        let call = match work {
            Work::Pack => "MPI_Pack",
            Work::Unpack => "MPI_Unpack",
        };
        self.mpi.check(call, code)?;
        Ok(time)
    }
}

/// So many bytes, if a buffer may have them.
pub(crate) fn buffer_size(needed: u64) -> Result<usize, AloneError> {
    let size = usize::try_from(needed).ok().filter(|&size| size <= LARGEST);
    size.ok_or(AloneError::TooLarge { given: needed, limit: LARGEST })
}
