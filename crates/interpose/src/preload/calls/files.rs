//! Reads and writes of files (MPI 4.1, section 14.4). The walk is that of a message
//! (`point_to_point`); what is packed is written as elements of the basic type, and what is read
//! so is unpacked when the call, or the one that completes it, returns.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Status};

use crate::accelerate::file_read::ReadMemory;
use crate::accelerate::files::SplitAccess;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::rounds::{self, CallEnd};
use crate::preload::state::Preload;
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::{AccessEnd, FileAccess, FileLayer};

impl<A: Abi> FileLayer<A> for &'static Preload<A> {
    unsafe fn file_write<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        end: AccessEnd<A>,
        next: impl FnOnce(MessageData<A, N>, AccessEnd<A>) -> c_int,
    ) -> c_int {
        let ends = CallEnd::from(end);
        if self.passes([memory.datatype], ends) {
            return next(memory, end);
        }
        // SAFETY: the write reads the program's buffer, which is there until it ends.
        let (out, lap) = unsafe { Outgoing::to_file(self, access, memory, ends) };
        let code = next(out.arguments(memory), end);
        // SAFETY: `next` has made the request, if there is one and it succeeded.
        unsafe { out.written(self, access.file, code, end) };
        lap.done(ends);
        code
    }

    unsafe fn file_read<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        end: AccessEnd<A>,
        next: impl FnOnce(MessageData<A, N>, AccessEnd<A>) -> c_int,
    ) -> c_int {
        let ends = CallEnd::from(end);
        if self.passes([memory.datatype], ends) {
            return next(memory, end);
        }
        // SAFETY: the program's buffer is the read's until it ends.
        let (mut reading, lap) = unsafe { ReadMemory::of(self, access, memory, ends) };
        let mut own = A::Status::empty();
        let end = reading.end(end, &raw mut own);
        let code = next(reading.arguments(memory), end);
        // SAFETY: `next` has filled in status or request if it succeeded; the arguments are those
        // of the program's call.
        let code = unsafe { reading.read(self, (access.file, memory), code, end) };
        lap.done(ends);
        code
    }

    unsafe fn file_end(
        self,
        file: A::File,
        buffer: *mut c_void,
        status: *mut A::Status,
        next: impl FnOnce(*mut c_void, *mut A::Status) -> c_int,
    ) -> c_int {
        let lap = rounds::completing();
        let Some(mut access) = self.files.end(file) else {
            let code = next(buffer, status);
            rounds::completed(lap, || 1);
            return code;
        };
        let mut own = A::Status::empty();
        let (place, status) = match &mut access {
            SplitAccess::Write(departure) => (departure.place().cast_mut(), status),
            SplitAccess::Read(reading) if A::CONSTANTS.ignores_status(status) => {
                (reading.place(), &raw mut own)
            }
            SplitAccess::Read(reading) => (reading.place(), status),
        };
        let code = next(place, status);
        match access {
            // The library may still use the memory.
            access if code != A::CONSTANTS.success => self.files.begin(file, access),
            SplitAccess::Write(departure) => departure.done(self),
            SplitAccess::Read(reading) => {
                // SAFETY: the library has ended the read and written the status; the program's
                // buffer is the call's until it returns.
                unsafe { reading.arrived(self, &status.read_unaligned()) };
                reading.done(self);
            }
        }
        rounds::completed(lap, || 1);
        code
    }
}
