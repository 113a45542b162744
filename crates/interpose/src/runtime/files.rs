//! Calls that read and write data of files (MPI 4.1, section 14.4), as values. An exported
//! function makes one of its arguments, and a layer lets it go on with the same memory, or with
//! other memory in its place.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Offset};

use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;

/// Where in the file an access begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePointer {
    /// At this offset of the view.
    Explicit(Offset),
    /// At the individual file pointer.
    Individual,
    /// At the shared file pointer.
    Shared,
}

/// Which processes make the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordination {
    /// This one.
    Independent,
    /// All that have opened the file.
    Collective,
}

/// An access to a file, besides its memory.
#[derive(Debug, Clone, Copy)]
pub struct FileAccess<A: Abi> {
    /// Of the program.
    pub file: A::File,
    /// Where it begins.
    pub pointer: FilePointer,
    /// Who makes it.
    pub coordination: Coordination,
}

/// The end of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessEnd<A: Abi> {
    /// The call itself, which fills in this status.
    Call(*mut A::Status),
    /// The call that completes this request.
    Request(*mut A::Request),
    /// `MPI_File_write_all_end` and its like, for this file.
    EndCall,
}

impl<A: Abi> AccessEnd<A> {
    /// The place for the status, where the call itself fills one in.
    #[must_use]
    pub fn status(self) -> *mut A::Status {
        match self {
            AccessEnd::Call(status) => status,
            AccessEnd::Request(_) | AccessEnd::EndCall => std::ptr::null_mut(),
        }
    }
}

/// Who looks after the data of files: the accelerator, or the recorder in its place, which lets
/// everything pass. `next` is the library's function, with the memory that the layer wants, and
/// the end of the access, which may have another place for the status.
pub trait FileLayer<A: Abi>: Copy {
    /// `MPI_File_write`, `MPI_File_iwrite`, `MPI_File_write_all_begin` and their like.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn file_write<N: CallCount>(
        self,
        _access: FileAccess<A>,
        memory: MessageData<A, N>,
        end: AccessEnd<A>,
        next: impl FnOnce(MessageData<A, N>, AccessEnd<A>) -> c_int,
    ) -> c_int {
        next(memory, end)
    }

    /// `MPI_File_read`, `MPI_File_iread`, `MPI_File_read_all_begin` and their like.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn file_read<N: CallCount>(
        self,
        _access: FileAccess<A>,
        memory: MessageData<A, N>,
        end: AccessEnd<A>,
        next: impl FnOnce(MessageData<A, N>, AccessEnd<A>) -> c_int,
    ) -> c_int {
        next(memory, end)
    }

    /// `MPI_File_write_all_end`, `MPI_File_read_all_end` and their like; `next` gets the buffer
    /// and the place for the status.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn file_end(
        self,
        _file: A::File,
        buffer: *mut c_void,
        status: *mut A::Status,
        next: impl FnOnce(*mut c_void, *mut A::Status) -> c_int,
    ) -> c_int {
        next(buffer, status)
    }
}
