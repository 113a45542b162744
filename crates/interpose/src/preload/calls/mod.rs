//! The wrapped calls, one family per file. Messages, persistent requests and completion are layers
//! ([`calls`](crate::runtime::calls), [`completion`](crate::runtime::completion)); each other
//! function takes the state, the function of the library that the call goes on to, and the arguments
//! of the MPI call.

pub mod collectives;
mod completion;
pub mod environment;
pub mod packing;
mod persistent;
mod point_to_point;
pub mod sessions;
pub mod types;
pub mod watched;

use std::ffi::c_int;

use commloom_mpi::Abi;

/// The answer to a call that the library behind us does not have. A program that is linked to a
/// library cannot make one; a program that looks functions up may.
#[must_use]
pub fn unsupported<A: Abi>() -> c_int {
    A::CONSTANTS.err_unsupported_operation
}
