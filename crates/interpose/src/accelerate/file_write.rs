//! The memory of a write to a file: that of a send ([`Outgoing`]), but for what decides its way.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::files::SplitAccess;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::part::FilePart;
use crate::accelerate::rounds::{CallEnd, Lap};
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::FileAccess;

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
        let message = match state.file_message(access.file, memory) {
            Found::This(message) => message,
            Found::Nothing | Found::Unknown => return (Outgoing::Native, Lap::NONE),
            Found::NotYet(waiting) => return (Outgoing::Unseen(waiting), Lap::NONE),
        };
        if let Some(reason) = state.leaves_late_end(end) {
            message.tally.native(reason, message.size());
            return (Outgoing::Native, Lap::NONE);
        }
        let FileAccess { coordination, .. } = access;
        let part = FilePart { is_read: false, coordination, is_split: end == CallEnd::Started };
        let (elements, lap) = message.in_file(part);
        let out = Self::through(state, message, memory.buffer, elements);
        // SAFETY: the buffer is the caller's promise.
        (unsafe { out.packed(state) }, lap)
    }

    /// After a call that has begun a split collective and returned `code`: if it succeeded, what
    /// was packed stays with the file.
    pub fn wait_for_end(self, state: &Accelerator<A>, code: c_int, file: A::File) {
        match self {
            Outgoing::Packed(departure, ..) if code == A::CONSTANTS.success => {
                state.files.begin(file, SplitAccess::Write(departure));
            }
            other => other.done(state),
        }
    }
}
