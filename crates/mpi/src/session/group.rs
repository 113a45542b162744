//! Several processes that repeat one communication operation, as a program that is linked to the
//! library would: whatever is preloaded sees it.

use std::ffi::{c_int, c_void};
use std::path::Path;

use commloom_layout::Type;
use commloom_layout::mpi::Construction;

use super::{SessionError, buffer_size, started};
use crate::abi::{Abi, Status};
use crate::construct::construct;
use crate::encode::encode;
use crate::error::{EncodeError, MpiError};
use crate::library::{Library, in_abi};
use crate::mpi::Mpi;
use crate::owned::OwnedDatatype;

/// Buffers begin at the start of a cache line, so that descriptions of one layout differ in
/// nothing else.
const ALIGNMENT: usize = 64;

/// A datatype to be made.
#[derive(Debug, Clone)]
pub enum Datatype {
    /// By these calls.
    Constructed(Construction),
    /// By whichever calls [`encode`](crate::encode()) finds best.
    Encoded(Type),
}

/// The operation of the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// The first process sends, the second one receives and returns what it got; others do
    /// nothing.
    PingPong,
    /// `MPI_Bcast` from the first process.
    Broadcast,
    /// `MPI_Allgather`.
    AllGather,
}

/// One of the processes of `MPI_COMM_WORLD`.
pub trait GroupSession {
    /// Which one.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// The answer of `MPI_Get_library_version`.
    ///
    /// # Errors
    /// As MPI.
    fn version(&self) -> Result<String, MpiError>;

    /// Whether another library stands before the MPI library.
    fn is_preloaded(&self) -> bool;

    /// Prepares `count` elements of a datatype, in place of those before: its outgoing memory, and
    /// incoming memory for `copies` times so many. `packed` says that [`GroupSession::perform`]
    /// will be asked to pack.
    ///
    /// # Errors
    /// The library does not take the datatype; it is too large, or data lie outside `count`
    /// extents from 0.
    fn prepare(
        &mut self,
        datatype: &Datatype,
        count: u64,
        copies: usize,
        packed: bool,
    ) -> Result<(), SessionError>;

    /// The memory of what is prepared: outgoing, and incoming. Displacement 0 is the first byte.
    fn memory(&mut self) -> (&mut [u8], &mut [u8]);

    /// `MPI_Barrier`.
    ///
    /// # Errors
    /// As MPI.
    fn barrier(&self) -> Result<(), MpiError>;

    /// Does it once with what is prepared; `packed`: with `MPI_Pack`, `MPI_PACKED` and
    /// `MPI_Unpack`.
    ///
    /// # Errors
    /// As MPI. Others may then wait for this process for ever.
    fn perform(&mut self, pattern: Pattern, packed: bool) -> Result<(), MpiError>;

    /// The words of all processes, one process after the other. All give equally many.
    ///
    /// # Errors
    /// As MPI.
    fn share(&self, words: &[u64]) -> Result<Vec<u64>, MpiError>;

    /// `MPI_Abort`: ends all processes.
    fn abort(&self);
}

/// Opens the MPI library (a path or soname) into this process, which `mpirun` has started beside
/// others, hands `work` its [`GroupSession`], and ends MPI.
///
/// # Errors
/// [`SessionError`]; the library itself may also end the process.
pub fn group<R>(
    library: &Path,
    work: impl FnOnce(&mut dyn GroupSession) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    let library = Library::open(library)?;
    in_abi!(library.kind(), A => linked::<A, R>(&library, work))
}

fn linked<A: Abi, R>(
    library: &Library,
    work: impl FnOnce(&mut dyn GroupSession) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    let alone = library.function(c"MPI_Send");
    // As a linked program sees it, the preload first.
    // SAFETY: every handle below comes from this library and lives until before MPI_Finalize.
    let mpi = unsafe { Mpi::<A>::next()? };
    let is_preloaded = alone != mpi.library().function(c"MPI_Send");
    started(mpi, |mpi| {
        let world = mpi.handles.comm_world;
        let (rank, size) = (mpi.rank(world)?, mpi.size(world)?);
        let number = |n| usize::try_from(n).unwrap_or(0);
        let (rank, size) = (number(rank), number(size));
        work(&mut Members { mpi, rank, size, is_preloaded, message: None })
    })
}

