//! The memory of a read of a file, and what is done where the read comes short.
//!
//! A read that meets the end of the file leaves the rest of the program's memory as it was. How
//! libraries tell of it differs, and where memory has gaps some tell something else than without:
//! ROMIO says that all bytes have come and moves the individual file pointer past the end, OMPIO
//! says so after a collective read at that pointer. The program shall see what it would see
//! without commloom. So a blocking read that has come short, or may have, is made again at the
//! same place as the program wrote it, by this process alone. A read that ends later can not be
//! made again, since the program may have freed its datatype: its buffer holds from the beginning
//! what the program's memory holds, and where ROMIO reads, it is left alone
//! ([`ShortReads`](commloom_mpi::Subject::ShortReads)).

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::file_access::FileMemory;
use crate::accelerate::file_reading::{FileReading, ReadsFrom};
use crate::accelerate::files::SplitAccess;
use crate::accelerate::message::Message;
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::{CallEnd, Lap};
use crate::accelerate::strategy::Elements;
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::{AccessEnd, FileAccess};

/// The library's arguments for a read, instead of the program's buffer, count and datatype, in a
/// call whose counts are `N`.
pub(crate) enum ReadMemory<A: Abi, N> {
    /// Nothing else.
    Native,
    /// A buffer for packed bytes, and the elements that they will be.
    Packed(FileReading<A>, N, A::Datatype),
}

impl<A: Abi, N: CallCount> ReadMemory<A, N> {
    /// The strategy for the memory of a read, and its place in the round: [`Lap::done`] when the
    /// call returns, which then has done the read (`end`) or not yet.
    ///
    /// # Safety
    /// As for the MPI call: the program's buffer is the call's.
    pub unsafe fn of(
        state: &'static Accelerator<A>,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        end: CallEnd,
    ) -> (Self, Lap) {
        let FileMemory { message, elements, lap } =
            match state.file_memory(access, memory, (true, end)) {
                Some(found) => found,
                None => return (ReadMemory::Native, Lap::NONE),
            };
        let from = match (&elements, end) {
            (Elements::Packed(..), CallEnd::Done) => match state.reads_from(access) {
                Some(from) => Some(from),
                None => return (ReadMemory::Native, lap),
            },
            _ => None,
        };
        // SAFETY: the buffer is the caller's promise.
        (unsafe { Self::through(state, message, (memory.buffer, from), elements) }, lap)
    }

    /// The memory as these elements, where that can be.
    ///
    /// # Safety
    /// As for [`ReadMemory::of`].
    unsafe fn through(
        state: &Accelerator<A>,
        message: Arc<Message<A>>,
        (buffer, from): (*mut c_void, Option<ReadsFrom>),
        elements: Elements<A, N>,
    ) -> Self {
        let size = message.size();
        let refused = || message.refused_by_overlap().or_else(|| message.refused_by_gpu(buffer));
        let reason = match elements.unless(refused) {
            Elements::Own(reason) => reason,
            Elements::Other(..) => "left to the library",
            Elements::Packed(..) if !message.takes(buffer) => "no buffer",
            Elements::Packed(count, datatype) => match state.pool.get(message.bytes()) {
                None => "no memory",
                Some(packed) => {
                    let mut reading = FileReading { packed, message, buffer, from };
                    // SAFETY: the buffer is the caller's promise.
                    if unsafe { reading.prepare() }.is_some() {
                        reading.message.tally.engine(size);
                        return ReadMemory::Packed(reading, count, datatype);
                    }
                    reading.message.tally.native("an internal error", size);
                    reading.done(state);
                    return ReadMemory::Native;
                }
            },
        };
        message.tally.native(reason, size);
        ReadMemory::Native
    }

    /// The memory for the library, in the place of the program's.
    pub fn arguments(&mut self, memory: MessageData<A, N>) -> MessageData<A, N> {
        match *self {
            ReadMemory::Native => memory,
            ReadMemory::Packed(ref mut reading, count, datatype) => {
                MessageData { buffer: reading.place(), count, datatype }
            }
        }
    }

    /// The status that the library shall fill in, of a read that ends in its call: the program's,
    /// or ours where the program ignores it but the length is needed.
    pub fn end(&self, given: AccessEnd<A>, own: *mut A::Status) -> AccessEnd<A> {
        match (self, given) {
            (ReadMemory::Packed(..), AccessEnd::Call(status))
                if A::CONSTANTS.ignores_status(status) =>
            {
                AccessEnd::Call(own)
            }
            _ => given,
        }
    }

    /// After a call for a read that returned `code`: puts what has come where it belongs, or
    /// leaves the packed memory with what ends the read. Gives the code for the program.
    ///
    /// # Safety
    /// If it succeeded, the library has written the request of `end`, or, if the read was packed,
    /// the status; `memory` and file are those of the program's call.
    pub unsafe fn read(
        self,
        state: &Accelerator<A>,
        (file, memory): (A::File, MessageData<A, N>),
        code: c_int,
        end: AccessEnd<A>,
    ) -> c_int {
        match (self, end) {
            // SAFETY: all of it is the caller's promise.
            (reading, AccessEnd::Call(status)) => unsafe {
                return reading.land(state, (file, memory), code, status);
            },
            (ReadMemory::Packed(reading, ..), AccessEnd::Request(request))
                if code == A::CONSTANTS.success =>
            {
                // SAFETY: after success the library has written it.
                let request = unsafe { *request };
                if request == state.mpi().handles.request_null {
                    // SAFETY: complete already; the program's buffer is the call's.
                    unsafe { reading.all_arrived() };
                    reading.done(state);
                } else {
                    state.hold(request, Held::FileRead(reading));
                }
            }
            (ReadMemory::Packed(reading, ..), AccessEnd::EndCall)
                if code == A::CONSTANTS.success =>
            {
                state.files.begin(file, SplitAccess::Read(reading));
            }
            (other, AccessEnd::Request(_) | AccessEnd::EndCall) => other.done(state),
        }
        code
    }

    /// After a blocking read that returned `code`: puts what has come where it belongs. Gives the
    /// code for the program.
    ///
    /// # Safety
    /// The library has written `status` if the read was packed and succeeded; `memory` and file
    /// are those of the program's call.
    unsafe fn land(
        mut self,
        state: &Accelerator<A>,
        (file, memory): (A::File, MessageData<A, N>),
        mut code: c_int,
        status: *mut A::Status,
    ) -> c_int {
        if let ReadMemory::Packed(reading, ..) = &mut self
            && code == A::CONSTANTS.success
            && let Some(from) = reading.from
        {
            // SAFETY: the library has written it. Open MPI hands over arrays of Fortran integers
            // as statuses, which are aligned to four bytes.
            let told = unsafe { status.read_unaligned() };
            let bytes = state.mpi().status_bytes(&told).ok().flatten();
            let is_long = bytes == Some(reading.message.size());
            if is_long && reading.has_last() {
                // SAFETY: all bytes are there; the program's buffer is the call's until it
                // returns.
                unsafe { reading.all_arrived() };
            } else {
                // SAFETY: the arguments of the program's call, and a status for it.
                code = unsafe { state.read_again((file, from), memory, status) };
                if is_long {
                    // A collective read may tell another length than a read of one process.
                    // SAFETY: the library has written it for this call, which has not returned.
                    unsafe { status.write_unaligned(told) };
                }
            }
        }
        self.done(state);
        code
    }

    /// The call is over, and the library does not need the packed memory any more.
    fn done(self, state: &Accelerator<A>) {
        match self {
            ReadMemory::Packed(reading, ..) => reading.done(state),
            ReadMemory::Native => {}
        }
    }
}
