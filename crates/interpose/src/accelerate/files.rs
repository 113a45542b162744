//! Accesses to files: memory with gaps is packed, so that the library reads or writes one run of
//! bytes, where that was measured to be faster. The bytes of the file, the file pointers and the
//! error classes are the library's in every case, because it gets as many elements of the basic
//! type as the program's own datatype has.
//!
//! Left alone are files with another data representation than "native", of which the library
//! would convert the elements, and reads at the shared file pointer.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::departure::Departure;
use crate::accelerate::file_reading::FileReading;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::part::{FilePart, Purpose};
use crate::accelerate::rounds::{CallEnd, Lap};
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::files::FileAccess;
use crate::runtime::sync::lock;

/// The files of the program of which something has to be known.
pub(crate) struct Files<A: Abi> {
    /// Those with a view of another data representation.
    converted: FileTable<A, ()>,
    /// Split collectives under way: at most one for each file (MPI 4.1, section 14.4.5).
    split: FileTable<A, SplitAccess<A>>,
}

/// A few files, each with a value. Where there is none, a look costs one load.
struct FileTable<A: Abi, T> {
    number: AtomicUsize,
    entries: Mutex<Vec<(A::File, T)>>,
}

/// The packed memory of a split collective.
pub(crate) enum SplitAccess<A: Abi> {
    /// The library still reads it.
    Write(Departure<A>),
    /// The library still writes it.
    Read(FileReading<A>),
}

impl<A: Abi, T> FileTable<A, T> {
    const fn new() -> Self {
        FileTable { number: AtomicUsize::new(0), entries: Mutex::new(Vec::new()) }
    }

    fn has(&self, file: A::File) -> bool {
        self.number.load(Ordering::Acquire) > 0
            && lock(&self.entries).iter().any(|(other, _)| *other == file)
    }

    /// Adds an entry; gives the one that the file had.
    fn insert(&self, file: A::File, value: T) -> Option<T> {
        let mut entries = lock(&self.entries);
        let old = entries.iter().position(|(other, _)| *other == file);
        let old = old.map(|at| entries.swap_remove(at).1);
        entries.push((file, value));
        self.number.store(entries.len(), Ordering::Release);
        old
    }

    fn remove(&self, file: A::File) -> Option<T> {
        if self.number.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut entries = lock(&self.entries);
        let at = entries.iter().position(|(other, _)| *other == file)?;
        let (_, value) = entries.swap_remove(at);
        self.number.store(entries.len(), Ordering::Release);
        Some(value)
    }
}

impl<A: Abi> Files<A> {
    pub const fn new() -> Self {
        Files { converted: FileTable::new(), split: FileTable::new() }
    }

    /// A split collective has begun. One that the program has never ended may still be the
    /// library's: its memory is lost.
    pub fn begin(&self, file: A::File, access: SplitAccess<A>) {
        if let Some(lost) = self.split.insert(file, access) {
            std::mem::forget(lost);
        }
    }

    /// The packed memory of the split collective that is about to end.
    pub fn end(&self, file: A::File) -> Option<SplitAccess<A>> {
        self.split.remove(file)
    }
}

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

impl<A: Abi> Accelerator<A> {
    /// The memory of an access to a file, where commloom has a say in it.
    pub(crate) fn file_message<N: CallCount>(
        &'static self,
        file: A::File,
        memory: MessageData<A, N>,
    ) -> Found<A> {
        if self.leaves_alone() || self.files.converted.has(file) {
            return Found::Nothing;
        }
        self.message(memory.datatype, memory.count.wide(), Purpose::File)
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
        std::mem::forget(self.files.split.remove(file));
    }
}
