//! Accesses to files: memory with gaps is packed, so that the library reads or writes one run of
//! bytes, where that was measured to be faster. The bytes of the file, the file pointers and the
//! error classes are the library's in every case, because it gets as many elements of the basic
//! type as the program's own datatype has.
//!
//! Left alone are files with another data representation than "native", of which the library
//! would convert the elements, and reads at the shared file pointer.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use commloom_mpi::{Abi, Subject};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::message::Message;
use crate::accelerate::part::{FilePart, Purpose};
use crate::accelerate::rounds::{self, CallEnd, Lap};
use crate::accelerate::strategy::Elements;
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::{AccessEnd, FileAccess};

impl<A: Abi> From<AccessEnd<A>> for CallEnd {
    fn from(end: AccessEnd<A>) -> CallEnd {
        match end {
            AccessEnd::Call(_) => CallEnd::Done,
            AccessEnd::Request(_) | AccessEnd::EndCall => CallEnd::Started,
        }
    }
}

/// Memory of an access that commloom has a say in, as the library shall have it.
pub(crate) struct FileMemory<A: Abi, N> {
    pub message: Arc<Message<A>>,
    pub elements: Elements<A, N>,
    /// Its place in the round: [`Lap::done`] when the call returns.
    pub lap: Lap,
}

impl<A: Abi> Accelerator<A> {
    /// The memory of an access that begins here. Where the library gets it as it is, what waits
    /// for its type to be analysed.
    pub(crate) fn file_memory<N: CallCount>(
        &'static self,
        access: FileAccess<A>,
        memory: MessageData<A, N>,
        (is_read, end): (bool, CallEnd),
    ) -> Option<FileMemory<A, N>> {
        let FileAccess { file, coordination, .. } = access;
        if self.leaves_alone() || self.files.converted.has(file) {
            return None;
        }
        rounds::looks();
        let message = match self.message(memory.datatype, memory.count.wide(), Purpose::File) {
            Found::This(message) => message,
            Found::Nothing | Found::Unknown => return None,
        };
        if let Some(reason) = self.leaves_late_end(end) {
            message.tally.native(reason, message.size());
            return None;
        }
        let is_split = end == CallEnd::Started;
        let (elements, lap) = message.in_file(FilePart { is_read, coordination, is_split });
        Some(FileMemory { message, elements, lap })
    }

    /// Why an access that another call ends stays native, if it does. ROMIO tells of the end of a
    /// file by gaps; and a non-blocking write of one run of bytes it leaves to the system's
    /// asynchronous I/O, which took 10 to 100 times as long as its own way through gaps.
    fn leaves_late_end(&self, end: CallEnd) -> Option<&'static str> {
        let leaves = end == CallEnd::Started && self.mpi().may_have(Subject::ShortReads);
        leaves.then_some("the library treats non-blocking accesses without gaps otherwise")
    }

    /// `MPI_File_set_view` is about to be called. What it says of the data representation is
    /// believed even if it fails: a file that is left alone without need loses time only.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn sees_as(&self, file: A::File, representation: *const c_char) {
        if representation.is_null() {
            return;
        }
        // SAFETY: a string of the program, which MPI reads too.
        let name = unsafe { CStr::from_ptr(representation) };
        if name != c"native" {
            self.files.converted.insert(file, ());
        }
    }

    /// `MPI_File_close` is about to be called: the handle may be another file's soon.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn closes(&self, file: *const A::File) {
        if file.is_null() {
            return;
        }
        // SAFETY: a handle of the program, which MPI reads too.
        let file = unsafe { *file };
        self.files.converted.remove(file);
        // The program has not ended it; who knows whether the library has.
        std::mem::forget(self.files.end(file));
    }
}
