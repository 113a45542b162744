//! The memory of a write to a file: that of a send ([`Outgoing`]), but for what decides its way.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::files::SplitAccess;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::accelerate::rounds::{CallEnd, Lap};
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::{AccessEnd, FileAccess};

impl<A: Abi, N: CallCount> Outgoing<A, N> {
    /// The strategy for the memory of a write, with what it packs, and its place in the round:
    /// [`Lap::done`] when the call returns, which then has done the write (`end`) or not yet.
    ///
    /// # Safety
    /// As for the MPI call: the buffer can be read.
    pub unsafe fn to_file(
        state: &'static Accelerator<A>,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        end: CallEnd,
    ) -> (Self, Lap) {
        let found = match state.file_memory(access, memory, (false, end)) {
            Some(found) => found,
            None => return (Outgoing::Native, Lap::NONE),
        };
        let out = Self::through(state, found.message, memory.buffer, found.elements);
        // SAFETY: the buffer is the caller's promise.
        (unsafe { out.packed(state) }, found.lap)
    }

    /// After a call for a write that returned `code`: what was packed stays with what ends it.
    ///
    /// # Safety
    /// The library has written the request of `end`, if there is one and it succeeded.
    pub unsafe fn written(
        self,
        state: &Accelerator<A>,
        file: A::File,
        code: c_int,
        end: AccessEnd<A>,
    ) {
        match (self, end) {
            (out, AccessEnd::Request(request)) => {
                // SAFETY: the request is the caller's promise.
                unsafe { out.wait_for(state, code, request, Held::Send) }
            }
            (Outgoing::Packed(departure, ..), AccessEnd::EndCall)
                if code == A::CONSTANTS.success =>
            {
                state.files.begin(file, SplitAccess::Write(departure));
            }
            (out, AccessEnd::Call(_) | AccessEnd::EndCall) => out.done(state),
        }
    }
}
