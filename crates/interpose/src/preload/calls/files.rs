//! Reads and writes of files (MPI 4.1, section 14.4). The walk is that of a message
//! (`point_to_point`); what is packed is written as elements of the basic type, and what is read
//! so is unpacked when the call, or the one that completes it, returns.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Status};

use crate::accelerate::file_read::ReadMemory;
use crate::accelerate::files::SplitAccess;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::{self, CallEnd};
use crate::preload::state::Preload;
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::{FileAccess, FileLayer};

impl<A: Abi> FileLayer<A> for &'static Preload<A> {
    unsafe fn file_write<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if self.passes([memory.datatype], CallEnd::Done) {
            return next(memory);
        }
        // SAFETY: the call writes the program's buffer, which can be read until it returns.
        let (out, lap) = unsafe { Outgoing::to_file(self, access, memory, CallEnd::Done) };
        let code = next(out.arguments(memory));
        out.done(self);
        lap.done(CallEnd::Done);
        code
    }

    unsafe fn file_iwrite<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if self.passes([memory.datatype], CallEnd::Started) {
            return next(memory);
        }
        // SAFETY: the call writes the program's buffer, which can be read until it completes.
        let (out, lap) = unsafe { Outgoing::to_file(self, access, memory, CallEnd::Started) };
        let code = next(out.arguments(memory));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { out.wait_for(self, code, request, Held::Send) };
        lap.done(CallEnd::Started);
        code
    }

    unsafe fn file_write_begin<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        // SAFETY: the call writes the program's buffer, which can be read until it is ended.
        let (out, lap) = unsafe { Outgoing::to_file(self, access, memory, CallEnd::Started) };
        let code = next(out.arguments(memory));
        out.wait_for_end(self, code, access.file);
        lap.done(CallEnd::Started);
        code
    }

    unsafe fn file_read<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        if self.passes([memory.datatype], CallEnd::Done) {
            return next(memory, status);
        }
        // SAFETY: the program's buffer is the call's until it returns.
        let (mut reading, lap) = unsafe { ReadMemory::of(self, access, memory, CallEnd::Done) };
        let mut own = A::Status::empty();
        let status = reading.status(status, &raw mut own);
        let code = next(reading.arguments(memory), status);
        // SAFETY: `next` has filled in the status if it succeeded; the arguments are those of the
        // program's call.
        let code = unsafe { reading.land(self, (access.file, memory), code, status) };
        lap.done(CallEnd::Done);
        code
    }

    unsafe fn file_iread<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        if self.passes([memory.datatype], CallEnd::Started) {
            return next(memory);
        }
        // SAFETY: the program's buffer is the call's until it completes.
        let (mut reading, lap) = unsafe { ReadMemory::of(self, access, memory, CallEnd::Started) };
        let code = next(reading.arguments(memory));
        // SAFETY: `next` has made the request if it succeeded.
        unsafe { reading.wait_for(self, code, request) };
        lap.done(CallEnd::Started);
        code
    }

    unsafe fn file_read_begin<N: CallCount>(
        self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int {
        // SAFETY: the program's buffer is the call's until it is ended.
        let (mut reading, lap) = unsafe { ReadMemory::of(self, access, memory, CallEnd::Started) };
        let code = next(reading.arguments(memory));
        reading.wait_for_end(self, code, access.file);
        lap.done(CallEnd::Started);
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
            rounds::completed(lap);
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
        rounds::completed(lap);
        code
    }
}
