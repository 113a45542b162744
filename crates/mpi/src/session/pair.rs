//! Several processes with an MPI library that each has opened: messages of layouts between them.

use std::ffi::c_int;
use std::path::Path;

use commloom_layout::Type;

use super::{SessionError, buffer_size, session};
use crate::abi::{Abi, Status};
use crate::encode::encode;
use crate::error::MpiError;
use crate::library::{Library, in_abi};
use crate::mpi::Mpi;
use crate::owned::OwnedDatatype;

/// One of the processes of `MPI_COMM_WORLD`.
pub trait PairSession {
    /// Which one.
    ///
    /// # Errors
    /// As MPI.
    fn rank(&self) -> Result<c_int, MpiError>;

    /// How many there are.
    ///
    /// # Errors
    /// As MPI.
    fn size(&self) -> Result<c_int, MpiError>;

    /// The answer of `MPI_Get_library_version`.
    ///
    /// # Errors
    /// As MPI.
    fn version(&self) -> Result<String, MpiError>;

    /// Prepares `count` elements of a layout in memory of their own, and returns the number by
    /// which they are known from now on. Displacement 0 is the first byte of the memory.
    ///
    /// # Errors
    /// The library does not take the layout, it is too large, or begins below 0.
    fn add(&mut self, layout: &Type, count: u64) -> Result<usize, SessionError>;

    /// The memory of a message; empty for a number that [`PairSession::add`] did not give.
    fn memory(&mut self, number: usize) -> &mut [u8];

    /// Two of the memories at once: the first to read, the second to write.
    fn memories(&mut self, from: usize, to: usize) -> (&[u8], &mut [u8]);

    /// Sends a message.
    ///
    /// # Errors
    /// As MPI.
    fn send(&mut self, number: usize, to: c_int) -> Result<(), MpiError>;

    /// Receives a message.
    ///
    /// # Errors
    /// As MPI.
    fn receive(&mut self, number: usize, from: c_int) -> Result<(), MpiError>;

    /// Broadcasts a message among all of them.
    ///
    /// # Errors
    /// As MPI.
    fn broadcast(&mut self, number: usize, root: c_int) -> Result<(), MpiError>;

    /// Forgets all messages and frees their datatypes.
    fn clear(&mut self);
}

/// Opens the MPI library (a path or soname) into this process, which `mpirun` has started beside
/// others, hands `work` its [`PairSession`], and ends MPI.
///
/// # Errors
/// [`SessionError`]; the library itself may also end the process.
pub fn pair<R>(
    library: &Path,
    work: impl FnOnce(&mut dyn PairSession) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    let library = Library::open(library)?;
    in_abi!(library.kind(), A => session::<A, R>(library, |mpi| {
        work(&mut Messages { mpi, all: Vec::new() })
    }))
}

struct Message<'m, A: Abi> {
    datatype: OwnedDatatype<'m, A>,
    count: c_int,
    memory: Vec<u8>,
}

struct Messages<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    all: Vec<Message<'m, A>>,
}

impl<A: Abi> PairSession for Messages<'_, A> {
    fn rank(&self) -> Result<c_int, MpiError> {
        self.mpi.rank(self.mpi.handles.comm_world)
    }

    fn size(&self) -> Result<c_int, MpiError> {
        self.mpi.size(self.mpi.handles.comm_world)
    }

    fn version(&self) -> Result<String, MpiError> {
        self.mpi.library_version()
    }

    fn add(&mut self, layout: &Type, count: u64) -> Result<usize, SessionError> {
        let datatype = encode(self.mpi, layout)?;
        let too_large = SessionError::TooLarge { given: count, limit: buffer_size(0)? };
        let (Ok(elements), Ok(copies)) = (c_int::try_from(count), i64::try_from(count)) else {
            return Err(too_large);
        };
        let last = layout.extent().checked_mul(copies - 1);
        let end = last.and_then(|last| last.checked_add(layout.true_ub())).unwrap_or(i64::MAX);
        if layout.true_lb() < 0 || layout.extent() < 0 {
            return Err(too_large);
        }
        let bytes = buffer_size(u64::try_from(end).unwrap_or(u64::MAX))?;
        // Not zeros: pages that were never written may all be one page.
        let memory = (0..=u8::MAX).cycle().take(bytes).collect();
        self.all.push(Message { datatype, count: elements, memory });
        Ok(self.all.len() - 1)
    }

    fn memory(&mut self, number: usize) -> &mut [u8] {
        self.all.get_mut(number).map_or(&mut [], |message| &mut message.memory)
    }

    fn memories(&mut self, from: usize, to: usize) -> (&[u8], &mut [u8]) {
        match self.all.get_disjoint_mut([from, to]) {
            Ok([from, to]) => (&from.memory, &mut to.memory),
            Err(_) => (&[], &mut []),
        }
    }

    fn send(&mut self, number: usize, to: c_int) -> Result<(), MpiError> {
        let Some(message) = self.all.get(number) else { return Ok(()) };
        let Message { datatype, count, memory } = message;
        let world = self.mpi.handles.comm_world;
        // SAFETY: `encode` has compared the true bounds of the datatype with those of the layout,
        // and the memory holds all bytes from 0 to the end of the last element.
        let code = unsafe {
            (self.mpi.own.send)(memory.as_ptr().cast(), *count, datatype.handle(), to, 0, world)
        };
        self.mpi.check("MPI_Send", code)
    }

    fn receive(&mut self, number: usize, from: c_int) -> Result<(), MpiError> {
        let Some(message) = self.all.get_mut(number) else { return Ok(()) };
        let Message { datatype, count, memory } = message;
        let world = self.mpi.handles.comm_world;
        let mut status = A::Status::empty();
        // SAFETY: as in `send`; nobody else uses the memory.
        let code = unsafe {
            let (buffer, status) = (memory.as_mut_ptr().cast(), &raw mut status);
            (self.mpi.own.recv)(buffer, *count, datatype.handle(), from, 0, world, status)
        };
        self.mpi.check("MPI_Recv", code)
    }

    fn broadcast(&mut self, number: usize, root: c_int) -> Result<(), MpiError> {
        let Some(message) = self.all.get_mut(number) else { return Ok(()) };
        let Message { datatype, count, memory } = message;
        let world = self.mpi.handles.comm_world;
        // SAFETY: as in `send`; nobody else uses the memory.
        let code = unsafe {
            let buffer = memory.as_mut_ptr().cast();
            (self.mpi.own.bcast)(buffer, *count, datatype.handle(), root, world)
        };
        self.mpi.check("MPI_Bcast", code)
    }

    fn clear(&mut self) {
        self.all.clear();
    }
}