struct Members<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    rank: usize,
    size: usize,
    is_preloaded: bool,
    message: Option<Message<'m, A>>,
}

struct Message<'m, A: Abi> {
    datatype: OwnedDatatype<'m, A>,
    count: c_int,
    /// Bytes from one copy to the next.
    step: usize,
    copies: usize,
    outgoing: Buffer,
    incoming: Buffer,
    packed: Option<Packed>,
}

struct Packed {
    outgoing: Buffer,
    incoming: Buffer,
    /// The answer of `MPI_Pack_size`.
    room: c_int,
    /// Bytes that are sent.
    bytes: c_int,
}

/// Aligned memory.
struct Buffer {
    memory: Vec<u8>,
    skipped: usize,
    length: usize,
}

impl Buffer {
    fn new(length: usize) -> Buffer {
        let memory = vec![1; length + ALIGNMENT];
        let skipped = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Buffer { memory, skipped, length }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.skipped..self.skipped + self.length]
    }

    fn read(&self) -> *const c_void {
        self.memory[self.skipped..].as_ptr().cast()
    }

    fn write(&mut self) -> *mut c_void {
        self.bytes().as_mut_ptr().cast()
    }
}

impl<A: Abi> GroupSession for Members<'_, A> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn version(&self) -> Result<String, MpiError> {
        self.mpi.library_version()
    }

    fn is_preloaded(&self) -> bool {
        self.is_preloaded
    }

    fn prepare(
        &mut self,
        datatype: &Datatype,
        count: u64,
        copies: usize,
        packed: bool,
    ) -> Result<(), SessionError> {
        self.message = None;
        let no_layout = |error| SessionError::Encode(EncodeError::Layout(error));
        let (layout, made) = match datatype {
            Datatype::Constructed(construction) => {
                (construction.layout().map_err(no_layout)?, construct(self.mpi, construction)?)
            }
            Datatype::Encoded(layout) => (layout.clone(), encode(self.mpi, layout)?),
        };
        if made.is_derived() {
            let mut handle = made.handle();
            // As a program does it, also where `encode` has done it by the other name.
            // SAFETY: a live handle, which commit does not change.
            let code = unsafe { (self.mpi.next.type_commit)(&raw mut handle) };
            self.mpi.check("MPI_Type_commit", code)?;
        }
        let step = step(&layout, count)?;
        let total = u64::try_from(copies).ok().and_then(|n| n.checked_mul(step));
        let incoming = buffer_size(total.unwrap_or(u64::MAX))?;
        let step = buffer_size(step)?;
        let limit = usize::try_from(c_int::MAX).unwrap_or(usize::MAX);
        let too_many = SessionError::TooLarge { given: count, limit };
        let mut message = Message {
            datatype: made,
            count: c_int::try_from(count).map_err(|_| too_many)?,
            step,
            copies,
            outgoing: Buffer::new(step),
            incoming: Buffer::new(incoming),
            packed: None,
        };
        if packed {
            message.packed = Some(self.packed(&message)?);
        }
        self.message = Some(message);
        Ok(())
    }

    fn memory(&mut self) -> (&mut [u8], &mut [u8]) {
        match &mut self.message {
            Some(message) => (message.outgoing.bytes(), message.incoming.bytes()),
            None => (&mut [], &mut []),
        }
    }

    fn barrier(&self) -> Result<(), MpiError> {
        // SAFETY: a predefined communicator.
        let code = unsafe { (self.mpi.next.barrier)(self.mpi.handles.comm_world) };
        self.mpi.check("MPI_Barrier", code)
    }

    fn perform(&mut self, pattern: Pattern, packed: bool) -> Result<(), MpiError> {
        let Some(message) = &mut self.message else { return Ok(()) };
        let Message { datatype, count, step, copies, outgoing, incoming, packed: stream } = message;
        let calls = Calls { mpi: self.mpi, rank: self.rank };
        if !packed {
            return calls.transfer(pattern, outgoing, incoming, *count, datatype.handle());
        }
        let Some(stream) = stream else { return Ok(()) };
        let elements = Elements { count: *count, datatype: datatype.handle() };
        let mut copies_to_unpack = 0;
        match (pattern, self.rank) {
            (Pattern::PingPong, 0) => {
                calls.pack(outgoing, &elements, stream)?;
                calls.send(&stream.outgoing, stream.bytes, self.mpi.handles.packed, 1)?;
                calls.receive(&mut stream.incoming, stream.bytes, self.mpi.handles.packed, 1)?;
                copies_to_unpack = 1;
            }
            (Pattern::PingPong, 1) => {
                calls.receive(&mut stream.incoming, stream.bytes, self.mpi.handles.packed, 0)?;
                calls.unpack(stream, 0, incoming, 0, &elements)?;
                calls.pack(incoming, &elements, stream)?;
                calls.send(&stream.outgoing, stream.bytes, self.mpi.handles.packed, 0)?;
            }
            (Pattern::PingPong, _) => {}
            (Pattern::Broadcast | Pattern::AllGather, rank) => {
                if rank == 0 || pattern == Pattern::AllGather {
                    calls.pack(outgoing, &elements, stream)?;
                }
                let Packed { outgoing, incoming, bytes, .. } = stream;
                calls.transfer(pattern, outgoing, incoming, *bytes, self.mpi.handles.packed)?;
                copies_to_unpack = match pattern {
                    Pattern::AllGather => *copies,
                    _ => usize::from(rank > 0),
                };
            }
        }
        let length = usize::try_from(stream.bytes).unwrap_or(0);
        (0..copies_to_unpack)
            .try_for_each(|k| calls.unpack(stream, k * length, incoming, k * *step, &elements))
    }

    fn share(&self, words: &[u64]) -> Result<Vec<u64>, MpiError> {
        let mut all = vec![0u64; words.len() * self.size];
        let bytes = c_int::try_from(size_of_val(words)).unwrap_or(c_int::MAX);
        let byte = self.mpi.handles.byte;
        let world = self.mpi.handles.comm_world;
        // SAFETY: so many bytes are there, and room for those of all processes.
        let code = unsafe {
            let (from, to) = (words.as_ptr().cast(), all.as_mut_ptr().cast());
            (self.mpi.next.allgather)(from, bytes, byte, to, bytes, byte, world)
        };
        self.mpi.check("MPI_Allgather", code)?;
        Ok(all)
    }

    fn abort(&self) {
        // SAFETY: a predefined communicator.
        unsafe { (self.mpi.next.abort)(self.mpi.handles.comm_world, 1) };
    }
}

