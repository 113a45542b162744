//! A blocking read made again, as the program wrote it: by this process alone, at the place where
//! it began. All processes of a collective read have had their part by then.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::file_reading::ReadsFrom;
use crate::runtime::calls::MessageData;
use crate::runtime::count::{CallCount, Integer as _};
use crate::runtime::files::{FileAccess, FilePointer};

impl<A: Abi> Accelerator<A> {
    /// Where a read that is about to be made begins; `None` where nobody knows: other threads may
    /// move the individual file pointer before it, and the shared one is everybody's.
    pub(crate) fn reads_from(&self, access: FileAccess<A>) -> Option<ReadsFrom> {
        match access.pointer {
            FilePointer::Explicit(offset) => Some(ReadsFrom::Explicit(offset)),
            FilePointer::Individual => {
                let mpi = self.mpi();
                if mpi.query_thread().ok()? == A::CONSTANTS.thread_multiple {
                    return None;
                }
                let (tell, mut offset) = (mpi.own.file_get_position?, 0);
                // SAFETY: a file of the program; the offset is writable.
                let code = unsafe { tell(access.file, &raw mut offset) };
                (code == A::CONSTANTS.success).then_some(ReadsFrom::Individual(offset))
            }
            FilePointer::Shared => None,
        }
    }

    /// Reads again, natively. Gives the code for the program.
    ///
    /// # Safety
    /// As for the MPI call with these arguments, whose status can be written.
    pub(crate) unsafe fn read_again<N: CallCount>(
        &self,
        (file, from): (A::File, ReadsFrom),
        memory: MessageData<A, N>,
        status: *mut A::Status,
    ) -> c_int {
        let own = &self.mpi().own;
        let MessageData { buffer, count, datatype } = memory;
        let (count, small) = (count.wide(), c_int::narrow(count.wide()));
        // SAFETY: the arguments are the caller's promise; the offset is of the same view.
        let code = unsafe {
            match (from, small) {
                (ReadsFrom::Explicit(at), Some(count)) => {
                    own.file_read_at.map(|f| f(file, at, buffer, count, datatype, status))
                }
                (ReadsFrom::Explicit(at), None) => {
                    own.file_read_at_c.map(|f| f(file, at, buffer, count, datatype, status))
                }
                (ReadsFrom::Individual(at), small) => own.file_seek.and_then(|seek| {
                    let code = seek(file, at, A::CONSTANTS.seek_set);
                    if code != A::CONSTANTS.success {
                        return Some(code);
                    }
                    match small {
                        Some(count) => {
                            own.file_read.map(|f| f(file, buffer, count, datatype, status))
                        }
                        None => own.file_read_c.map(|f| f(file, buffer, count, datatype, status)),
                    }
                }),
            }
        };
        code.unwrap_or(A::CONSTANTS.err_unsupported_operation)
    }
}
