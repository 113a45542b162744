//! Error codes, and the message of the last error of a thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use commloom_commgraph::BuildError;
use commloom_mpi::graphs::GraphsError;
use thiserror::Error;

/// The result of functions: an error, or that all is well.
#[repr(C)]
#[allow(non_camel_case_types, clippy::upper_case_acronyms)] // As C writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum cDAG_Error {
    /// All is well.
    CDAG_OK = 0,
    /// A handle of a graph or schedule that does not exist (any more).
    CDAG_ERR_HANDLE = -1,
    /// Another argument that makes no sense: a rank, a null pointer, an operation of another
    /// graph.
    CDAG_ERR_ARGUMENT = -2,
    /// The program uses no MPI library, or MPI has not been initialized, or has been finalized.
    CDAG_ERR_NO_MPI = -3,
    /// An MPI call failed.
    CDAG_ERR_MPI = -4,
    /// The graph has no meaning: an unmatched message, a deadlock, a data race, a truncated
    /// message.
    CDAG_ERR_GRAPH = -5,
    /// Something that this library or the MPI library cannot do.
    CDAG_ERR_UNSUPPORTED = -6,
    /// A bug of this library.
    CDAG_ERR_INTERNAL = -7,
}

/// Why a function failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text}")]
pub(crate) struct Failure {
    pub code: cDAG_Error,
    pub text: String,
}

impl Failure {
    pub(crate) fn new(code: cDAG_Error, text: impl Into<String>) -> Failure {
        Failure { code, text: text.into() }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::new(cDAG_Error::CDAG_ERR_ARGUMENT, error.to_string())
    }
}

impl From<GraphsError> for Failure {
    fn from(error: GraphsError) -> Failure {
        let code = match error {
            GraphsError::Mpi(_) => cDAG_Error::CDAG_ERR_MPI,
            GraphsError::Graph(_) | GraphsError::Build(_) => cDAG_Error::CDAG_ERR_GRAPH,
            _ => cDAG_Error::CDAG_ERR_UNSUPPORTED,
        };
        Failure::new(code, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// The message of the last error of this thread; it stays until the next one.
pub(crate) fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Does the work of a function. An error is noted, and its code handed to `failed`; so is a panic.
pub(crate) fn guarded<T>(
    work: impl FnOnce() -> Result<T, Failure>,
    failed: impl FnOnce(c_int) -> T,
) -> T {
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let text = "a bug of libcommloom: what it was is on the error output";
        Err(Failure::new(cDAG_Error::CDAG_ERR_INTERNAL, text))
    });
    outcome.unwrap_or_else(|failure| {
        let text = failure.text.replace('\0', " ");
        let _ = LAST.try_with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
        failed(failure.code as c_int)
    })
}