impl<A: Abi> Members<'_, A> {
    /// Memory for the packed stream of a message, and its length: that of one call.
    fn packed(&self, message: &Message<'_, A>) -> Result<Packed, SessionError> {
        let world = self.mpi.handles.comm_world;
        let room = self.mpi.int("MPI_Pack_size", |room| {
            // SAFETY: `room` is writable, the handles are live.
            unsafe {
                (self.mpi.next.pack_size)(message.count, message.datatype.handle(), world, room)
            }
        })?;
        let bytes = buffer_size(u64::try_from(room).unwrap_or(u64::MAX))?;
        let incoming = bytes.saturating_mul(message.copies);
        let incoming = buffer_size(u64::try_from(incoming).unwrap_or(u64::MAX))?;
        let mut packed = Packed {
            outgoing: Buffer::new(bytes),
            incoming: Buffer::new(incoming),
            room,
            bytes: room,
        };
        let calls = Calls { mpi: self.mpi, rank: self.rank };
        let elements = Elements { count: message.count, datatype: message.datatype.handle() };
        packed.bytes = calls.pack(&message.outgoing, &elements, &mut packed)?;
        Ok(packed)
    }
}

/// So many of a datatype.
struct Elements<A: Abi> {
    count: c_int,
    datatype: A::Datatype,
}

/// Single calls. All buffers are as long as `prepare` has found necessary for these datatypes and
/// counts.
struct Calls<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    rank: usize,
}

