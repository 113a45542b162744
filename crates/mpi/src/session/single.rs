//! One process with an MPI library for itself: opened, started as a singleton (MPI 4.1, section
//! 11.10.2), asked to pack, ended.

use std::ffi::c_int;
use std::hint::black_box;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

use commloom_layout::Type;

use super::{LARGEST, SessionError, buffer_size, session};
use crate::abi::Abi;
use crate::encode::encode;
use crate::error::MpiError;
use crate::library::{Library, in_abi};
use crate::mpi::Mpi;
use crate::owned::OwnedDatatype;

/// The work that is timed.
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
pub trait SingleSession {
    /// The answer of `MPI_Get_library_version`.
    ///
    /// # Errors
    /// As MPI.
    fn version(&self) -> Result<String, MpiError>;

    /// The file of the library.
    fn path(&self) -> &str;

    /// Prepares one element of a layout in memory of its own, and returns the number by which
    /// [`SingleSession::time`] knows it.
    ///
    /// # Errors
    /// The library does not take the layout, or it is too large.
    fn add(&mut self, layout: &Type) -> Result<usize, SessionError>;

    /// Prepares `count` elements of a layout in memory of the caller.
    ///
    /// # Safety
    /// Until [`SingleSession::clear`] or the end of the session, relative to `memory` every byte
    /// of the elements is valid for reads and writes, `packed` is so for `room` bytes, and the two
    /// do not overlap; nobody else uses them during [`SingleSession::time`].
    ///
    /// # Errors
    /// The library does not take the layout, or asks for more room.
    unsafe fn add_in(
        &mut self,
        layout: &Type,
        count: u64,
        buffers: Buffers,
    ) -> Result<usize, SessionError>;

    /// The memory of a layout from its first byte to its last one, and its packed stream; empty
    /// where they are not the session's own.
    fn buffers(&mut self, number: usize) -> [&mut [u8]; 2];

    /// Forgets all layouts and frees their datatypes.
    fn clear(&mut self);

    /// Time that `times` calls for the layout `number` take. Zero for a number that
    /// [`SingleSession::add`] and [`SingleSession::add_in`] did not give since the last
    /// [`SingleSession::clear`].
    ///
    /// # Errors
    /// As MPI.
    fn time(&mut self, number: usize, work: Work, times: u32) -> Result<Duration, MpiError>;
}

/// Opens the MPI library (a path or soname) into this process, starts it without any other
/// process, hands `work` its [`SingleSession`], and ends it.
///
/// # Errors
/// [`SessionError`]; the library itself may also end the process, so that those who must not end
/// use another one for this.
pub fn single<R>(
    library: &Path,
    work: impl FnOnce(&mut dyn SingleSession) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    let library = Library::open(library)?;
    in_abi!(library.kind(), A => session::<A, R>(library, |mpi| {
        work(&mut Layouts { mpi, prepared: Vec::new() })
    }))
}

/// Elements of a layout, and the memory that they are packed from and into.
struct Prepared<'m, A: Abi> {
    datatype: OwnedDatatype<'m, A>,
    count: c_int,
    memory: *mut u8,
    packed: *mut u8,
    /// The buffer that the library asked for.
    room: c_int,
    /// The memory of the two pointers, where it is not the caller's. It is used through pointers
    /// only.
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
        // SAFETY: they were leaked in `new` and are freed when this is dropped; MPI uses them
        // during `SingleSession::time` only, which borrows the session as this does.
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
    ) -> Result<(OwnedDatatype<'m, A>, c_int), SessionError> {
        let datatype = encode(self.mpi, layout)?;
        let room = self.mpi.int("MPI_Pack_size", |room| {
            let comm = self.mpi.handles.comm_self;
            // SAFETY: `room` is writable, the handles are live.
            unsafe { (self.mpi.own.pack_size)(count, datatype.handle(), comm, room) }
        })?;
        Ok((datatype, room))
    }
}

impl<A: Abi> SingleSession for Layouts<'_, A> {
    fn version(&self) -> Result<String, MpiError> {
        self.mpi.library_version()
    }

    fn path(&self) -> &str {
        self.mpi.library().path()
    }

    fn add(&mut self, layout: &Type) -> Result<usize, SessionError> {
        let needed = u64::try_from(layout.true_extent()).unwrap_or(u64::MAX);
        let bytes = buffer_size(needed)?;
        let too_large = SessionError::TooLarge { given: needed, limit: LARGEST };
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
    ) -> Result<usize, SessionError> {
        let Buffers { memory, packed, room: limit } = buffers;
        let too_large = |given| SessionError::TooLarge { given, limit };
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
            // SAFETY: `encode` has compared the true bounds of the datatype with those of the
            // layout, and `memory` holds all bytes between them, of all elements; `packed` has the
            // room that the library asked for.
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
