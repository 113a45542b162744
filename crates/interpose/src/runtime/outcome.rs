//! How receives end, and the errors with which libraries end them.

use std::ffi::c_int;

use commloom_mpi::{Abi, AbiKind, Family, Status};

use crate::runtime::process::Runtime;

/// How a receive has ended.
#[derive(Debug)]
pub(crate) enum Outcome<S> {
    /// With this status.
    Arrived(S),
    /// The message was longer than the receive.
    Truncated,
    /// With another error.
    Failed,
}

impl<S: Status> Outcome<S> {
    /// By the error code of the receive.
    pub fn of_error<A: Abi<Status = S>>(runtime: &Runtime<A>, code: c_int) -> Self {
        if runtime.mpi().error_class(code) == Some(A::CONSTANTS.err_truncate) {
            Outcome::Truncated
        } else {
            Outcome::Failed
        }
    }
}

/// When the library has the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// When the call returns.
    InCall,
    /// When a request completes, or after the program has freed that.
    Later,
}

/// A message that ends inside a basic element, in a library that calls this an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut<A: Abi> {
    /// Of the error.
    pub class: c_int,
    /// Whose error handler the library would call, where it is known.
    pub comm: Option<A::Comm>,
}

impl<A: Abi> Cut<A> {
    /// Fails the call as the library would, with an error of this class.
    pub fn raise(self, runtime: &Runtime<A>, class: c_int) -> c_int {
        if let Some(comm) = self.comm {
            // The handler decides whether the program ends. What it returns changes nothing.
            let _ = runtime.mpi().call_errhandler(comm, class);
        }
        class
    }
}

impl<A: Abi> Runtime<A> {
    /// The error class of a receive whose message ends inside a basic element; `None` where that
    /// is no error. It is asked after such a message only.
    pub(crate) fn error_inside_element(&self, when: When) -> Option<c_int> {
        let version = self.mpi().library_version().unwrap_or_default();
        let in_library = match self.mpi().release().family {
            Family::OpenMpi => return None,
            _ if A::KIND == AbiKind::OpenMpi => return None,
            Family::Intel => when == When::InCall,
            Family::Mpich => !is_ucx_alone(&version),
            Family::Other => false,
        };
        Some(if in_library { A::CONSTANTS.err_type } else { A::CONSTANTS.err_truncate })
    }
}

/// Whether MPICH hands every message to UCX, which calls this the error of a message that is too
/// long. Where MPICH has another device too, it moves and judges itself what processes of one
/// machine send.
fn is_ucx_alone(version: &str) -> bool {
    version.lines().any(|line| {
        line.strip_prefix("MPICH Device:").is_some_and(|device| device.trim() == "ch4:ucx")
    })
}