// SAFETY (all calls): `prepare` has compared the bounds of the datatype with those of the layout,
// the buffers hold all bytes of the elements, and packed ones the room that the library asked for.
// Nobody else uses them meanwhile.
#[allow(clippy::undocumented_unsafe_blocks, reason = "one comment for all, just above")]
impl<A: Abi> Calls<'_, A> {
    fn transfer(
        &self,
        pattern: Pattern,
        outgoing: &mut Buffer,
        incoming: &mut Buffer,
        count: c_int,
        datatype: A::Datatype,
    ) -> Result<(), MpiError> {
        let world = self.mpi.handles.comm_world;
        match (pattern, self.rank) {
            (Pattern::PingPong, 0) => {
                self.send(outgoing, count, datatype, 1)?;
                self.receive(incoming, count, datatype, 1)
            }
            (Pattern::PingPong, 1) => {
                self.receive(incoming, count, datatype, 0)?;
                self.send(incoming, count, datatype, 0)
            }
            (Pattern::PingPong, _) => Ok(()),
            (Pattern::Broadcast, rank) => {
                let buffer = if rank == 0 { outgoing } else { incoming };
                let code =
                    unsafe { (self.mpi.next.bcast)(buffer.write(), count, datatype, 0, world) };
                self.mpi.check("MPI_Bcast", code)
            }
            (Pattern::AllGather, _) => {
                let (from, to) = (outgoing.read(), incoming.write());
                let code = unsafe {
                    (self.mpi.next.allgather)(from, count, datatype, to, count, datatype, world)
                };
                self.mpi.check("MPI_Allgather", code)
            }
        }
    }

    fn send(
        &self,
        buffer: &Buffer,
        count: c_int,
        datatype: A::Datatype,
        to: c_int,
    ) -> Result<(), MpiError> {
        let world = self.mpi.handles.comm_world;
        let code = unsafe { (self.mpi.next.send)(buffer.read(), count, datatype, to, 0, world) };
        self.mpi.check("MPI_Send", code)
    }

    fn receive(
        &self,
        buffer: &mut Buffer,
        count: c_int,
        datatype: A::Datatype,
        from: c_int,
    ) -> Result<(), MpiError> {
        let world = self.mpi.handles.comm_world;
        let mut status = A::Status::empty();
        let code = unsafe {
            let (memory, status) = (buffer.write(), &raw mut status);
            (self.mpi.next.recv)(memory, count, datatype, from, 0, world, status)
        };
        self.mpi.check("MPI_Recv", code)
    }

    /// Packs the elements at the start of `memory`; how many bytes they are.
    fn pack(
        &self,
        memory: &Buffer,
        elements: &Elements<A>,
        stream: &mut Packed,
    ) -> Result<c_int, MpiError> {
        let (world, mut position) = (self.mpi.handles.comm_world, 0);
        let Elements { count, datatype } = *elements;
        let code = unsafe {
            let (from, to, at) = (memory.read(), stream.outgoing.write(), &raw mut position);
            (self.mpi.next.pack)(from, count, datatype, to, stream.room, at, world)
        };
        self.mpi.check("MPI_Pack", code)?;
        Ok(position)
    }

    /// Unpacks what stands `from` bytes into the stream to `to` bytes into the memory.
    fn unpack(
        &self,
        stream: &Packed,
        from: usize,
        memory: &mut Buffer,
        to: usize,
        elements: &Elements<A>,
    ) -> Result<(), MpiError> {
        let (world, mut position) = (self.mpi.handles.comm_world, 0);
        let Elements { count, datatype } = *elements;
        let code = unsafe {
            let packed = stream.incoming.read().cast::<u8>().wrapping_add(from).cast();
            let memory = memory.write().cast::<u8>().wrapping_add(to).cast();
            let at = &raw mut position;
            (self.mpi.next.unpack)(packed, stream.bytes, at, memory, count, datatype, world)
        };
        self.mpi.check("MPI_Unpack", code)
    }
}

/// Bytes that `count` elements take, gaps included: the place of the next one.
fn step(layout: &Type, count: u64) -> Result<u64, SessionError> {
    let outside = SessionError::TooLarge { given: count, limit: 0 };
    let (Ok(copies), true) = (i64::try_from(count), layout.true_lb() >= 0 && layout.extent() >= 0)
    else {
        return Err(outside);
    };
    let last = layout.extent().checked_mul(copies.saturating_sub(1));
    let end = last.and_then(|last| last.checked_add(layout.true_ub()));
    let step = layout.extent().checked_mul(copies);
    match (end, step) {
        (Some(end), Some(step)) if end <= step => u64::try_from(step).map_err(|_| outside),
        _ => Err(outside),
    }
}
